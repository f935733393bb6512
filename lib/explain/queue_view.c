/* SPDX-License-Identifier: Apache-2.0 */
#include <explain/queue_view.h>

#include <karp/groups.h>

#include <base/error.h>
#include <base/nearest.h>
#include <base/sort.h>
#include <base/strbuf.h>

uint32_t queue_view_root(const queue_view *q, uint32_t group)
{
    const struct group_index *all = q->view.groups;
    for (uint32_t depth = 0; depth < MOST_COMPOSITES && all->items[group].parent != NO_ID; depth++)
        group = all->items[group].parent;
    return group;
}

/* ---- pods without a group ---------------------------------------------------------------------------------------- */

/* The workload that a pod without a group belongs to. */
typedef struct maker {
    karp_str kind;
    uint32_t name; /* names id */
    uint32_t uid; /* names id; NO_ID = none */
    bool one_by_one; /* its pods are placed one by one */
} maker;

/* "b" of "capacity-buffer-b-3" */
static uint32_t buffer_name(const karp_snapshot *s, const pod *p)
{
    static const char before[] = "capacity-buffer-";
    karp_str name = name_of(s, p->name);
    size_t end = name.len, start = sizeof before - 1;
    while (end > start && name.ptr[end - 1] != '-') end--;
    if (end <= start + 1) return p->name;
    uint32_t id = strings_find(&s->raw.names, name.ptr + start, end - 1 - start);
    return id == NO_ID ? p->name : id;
}

static maker maker_of(const karp_snapshot *s, const pod *p)
{
    const pod_marks *m = store_marks(&s->raw, p);
    if ((p->flags & POD_VIRTUAL) != 0) return (maker){ str("CapacityBuffer"), buffer_name(s, p), NO_ID, true };
    if (m->controller_word == NO_ID) return (maker){ str("Pod"), p->name, NO_ID, false };
    return (maker){ text_of(s, m->controller_word), m->controller_name, m->controller_uid,
                    m->controller_kind != NO_ID };
}

typedef struct making {
    queue_view *q;
    words keys;
    strings words; /* kinds */
    uint32_t *of_pod; /* by pod: its group */
    uint32_t given; /* number of groups of the snapshot */
    struct group_index *index;
    member_group *items;
    pod_group *objects;
    uint32_t object_count;
} making;

/* Finds or adds the group of the pod. */
static bool put(making *m, uint32_t pod_number)
{
    const karp_snapshot *s = m->q->snapshot;
    const pod *p = pod_at(&s->raw, pod_number);
    maker from = maker_of(s, p);
    uint32_t kind = strings_add(&m->words, from.kind.ptr, from.kind.len);
    const uint32_t key[] = { p->name_space, from.name, from.uid, kind };
    uint32_t id = words_add(&m->keys, key, sizeof key / sizeof *key);
    if (id == NO_ID || kind == NO_ID) return false;
    member_group *g = &m->items[m->given + id];
    m->of_pod[pod_number] = m->given + id;
    if (g->pod_count++ > 0) return true;
    *g = (member_group){ .object = m->object_count,
                         .name_space = p->name_space,
                         .name = from.name,
                         .source = KARP_GROUP_WORKLOAD,
                         .parent = NO_ID,
                         .pod_count = 1 };
    m->objects[m->object_count++] = (pod_group){
        .meta = { .name_space = p->name_space, .name = from.name, .creation = KARP_NO_TIME, .deletion = KARP_NO_TIME },
        .source = KARP_GROUP_WORKLOAD,
        .gang = !from.one_by_one,
        .min_count = 1,
        .topology_key = NO_TEXT,
        .parent = NO_TEXT
    };
    m->q->kinds[m->given + id] = from.kind;
    return true;
}

/* Lists the members of the groups that were made, in the order of the queue. */
static bool list_members(making *m, size_t pods)
{
    const karp_snapshot *s = m->q->snapshot;
    uint32_t *list = arena_array(&m->q->data, pods + 1, sizeof *list);
    for (uint32_t i = m->given, at = 0; list != NULL && i < m->index->count; at += m->items[i++].pod_count) {
        pod_group *o = &m->objects[m->items[i].object];
        m->items[i].pods = list + at;
        if (o->gang) o->min_count = (int32_t)m->items[i].pod_count;
    }
    uint32_t *next = arena_array(&m->q->data, m->index->count + (size_t)1, sizeof *next);
    if (list == NULL || next == NULL) return false;
    for (size_t i = 0; i < pods; i++) {
        uint32_t p = s->queue[i], g = m->of_pod[p];
        if (g == NO_ID || g < m->given) continue;
        list[(m->items[g].pods - list) + next[g]++] = p;
    }
    return true;
}

const char *queue_view_kind(const member_group *g)
{
    if (g->source == KARP_GROUP_KUEUE) return "Workload";
    if (g->source == KARP_GROUP_KUBERNETES && g->composite) return "CompositePodGroup";
    return karp_group_source_name(g->source);
}

static bool make_groups(making *m, size_t pods)
{
    queue_view *q = m->q;
    const karp_snapshot *s = q->snapshot;
    uint32_t some = q->pending_count;
    m->given = s->groups == NULL ? 0 : s->groups->count;
    m->of_pod = arena_alloc(&q->data, (pods + 1) * sizeof *m->of_pod);
    m->index = arena_array(&q->data, 1, sizeof *m->index);
    m->items = arena_array(&q->data, (size_t)m->given + some + 1, sizeof *m->items);
    m->objects = arena_array(&q->data, s->raw.groups.count + some + 1, sizeof *m->objects);
    q->kinds = arena_array(&q->data, (size_t)m->given + some + 1, sizeof *q->kinds);
    if (m->of_pod == NULL || m->index == NULL || m->items == NULL || m->objects == NULL || q->kinds == NULL)
        return false;
    for (size_t i = 0; i < pods; i++) m->of_pod[i] = s->groups == NULL ? NO_ID : s->groups->of_pod[i];
    if (m->given > 0) memcpy(m->items, s->groups->items, m->given * sizeof *m->items);
    m->object_count = (uint32_t)s->raw.groups.count;
    if (m->object_count > 0) memcpy(m->objects, s->raw.groups.items, m->object_count * sizeof *m->objects);
    for (uint32_t i = 0; i < m->given; i++) q->kinds[i] = str(queue_view_kind(&m->items[i]));
    for (uint32_t i = 0; i < some; i++) {
        if (m->of_pod[q->pending[i]] == NO_ID && !put(m, q->pending[i])) return false;
    }
    m->index->items = m->items;
    m->index->count = m->given + (uint32_t)m->keys.count;
    m->index->of_pod = m->of_pod;
    if (!list_members(m, pods)) return false;
    q->view.groups = m->index;
    q->view.raw.groups.items = m->objects;
    q->view.raw.groups.count = m->object_count;
    return true;
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

struct turn {
    bool booked; /* it has its room already */
    int32_t priority;
    int64_t creation;
    uint32_t first, group; /* first: its first pod in the input */
};

static int by_turn(const void *x, const void *y, const void *user)
{
    const struct turn *a = x, *b = y;
    (void)user;
    if (a->booked != b->booked) return a->booked ? -1 : 1;
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    if (a->creation != b->creation) return a->creation < b->creation ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* A group's own time and priority, else those of the pod. */
static void begin_turn(const queue_view *q, uint32_t group, uint32_t pod_number, struct turn *t)
{
    const karp_snapshot *s = &q->view;
    const pod_group *o = group_object(s, &s->groups->items[group]);
    const shape *h = shape_of(s, s->pod_class[pod_number]);
    int64_t made = o == NULL ? KARP_NO_TIME : o->meta.creation;
    *t = (struct turn){ .priority = h->has_priority ? h->priority : 0, .first = pod_number, .group = group };
    t->creation = made != KARP_NO_TIME ? made : pod_at(&s->raw, pod_number)->creation;
    if (o != NULL && o->has_priority) t->priority = o->priority;
    t->booked = o != NULL && o->booked;
}

static bool order(queue_view *q)
{
    const karp_snapshot *s = &q->view;
    uint32_t groups = s->groups->count;
    group_turn *places = arena_array(&q->data, groups + (size_t)1, sizeof *places);
    struct turn *turns = arena_array(&q->data, groups + (size_t)1, sizeof *turns);
    uint32_t *turn_of = arena_array(&q->data, groups + (size_t)1, sizeof *turn_of); /* 1 + the turn */
    q->workloads.items = arena_array(&q->data, groups + (size_t)1, sizeof *q->workloads.items);
    q->roots = arena_array(&q->data, groups + (size_t)1, sizeof *q->roots);
    if (places == NULL || turns == NULL || turn_of == NULL || q->workloads.items == NULL || q->roots == NULL)
        return false;
    for (uint32_t i = 0; i < q->pending_count; i++) {
        uint32_t p = q->pending[i], root = queue_view_root(q, s->groups->of_pod[p]);
        if (turn_of[root] == 0) turn_of[root] = ++q->root_count;
        else if (turns[turn_of[root] - 1].first < p) continue;
        begin_turn(q, root, p, &turns[turn_of[root] - 1]);
    }
    if (!sort_stable(s->context, turns, q->root_count, sizeof *turns, by_turn, NULL)) return false;
    for (uint32_t i = 0; i < q->root_count; i++) {
        const member_group *g = &s->groups->items[turns[i].group];
        q->roots[i] = turns[i].group;
        q->workloads.items[turns[i].group] = (queued){
            .waits = true, .asked = true, .whole = g->source == KARP_GROUP_WORKLOAD, .now = { .why = "" }, .left = NO_ID
        };
        places[turns[i].group] = (group_turn){ turns[i].booked ? INT32_MAX : turns[i].priority, i };
    }
    s->groups->turns = places;
    return true;
}

/* The pods that a round places: virtual pods of capacity buffers come last. */
static bool list_pending(queue_view *q)
{
    const karp_snapshot *s = q->snapshot;
    uint32_t pods = (uint32_t)s->raw.pods.count, count = s->place != NULL ? s->place_count : s->pending_count;
    uint32_t *list = arena_array(&q->data, pods + (size_t)count + 1, sizeof *list);
    if (list == NULL) return false;
    if (count > 0) memcpy(list, s->place != NULL ? s->place : s->pending, count * sizeof *list);
    for (uint32_t p = 0; p < pods && s->place == NULL && s->raw.buffers.count > 0; p++) {
        if (pod_at(&s->raw, p)->flags & POD_VIRTUAL) list[count++] = p;
    }
    q->pending = list;
    q->pending_count = count;
    return true;
}

bool queue_view_init(queue_view *q, const karp_snapshot *snapshot)
{
    making m = { .q = q };
    memset(q, 0, sizeof *q);
    q->snapshot = snapshot;
    arena_init(&q->data, snapshot->context);
    snapshot_borrow(&q->view, snapshot);
    q->view.pool_templates = snapshot->pool_templates; /* NodePools are the same */
    q->workloads.data = &q->data;
    words_init(&m.keys, snapshot->context);
    strings_init(&m.words, snapshot->context);
    bool ok = list_pending(q) && make_groups(&m, snapshot->raw.pods.count);
    words_free(&m.keys);
    strings_free(&m.words);
    return ok && order(q);
}

/* ---- one workload ------------------------------------------------------------------------------------------------ */

/* "namespace/name"; empty = out of memory. */
static karp_str full_name(const queue_view *q, uint32_t group, strbuf *b)
{
    const member_group *g = &q->view.groups->items[group];
    strbuf_clear(b);
    strbuf_addname(b, text_of(&q->view, g->name_space), name_of(&q->view, g->name));
    return b->failed ? (karp_str){ "", 0 } : (karp_str){ b->ptr, b->len };
}

/* The workload that is most likely meant: the same name in another namespace, or one that differs in two letters. */
static karp_str similar(queue_view *q, karp_str name, strbuf *b)
{
    nearest meant = { .wanted = name, .distance = 2 };
    karp_str bare = str_after(name, '/');
    for (uint32_t i = 0; i < q->root_count; i++) {
        karp_str other = full_name(q, q->roots[i], b);
        const char *copy = arena_string(&q->data, other.ptr, other.len);
        if (copy == NULL) break;
        other.ptr = copy;
        if (equal_str(str_after(other, '/'), bare)) return other;
        nearest_offer(&meant, other);
    }
    return meant.best.ptr != NULL ? meant.best : (karp_str){ "", 0 };
}

static karp_status not_waiting(queue_view *q, karp_str name, bool known, strbuf *b, karp_error *error)
{
    if (known) return fail(error, KARP_E_NOT_FOUND, "no pod of it is pending");
    karp_str other = similar(q, name, b);
    bool some = other.len > 0;
    return fail(error, KARP_E_NOT_FOUND, "no group or workload of that name (NAMESPACE/NAME) waits%s%.*s%s",
                some ? "; did you mean " : "", str_shown(other, 200), other.ptr, some ? "?" : "");
}

karp_status queue_view_ask_only(queue_view *q, karp_str name, karp_error *error)
{
    bool some = false, known = false;
    strbuf b = strbuf_on(q->snapshot->context);
    for (uint32_t i = 0; i < q->root_count; i++) q->workloads.items[q->roots[i]].asked = false;
    for (uint32_t g = 0; g < q->view.groups->count && !b.failed; g++) {
        if (!equal_str(full_name(q, g, &b), name)) continue;
        queued *w = &q->workloads.items[queue_view_root(q, g)];
        known = true;
        some = some || w->waits;
        w->asked = w->waits;
    }
    karp_status status = b.failed ? fail_nomem(error) : some ? KARP_OK : not_waiting(q, name, known, &b, error);
    strbuf_free(&b);
    return status;
}

void queue_view_drop_others(queue_view *q)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < q->root_count; i++) {
        if (q->workloads.items[q->roots[i]].asked) q->roots[count++] = q->roots[i];
    }
    q->root_count = count;
}

void queue_view_free(queue_view *q) { arena_free(&q->data); }
