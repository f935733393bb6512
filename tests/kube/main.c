/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the models of kube-scheduler and of ReplicaSets: kube_answers FILE [CONFIGURATION|--time].
 * cases/test_kube_scheduler.py and cases/test_kube_replicas.py compare them with those of Kubernetes. Output: a line
 * for each pending pod by itself, then a line for each attempt when all are scheduled; or a line for each case. */
#include "controllers.h"

#include <kube/attempt.h>
#include <kube/config.h>
#include <kube/groups.h>
#include <kube/objects.h>
#include <kube/pod_class.h>
#include <kube/profile.h>

#include <base/sort.h>
#include <io/decode_fields.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const plugins[KUBE_PLUGINS] = { "NodeUnschedulable",  "NodeName",
                                                   "TaintToleration",    "NodeAffinity",
                                                   "NodePorts",          "NodeResourcesFit",
                                                   "VolumeRestrictions", "NodeVolumeLimits",
                                                   "VolumeBinding",      "VolumeZone",
                                                   "PodTopologySpread",  "InterPodAffinity",
                                                   "DefaultPreemption",  "NodeResourcesBalancedAllocation",
                                                   "ImageLocality" };
static const char *const codes[] = { "", "Unschedulable", "UnschedulableAndUnresolvable" };

typedef struct world_pod {
    const tree *object;
    karp_pod pod;
    karp_str name;
    uint32_t number;
    bool pending, gated;
} world_pod;

typedef struct world {
    karp_context *context;
    trees trees;
    arena memory;
    kube_profile profile;
    kube_config config; /* count 0 = none */
    kube_cluster cluster;
    kube_attempt attempt;
    io_table node_index;
    world_pod *pods;
    size_t pod_count;
} world;

static void die(const char *what, const karp_error *error)
{
    fprintf(stderr, "kube_answers: %s: %s\n", what, error ? error->message : "");
    exit(1);
}

static char *read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 24);
    if (!f || !text) die(path, NULL);
    *length = fread(text, 1, 1 << 24, f);
    fclose(f);
    return text;
}

static int by_node_name(const void *a, const void *b, const void *user)
{
    const tree *const *x = a, *const *y = b;
    (void)user;
    return compare_str(tree_get_text(tree_get(*x, "metadata"), "name"),
                       tree_get_text(tree_get(*y, "metadata"), "name"));
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static void add_node(world *w, const tree *object)
{
    io_decoder d;
    karp_node node = { .size = sizeof node };
    const tree *images = tree_get(tree_get(object, "status"), "images"), *spec = tree_get(object, "spec");
    kube_image *list = arena_alloc(&w->memory, 1 + 100 * sizeof *list * (tree_count(images) + 1));
    kube_node_spec s = { .images = list, .unschedulable = tree_is(tree_get(spec, "unschedulable"), TREE_TRUE) };
    io_decoder_init(&d, &w->memory);
    io_decode(&d, &io_node_record, object, &node);
    if (d.status) die("node", &d.error);
    for (size_t i = 0; i < tree_count(images); i++) {
        const tree *names = tree_get(tree_item(images, i), "names");
        int64_t size = 0;
        (void)tree_integer(tree_get(tree_item(images, i), "sizeBytes"), &size);
        for (size_t k = 0; k < tree_count(names); k++) {
            karp_str name = tree_text(tree_item(names, k));
            uint32_t id = strings_find(&w->cluster.images, name.ptr, name.len);
            if (id != NO_ID) list[s.image_count++] = (kube_image){ id, size };
        }
    }
    s.name = node.meta.name;
    s.labels = node.meta.labels;
    s.label_count = node.meta.label_count;
    s.taints = node.taints;
    s.taint_count = node.taint_count;
    s.allocatable = node.allocatable_count ? node.allocatable : node.capacity;
    s.allocatable_count = node.allocatable_count ? node.allocatable_count : node.capacity_count;
    uint32_t number = kube_node_add(&w->cluster, &s);
    if (number == KUBE_NONE || !io_table_put(&w->node_index, s.name, number)) die("node", &w->cluster.error);
}

static void decode_pod(world *w, const tree *object)
{
    io_decoder d;
    world_pod *p = &w->pods[w->pod_count++];
    io_decoder_init(&d, &w->memory);
    p->object = object;
    io_decode_pod(&d, object, &p->pod);
    if (d.status) die("pod", &d.error);
    if (p->pod.meta.namespace_.len == 0) p->pod.meta.namespace_ = str("default");
    strbuf text;
    strbuf_init(&text, w->context);
    strbuf_addname(&text, p->pod.meta.namespace_, p->pod.meta.name);
    p->name = (karp_str){ arena_string(&w->memory, text.ptr, text.len), text.len };
    strbuf_free(&text);
}

static void add_pod(world *w, world_pod *p, uint32_t class_)
{
    const kube_priority *priority = kube_priority_find(&w->cluster, p->pod.priority_class_name);
    kube_pod pod = { .class_ = class_,
                     .priority = priority ? priority->value : 0,
                     .started = p->pod.start_time,
                     .terminating = p->pod.meta.deletion != KARP_NO_TIME,
                     .name = p->pod.meta.name };
    const tree *conditions = tree_get(tree_get(p->object, "status"), "conditions");
    for (size_t i = 0; i < tree_count(conditions) && pod.terminating; i++)
        pod.preempted = pod.preempted ||
                        str_is(tree_get_text(tree_item(conditions, i), "reason"), "PreemptionByScheduler");
    p->number = kube_pod_add(&w->cluster, &pod);
    uint32_t node = io_table_get(&w->node_index, p->pod.node_name);
    p->pending = p->pod.node_name.len == 0;
    p->gated = p->pending && (pod.terminating || p->pod.gated);
    if (!p->pending && node != IO_NONE) kube_place(&w->cluster, p->number, node);
    uint32_t meant = io_table_get(&w->node_index, p->pod.nominated_node_name);
    if (p->pending && !p->gated && meant != IO_NONE) kube_nominate(&w->cluster, p->number, meant);
}

static bool has_ended(const tree *object)
{
    karp_str phase = tree_get_text(tree_get(object, "status"), "phase");
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

static void load(world *w, const tree *objects, uint32_t minor)
{
    size_t count = tree_count(objects), nodes = 0;
    const tree **list = arena_alloc(&w->memory, (count + 1) * sizeof *list);
    w->pods = arena_zalloc(&w->memory, (count + 1) * sizeof *w->pods);
    kube_profile_default(&w->profile, minor);
    kube_profile *profiles = w->config.count ? w->config.profiles : &w->profile;
    size_t profile_count = w->config.count ? w->config.count : 1;
    for (size_t i = 0; i < profile_count; i++) profiles[i].percentage = 100;
    kube_cluster_init(&w->cluster, w->context, profiles, profile_count);
    kube_attempt_init(&w->attempt, &w->cluster);
    io_table_init(&w->node_index, w->context);
    w->attempt.keep_refusals = true;
    for (size_t i = 0; i < count; i++) {
        const tree *object = tree_item(objects, i);
        karp_str kind = tree_get_text(object, "kind");
        if (str_is(kind, "Node")) list[nodes++] = object;
        else if (!str_is(kind, "Pod")) kube_object_add(&w->cluster, object);
        else if (!has_ended(object)) decode_pod(w, object);
    }
    for (size_t i = 0; i < w->pod_count; i++) (void)kube_class_add(&w->cluster, &w->pods[i].pod, w->pods[i].object);
    kube_groups_settle(&w->cluster);
    if (w->cluster.status) die("world", &w->cluster.error);
    if (!sort_stable(w->context, list, nodes, sizeof *list, by_node_name, NULL)) die("memory", NULL);
    for (size_t i = 0; i < nodes; i++) add_node(w, list[i]);
    for (size_t i = 0; i < w->pod_count; i++) add_pod(w, &w->pods[i], (uint32_t)i);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static karp_str node_name(const world *w, uint32_t node) { return w->cluster.nodes[node].spec.name; }
static karp_str name_of(const world *w, uint32_t number)
{
    for (size_t i = 0; i < w->pod_count; i++) {
        if (w->pods[i].number == number) return w->pods[i].name;
    }
    return (karp_str){ "", 0 };
}

static void print(karp_str text) { printf("\"%.*s\"", (int)text.len, text.ptr); }

static void show(void *user, uint32_t plugin, const int64_t *raw, const int64_t *normalized)
{
    world *w = user;
    printf(", \"score %s\": {", plugins[plugin]);
    for (size_t i = 0; i < w->attempt.feasible_count; i++) {
        printf("%s", i ? ", " : "");
        print(node_name(w, w->attempt.feasible[i]));
        printf(": [%lld, %lld]", (long long)raw[i], (long long)normalized[i]);
    }
    printf("}");
}

static void print_candidate(const world *w, const kube_candidate *c)
{
    print(node_name(w, c->node));
    printf(": {\"victims\": [");
    for (size_t i = 0; i < c->count; i++) {
        printf("%s", i ? ", " : "");
        print(name_of(w, w->attempt.victims[c->first + i]));
    }
    printf("], \"violations\": %lld}", (long long)c->violations);
}

/* The best candidate, the first of them by name. */
static const kube_candidate *best_candidate(const world *w, const kube_candidate *list, size_t count)
{
    const kube_candidate *best = NULL;
    for (size_t i = 0; i < count; i++) {
        int order = best ? kube_compare_candidates(&w->attempt, &list[i], best) : 1;
        if (order > 0 || (order == 0 && compare_str(node_name(w, list[i].node), node_name(w, best->node)) < 0))
            best = &list[i];
    }
    return best;
}

static void show_preemption(world *w)
{
    size_t count = 0;
    const char *why = kube_preemption_refusal(&w->attempt);
    if (why) {
        printf(", \"notEligible\": \"%s\"", why);
        return;
    }
    const kube_candidate *list = kube_preemption_candidates(&w->attempt, &count),
                         *best = best_candidate(w, list, count);
    printf(", \"candidates\": {");
    for (size_t i = 0; i < count; i++) {
        printf("%s", i ? ", " : "");
        print_candidate(w, &list[i]);
    }
    printf("}, \"best\": [");
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (kube_compare_candidates(&w->attempt, &list[i], best)) continue;
        printf("%s", any ? ", " : "");
        print(node_name(w, list[i].node));
        any = true;
    }
    printf("]");
}

static void evaluate(world *w, const world_pod *p)
{
    kube_attempt *a = &w->attempt;
    printf("{\"pod\": ");
    print(p->name);
    if (p->gated) {
        printf(", \"gated\": true}\n");
        return;
    }
    kube_attempt_begin(a, p->number);
    uint32_t meant = w->cluster.pods[p->number].nominated;
    bool nominated = meant != KUBE_NONE && a->before.code == KUBE_FITS && kube_filter(a, meant).code == KUBE_FITS;
    kube_attempt_begin(a, p->number);
    if (a->before.code) printf(", \"before\": [\"%s\", \"%s\"]", plugins[a->before.plugin], codes[a->before.code]);
    kube_attempt_filter(a, true);
    printf(", \"infeasible\": {");
    bool any = false;
    for (size_t i = 0; i < w->cluster.node_count; i++) {
        if (a->refusals[i].code == KUBE_FITS) continue;
        printf("%s", any ? ", " : "");
        print(node_name(w, (uint32_t)i));
        printf(": [\"%s\", \"%s\"]", plugins[a->refusals[i].plugin], codes[a->refusals[i].code]);
        any = true;
    }
    printf("}, \"feasible\": [");
    for (size_t i = 0; i < a->feasible_count; i++) {
        printf("%s", i ? ", " : "");
        print(node_name(w, a->feasible[i]));
    }
    printf("]");
    if (a->feasible_count == 0) show_preemption(w);
    else {
        kube_attempt_score(a, show, w);
        printf(", \"totals\": {");
        for (size_t i = 0; i < a->feasible_count; i++) {
            printf("%s", i ? ", " : "");
            print(node_name(w, a->feasible[i]));
            printf(": %lld", (long long)a->totals[i]);
        }
        printf("}, \"pick\": ");
        print(node_name(w, nominated ? meant : a->feasible[kube_attempt_best(a, 0)]));
    }
    printf("}\n");
    if (w->cluster.status) die("evaluate", &w->cluster.error);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static int by_queue(uint32_t a, uint32_t b, const void *user)
{
    const world *w = user;
    const world_pod *x = &w->pods[a], *y = &w->pods[b];
    int32_t p = w->cluster.pods[x->number].priority, q = w->cluster.pods[y->number].priority;
    if (p != q) return p > q ? -1 : 1;
    return x->pod.meta.creation < y->pod.meta.creation ? -1 : x->pod.meta.creation > y->pod.meta.creation;
}

/* true = pods were preempted */
static bool preempt(world *w, const world_pod *p)
{
    size_t count = 0;
    kube_cluster *c = &w->cluster;
    if (kube_preemption_refusal(&w->attempt)) return false;
    const kube_candidate *list = kube_preemption_candidates(&w->attempt, &count),
                         *best = best_candidate(w, list, count);
    if (!best) {
        kube_nominate(c, p->number, KUBE_NONE);
        return false;
    }
    printf(", \"nominated\": {");
    print_candidate(w, best);
    printf("}");
    for (size_t i = 0; i < best->count; i++) kube_displace(c, w->attempt.victims[best->first + i]);
    for (size_t i = 0; i < c->nominated.count;) {
        uint32_t other = c->nominated.list[i];
        if (c->pods[other].nominated == best->node && c->pods[other].priority < c->pods[p->number].priority)
            kube_nominate(c, other, KUBE_NONE);
        else i++;
    }
    kube_nominate(c, p->number, best->node);
    return best->count > 0;
}

/* Only what tests/bench/peer measures: each pod once, on the nodes that the walk comes to. */
static void time_all(world *w)
{
    kube_attempt *a = &w->attempt;
    size_t placed = 0;
    clock_t before = clock();
    for (size_t i = 0; i < w->pod_count; i++) {
        if (!w->pods[i].pending) continue;
        kube_attempt_begin(a, w->pods[i].number);
        if (!a->before.code) kube_attempt_filter(a, false);
        if (a->before.code || a->feasible_count == 0) continue;
        if (a->feasible_count > 1) kube_attempt_score(a, NULL, NULL);
        size_t best = 0;
        for (size_t n = 1; n < a->feasible_count; n++) best = a->totals[n] > a->totals[best] ? n : best;
        kube_place(&w->cluster, w->pods[i].number, a->feasible[best]);
        placed++;
    }
    printf("{\"placed\": %zu, \"solve_s\": %.4f}\n", placed, (double)(clock() - before) / CLOCKS_PER_SEC);
}

/* true = something was bound or preempted */
static bool bind_one(world *w, world_pod *p)
{
    kube_attempt *a = &w->attempt;
    kube_cluster *c = &w->cluster;
    printf("{\"bind\": ");
    print(p->name);
    kube_attempt_begin(a, p->number);
    uint32_t node = c->pods[p->number].nominated;
    if (node == KUBE_NONE || a->before.code || kube_filter(a, node).code != KUBE_FITS) {
        node = KUBE_NONE;
        kube_attempt_filter(a, true);
        if (a->feasible_count > 1) kube_attempt_score(a, NULL, NULL);
        for (size_t i = 0, best = 0; i < a->feasible_count; i++) {
            bool more = i && a->totals[i] > a->totals[best], same = i && a->totals[i] == a->totals[best];
            if (i == 0 || more || (same && compare_str(node_name(w, a->feasible[i]), node_name(w, node)) < 0)) {
                best = i;
                node = a->feasible[i];
            }
        }
    }
    bool moved = node != KUBE_NONE;
    if (!moved) moved = preempt(w, p);
    else {
        printf(", \"node\": ");
        print(node_name(w, node));
        kube_nominate(c, p->number, KUBE_NONE);
        kube_place(c, p->number, node);
        p->pending = false;
    }
    printf("}\n");
    if (c->status) die("bind", &c->error);
    return moved;
}

static void bind_all(world *w)
{
    uint32_t *queue = arena_alloc(&w->memory, (w->pod_count + 1) * sizeof *queue);
    size_t count = 0;
    bool moved = true;
    for (size_t i = 0; i < w->pod_count; i++) {
        if (w->pods[i].pending && !w->pods[i].gated) queue[count++] = (uint32_t)i;
    }
    if (!sort_ids(w->context, queue, count, by_queue, w)) die("memory", NULL);
    while (moved && count > 0) {
        size_t kept = 0;
        moved = false;
        for (size_t i = 0; i < count; i++) {
            if (bind_one(w, &w->pods[queue[i]])) moved = true;
            if (w->pods[queue[i]].pending) queue[kept++] = queue[i];
        }
        count = kept;
    }
}

int main(int argc, char **argv)
{
    world w = { .context = NULL };
    karp_error error;
    tree *root = NULL;
    size_t length = 0;
    karp_error_init(&error, sizeof error);
    if (argc < 2 || karp_context_new(NULL, &w.context, &error))
        die("usage: kube_answers FILE [CONFIGURATION|--time]", NULL);
    char *text = read_file(argv[1], &length);
    trees_init(&w.trees, w.context);
    arena_init(&w.memory, w.context);
    if (tree_read(&w.trees, str(argv[1]), (karp_str){ text, length }, &root, &error)) die(argv[1], &error);
    if (tree_get(root, "cases")) answer_cases(w.context, &w.memory, tree_get(root, "cases"));
    karp_str none = { NULL, 0 };
    bool timed = argc > 2 && strcmp(argv[2], "--time") == 0;
    if (argc > 2 && !timed && kube_config_read(&w.config, w.context, str(argv[2]), none, 36, &error))
        die(argv[2], &error);
    load(&w, tree_get(root, "objects"), 36);
    for (size_t i = 0; i < w.pod_count && !timed; i++) {
        if (w.pods[i].pending) evaluate(&w, &w.pods[i]);
    }
    if (timed) time_all(&w);
    else bind_all(&w);
    kube_attempt_free(&w.attempt);
    kube_cluster_free(&w.cluster);
    kube_config_free(&w.config);
    io_table_free(&w.node_index);
    trees_free(&w.trees);
    arena_free(&w.memory);
    karp_context_unref(w.context);
    free(text);
    return 0;
}
