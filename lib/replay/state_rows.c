/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine.h>
#include <replay/state_rows.h>

#include <base/error.h>

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

static const state_row pod_rows[] = {
    { "created", offsetof(replay_pod, created), STATE_INT64 },
    { "waitsSince", offsetof(replay_pod, waits_since), STATE_INT64 },
    { "lasts", offsetof(replay_pod, lasts), STATE_SOME },
};

static const state_row node_rows[] = {
    { "number", offsetof(replay_node, serial), STATE_UINT64 },
    { "price", offsetof(replay_node, price), STATE_REAL },
    { "created", offsetof(replay_node, created), STATE_INT64 },
    { "readyAt", offsetof(replay_node, ready_at), STATE_INT64 },
    { "billedSince", offsetof(replay_node, billed), STATE_INT64 },
    { "lastPodEvent", offsetof(replay_node, last_event), STATE_SOME },
    { "driftedAt", offsetof(replay_node, drifted_at), STATE_SOME },
    { "expireAfter", offsetof(replay_node, expire_after), STATE_SOME },
    { "terminationGracePeriod", offsetof(replay_node, termination_grace_period), STATE_SOME },
    { "ready", offsetof(replay_node, ready), STATE_FLAG },
    { "deleting", offsetof(replay_node, deleting), STATE_FLAG },
    { "tainted", offsetof(replay_node, tainted), STATE_FLAG },
    { "consolidatable", offsetof(replay_node, consolidatable), STATE_FLAG },
    { "drifted", offsetof(replay_node, drifted), STATE_FLAG },
};

static const state_row loss_rows[] = {
    { "instanceType", offsetof(replay_loss, instance_type), STATE_TEXT },
    { "zone", offsetof(replay_loss, zone), STATE_TEXT },
    { "capacityType", offsetof(replay_loss, capacity_type), STATE_TEXT },
    { "until", offsetof(replay_loss, until), STATE_INT64 },
    { "known", offsetof(replay_loss, known), STATE_FLAG },
    { "interrupted", offsetof(replay_loss, interrupted), STATE_FLAG },
};

static const state_row schedule_rows[] = {
    { "batchFirst", offsetof(engine, provisioning.batch_first), STATE_SOME },
    { "batchDue", offsetof(engine, provisioning.batch_due), STATE_SOME },
    { "passDue", offsetof(engine, disruption.pass_due), STATE_SOME },
    { "lastPass", offsetof(engine, disruption.last_pass), STATE_SOME },
    { "lookAgain", offsetof(engine, disruption.look_again), STATE_SOME },
    { "repackDue", offsetof(engine, repack_due), STATE_SOME },
    { "validating", offsetof(engine, disruption.validating), STATE_UINT32 },
    { "poolsChanged", offsetof(engine, objects.pools_changed), STATE_FLAG },
};

static const state_row meter_rows[] = {
    { "until", offsetof(engine, meter.metered), STATE_INT64 },
    { "nextPoint", offsetof(engine, meter.next_point), STATE_INT64 },
    { "dollars", offsetof(engine, meter.result.dollars), STATE_REAL },
};

static const state_row sums_rows[] = {
    { NULL, offsetof(engine, meter.result.ended_dollars), STATE_REAL },
    { NULL, offsetof(engine, meter.result.ended_hours), STATE_REAL },
    { NULL, offsetof(engine, meter.result.ended_idle), STATE_REAL },
    { NULL, offsetof(engine, meter.sums[0]), STATE_REAL },
    { NULL, offsetof(engine, meter.sums[1]), STATE_REAL },
    { NULL, offsetof(engine, meter.sums[2]), STATE_REAL },
    { NULL, offsetof(engine, meter.sums[3]), STATE_REAL },
};

static const state_row counters_rows[] = {
    { NULL, offsetof(replay_result, launches), STATE_UINT64 },
    { NULL, offsetof(replay_result, failed_launches), STATE_UINT64 },
    { NULL, offsetof(replay_result, ended_nodes), STATE_UINT64 },
    { NULL, offsetof(replay_result, evictions), STATE_UINT64 },
    { NULL, offsetof(replay_result, interruptions), STATE_UINT64 },
    { NULL, offsetof(replay_result, expirations), STATE_UINT64 },
    { NULL, offsetof(replay_result, killed_pods), STATE_UINT64 },
    { NULL, offsetof(replay_result, lost_pods), STATE_UINT64 },
    { NULL, offsetof(replay_result, starts), STATE_UINT64 },
    { NULL, offsetof(replay_result, ended_pods), STATE_UINT64 },
    { NULL, offsetof(replay_result, given_up), STATE_UINT64 },
    { NULL, offsetof(replay_result, decisions), STATE_UINT64 },
    { NULL, offsetof(replay_result, passes), STATE_UINT64 },
    { NULL, offsetof(replay_result, most_nodes), STATE_UINT32 },
};

static const state_row point_rows[] = {
    { "time", offsetof(replay_point, at), STATE_INT64 },
    { "costPerHour", offsetof(replay_point, cost_rate), STATE_REAL },
    { "dollars", offsetof(replay_point, dollars), STATE_REAL },
    { "nodes", offsetof(replay_point, nodes), STATE_UINT32 },
    { "starting", offsetof(replay_point, starting), STATE_UINT32 },
    { "pods", offsetof(replay_point, pods), STATE_UINT32 },
    { "pending", offsetof(replay_point, pending), STATE_UINT32 },
    { "cpuRequested", offsetof(replay_point, cpu_requested), STATE_REAL },
    { "cpu", offsetof(replay_point, cpu), STATE_REAL },
    { "memoryRequested", offsetof(replay_point, memory_requested), STATE_REAL },
    { "memory", offsetof(replay_point, memory), STATE_REAL },
};

#define ROWS(name) name##_rows, sizeof name##_rows / sizeof name##_rows[0]
const state_rows state_pod = { ROWS(pod), NULL };
const state_rows state_node = { ROWS(node), NULL };
const state_rows state_loss = { ROWS(loss), NULL };
const state_rows state_schedule = { ROWS(schedule), NULL };
const state_rows state_meter = { ROWS(meter), NULL };
const state_rows state_sums = { ROWS(sums), "sums" };
const state_rows state_counters = { ROWS(counters), "counters" };
const state_rows state_point = { ROWS(point), "points" };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* NULL = left out. */
static tree *value_of(trees *t, state_kind kind, const void *member)
{
    switch (kind) {
    case STATE_INT64:
    case STATE_SOME:
        if (kind == STATE_SOME && *(const int64_t *)member == INT64_MIN) return NULL;
        return tree_new_integer(t, *(const int64_t *)member);
    case STATE_UINT32: return tree_new_integer(t, *(const uint32_t *)member);
    case STATE_UINT64: return tree_new_integer(t, (int64_t) * (const uint64_t *)member);
    case STATE_REAL: return tree_new_double(t, *(const double *)member);
    case STATE_FLAG: return *(const bool *)member ? tree_new(t, TREE_TRUE) : NULL;
    case STATE_TEXT: return tree_new_text(t, *(const karp_str *)member);
    }
    return NULL;
}

void state_write(trees *t, tree *into, const state_rows *rows, const void *from)
{
    for (size_t i = 0; i < rows->count; i++) {
        tree *value = value_of(t, rows->rows[i].kind, (const char *)from + rows->rows[i].offset);
        if (rows->list) tree_append(t, into, value);
        else tree_set(t, into, rows->rows[i].name, value);
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

void state_refuse(engine *e, const char *what)
{
    if (e->status) return;
    e->status = fail(&e->error, KARP_E_INVALID, "the state of the replay does not fit: %s", what);
    error_set_field(&e->error, "replay.%s", what);
}

int64_t state_number(engine *e, const tree *value, const char *what)
{
    int64_t out = 0;
    if (!tree_integer(value, &out)) state_refuse(e, what);
    return out;
}

uint64_t state_count(engine *e, const tree *value, uint64_t most, const char *what)
{
    int64_t out = state_number(e, value, what);
    if (out >= 0 && (uint64_t)out <= most) return (uint64_t)out;
    state_refuse(e, what);
    return 0;
}

double state_real(engine *e, const tree *value, const char *what)
{
    double out = 0;
    if (!tree_double(value, &out)) state_refuse(e, what);
    return out;
}

static void read_member(engine *e, state_kind kind, const tree *value, const char *what, void *member)
{
    switch (kind) {
    case STATE_SOME: *(int64_t *)member = value ? state_number(e, value, what) : INT64_MIN; break;
    case STATE_INT64: *(int64_t *)member = state_number(e, value, what); break;
    case STATE_UINT32: *(uint32_t *)member = (uint32_t)state_count(e, value, UINT32_MAX, what); break;
    case STATE_UINT64: *(uint64_t *)member = state_count(e, value, UINT64_MAX, what); break;
    case STATE_REAL: *(double *)member = state_real(e, value, what); break;
    case STATE_FLAG: *(bool *)member = tree_is(value, TREE_TRUE); break;
    case STATE_TEXT: *(karp_str *)member = engine_text(e, tree_text(value)); break;
    }
}

void state_read(engine *e, const tree *from, const state_rows *rows, void *into)
{
    for (size_t i = 0; i < rows->count; i++) {
        const state_row *row = &rows->rows[i];
        read_member(e, row->kind, rows->list ? tree_item(from, i) : tree_get(from, row->name),
                    rows->list ? rows->list : row->name, (char *)into + row->offset);
    }
}
