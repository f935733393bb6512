/* SPDX-License-Identifier: Apache-2.0 */
/* Adds groups to a builder, and finds the members of groups when a snapshot is finished. */
#include <model/groups.h>

#include <karp/groups.h>

#include <base/error.h>
#include <base/sort.h>
#include <model/builder.h>
#include <model/prepare.h>

/* ---- the builder ------------------------------------------------------------------------------------------------- */

void karp_pod_group_init(karp_pod_group *group, size_t size)
{
    const karp_pod_group own = { .gang = 1, .min_count = 1 };
    struct_start(group, size, &own, sizeof own);
}

const char *karp_group_source_name(uint32_t source)
{
    static const char *const names[] = {
        "PodGroup", "scheduler-plugins", "Koordinator", "Volcano",  "KAI",
        "Kueue",    "workload",          "workloadRef", "YuniKorn", "ProvisioningRequest"
    };
    return source < sizeof names / sizeof *names ? names[source] : "unknown";
}

/* What tells apart groups that have one namespace and name. */
static uint32_t group_kind(uint32_t source, bool composite) { return source << 1 | (composite ? 1 : 0); }

bool group_source_known(uint32_t source)
{
    return source <= KARP_GROUP_PROVISIONING_REQUEST && source != KARP_GROUP_WORKLOAD;
}

static karp_status check(const karp_pod_group *g, karp_error *error)
{
    if (g->reserved != 0 || g->reserved_too != 0) return fail_reserved(error, "karp_pod_group");
    if (!group_source_known(g->source))
        return fail(error, KARP_E_INVALID, "karp_pod_group: unknown source %u", (unsigned)g->source);
    if (g->min_pods < 0) return fail(error, KARP_E_INVALID, "karp_pod_group: min_pods is negative");
    return KARP_OK;
}

karp_status karp_builder_add_pod_group(karp_builder *builder, const karp_pod_group *given, karp_error *error)
{
    karp_pod_group own;
    adding a;
    if (builder == NULL) return fail_null(error, "builder");
    karp_status status = struct_check(given, sizeof own, SIZE_THROUGH(karp_pod_group, reserved), &own, "karp_pod_group",
                                      error);
    if (status == KARP_OK) status = check(&own, error);
    if (status != KARP_OK) return status;
    uint32_t kind = group_kind(own.source, own.composite != 0);
    adding_begin(&a, builder, KIND_POD_GROUP, own.composite ? "CompositePodGroup" : "PodGroup", &own.meta, NAMESPACED,
                 &kind, 1, error);
    if (!a.entered) return adding_end(&a);
    if (a.c.status == KARP_OK && own.gang && own.min_count < 1)
        copy_blame(&a.c, fail(error, KARP_E_INVALID, "has to be at least 1"), "spec.minCount");
    pod_group g = { .meta = copy_meta(&a, &own.meta),
                    .source = own.source,
                    .composite = own.composite != 0,
                    .gang = own.gang != 0,
                    .disruption_all = own.disruption_all != 0,
                    .has_priority = own.has_priority != 0,
                    .required = own.required != 0,
                    .one_of = own.composite != 0 && own.one_of != 0,
                    .booked = own.booked != 0,
                    .no_retry = own.no_retry != 0,
                    .min_count = own.gang ? own.min_count : 1,
                    .priority = own.priority,
                    .min_pods = own.composite ? own.min_pods : 0 };
    g.topology_key = copy_text(&a.c, own.topology_key);
    g.resource_flavor = copy_text(&a.c, own.resource_flavor);
    g.refused = copy_text(&a.c, own.refused);
    g.request_class = copy_text(&a.c, own.request_class);
    g.parent = own.parent.len > 0 ? copy_name(&a, own.parent) : NO_TEXT;
    return adding_finish(&a, &builder->s.groups, &g, sizeof g);
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

enum { KEY_WORDS = 3 }; /* namespace, name, group_kind() */

typedef struct gathering {
    karp_snapshot *s;
    words keys;
    struct group_index *index;
    uint32_t *of_pod; /* by pod: number of its key */
} gathering;

static bool any_member(const karp_snapshot *s)
{
    for (size_t i = 0; i < s->raw.mark_keys.count; i++) {
        const pod_marks *m = (const pod_marks *)(const void *)s->raw.mark_keys.entries[i].ptr;
        if (m->group != NO_ID) return true;
    }
    return false;
}

static bool list_keys(gathering *g)
{
    karp_snapshot *s = g->s;
    for (size_t i = 0; i < s->raw.groups.count; i++) {
        const pod_group *o = &s->raw.groups.items[i];
        const uint32_t key[KEY_WORDS] = { o->meta.name_space, o->meta.name, group_kind(o->source, o->composite) };
        if (words_add(&g->keys, key, KEY_WORDS) == NO_ID) return false;
    }
    for (size_t i = 0; i < s->raw.pods.count; i++) {
        const pod *p = pod_at(&s->raw, i);
        const pod_marks *m = store_marks(&s->raw, p);
        g->of_pod[i] = NO_ID;
        if (m->group == NO_ID) continue;
        const uint32_t key[KEY_WORDS] = { p->name_space, m->group, group_kind(m->group_source, false) };
        g->of_pod[i] = words_add(&g->keys, key, KEY_WORDS);
        if (g->of_pod[i] == NO_ID) return false;
    }
    return true;
}

static int by_group_name(uint32_t x, uint32_t y, const void *user)
{
    const gathering *g = user;
    const uint32_t *a = g->keys.entries[x].ptr, *b = g->keys.entries[y].ptr;
    int order = compare_str(text_of(g->s, a[0]), text_of(g->s, b[0]));
    if (order == 0) order = compare_str(name_of(g->s, a[1]), name_of(g->s, b[1]));
    if (order != 0) return order;
    bool first = (a[2] & 1) < (b[2] & 1) || ((a[2] & 1) == (b[2] & 1) && a[2] < b[2]);
    return a[2] == b[2] ? 0 : first ? -1 : 1;
}

/* Numbers the groups in the order of their names: *place has, by key, the number. */
static bool number_groups(gathering *g, uint32_t *order, uint32_t *place)
{
    for (uint32_t i = 0; i < g->index->count; i++) order[i] = i;
    if (!sort_ids(g->s->context, order, g->index->count, by_group_name, g)) return false;
    for (uint32_t i = 0; i < g->index->count; i++) {
        const uint32_t *key = g->keys.entries[order[i]].ptr;
        place[order[i]] = i;
        /* The keys of objects come first, in their order. */
        g->index->items[i] = (member_group){ .object = order[i] < g->s->raw.groups.count ? order[i] : NO_ID,
                                             .name_space = key[0],
                                             .name = key[1],
                                             .source = key[2] >> 1,
                                             .composite = (key[2] & 1) != 0,
                                             .parent = NO_ID };
    }
    return true;
}

static void find_parents(gathering *g, const uint32_t *place)
{
    for (uint32_t i = 0; i < g->index->count; i++) {
        member_group *m = &g->index->items[i];
        const pod_group *o = group_object(g->s, m);
        if (o == NULL || o->parent == NO_TEXT) continue;
        const uint32_t key[KEY_WORDS] = { m->name_space, o->parent, group_kind(m->source, true) };
        uint32_t id = words_find(&g->keys, key, KEY_WORDS);
        if (id == NO_ID) continue;
        m->parent = place[id];
        g->index->items[m->parent].child_count++;
    }
}

/* Lists the members of all groups in one array, in the order of the queue. */
static bool list_members(gathering *g, const uint32_t *place)
{
    karp_snapshot *s = g->s;
    size_t pods = s->raw.pods.count;
    uint32_t *list = arena_array(&s->data, pods + 1, sizeof *list);
    uint32_t *next = arena_array(&s->data, g->index->count + (size_t)1, sizeof *next);
    if (list == NULL || next == NULL) return false;
    for (size_t i = 0; i < pods; i++) {
        const pod *p = pod_at(&s->raw, i);
        if (g->of_pod[i] == NO_ID) continue;
        member_group *m = &g->index->items[place[g->of_pod[i]]];
        g->of_pod[i] = pod_over(p) ? NO_ID : place[g->of_pod[i]];
        m->succeeded += p->phase == KARP_PHASE_SUCCEEDED;
        m->pod_count += g->of_pod[i] != NO_ID;
        m->gated += g->of_pod[i] != NO_ID && store_marks(&s->raw, p)->gated;
    }
    for (uint32_t i = 0, at = 0; i < g->index->count; at += g->index->items[i++].pod_count) {
        next[i] = at;
        g->index->items[i].pods = list + at;
    }
    for (size_t i = 0; i < pods; i++) {
        uint32_t p = s->queue[i];
        if (g->of_pod[p] != NO_ID) list[next[g->of_pod[p]]++] = p;
    }
    g->index->of_pod = g->of_pod;
    return true;
}

static bool gather(gathering *g)
{
    karp_snapshot *s = g->s;
    g->of_pod = arena_alloc(&s->data, (s->raw.pods.count + 1) * sizeof *g->of_pod);
    g->index = arena_array(&s->data, 1, sizeof *g->index);
    if (g->of_pod == NULL || g->index == NULL || !list_keys(g)) return false;
    g->index->count = (uint32_t)g->keys.count;
    g->index->items = arena_array(&s->data, g->keys.count + 1, sizeof *g->index->items);
    uint32_t *order = arena_array(&s->data, g->keys.count + 1, sizeof *order),
             *place = arena_array(&s->data, g->keys.count + 1, sizeof *place);
    if (g->index->items == NULL || order == NULL || place == NULL || !number_groups(g, order, place)) return false;
    find_parents(g, place);
    return list_members(g, place);
}

karp_status prepare_groups(karp_snapshot *s, karp_error *error)
{
    gathering g = { .s = s };
    if (!any_member(s)) return KARP_OK;
    words_init(&g.keys, s->context);
    bool ok = gather(&g);
    words_free(&g.keys);
    if (!ok) return fail_nomem(error);
    s->groups = g.index;
    return KARP_OK;
}
