/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of decisions, with one column per field of their rows. They are listed in docs/columns.md. */
#include <base/columns.h>
#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <decision/decision.h>
#include <karp/values.h>
#include <stddef.h>
#include <string.h>

/* ---- tables of rows ---------------------------------------------------------------------------------------------- */

typedef enum column_kind {
    AS_TEXT, /* karp_str */
    AS_WORD, /* karp_str: a dictionary */
    AS_UINT32,
    AS_SIZE, /* size_t: as uint32_t */
    AS_INT64,
    AS_DOUBLE,
    AS_NUMBERS, /* a pointer to uint32_t and a count: a list */
    AS_WORDS, /* a pointer to karp_str and a count: a list of dictionary values */
    AS_POD_NAME, /* uint32_t: a pod's index */
    AS_REASON, /* uint32_t: KARP_REASON_*, as its name */
    AS_REASON_IF_ANY, /* likewise; "" for none */
    AS_METHOD, /* uint32_t: KARP_METHOD_*, as its name */
    AS_METHOD_REASON /* likewise, as the disruption reason */
} column_kind;

/* A column, and the member of the row that it contains. */
typedef struct row_column {
    const char *name;
    column_kind kind;
    size_t at, count; /* offsets; `count` is for a list's count */
} row_column;

#define COLUMN(name, kind, S, m)                                                                                       \
    {                                                                                                                  \
        (name), (kind), offsetof(S, m), 0                                                                              \
    }
#define COLUMN_LIST(name, kind, S, m, n)                                                                               \
    {                                                                                                                  \
        (name), (kind), offsetof(S, m), offsetof(S, n)                                                                 \
    }

enum { MOST_COLUMNS = 12 };

static void make_columns(karp_table *t, const row_column *columns, size_t count, column **made)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = columns[i].name;
        switch (columns[i].kind) {
        case AS_TEXT:
        case AS_POD_NAME: made[i] = table_text(t, name); break;
        case AS_WORD:
        case AS_REASON:
        case AS_REASON_IF_ANY:
        case AS_METHOD:
        case AS_METHOD_REASON: made[i] = table_words(t, name); break;
        case AS_UINT32:
        case AS_SIZE: made[i] = table_uint32(t, name); break;
        case AS_INT64: made[i] = table_int64(t, name); break;
        case AS_DOUBLE: made[i] = table_double(t, name); break;
        case AS_NUMBERS: made[i] = table_list_uint32(t, name); break;
        case AS_WORDS: made[i] = table_list_words(t, name); break;
        }
    }
}

static void put_value(const karp_decision *d, const row_column *c, column *into, const char *row)
{
    const void *member = row + c->at;
    const void *list = NULL;
    uint32_t number = 0;
    size_t count = 0;
    if (c->count) {
        memcpy(&list, member, sizeof list);
        memcpy(&count, row + c->count, sizeof count);
    }
    if (c->kind == AS_UINT32 || c->kind >= AS_POD_NAME) number = *(const uint32_t *)member;
    switch (c->kind) {
    case AS_TEXT:
    case AS_WORD: column_text(into, *(const karp_str *)member); break;
    case AS_UINT32: column_uint32(into, number); break;
    case AS_SIZE: column_uint32(into, (uint32_t) * (const size_t *)member); break;
    case AS_INT64: column_int64(into, *(const int64_t *)member); break;
    case AS_DOUBLE: column_double(into, *(const double *)member); break;
    case AS_NUMBERS: column_uint32s(into, list, count); break;
    case AS_WORDS: column_texts(into, list, count); break;
    case AS_POD_NAME: column_text(into, karp_decision_pod_name(d, number)); break;
    case AS_REASON: column_text(into, str(karp_reason_name(number))); break;
    case AS_REASON_IF_ANY: column_text(into, str(number == KARP_REASON_NONE ? "" : karp_reason_name(number))); break;
    case AS_METHOD: column_text(into, str(karp_method_name(number))); break;
    case AS_METHOD_REASON: column_text(into, str(karp_method_reason(number))); break;
    }
}

static void put_row(const karp_decision *d, const row_column *columns, size_t count, column *const *made,
                    const void *row)
{
    for (size_t i = 0; i < count; i++) put_value(d, &columns[i], made[i], row);
}

/* Fills a table from an array of structs. */
static void put_rows(const karp_decision *d, karp_table *t, const row_column *columns, size_t count, const void *rows,
                     size_t row_count, size_t row_size)
{
    column *made[MOST_COLUMNS];
    make_columns(t, columns, count, made);
    for (size_t i = 0; i < row_count; i++) put_row(d, columns, count, made, (const char *)rows + i * row_size);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- outcomes of pods -------------------------------------------------------------------------------------------- */

typedef struct fate {
    uint32_t pod, code, permanent;
    karp_str outcome, target, name_space, name;
} fate;

static size_t fates_of(const karp_decision *d, fate *fates)
{
    size_t n = 0;
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        for (size_t k = 0; k < l->pod_count; k++, n++) {
            if (fates != NULL) fates[n] = (fate){ .pod = l->pods[k], .outcome = str("launch"), .target = l->id };
        }
    }
    for (size_t i = 0; i < d->placements.count; i++) {
        const karp_placement *p = &d->placements.items[i];
        for (size_t k = 0; k < p->pod_count; k++, n++) {
            if (fates != NULL) fates[n] = (fate){ .pod = p->pods[k], .outcome = str("node"), .target = p->node };
        }
    }
    for (size_t i = 0; i < d->unschedulable.count; i++, n++) {
        const karp_unschedulable *u = &d->unschedulable.items[i];
        if (fates != NULL)
            fates[n] = (fate){
                .pod = u->pod, .code = u->code, .permanent = u->permanent, .outcome = str("unschedulable")
            };
    }
    for (size_t i = 0; i < d->ignored.count; i++, n++) {
        const karp_ignored *g = &d->ignored.items[i];
        if (fates != NULL) fates[n] = (fate){ .pod = g->pod, .code = g->code, .outcome = str("ignored") };
    }
    return n;
}

static const row_column fate_columns[] = { COLUMN("index", AS_UINT32, fate, pod),
                                           COLUMN("namespace", AS_WORD, fate, name_space),
                                           COLUMN("name", AS_TEXT, fate, name),
                                           COLUMN("outcome", AS_WORD, fate, outcome),
                                           COLUMN("target", AS_WORD, fate, target),
                                           COLUMN("code", AS_UINT32, fate, code),
                                           COLUMN("reason", AS_REASON_IF_ANY, fate, code),
                                           COLUMN("permanent", AS_UINT32, fate, permanent) };

static bool pod_rows(const karp_decision *d, karp_table *t)
{
    const karp_snapshot *s = d->snapshot;
    size_t count = fates_of(d, NULL), bytes;
    if (!size_mul(count, sizeof(fate), &bytes)) return false;
    fate *fates = mem_alloc(d->context, bytes);
    if (fates == NULL) return false;
    (void)fates_of(d, fates);
    bool sorted = sort_stable(d->context, fates, count, sizeof *fates, by_first_rank, s->pod_rank);
    for (size_t i = 0; i < count && sorted; i++) {
        const pod *p = pod_at(&s->raw, fates[i].pod);
        fates[i].name_space = text_of(s, p->name_space);
        fates[i].name = name_of(s, p->name);
    }
    if (sorted) put_rows(d, t, fate_columns, COUNT(fate_columns), fates, count, sizeof *fates);
    mem_free(d->context, fates, bytes);
    return sorted;
}

/* ---- launches and placements ------------------------------------------------------------------------------------- */

static void mention(amount_columns *a, const karp_resource *list, size_t count)
{
    for (size_t i = 0; i < count; i++) amount_columns_mention(a, list[i].name);
}

/* Writes the nearest doubles of a row's amounts. Every name must have been passed to mention() before. */
static void amounts(const amount_columns *a, const karp_resource *list, size_t count, double *room)
{
    for (size_t i = 0; i < a->count; i++) room[i] = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = amount_columns_find(a, list[i].name);
        if (id != NO_ID && id < a->count)
            (void)karp_quantity_double(list[i].text, &room[id]); /* libkarp's canonical text is always valid */
    }
    amount_columns_row(a, room);
}

static bool launch_amounts(const karp_decision *d, karp_table *t)
{
    amount_columns requests, allocatable;
    amount_columns_begin(&requests, t);
    amount_columns_begin(&allocatable, t);
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        mention(&requests, l->requests, l->request_count);
        mention(&allocatable, l->allocatable, l->allocatable_count);
    }
    amount_columns_make(&requests, "requests.");
    amount_columns_make(&allocatable, "allocatable.");
    size_t most = requests.count > allocatable.count ? requests.count : allocatable.count;
    double *room = mem_alloc(d->context, most * sizeof *room);
    for (size_t i = 0; i < d->launches.count && room != NULL; i++) {
        const karp_launch *l = &d->launches.items[i];
        amounts(&requests, l->requests, l->request_count, room);
        amounts(&allocatable, l->allocatable, l->allocatable_count, room);
    }
    bool done = room != NULL;
    mem_free(d->context, room, most * sizeof *room);
    amount_columns_end(&requests);
    amount_columns_end(&allocatable);
    return done;
}

static const row_column launch_columns[] = { COLUMN("id", AS_TEXT, karp_launch, id),
                                             COLUMN("node_pool", AS_WORD, karp_launch, node_pool),
                                             COLUMN("instance_type", AS_WORD, karp_launch, choice.instance_type),
                                             COLUMN("zone", AS_WORD, karp_launch, choice.zone),
                                             COLUMN("capacity_type", AS_WORD, karp_launch, choice.capacity_type),
                                             COLUMN("price", AS_DOUBLE, karp_launch, choice.price),
                                             COLUMN_LIST("pods", AS_NUMBERS, karp_launch, pods, pod_count),
                                             COLUMN_LIST("instance_types", AS_WORDS, karp_launch, instance_types,
                                                         instance_type_count) };

static const row_column placement_columns[] = { COLUMN("node", AS_TEXT, karp_placement, node),
                                                COLUMN_LIST("pods", AS_NUMBERS, karp_placement, pods, pod_count) };

/* ---- pods that were not placed ----------------------------------------------------------------------------------- */

static const row_column unschedulable_columns[] = { COLUMN("pod", AS_UINT32, karp_unschedulable, pod),
                                                    COLUMN("pod_name", AS_POD_NAME, karp_unschedulable, pod),
                                                    COLUMN("code", AS_UINT32, karp_unschedulable, code),
                                                    COLUMN("reason", AS_REASON, karp_unschedulable, code),
                                                    COLUMN("permanent", AS_UINT32, karp_unschedulable, permanent),
                                                    COLUMN("message", AS_TEXT, karp_unschedulable, message),
                                                    COLUMN_LIST("relaxed", AS_WORDS, karp_unschedulable, relaxed,
                                                                relaxed_count) };

static const row_column refused_columns[] = { COLUMN("pod", AS_UINT32, karp_unschedulable, pod) };
static const row_column refusal_columns[] = {
    COLUMN("node_pool", AS_WORD, karp_pool_refusal, node_pool),
    COLUMN("code", AS_UINT32, karp_pool_refusal, code),
    COLUMN("reason", AS_REASON, karp_pool_refusal, code),
    COLUMN("detail", AS_WORD, karp_pool_refusal, detail),
    COLUMN("types_start", AS_UINT32, karp_pool_refusal, types_start),
    COLUMN("types_requirements", AS_UINT32, karp_pool_refusal, types_requirements),
    COLUMN("types_resources", AS_UINT32, karp_pool_refusal, types_resources),
    COLUMN("types_offerings", AS_UINT32, karp_pool_refusal, types_offerings)
};

static bool refusal_rows(const karp_decision *d, karp_table *t)
{
    column *refused, *made[MOST_COLUMNS];
    make_columns(t, refused_columns, COUNT(refused_columns), &refused);
    make_columns(t, refusal_columns, COUNT(refusal_columns), made);
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        const karp_unschedulable *u = &d->unschedulable.items[i];
        for (size_t k = 0; k < u->pool_count; k++) {
            put_row(d, refused_columns, COUNT(refused_columns), &refused, u);
            put_row(d, refusal_columns, COUNT(refusal_columns), made, &u->pools[k]);
        }
    }
    return true;
}

static const row_column ignored_columns[] = { COLUMN("pod", AS_UINT32, karp_ignored, pod),
                                              COLUMN("pod_name", AS_POD_NAME, karp_ignored, pod),
                                              COLUMN("code", AS_UINT32, karp_ignored, code),
                                              COLUMN("reason", AS_REASON, karp_ignored, code),
                                              COLUMN("message", AS_TEXT, karp_ignored, message) };

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static const row_column node_columns[] = { COLUMN("node", AS_TEXT, karp_node_use, node),
                                           COLUMN("node_pool", AS_WORD, karp_node_use, node_pool),
                                           COLUMN("instance_type", AS_WORD, karp_node_use, instance_type),
                                           COLUMN("zone", AS_WORD, karp_node_use, zone),
                                           COLUMN("capacity_type", AS_WORD, karp_node_use, capacity_type),
                                           COLUMN("price", AS_DOUBLE, karp_node_use, price),
                                           COLUMN("cpu_requested", AS_DOUBLE, karp_node_use, cpu_requested),
                                           COLUMN("cpu_allocatable", AS_DOUBLE, karp_node_use, cpu_allocatable),
                                           COLUMN("memory_requested", AS_DOUBLE, karp_node_use, memory_requested),
                                           COLUMN("memory_allocatable", AS_DOUBLE, karp_node_use, memory_allocatable),
                                           COLUMN("marked", AS_UINT32, karp_node_use, marked),
                                           COLUMN("pods_received", AS_UINT32, karp_node_use, pods_received) };

static bool node_rows(const karp_decision *d, karp_table *t)
{
    column *made[MOST_COLUMNS];
    make_columns(t, node_columns, COUNT(node_columns), made);
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use row = { .size = sizeof row };
        (void)karp_decision_node(d, i, &row);
        put_row(d, node_columns, COUNT(node_columns), made, &row);
    }
    return true;
}

/* ---- disruption -------------------------------------------------------------------------------------------------- */

static const row_column candidate_columns[] = { COLUMN("node", AS_TEXT, karp_candidate, node),
                                                COLUMN("node_pool", AS_WORD, karp_candidate, node_pool),
                                                COLUMN("price", AS_DOUBLE, karp_candidate, price),
                                                COLUMN("disruption_cost", AS_DOUBLE, karp_candidate, disruption_cost),
                                                COLUMN("reschedule_cost", AS_DOUBLE, karp_candidate, reschedule_cost),
                                                COLUMN_LIST("pods", AS_NUMBERS, karp_candidate, pods, pod_count) };

static const row_column command_columns[] = { COLUMN("method", AS_METHOD, karp_command, method),
                                              COLUMN("reason", AS_METHOD_REASON, karp_command, method),
                                              COLUMN("replaces", AS_UINT32, karp_command, replaces),
                                              COLUMN_LIST("nodes", AS_WORDS, karp_command, nodes, node_count),
                                              COLUMN("launch_first", AS_SIZE, karp_command, launch_first),
                                              COLUMN("launch_count", AS_SIZE, karp_command, launch_count),
                                              COLUMN("placement_first", AS_SIZE, karp_command, placement_first),
                                              COLUMN("placement_count", AS_SIZE, karp_command, placement_count),
                                              COLUMN("savings", AS_DOUBLE, karp_command, savings),
                                              COLUMN("validate_after", AS_INT64, karp_command, validate_after),
                                              COLUMN("score", AS_DOUBLE, karp_command, score) };

static const row_column kept_columns[] = { COLUMN("node", AS_TEXT, karp_kept, node),
                                           COLUMN("code", AS_UINT32, karp_kept, code),
                                           COLUMN("reason", AS_REASON, karp_kept, code),
                                           COLUMN("detail", AS_TEXT, karp_kept, detail) };

typedef struct table_kind {
    const row_column *columns; /* columns for the rows of a list of the decision, if it has one */
    size_t column_count, list, row_size; /* `list` is an offset */
    bool (*more)(const karp_decision *d, karp_table *t); /* adds further columns, or all; false = out of memory */
} table_kind;

#define ROWS(columns, list, S) columns, COUNT(columns), offsetof(karp_decision, list), sizeof(S)

static const table_kind kinds[] = {
    [KARP_TABLE_PODS] = { .more = pod_rows },
    [KARP_TABLE_LAUNCHES] = { ROWS(launch_columns, launches, karp_launch), launch_amounts },
    [KARP_TABLE_PLACEMENTS] = { ROWS(placement_columns, placements, karp_placement), NULL },
    [KARP_TABLE_UNSCHEDULABLE] = { ROWS(unschedulable_columns, unschedulable, karp_unschedulable), NULL },
    [KARP_TABLE_REFUSALS] = { .more = refusal_rows },
    [KARP_TABLE_IGNORED] = { ROWS(ignored_columns, ignored, karp_ignored), NULL },
    [KARP_TABLE_NODES] = { .more = node_rows },
    [KARP_TABLE_CANDIDATES] = { ROWS(candidate_columns, candidates, karp_candidate), NULL },
    [KARP_TABLE_COMMANDS] = { ROWS(command_columns, commands, karp_command), NULL },
    [KARP_TABLE_KEPT] = { ROWS(kept_columns, kept, karp_kept), NULL },
};

static bool fill(const karp_decision *d, karp_table *t, const table_kind *kind)
{
    if (kind->columns != NULL) {
        const void *list = (const char *)d + kind->list;
        size_t count = list_count(list);
        const void *rows = count ? list_at(list, 0, kind->row_size) : NULL;
        put_rows(d, t, kind->columns, kind->column_count, rows, count, kind->row_size);
    }
    return kind->more == NULL || kind->more(d, t);
}

karp_status karp_decision_table(const karp_decision *decision, uint32_t table, karp_table **out, karp_error *error)
{
    if (decision == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a decision and a place for the table are needed");
    const table_kind *kind = table < COUNT(kinds) ? &kinds[table] : NULL;
    if (kind == NULL || (kind->columns == NULL && kind->more == NULL))
        return fail(error, KARP_E_NOT_FOUND, "a decision has no table %u", (unsigned)table);
    karp_table *t = table_new(decision->context);
    if (t != NULL && !fill(decision, t, kind)) {
        karp_table_free(t);
        t = NULL;
    }
    return context_refusal(decision->context, table_finish(t, out, error), error);
}
