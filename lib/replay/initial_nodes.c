/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes among the objects of a replay: the cluster at the start, and how a trace continues from it. */
#include <replay/objects.h>
#include <replay/replay.h>

#include <karp/inspect.h>

/* ---- the state of an interrupted replay -------------------------------------------------------------------------- */

karp_status replay_state_find(replay *r)
{
    replay_base *b = &r->base;
    int64_t version = 0, begins = 0, created = 0;
    for (size_t i = 0; i < tree_count(b->objects) && !b->state; i++) {
        const tree *document = tree_item(b->objects, i);
        if (str_is(tree_get_text(document, "kind"), "Snapshot")) b->state = tree_get(document, "replay");
    }
    if (!b->state) return KARP_OK;
    (void)tree_integer(tree_get(b->state, "version"), &version);
    if (version != 1) {
        karp_status status = fail(&r->error, KARP_E_UNSUPPORTED, "the state of a replay of another version");
        error_set_field(&r->error, "replay.version");
        return status;
    }
    if (!tree_integer(tree_get(b->state, "begins"), &begins) || begins < 0 || replay_state_step(r) <= 0 ||
        !tree_integer(tree_get(b->state, "podsCreated"), &created) || created < 0) {
        karp_status status = fail(&r->error, KARP_E_INVALID,
                                  "the state of a replay without begins, step or podsCreated");
        error_set_field(&r->error, "replay");
        return status;
    }
    b->earlier_pods = (uint64_t)created;
    return KARP_OK;
}

int64_t replay_state_step(const replay *r)
{
    int64_t step = 0;
    return tree_integer(tree_get(r->base.state, "step"), &step) ? step : 0;
}

/* Maps names to rows of the state's list, which gives the order of the objects. false = out of memory. */
static bool rows_of(const replay *r, const char *list, bool namespaced, io_table *out)
{
    const tree *rows = tree_get(r->base.state, list);
    bool fine = true;
    strbuf key = strbuf_on(r->base.context);
    for (size_t i = 0; i < tree_count(rows) && fine; i++) {
        const tree *row = tree_item(rows, i);
        strbuf_clear(&key);
        karp_str name = tree_get_text(row, "name");
        if (namespaced) strbuf_addname(&key, tree_get_text(row, "namespace"), name);
        else strbuf_addstr(&key, name);
        fine = !key.failed && io_table_put(out, (karp_str){ key.ptr, key.len }, (uint32_t)i);
    }
    strbuf_free(&key);
    return fine;
}

static karp_status unknown_to_state(replay *r, const char *kind, karp_str namespace_, karp_str name)
{
    karp_status status = fail(&r->error, KARP_E_INVALID,
                              "the state of the replay does not know it: to continue from a changed cluster, remove "
                              "the member \"replay\"");
    error_set_object(&r->error, kind, namespace_, name);
    return status;
}

/* ---- reading the objects ----------------------------------------------------------------------------------------- */

static karp_status note_prices(replay *r, const karp_snapshot *snapshot)
{
    karp_decision *d = NULL;
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.explain = KARP_EXPLAIN_NONE;
    karp_status status = karp_provision(snapshot, &options, &d, &r->error);
    size_t count = status ? 0 : karp_decision_node_count(d);
    r->prices = status ? NULL : arena_alloc(&r->base.trace.memory, (count + 1) * sizeof *r->prices);
    if (!status && !r->prices) status = fail_nomem(&r->error);
    for (size_t i = 0; i < count && !status; i++) {
        karp_node_use use = { .size = sizeof use };
        status = karp_decision_node(d, i, &use);
        if (status) break;
        r->prices[i] = (replay_price){ trace_keep(&r->base.trace, use.node), use.price };
        if (!r->prices[i].name.ptr) status = fail_nomem(&r->error);
        else r->price_count = i + 1;
    }
    karp_decision_unref(d);
    return status;
}

karp_status replay_read_cluster(replay *r, karp_reader *reader, const karp_snapshot *snapshot)
{
    karp_snapshot_counts counts = { .size = sizeof counts };
    karp_snapshot_get_counts(snapshot, &counts);
    if (counts.nodes == 0 && !r->base.state) return KARP_OK;
    r->base.starts = karp_snapshot_now(snapshot);
    karp_status status = note_prices(r, snapshot);
    return status ? status : karp_reader_dump(reader, &r->cluster, &r->error);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int by_age(const void *a, const void *b, const void *user)
{
    const replay_given *x = a, *y = b;
    (void)user;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->created != y->created) return x->created < y->created ? -1 : 1;
    return compare_str(x->name, y->name);
}

static void find_price(const replay *r, replay_given *g)
{
    for (size_t i = 0; i < r->price_count; i++) {
        if (equal_str(r->prices[i].name, g->name)) g->price = r->prices[i].price;
    }
}

static replay_given *given_of(replay_base *b, karp_str name)
{
    for (size_t i = 0; i < b->given_count; i++) {
        if (equal_str(b->given[i].name, name)) return &b->given[i];
    }
    b->given[b->given_count] = (replay_given){ .name = name };
    return &b->given[b->given_count++];
}

static void take_node(replay_base *b, const tree *object, bool claim)
{
    const tree *metadata = tree_get(object, "metadata");
    karp_str name = tree_get_text(metadata, "name");
    karp_str of_claim = tree_get_text(tree_get(object, "status"), "nodeName");
    replay_given *g = given_of(b, claim && of_claim.len ? of_claim : name);
    if (claim) g->claim = object;
    else g->node = object;
    if (claim || !g->claim) (void)karp_time_parse(tree_get_text(metadata, "creationTimestamp"), &g->created);
}

static karp_status find_rows(replay *r)
{
    io_table rows;
    karp_status status = KARP_OK;
    if (!r->base.state) return KARP_OK;
    io_table_init(&rows, r->base.context);
    if (!rows_of(r, "nodes", false, &rows)) status = fail_nomem(&r->error);
    for (size_t i = 0; i < r->base.given_count && !status; i++) {
        replay_given *g = &r->base.given[i];
        g->row = io_table_get(&rows, g->name);
        if (g->row == IO_NONE) status = unknown_to_state(r, "Node", (karp_str){ "", 0 }, g->name);
    }
    io_table_free(&rows);
    return status;
}

karp_status replay_take_nodes(replay *r, trees *t)
{
    replay_base *b = &r->base;
    size_t most = tree_count(b->objects) + 1;
    b->given = arena_alloc(&b->trace.memory, most * sizeof *b->given);
    if (!b->given) return fail_nomem(&r->error);
    tree *rest = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < tree_count(b->objects); i++) {
        tree *object = tree_item(b->objects, i);
        bool claim = str_is(tree_get_text(object, "kind"), "NodeClaim");
        if (claim || str_is(tree_get_text(object, "kind"), "Node")) take_node(b, object, claim);
        else tree_append(t, rest, object);
    }
    if (t->status) return fail_nomem(&r->error);
    tree_move_items(b->objects, rest);
    for (size_t i = 0; i < b->given_count; i++) find_price(r, &b->given[i]);
    karp_status status = find_rows(r);
    if (status) return status;
    bool sorted = sort_stable(b->context, b->given, b->given_count, sizeof *b->given, by_age, NULL);
    return sorted ? KARP_OK : fail_nomem(&r->error);
}

/* ---- continuing the trace ---------------------------------------------------------------------------------------- */

static bool pod_name(const trace_event *event, strbuf *out)
{
    strbuf_clear(out);
    strbuf_addname(out, event->of.pod.namespace_, event->of.pod.name);
    return !out->failed;
}

/* Drops past events, which those of the cluster's own time are, too, unless its nodes are the trace's own. Keeps the
 * run times of the pods that they create, and the remaining time of lost capacity. */
static bool keep_later(trace *t, int64_t now, io_table *created, strbuf *key)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        trace_event event = t->events[i];
        if (event.at <= now && event.kind == TRACE_POD_CREATED && event.lasts != KARP_DURATION_UNSET) {
            uint32_t lasts = (uint32_t)(event.lasts / 1000000000 > UINT32_MAX - 2 ? UINT32_MAX - 2
                                                                                  : event.lasts / 1000000000);
            if (!pod_name(&event, key) || !io_table_put(created, (karp_str){ key->ptr, key->len }, lasts)) return false;
        }
        bool lost = event.kind == TRACE_CAPACITY_LOST && event.lasts != KARP_DURATION_UNSET;
        if (event.at <= now && lost && event.at + event.lasts > now) {
            event.lasts -= now - event.at;
            event.at = now;
        } else if (event.at < now || (event.at == now && !t->has_cluster)) {
            continue;
        }
        t->events[kept++] = event;
    }
    t->count = kept;
    return true;
}

static int by_row(const void *a, const void *b, const void *user)
{
    const trace_event *x = a, *y = b;
    (void)user;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Sorts the cluster's pods in the order of the state. */
static karp_status order_pods(replay *r, size_t first)
{
    trace *t = &r->base.trace;
    io_table rows;
    karp_status status = KARP_OK;
    io_table_init(&rows, r->base.context);
    strbuf key = strbuf_on(r->base.context);
    if (!rows_of(r, "pods", true, &rows)) status = fail_nomem(&r->error);
    for (size_t i = first; i < t->count && !status; i++) {
        trace_event *event = &t->events[i];
        event->line = pod_name(event, &key) ? io_table_get(&rows, (karp_str){ key.ptr, key.len }) : IO_NONE;
        if (key.failed) status = fail_nomem(&r->error);
        else if (event->line == IO_NONE)
            status = unknown_to_state(r, "Pod", event->of.pod.namespace_, event->of.pod.name);
    }
    if (!status && !sort_stable(r->base.context, t->events + first, t->count - first, sizeof *t->events, by_row, NULL))
        status = fail_nomem(&r->error);
    for (size_t i = first; i < t->count && !status; i++) t->events[i].line = 0;
    io_table_free(&rows);
    strbuf_free(&key);
    return status;
}

/* With the state of the replay nothing is guessed: the trace continues after its last processed event. */
static karp_status go_on_from_state(replay *r)
{
    replay_base *b = &r->base;
    trace *t = &b->trace;
    size_t later = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->events[i].at > b->starts) t->events[later++] = t->events[i];
    }
    t->count = later;
    t->begins = b->starts;
    karp_status status = replay_pods_of_objects(t, &b->reader->trees, b->objects, true, &r->error);
    if (!status) status = order_pods(r, later);
    b->resumed_pods = t->count - later;
    (void)tree_integer(tree_get(b->state, "begins"), &t->begins);
    return status;
}

karp_status replay_continue_trace(replay *r)
{
    replay_base *b = &r->base;
    trace *t = &b->trace;
    io_table created;
    if (b->state) return go_on_from_state(r);
    if (t->ends != KARP_NO_TIME && t->ends < b->starts)
        return fail(&r->error, KARP_E_INVALID, "the trace ends before the time of the cluster that the objects have");
    io_table_init(&created, b->context);
    strbuf key = strbuf_on(b->context);
    bool fine = keep_later(t, b->starts, &created, &key);
    size_t later = t->count, bytes = (later + 1) * sizeof *t->events;
    trace_event *events = mem_alloc(b->context, bytes);
    if (events && later > 0) memcpy(events, t->events, later * sizeof *events);
    fine = fine && events;
    t->count = 0;
    t->begins = b->starts;
    karp_status status = fine ? replay_pods_of_objects(t, &b->reader->trees, b->objects, false, &r->error) : KARP_OK;
    for (size_t i = 0; i < t->count && fine && !status; i++) {
        fine = pod_name(&t->events[i], &key);
        uint32_t lasts = fine ? io_table_get(&created, (karp_str){ key.ptr, key.len }) : IO_NONE;
        if (lasts != IO_NONE) t->events[i].lasts = (int64_t)lasts * SECOND;
    }
    for (size_t i = 0; i < later && fine && !status; i++) fine = trace_add(t, &events[i]);
    mem_free(b->context, events, bytes);
    io_table_free(&created);
    strbuf_free(&key);
    return fine ? status : fail_nomem(&r->error);
}
