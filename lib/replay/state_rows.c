/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine.h>
#include <replay/state_rows.h>

#include <records/rows.h>

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

const record state_pod = { OPEN(
    { INT64("created", replay_pod, created) }, { INT64("waitsSince", replay_pod, waits_since) },
    { DURATION_OR_NEVER("lasts", replay_pod, lasts) }, { SOME("heldUntil", replay_pod, held_until) },
    { UINT32("attempts", replay_pod, attempts) }) };

const record state_node = { OPEN(
    { UINT64("number", replay_node, serial) }, { REAL("price", replay_node, price) },
    { INT64("created", replay_node, created) }, { INT64("readyAt", replay_node, ready_at) },
    { INT64("billedSince", replay_node, billed) }, { SOME("lastPodEvent", replay_node, last_event) },
    { SOME("driftedAt", replay_node, drifted_at) }, { SOME("nominatedUntil", replay_node, nominated_until) },
    { DURATION_OR_NEVER("expireAfter", replay_node, expire_after) },
    { DURATION_OR_NEVER("terminationGracePeriod", replay_node, termination_grace_period) },
    { BOOL("ready", replay_node, ready) }, { BOOL("deleting", replay_node, deleting) },
    { BOOL("tainted", replay_node, tainted) }, { BOOL("initializing", replay_node, initializing) },
    { BOOL("consolidatable", replay_node, consolidatable) }, { BOOL("drifted", replay_node, drifted) },
    { BOOL("nominated", replay_node, nominated) }) };

const record state_loss = { OPEN(
    { TEXT("instanceType", replay_loss, instance_type) }, { TEXT("zone", replay_loss, zone) },
    { TEXT("capacityType", replay_loss, capacity_type) }, { INT64("until", replay_loss, until) },
    { BOOL("known", replay_loss, known) }, { BOOL("interrupted", replay_loss, interrupted) }) };

const record state_backoff = { OPEN({ TEXT("nodePool", replay_backoff, pool) },
                                    { INT64("until", replay_backoff, until) },
                                    { UINT32("level", replay_backoff, level) }) };

const record state_schedule = { OPEN(
    { SOME("batchFirst", engine, provisioning.batch_first) }, { SOME("batchDue", engine, provisioning.batch_due) },
    { SOME("passDue", engine, disruption.pass_due) }, { SOME("lastPass", engine, disruption.last_pass) },
    { SOME("lookAgain", engine, disruption.look_again) }, { SOME("clusterChanged", engine, disruption.memory.changed) },
    { SOME("judged", engine, disruption.judged) }, { SOME("multiNodeMark", engine, disruption.memory.multi_node_mark) },
    { SOME("singleNodeMark", engine, disruption.memory.single_node_mark) }, { SOME("repackDue", engine, repack_due) },
    { UINT32("validating", engine, disruption.validating) }) };

const record state_meter = { OPEN(
    { INT64("until", engine, meter.metered) }, { INT64("nextPoint", engine, meter.next_point) },
    { REAL("dollars", engine, meter.result.dollars) }, { SOME("driftBegins", engine, meter.result.drift.begins) },
    { SOME("driftEnds", engine, meter.result.drift.ends) }) };

const record state_sums = { OPEN(
    { REAL("", engine, meter.result.ended_dollars) }, { REAL("", engine, meter.result.ended_hours) },
    { REAL("", engine, meter.result.ended_idle) }, { REAL("", engine, meter.sums[0]) },
    { REAL("", engine, meter.sums[1]) }, { REAL("", engine, meter.sums[2]) }, { REAL("", engine, meter.sums[3]) },
    { REAL("", engine, meter.result.drift.before) }, { REAL("", engine, meter.result.drift.during) },
    { REAL("", engine, meter.result.drift.after) }, { REAL("", engine, meter.result.ended_expected) }) };

const record state_counters = { OPEN(
    { UINT64("", replay_result, launches) }, { UINT64("", replay_result, failed_launches) },
    { UINT64("", replay_result, ended_nodes) }, { UINT64("", replay_result, evictions) },
    { UINT64("", replay_result, interruptions) }, { UINT64("", replay_result, expirations) },
    { UINT64("", replay_result, killed_pods) }, { UINT64("", replay_result, lost_pods) },
    { UINT64("", replay_result, starts) }, { UINT64("", replay_result, ended_pods) },
    { UINT64("", replay_result, given_up) }, { UINT64("", replay_result, decisions) },
    { UINT64("", replay_result, passes) }, { UINT32("", replay_result, most_nodes) },
    { UINT64("", replay_result, drift.nodes) }, { UINT64("", replay_result, drift.going) },
    { UINT64("", replay_result, drift.at_once) }, { UINT64("", replay_result, drift.gone) }) };

const record state_point = { OPEN(
    { INT64("time", replay_point, at) }, { REAL("costPerHour", replay_point, cost_rate) },
    { REAL("dollars", replay_point, dollars) }, { UINT32("nodes", replay_point, nodes) },
    { UINT32("starting", replay_point, starting) }, { UINT32("pods", replay_point, pods) },
    { UINT32("pending", replay_point, pending) }, { REAL("cpuRequested", replay_point, cpu_requested) },
    { REAL("cpu", replay_point, cpu) }, { REAL("memoryRequested", replay_point, memory_requested) },
    { REAL("memory", replay_point, memory) }) };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The struct as a list of its members. */
static tree *list_of(trees *t, const record *r, const char *from)
{
    tree *list = tree_new(t, TREE_LIST);
    state_write(t, list, r, from);
    return list;
}

static tree *texts(trees *t, const karp_str *list, size_t count)
{
    tree *rows = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < count; i++) tree_append(t, rows, tree_new_text(t, list[i]));
    return rows;
}

/* [name, text], or [name, value, scale]. */
static tree *amount(trees *t, const karp_resource *r)
{
    tree *row = texts(t, (const karp_str[]){ r->name, r->text }, r->text.ptr ? 2 : 1);
    if (r->text.ptr) return row;
    tree_append(t, row, tree_new_integer(t, r->value));
    tree_append(t, row, tree_new_integer(t, r->scale));
    return row;
}

static tree *rows_of(trees *t, const record_field *f, const char *from)
{
    size_t count;
    const char *list = record_list(f, from, &count);
    if (f->kind == FIELD_TEXTS) return texts(t, (const void *)list, count);
    tree *rows = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < count; i++) {
        const karp_label *label = (const void *)list;
        const karp_resource *resource = (const void *)list;
        if (f->kind == FIELD_LABELS)
            tree_append(t, rows, texts(t, (const karp_str[]){ label[i].key, label[i].value }, 2));
        else if (f->kind == FIELD_AMOUNTS) tree_append(t, rows, amount(t, &resource[i]));
        else tree_append(t, rows, list_of(t, f->inner, list + i * f->inner->size));
    }
    return rows;
}

static tree *value_of(trees *t, const record_field *f, const char *from)
{
    const void *member = from + f->at;
    switch (f->kind) {
    case FIELD_BOOL: return *(const bool *)member ? tree_new(t, TREE_TRUE) : NULL;
    case FIELD_WORD:
    case FIELD_UINT32: return tree_new_integer(t, *(const uint32_t *)member);
    case FIELD_UINT64: return tree_new_integer(t, (int64_t) * (const uint64_t *)member);
    case FIELD_SOME:
        return *(const int64_t *)member == INT64_MIN ? NULL : tree_new_integer(t, *(const int64_t *)member);
    case FIELD_INT64:
    case FIELD_DURATION:
    case FIELD_DURATION_OR_NEVER: return tree_new_integer(t, *(const int64_t *)member);
    case FIELD_PRICE:
    case FIELD_REAL: return tree_new_double(t, *(const double *)member);
    case FIELD_OBJECT: return list_of(t, f->inner, member);
    case FIELD_TEXTS:
    case FIELD_LABELS:
    case FIELD_AMOUNTS:
    case FIELD_LIST: return rows_of(t, f, from);
    default: return tree_new_text(t, *(const karp_str *)member);
    }
}

static bool is_duration(const record_field *f)
{
    return f->kind == FIELD_DURATION || f->kind == FIELD_DURATION_OR_NEVER;
}

void state_write(trees *t, tree *into, const record *r, const void *from)
{
    for (const record_field *f = r->fields, *end = f + r->count; f < end; f++) {
        if (!row_in(f, IN_STATE)) continue;
        const int64_t *number = (const void *)((const char *)from + f->at);
        if (!tree_is(into, TREE_LIST) && is_duration(f) && *number == KARP_DURATION_UNSET) continue;
        tree *value = value_of(t, f, from);
        if (tree_is(into, TREE_LIST)) tree_append(t, into, value);
        else tree_set(t, into, f->name, value);
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
    if (tree_integer(value, &out) && out >= -REPLAY_LATEST && out <= REPLAY_LATEST) return out;
    state_refuse(e, what);
    return 0;
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

static int64_t duration_of(engine *e, const tree *value, const char *what)
{
    int64_t out = KARP_DURATION_UNSET;
    if (value && (!tree_integer(value, &out) || (out < 0 && out != KARP_DURATION_UNSET))) state_refuse(e, what);
    return out;
}

static void *room_for(engine *e, size_t count, size_t bytes)
{
    void *rows = arena_zalloc(&e->memory, (count + 1) * bytes);
    if (!rows) engine_nomem(e);
    return rows;
}

static karp_str text_at(engine *e, const tree *row, size_t index)
{
    return engine_text(e, tree_text(tree_item(row, index)));
}

static void read_row(engine *e, const record_field *f, const tree *row, const char *what, char *into, size_t i)
{
    karp_str *text = (void *)into;
    karp_label *label = (void *)into;
    karp_resource *r = (void *)into;
    if (f->kind == FIELD_TEXTS) {
        text[i] = engine_text(e, tree_text(row));
    } else if (f->kind == FIELD_LABELS) {
        label[i] = (karp_label){ text_at(e, row, 0), text_at(e, row, 1) };
    } else if (f->kind == FIELD_LIST) {
        state_read(e, row, f->inner, what, into + i * f->inner->size);
    } else {
        bool is_text = tree_is(tree_item(row, 1), TREE_STRING);
        r[i].name = text_at(e, row, 0);
        if (is_text) r[i].text = text_at(e, row, 1);
        else r[i].value = state_number(e, tree_item(row, 1), what);
        if (!is_text) r[i].scale = (int32_t)state_number(e, tree_item(row, 2), what);
    }
}

static size_t row_bytes(const record_field *f)
{
    if (f->kind == FIELD_LIST) return f->inner->size;
    return f->kind == FIELD_TEXTS    ? sizeof(karp_str)
           : f->kind == FIELD_LABELS ? sizeof(karp_label)
                                     : sizeof(karp_resource);
}

static void read_rows(engine *e, const record_field *f, const tree *list, const char *what, char *into)
{
    size_t count = tree_count(list);
    char *rows = room_for(e, count, row_bytes(f));
    for (size_t i = 0; rows && i < count && !e->status; i++) read_row(e, f, tree_item(list, i), what, rows, i);
    record_set_list(f, into, rows, rows ? count : 0);
}

static void read_member(engine *e, const record_field *f, const tree *value, const char *what, char *into)
{
    void *member = into + f->at;
    switch (f->kind) {
    case FIELD_SOME: *(int64_t *)member = value ? state_number(e, value, what) : INT64_MIN; break;
    case FIELD_INT64: *(int64_t *)member = state_number(e, value, what); break;
    case FIELD_DURATION:
    case FIELD_DURATION_OR_NEVER: *(int64_t *)member = duration_of(e, value, what); break;
    case FIELD_WORD:
    case FIELD_UINT32: *(uint32_t *)member = (uint32_t)state_count(e, value, UINT32_MAX, what); break;
    case FIELD_UINT64: *(uint64_t *)member = state_count(e, value, UINT64_MAX, what); break;
    case FIELD_PRICE:
    case FIELD_REAL: *(double *)member = state_real(e, value, what); break;
    case FIELD_BOOL: *(bool *)member = tree_is(value, TREE_TRUE); break;
    case FIELD_OBJECT: state_read(e, value, f->inner, what, member); break;
    case FIELD_TEXTS:
    case FIELD_LABELS:
    case FIELD_AMOUNTS:
    case FIELD_LIST: read_rows(e, f, value, what, into); break;
    default: *(karp_str *)member = engine_text(e, tree_text(value)); break;
    }
}

void state_read(engine *e, const tree *from, const record *r, const char *list, void *into)
{
    size_t index = 0;
    for (const record_field *f = r->fields, *end = f + r->count; f < end; f++) {
        if (!row_in(f, IN_STATE)) continue;
        const tree *value = list ? tree_item(from, index++) : tree_get(from, f->name);
        read_member(e, f, value, list ? list : f->name, into);
    }
}
