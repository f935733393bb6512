/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine_shapes.h>

#include <karp/columns.h>
#include <karp/inspect.h>
#include <karp/library.h>

#define INTERVAL (30 * SECOND) /* of the controller that asks for a decision on each buffer */
#define BATCH_IDLE (1 * SECOND)

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Buffers are the only objects of a replay whose pods have no phase. */
static karp_status add_pods(engine *e, const karp_snapshot *snapshot, const karp_column *phases)
{
    struct replay_buffers *b = &e->buffers;
    for (size_t row = 0; row < phases->row_count; row++) {
        if (((const uint32_t *)phases->values)[row] != KARP_PHASE_UNSET) continue;
        if (!grow(e->context, (void **)&b->requests, &b->capacity, b->count + 1, sizeof *b->requests) ||
            !io_table_put(&b->index, karp_snapshot_pod_name(snapshot, row), (uint32_t)b->count))
            return fail_nomem(&e->error);
        memset(b->requests[b->count], 0, sizeof *b->requests);
        b->requests[b->count++][RESOURCE_PODS] = 1000;
    }
    return KARP_OK;
}

static void add_amounts(engine *e, const karp_snapshot *snapshot, const karp_column *column, uint32_t resource)
{
    for (size_t row = 0; row < column->row_count; row++) {
        uint32_t pod = io_table_get(&e->buffers.index, karp_snapshot_pod_name(snapshot, row));
        if (pod != IO_NONE)
            e->buffers.requests[pod][resource] = engine_whole(((const double *)column->values)[row], resource);
    }
}

static karp_status add_all_amounts(engine *e, const karp_snapshot *snapshot, const karp_table *table)
{
    for (size_t i = 0; i < karp_table_column_count(table); i++) {
        karp_column column = { .size = sizeof column };
        karp_status status = karp_table_column(table, i, &column);
        if (status) return status;
        if (!str_starts(column.name, "requests.") || str_is(column.name, "requests.pods")) continue;
        uint32_t resource = engine_resource(e, (karp_str){ column.name.ptr + 9, column.name.len - 9 });
        if (resource < RESOURCES_MOST) add_amounts(e, snapshot, &column, resource);
    }
    return e->status;
}

karp_status buffers_read(engine *e, const karp_snapshot *snapshot)
{
    karp_table *table = NULL;
    karp_column phases = { .size = sizeof phases };
    io_table_free(&e->buffers.index);
    e->buffers.count = 0;
    karp_status status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_PODS, &table, &e->error);
    if (!status) status = karp_table_find(table, str("phase"), &phases);
    if (!status) status = add_pods(e, snapshot, &phases);
    if (!status) status = add_all_amounts(e, snapshot, table);
    karp_table_free(table);
    return status;
}

const int64_t *buffer_requests(const engine *e, karp_str pod)
{
    uint32_t number = e->buffers.count == 0 ? IO_NONE : io_table_get(&e->buffers.index, pod);
    return number == IO_NONE ? NULL : e->buffers.requests[number];
}

void buffers_free(engine *e)
{
    io_table_free(&e->buffers.index);
    karp_free(e->context, e->buffers.requests, e->buffers.capacity * sizeof *e->buffers.requests);
}

/* ---- when they are looked at ------------------------------------------------------------------------------------- */

bool buffers_wait(const engine *e) { return e->buffers.count > 0 && e->disruption.changes != e->buffers.decided; }

void buffers_decided(engine *e) { e->buffers.decided = e->disruption.changes; }

void buffers_open(engine *e)
{
    if (e->played || !buffers_wait(e) || e->provisioning.batch_due != KARP_NO_TIME) return;
    int64_t since = e->now - e->trace->begins, turn = since - since % INTERVAL + BATCH_IDLE;
    if (turn <= since) turn += INTERVAL;
    e->provisioning.batch_due = e->trace->begins + turn;
    engine_at(e, e->provisioning.batch_due, EVENT_BATCH, 0, 0);
}
