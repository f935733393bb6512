/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over pods (scheduling.md 17) and what comes before it. */
#include <string.h>

#include "go_sort.h"
#include "memory.h"
#include "scheduler.h"

/* ------------------------------------------------------------------------------------------------ default spread (15)
 */

static const json_t *owner_spec(const struct world *world, const struct pod *pod, const char *version, const char *kind)
{
    if (strcmp(ref_text(pod->controller, "apiVersion"), version) != 0 ||
        strcmp(ref_text(pod->controller, "kind"), kind) != 0) {
        return NULL;
    }
    return ref_at(ref_named(world, kind, ref_text(pod->controller, "name"), pod->namespace), "spec");
}

/** The selector of what the pod belongs to; not given if it belongs to nothing. */
static struct selector default_selector(const struct world *world, const struct pod *pod)
{
    struct objects services = ref_objects(world, "Service");
    struct labels labels = { NULL, 0 };
    for (size_t i = 0; i < services.count; i++) {
        const json_t *metadata = ref_at(services.items[i], "metadata");
        const json_t *wanted = ref_at(ref_at(services.items[i], "spec"), "selector");
        struct selector selector = { .given = wanted != NULL, .labels = ref_labels_read(wanted) };
        const char *namespace = *ref_text(metadata, "namespace") != '\0' ? ref_text(metadata, "namespace") : "default";
        if (strcmp(namespace, pod->namespace) == 0 && ref_selects(&selector, pod->labels)) {
            labels = ref_labels_merge(labels, selector.labels);
        }
    }
    const json_t *controller = owner_spec(world, pod, "v1", "ReplicationController");
    labels = ref_labels_merge(labels, ref_labels_read(ref_at(controller, "selector")));
    const json_t *set = owner_spec(world, pod, "apps/v1", "ReplicaSet");
    set = set != NULL ? set : owner_spec(world, pod, "apps/v1", "StatefulSet");
    struct selector of_set = ref_selector_read(ref_at(set, "selector"));
    struct selector out = { .labels = labels, .expressions = of_set.expressions };
    for (size_t i = 0; i < of_set.labels.count; i++) {
        ref_selector_require(&out, of_set.labels.items[i].key, of_set.labels.items[i].value);
    }
    out.given = out.labels.count > 0 || out.expressions.count > 0;
    return out;
}

static void add_default_spreads(const struct world *world, struct pod *pod)
{
    struct selector selector = default_selector(world, pod);
    if (world->default_spreads.count == 0 || pod->spreads.count > 0 || !selector.given) {
        return;
    }
    struct spread *items = ref_alloc(world->default_spreads.count * sizeof *items);
    for (size_t i = 0; i < world->default_spreads.count; i++) {
        items[i] = world->default_spreads.items[i];
        items[i].selector = selector;
    }
    pod->spreads = (struct spreads){ items, world->default_spreads.count };
}

/* ------------------------------------------------------------------------------------------------ pod data (17.1) */

static void refresh(struct scheduler *s, const struct pod *pod)
{
    struct requirements strict = ref_strict_requirements(pod), full = ref_full_requirements(pod);
    s->data[pod->index] = (struct pod_data){
        .requests = ref_requests(&pod, 1),
        .requirements = s->world->ignore_preferences ? strict : full,
        .strict = strict,
        .volumes = s->volumes[pod->index],
    };
}

/* ------------------------------------------------------------------------------------------------ set-up */

static struct topology *enter_topology(struct scheduler *s, const struct state_node *const *states, size_t count)
{
    struct world *w = s->world;
    struct domain_source *sources = ref_alloc((s->pool_count + 1) * sizeof *sources);
    bool *excluded = ref_alloc(w->pod_count + 1), *sound = ref_alloc(w->pod_count + 1);
    for (size_t i = 0; i < w->chosen_count; i++) {
        struct pod *p = w->chosen[i];
        sound[p->index] = ref_volume_alternatives(w, p, &s->volumes[p->index]);
        excluded[p->index] = sound[p->index]; /* the others count where they are: Q-2 */
        if (sound[p->index]) {
            add_default_spreads(w, p);
        }
    }
    for (size_t i = 0; i < s->pool_count; i++) {
        const struct pool *p = &s->pools[i];
        sources[i].base = ref_union(p->requirements, ref_requirements_of_labels(p->labels));
        sources[i].taints = p->taints;
        sources[i].types = p->types;
        if (p->types.count == 0) {
            sources[i].base = (struct requirements){ NULL, 0 }; /* a pool without types adds nothing */
        }
    }
    struct topology *t = ref_topology_make(w, sources, s->pool_count, states, count, excluded);
    for (size_t i = 0; i < w->chosen_count; i++) {
        if (sound[w->chosen[i]->index]) { /* the others are packed all the same: Q-2 */
            ref_topology_update(t, w->chosen[i]);
        }
    }
    return t;
}

static void subtract_usage(struct scheduler *s, const struct state_node *const *states, size_t count)
{
    for (size_t p = 0; p < s->pool_count; p++) {
        for (size_t i = 0; i < count; i++) {
            if (strcmp(states[i]->pool, s->pools[p].name) == 0) {
                struct resources capacity = ref_state_resources(states[i], "capacity");
                capacity = ref_resources_set(capacity, "nodes", NANO);
                s->pools[p].remaining = ref_resources_subtract(s->pools[p].remaining, capacity);
            }
        }
    }
}

static void set_up(struct scheduler *s)
{
    struct world *w = s->world;
    const struct state_node **states = ref_alloc((w->state_count + 1) * sizeof *states);
    size_t count = 0;
    for (size_t i = 0; i < w->state_count; i++) {
        if (!w->states[i].marked) {
            states[count++] = &w->states[i];
        }
    }
    s->data = ref_alloc((w->pod_count + 1) * sizeof s->data[0]);
    s->volumes = ref_alloc((w->pod_count + 1) * sizeof s->volumes[0]);
    s->errors = ref_alloc((w->pod_count + 1) * sizeof s->errors[0]);
    s->topology = enter_topology(s, states, count);
    s->devices = ref_devices_make(s);
    ref_daemons_read(s);
    ref_reservations_read(s);
    ref_templates_make(s);
    for (size_t i = 0; i < s->template_count; i++) {
        ref_daemon_groups_make(s, &s->templates[i]);
    }
    ref_nodes_make(s, states, count);
    subtract_usage(s, states, count);
    for (size_t i = 0; i < w->chosen_count; i++) {
        refresh(s, w->chosen[i]);
    }
}

/* ------------------------------------------------------------------------------------------------ one pod (17.4, 19,
 * 20) */

static int by_pod_count(const void *a, const void *b)
{
    size_t x = (*(struct claim *const *)a)->pod_count, y = (*(struct claim *const *)b)->pod_count;
    return (x > y) - (x < y);
}

static bool place_on_claim(struct scheduler *s, const struct pod *pod)
{
    ref_go_sort(s->claims, s->claim_count, sizeof(struct claim *), by_pod_count);
    for (size_t i = 0; i < s->claim_count; i++) {
        struct answer answer;
        struct ref_mark mark = ref_mark();
        if (ref_claim_try(s, s->claims[i], pod, false, &answer) == NULL) {
            ref_claim_add(s, s->claims[i], pod, &answer);
            return true;
        }
        ref_release(mark);
    }
    return false;
}

static bool within_limits(const struct instance_type *type, struct resources remaining)
{
    for (size_t i = 0; i < remaining.count; i++) {
        if (ref_resources_get(type->capacity, remaining.items[i].name) > remaining.items[i].value) {
            return false;
        }
    }
    return true;
}

static refusal try_template(struct scheduler *s, const struct template *t, const struct pod *pod)
{
    const struct resource *nodes = ref_resources_find(t->pool->remaining, "nodes");
    struct types types = { ref_alloc((t->types.count + 1) * sizeof(void *)), 0 };
    struct answer answer;
    if (nodes != NULL && nodes->value == 0) {
        return "NODE_LIMITS";
    }
    for (size_t i = 0; i < t->types.count; i++) {
        if (within_limits(t->types.items[i], t->pool->remaining)) {
            types.items[types.count++] = t->types.items[i];
        }
    }
    if (types.count == 0) {
        return "LIMITS";
    }
    struct claim *claim = ref_claim_new(s, t, types);
    refusal why = ref_claim_try(s, claim, pod, s->world->best_effort, &answer);
    if (why == NULL) {
        ref_claim_add(s, claim, pod, &answer);
        s->claims = ref_push(s->claims, s->claim_count, sizeof(struct claim *));
        s->claims[s->claim_count++] = claim;
        ref_pool_charge(t->pool, claim->types);
    }
    return why;
}

static refusal place_on_new_claim(struct scheduler *s, const struct pod *pod)
{
    refusal why = "NO_TEMPLATES";
    for (size_t i = 0; i < s->template_count; i++) {
        struct ref_mark mark = ref_mark();
        why = try_template(s, &s->templates[i], pod);
        if (why == NULL) {
            return NULL;
        }
        ref_release(mark);
        if (strcmp(why, REFUSED_RESERVED) == 0) {
            break; /* no lighter pool is tried */
        }
    }
    return why;
}

static refusal place(struct scheduler *s, const struct pod *pod)
{
    if (pod->wants_devices && s->world->ignore_devices) {
        return REFUSED_DEVICES;
    }
    if (pod->wants_devices && !ref_claims_exist(s->world, pod)) {
        return "RESOURCE_CLAIM";
    }
    struct attachments volumes;
    if (ref_since(1015) && !ref_attachments(s->world, pod, &volumes)) {
        return "VOLUME_LOOK_UP"; /* K15-13 */
    }
    if (ref_place_on_node(s, pod) || place_on_claim(s, pod)) {
        return NULL;
    }
    return place_on_new_claim(s, pod);
}

/* ------------------------------------------------------------------------------------------------ the loop
 * (17.2, 17.3) */

/** Tries a copy of the pod, giving up preference after preference. */
static refusal try_schedule(struct scheduler *s, const struct pod *original)
{
    struct pod *pod = ref_alloc(sizeof *pod);
    *pod = *original;
    for (;;) {
        refusal why = place(s, pod);
        if (why == NULL || strcmp(why, REFUSED_RESERVED) == 0 || strcmp(why, REFUSED_DEVICES) == 0 ||
            !ref_relax(pod, s->prefer_no_schedule)) {
            return why;
        }
        ref_topology_update(s->topology, pod);
        refresh(s, pod);
    }
}

static int larger(amount a, amount b) { return (b > a) - (b < a); }

/** (17.2) Orders the queue; amounts are looked up once, by the caller's array. */
struct queued {
    struct pod *pod;
    amount cpu, memory;
};

static int by_queue(const void *a, const void *b)
{
    const struct queued *x = a, *y = b;
    int order = larger(x->cpu, y->cpu);
    order = order != 0 ? order : larger(x->memory, y->memory);
    if (order == 0 && x->pod->created != y->pod->created) {
        order = x->pod->created < y->pod->created ? -1 : 1;
    }
    return order != 0 ? order : strcmp(x->pod->uid, y->pod->uid);
}

static struct queued *make_queue(const struct scheduler *s)
{
    const struct world *w = s->world;
    struct queued *queue = ref_alloc((w->chosen_count + 1) * sizeof *queue);
    for (size_t i = 0; i < w->chosen_count; i++) {
        struct resources r = s->data[w->chosen[i]->index].requests;
        queue[i] = (struct queued){ w->chosen[i], ref_resources_get(r, "cpu"), ref_resources_get(r, "memory") };
    }
    ref_sort(queue, w->chosen_count, sizeof *queue, by_queue);
    return queue;
}

void ref_solve(struct scheduler *s)
{
    set_up(s);
    struct queued *queue = make_queue(s);
    size_t length = s->world->chosen_count;
    size_t *last_length = ref_alloc((s->world->pod_count + 1) * sizeof *last_length);
    while (length > 0 && last_length[queue[0].pod->index] != length) {
        struct queued head = queue[0];
        refusal why = try_schedule(s, head.pod);
        memmove(queue, queue + 1, (length - 1) * sizeof *queue);
        s->errors[head.pod->index] = why;
        if (why == NULL) {
            length--;
            continue;
        }
        ref_topology_update(s->topology, head.pod);
        refresh(s, head.pod);
        queue[length - 1] = head;
        last_length[head.pod->index] = length;
    }
    for (size_t i = 0; i < s->claim_count; i++) {
        ref_claim_finish(s->claims[i]);
    }
}
