/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a workload runs on one offering of spot capacity, which may be interrupted as a whole. */
#include <advise/tune.h>

#include <io/picture.h>
#include <karp/inspect.h>
#include <karp/library.h>

typedef struct counting {
    karp_context *context;
    karp_table *pods;
    picture_owners owners;
    karp_column node;
    io_table offerings; /* of spot nodes, by node: the number of their offering */
    io_table workloads, parts; /* pods by workload, and by workload and offering */
    double share;
    bool failed; /* out of memory */
} counting;

static karp_str word_at(const karp_column *c, size_t row)
{
    const int32_t *at = c->dictionary_offsets;
    uint32_t word = ((const uint32_t *)c->values)[row];
    return (karp_str){ (const char *)c->dictionary + at[word], (size_t)(at[word + 1] - at[word]) };
}

/* The number of a name that is counted on its first sight. */
static uint32_t number_of(io_table *names, karp_str name, bool *failed)
{
    uint32_t *at = io_table_at(names, name);
    if (!at) *failed = true;
    else if (*at == IO_NONE) *at = (uint32_t)names->names.count;
    return at ? *at : 0;
}

static void list_nodes(counting *c, const karp_decision *last)
{
    io_table names;
    io_table_init(&names, c->context);
    for (size_t i = 0; i < karp_decision_node_count(last) && !c->failed; i++) {
        karp_node_use n = { .size = sizeof n };
        if (karp_decision_node(last, i, &n) != KARP_OK || n.marked || !str_is(n.capacity_type, "spot")) continue;
        strbuf offering = strbuf_on(c->context);
        strbuf_addname(&offering, n.zone, n.instance_type);
        c->failed = c->failed || offering.failed;
        uint32_t number = c->failed ? 0 : number_of(&names, (karp_str){ offering.ptr, offering.len }, &c->failed);
        if (!io_table_put(&c->offerings, n.node, number)) c->failed = true;
        strbuf_free(&offering);
    }
    io_table_free(&names);
}

/* One pass counts the pods of workloads, the second one those of each on an offering. */
static void count_pods(counting *c, const karp_snapshot *snapshot, bool parts)
{
    strbuf room = strbuf_on(c->context);
    for (size_t i = 0; i < c->node.row_count && !c->failed; i++) {
        karp_str node = word_at(&c->node, i);
        if (node.len == 0 || picture_of_daemon(&c->owners, i)) continue;
        uint32_t offering = parts ? io_table_get(&c->offerings, node) : 0;
        if (offering == IO_NONE) continue;
        room.len = 0;
        karp_str name = picture_workload_of(&c->owners, i, karp_snapshot_pod_name(snapshot, i), &room);
        if (!parts) {
            c->failed = io_table_count(&c->workloads, name) == 0;
            continue;
        }
        uint32_t all = io_table_get(&c->workloads, name);
        strbuf key = strbuf_on(c->context);
        strbuf_addstr(&key, name);
        strbuf_addc(&key, ' ');
        strbuf_addu(&key, offering);
        c->failed = c->failed || key.failed || room.failed;
        uint32_t part = c->failed ? 0 : io_table_count(&c->parts, (karp_str){ key.ptr, key.len });
        c->failed = part == 0;
        if (all > 1 && all != IO_NONE && (double)part / all > c->share) c->share = (double)part / all;
        strbuf_free(&key);
    }
    c->failed = c->failed || room.failed;
    strbuf_free(&room);
}

karp_status tune_spot_share(karp_context *context, const karp_settlement *settlement, double *share, karp_error *error)
{
    counting c = { .context = context, .node = { .size = sizeof c.node } };
    const karp_snapshot *snapshot = karp_settlement_snapshot(settlement);
    karp_status status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_PODS, &c.pods, error);
    if (!status) status = picture_owners_open(&c.owners, c.pods);
    if (!status) status = karp_table_find(c.pods, str("node"), &c.node);
    io_table_init(&c.offerings, context);
    io_table_init(&c.workloads, context);
    io_table_init(&c.parts, context);
    if (!status) list_nodes(&c, karp_settlement_last(settlement));
    if (!status) count_pods(&c, snapshot, false);
    if (!status) count_pods(&c, snapshot, true);
    if (!status && c.failed) status = fail_nomem(error);
    io_table_free(&c.offerings);
    io_table_free(&c.workloads);
    io_table_free(&c.parts);
    karp_table_free(c.pods);
    *share = c.share;
    return status;
}
