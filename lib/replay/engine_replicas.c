/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/replicas.h>
#include <replay/engine.h>

static uint32_t group_of(const engine *e, uint32_t shape) { return e->pods.shapes[shape].group; }

static bool same_scaling(const engine *e, const trace_event *a, const trace_event *b)
{
    return b->kind == TRACE_POD_DELETED && b->of.pod.surplus && b->at == a->at &&
           group_of(e, b->shape) == group_of(e, a->shape);
}

/* How many of its events follow each other, this one included; 0 = it is not the first. */
static size_t events_of(const engine *e, const trace_event *event)
{
    size_t i = (size_t)(event - e->trace->events), count = 1;
    if (i > 0 && same_scaling(e, event, event - 1)) return 0;
    while (i + count < e->trace->count && same_scaling(e, event, event + count)) count++;
    return count;
}

static uint32_t named(engine *e, const trace_event *event)
{
    uint32_t pod = pod_of_event(e, event);
    bool found = pod != REPLAY_NONE && group_of(e, e->pods.list[pod].shape) == group_of(e, event->shape);
    return found ? pod : REPLAY_NONE;
}

/* ---- ranking ----------------------------------------------------------------------------------------------------- */

static size_t count_alike(const engine *e, uint32_t group)
{
    size_t count = 0;
    for (uint32_t p = e->pods.shapes[group].first_pod; p != REPLAY_NONE; p = e->pods.list[p].next_alike) count++;
    return count;
}

static int by_node(uint32_t a, uint32_t b, const void *user)
{
    const engine *e = user;
    uint32_t x = e->pods.list[a].node, y = e->pods.list[b].node;
    return x < y ? -1 : x > y;
}

/* The UID of a pod is random. Here it depends on the seed and the name, so that equal replays are equal. */
static karp_str uid_of(const engine *e, const replay_pod *p, char text[20])
{
    size_t length = write_digits(text, engine_random(e, hash_bytes(p->name.ptr, p->name.len, 0), p->life));
    return (karp_str){ text, length };
}

static int by_uid(const void *a, const void *b, const void *user)
{
    (void)user;
    return compare_str(((const kube_replica *)a)->uid, ((const kube_replica *)b)->uid);
}

static kube_replica replica_of(const engine *e, uint32_t pod, uint32_t rank, char uid[20])
{
    const replay_pod *p = &e->pods.list[pod];
    bool runs = p->state == POD_RUNNING;
    return (kube_replica){ .number = pod,
                           .assigned = runs,
                           .ready = pod_is_ready(e, p),
                           .phase = runs ? KARP_PHASE_RUNNING : KARP_PHASE_PENDING,
                           .rank = rank,
                           .ready_since = runs ? p->started : KARP_NO_TIME,
                           .created = p->life ? p->waits_since : p->created,
                           .uid = uid_of(e, p, uid) };
}

/* Pods sorted by node: those on one node have their number as the rank. */
static void rank_all(const engine *e, const uint32_t *pods, size_t count, kube_replica *out, char (*uids)[20])
{
    for (size_t i = 0, next = 0; i < count; i = next) {
        while (next < count && e->pods.list[pods[next]].node == e->pods.list[pods[i]].node) next++;
        for (size_t k = i; k < next; k++) out[k] = replica_of(e, pods[k], (uint32_t)(next - i), uids[k]);
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void exchange_names(engine *e, uint32_t a, uint32_t b)
{
    replay_pod *x = &e->pods.list[a], *y = &e->pods.list[b];
    karp_str name = x->name;
    bool in_snapshot = x->in_snapshot; /* rows have names, too */
    x->name = y->name;
    y->name = name;
    x->in_snapshot = y->in_snapshot;
    y->in_snapshot = in_snapshot;
    pod_enter_name(e, a);
    pod_enter_name(e, b);
    pod_touch(e, a);
    pod_touch(e, b);
}

/* Both lists have the same length. Pods that are in one of them only get the names of those in the other one only. */
static void exchange_all(engine *e, uint32_t *meant, uint32_t *chosen, size_t count)
{
    size_t i = 0, k = 0;
    if (!sort_numbers(e->context, meant, count) || !sort_numbers(e->context, chosen, count)) engine_nomem(e);
    while (i < count && k < count && !e->status) {
        if (numbers_have(chosen, count, meant[i])) i++;
        else if (numbers_have(meant, count, chosen[k])) k++;
        else exchange_names(e, meant[i++], chosen[k++]);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

typedef struct scaling {
    size_t count, all;
    uint32_t *meant, *pods; /* pods: all of the controller, and finally those that are deleted */
    kube_replica *replicas;
    char (*uids)[20];
} scaling;

static size_t list_alike(const engine *e, uint32_t group, uint32_t *out)
{
    size_t n = 0;
    for (uint32_t p = e->pods.shapes[group].first_pod; p != REPLAY_NONE; p = e->pods.list[p].next_alike) out[n++] = p;
    return n;
}

/* Sorts the replicas of n pods, of which only those of the set stay: those that are deleted come first. */
static bool sort_replicas(engine *e, scaling *s, uint32_t set, size_t *n)
{
    size_t kept = 0;
    if (!sort_ids(e->context, s->pods, *n, by_node, e)) return false;
    rank_all(e, s->pods, *n, s->replicas, s->uids);
    for (size_t i = 0; i < *n; i++) {
        if (set == REPLICAS_ALL || e->pods.list[s->replicas[i].number].set == set) s->replicas[kept++] = s->replicas[i];
    }
    *n = kept;
    return sort_stable(e->context, s->replicas, kept, sizeof *s->replicas, by_uid, NULL) &&
           kube_sort_replicas(e->context, s->replicas, kept, e->now);
}

static void choose(engine *e, const trace_event *event, scaling *s)
{
    size_t named_count = 0, n = list_alike(e, group_of(e, event->shape), s->pods);
    for (size_t i = 0; i < s->count && !e->status; i++) {
        s->meant[named_count] = named(e, &event[i]);
        named_count += s->meant[named_count] != REPLAY_NONE;
    }
    if (named_count == n || e->status) return; /* all go */
    bool fine = sort_replicas(e, s, REPLICAS_ALL, &n);
    if (!fine) engine_nomem(e);
    for (size_t i = 0; i < named_count; i++) s->pods[i] = s->replicas[i].number;
    if (fine) exchange_all(e, s->meant, s->pods, named_count);
}

static bool begin_scaling(engine *e, uint32_t group, size_t count, scaling *s)
{
    *s = (scaling){ .count = count, .all = count_alike(e, group) + 1 };
    s->meant = mem_alloc(e->context, s->count * sizeof *s->meant);
    s->pods = mem_alloc(e->context, s->all * sizeof *s->pods);
    s->replicas = mem_alloc(e->context, s->all * sizeof *s->replicas);
    s->uids = mem_alloc(e->context, s->all * sizeof *s->uids);
    bool fine = s->meant && s->pods && s->replicas && s->uids;
    if (!fine) engine_nomem(e);
    return fine;
}

static void end_scaling(engine *e, scaling *s)
{
    mem_free(e->context, s->meant, s->count * sizeof *s->meant);
    mem_free(e->context, s->pods, s->all * sizeof *s->pods);
    mem_free(e->context, s->replicas, s->all * sizeof *s->replicas);
    mem_free(e->context, s->uids, s->all * sizeof *s->uids);
}

void replicas_choose(engine *e, const trace_event *event)
{
    scaling s;
    size_t count = events_of(e, event);
    if (count == 0 || e->status) return;
    if (begin_scaling(e, group_of(e, event->shape), count, &s)) choose(e, event, &s);
    end_scaling(e, &s);
}

static size_t pick(engine *e, uint32_t shape, uint32_t set, uint32_t *out, size_t count)
{
    scaling s;
    size_t n = 0;
    if (begin_scaling(e, group_of(e, shape), count, &s)) {
        n = list_alike(e, group_of(e, shape), s.pods);
        if (!sort_replicas(e, &s, set, &n)) engine_nomem(e);
        for (size_t i = 0; i < count && i < n; i++) out[i] = s.replicas[i].number;
    }
    end_scaling(e, &s);
    return n < count ? n : count;
}

/* ---- one after another ------------------------------------------------------------------------------------------- */

static trace_event event_of(const engine *e, uint32_t shape, uint32_t kind)
{
    return (trace_event){ .at = e->now, .kind = kind, .shape = shape, .lasts = KARP_DURATION_UNSET };
}

void replicas_add(engine *e, uint32_t shape, uint32_t set, karp_str name, uint64_t *next)
{
    trace_event event = event_of(e, shape, TRACE_POD_CREATED);
    do {
        strbuf text = strbuf_on(e->context);
        strbuf_addstr(&text, name);
        strbuf_addc(&text, '-');
        strbuf_addu(&text, (*next)++);
        event.of.pod.name = text.failed ? (karp_str){ "", 0 } : engine_text(e, (karp_str){ text.ptr, text.len });
        if (text.failed) engine_nomem(e);
        strbuf_free(&text);
    } while (!e->status && pod_of_event(e, &event) != REPLAY_NONE);
    if (!e->status) pod_create(e, &event);
    if (!e->status) e->pods.list[e->pods.count - 1].set = set;
}

void replicas_remove(engine *e, uint32_t shape, uint32_t set, size_t count)
{
    uint32_t *pods = mem_alloc(e->context, (count + 1) * sizeof *pods);
    trace_event event = event_of(e, shape, TRACE_POD_DELETED);
    size_t found = 0;
    if (!pods) engine_nomem(e);
    else if (count > 0 && !e->status) found = pick(e, shape, set, pods, count);
    for (size_t i = 0; i < found && !e->status; i++) {
        event.of.pod.name = e->pods.list[pods[i]].name;
        pod_delete(e, &event);
    }
    mem_free(e->context, pods, (count + 1) * sizeof *pods);
}
