/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of decisions, with one column per field of their rows. They are listed in docs/columns.md. */
#include <base/columns.h>
#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <decision/decision.h>
#include <karp/values.h>
#include <records/rows.h>
#include <records/tables.h>

/* ---- tables of rows ---------------------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 24 };

/* The columns of a table under construction: single values first, then lists, then a column for each resource. */
typedef struct columns {
    const karp_decision *decision;
    karp_table *table;
    column *made[MOST_COLUMNS];
    const record_field *fields[MOST_COLUMNS];
    size_t at[MOST_COLUMNS]; /* offset of the struct that a field's offsets count from */
    bool names[MOST_COLUMNS]; /* of a list of pods: their names, beside the column of indices */
    size_t count;
} columns;

enum { LONGEST_NAME = 40 };

/* The name of a row's column: its field's in snake case, like the struct's member. */
static void column_name(const record_field *f, char name[static LONGEST_NAME])
{
    size_t n = 0;
    for (const char *c = f->name; *c != 0 && n + 3 < LONGEST_NAME; c++) {
        bool capital = *c >= 'A' && *c <= 'Z';
        if (capital) name[n++] = '_';
        name[n++] = (char)(capital ? *c - 'A' + 'a' : *c);
    }
    if (f->kind == FIELD_AMOUNTS) name[n++] = '.';
    name[n] = 0;
}

static column *make_column(karp_table *t, const record_field *f)
{
    char name[LONGEST_NAME];
    column_name(f, name);
    switch (f->kind) {
    case FIELD_UINT32:
    case FIELD_FLAG:
    case FIELD_SIZE: return table_uint32(t, name);
    case FIELD_INT64:
    case FIELD_DURATION: return table_int64(t, name);
    case FIELD_REAL:
    case FIELD_PRICE:
    case FIELD_SUM: return table_double(t, name);
    case FIELD_PODS: return table_list_uint32(t, name);
    case FIELD_TEXTS: return table_list_words(t, name);
    case FIELD_NAMED: return table_words(t, name);
    default: return f->words ? table_words(t, name) : table_text(t, name);
    }
}

enum { SINGLE_VALUES = 1, LISTS = 2 };

static void add_column(columns *c, const record_field *f, size_t at, column *made, bool names)
{
    if (c->count == MOST_COLUMNS) return;
    c->fields[c->count] = f;
    c->at[c->count] = at;
    c->names[c->count] = names;
    c->made[c->count++] = made;
}

/* Adds the columns of lists, of single values, or of both; `at` is where the record lies in the row. */
static void add_columns(columns *c, const record *r, size_t at, int which)
{
    for (const record_field *f = r->fields, *end = f + r->count; f < end; f++) {
        if (!f->column || f->kind == FIELD_AMOUNTS) continue;
        if (f->kind == FIELD_OBJECT) {
            add_columns(c, f->inner, at + f->at, which);
        } else if (((f->count > 0 ? LISTS : SINGLE_VALUES) & which) != 0) {
            add_column(c, f, at, make_column(c->table, f), false);
            if (f->kind == FIELD_PODS) add_column(c, f, at, table_list_words(c->table, "pod_names"), true);
        }
    }
}

static void columns_begin(columns *c, const karp_decision *d, karp_table *t, const record *r)
{
    *c = (columns){ .decision = d, .table = t };
    bool in_order = r == &record_command; /* as it always was */
    add_columns(c, r, 0, in_order ? SINGLE_VALUES | LISTS : SINGLE_VALUES);
    if (!in_order) add_columns(c, r, 0, LISTS);
}

static void put_names(const karp_decision *d, column *into, const uint32_t *pods, size_t count)
{
    for (size_t i = 0; i < count; i++) column_text(into, karp_decision_pod_name(d, pods[i]));
    column_end(into);
}

static void put_value(const columns *c, size_t index, const char *row)
{
    const record_field *f = c->fields[index];
    const void *member = row + c->at[index] + f->at;
    column *into = c->made[index];
    size_t count = 0;
    const void *list = f->count > 0 ? record_list(f, row + c->at[index], &count) : NULL;
    switch (f->kind) {
    case FIELD_UINT32:
    case FIELD_FLAG: column_uint32(into, *(const uint32_t *)member); break;
    case FIELD_SIZE: column_uint32(into, (uint32_t) * (const size_t *)member); break;
    case FIELD_INT64:
    case FIELD_DURATION: column_int64(into, *(const int64_t *)member); break;
    case FIELD_REAL:
    case FIELD_PRICE:
    case FIELD_SUM: column_double(into, *(const double *)member); break;
    case FIELD_PODS:
        if (c->names[index]) put_names(c->decision, into, list, count);
        else column_uint32s(into, list, count);
        break;
    case FIELD_TEXTS: column_texts(into, list, count); break;
    case FIELD_POD: column_text(into, karp_decision_pod_name(c->decision, *(const uint32_t *)member)); break;
    case FIELD_NAMED: {
        uint32_t number = *(const uint32_t *)member;
        column_text(into, str(number == 0 ? "" : f->by.names->name(number)));
        break;
    }
    default: column_text(into, *(const karp_str *)member); break;
    }
}

static void put_row(const columns *c, const void *row)
{
    for (size_t i = 0; i < c->count; i++) put_value(c, i, row);
}

/* Fills a table from an array of structs. */
static void put_rows(const karp_decision *d, karp_table *t, const record *r, const void *rows, size_t count)
{
    columns c;
    columns_begin(&c, d, t, r);
    for (size_t i = 0; i < count; i++) put_row(&c, (const char *)rows + i * r->size);
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

static const record fate_record = {
    OF(fate),
    OPEN({ UINT32("index", fate, pod), COLUMN }, { TEXT("namespace", fate, name_space), WORDS_COLUMN },
         { TEXT("name", fate, name), COLUMN }, { TEXT("outcome", fate, outcome), WORDS_COLUMN },
         { TEXT("target", fate, target), WORDS_COLUMN }, { UINT32("code", fate, code), COLUMN },
         { NAMED("reason", fate, code, record_reasons), COLUMN }, { UINT32("permanent", fate, permanent), COLUMN })
};

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
    if (sorted) put_rows(d, t, &fate_record, fates, count);
    mem_free(d->context, fates, bytes);
    return sorted;
}

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

/* A column for each resource of the list in a member of all rows. */
typedef struct amounts {
    const record_field *field;
    const char *rows;
    size_t row_bytes, count;
} amounts;

static const karp_resource *amounts_of(const amounts *a, size_t row, size_t *count)
{
    return record_list(a->field, a->rows + row * a->row_bytes, count);
}

/* The nearest doubles of the amounts. libkarp's canonical text is always valid. */
static void put_amounts(const amounts *a, const amount_columns *made, double *room)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t count;
        const karp_resource *list = amounts_of(a, i, &count);
        for (size_t k = 0; k < made->count; k++) room[k] = 0;
        for (size_t k = 0; k < count; k++) {
            uint32_t id = amount_columns_find(made, list[k].name);
            if (id != NO_ID && id < made->count) (void)karp_quantity_double(list[k].text, &room[id]);
        }
        amount_columns_row(made, room);
    }
}

static bool add_amounts(const karp_decision *d, karp_table *t, const amounts *a)
{
    amount_columns made;
    amount_columns_begin(&made, t);
    for (size_t i = 0; i < a->count; i++) {
        size_t count;
        const karp_resource *list = amounts_of(a, i, &count);
        for (size_t k = 0; k < count; k++) amount_columns_mention(&made, list[k].name);
    }
    char prefix[LONGEST_NAME];
    column_name(a->field, prefix);
    amount_columns_make(&made, prefix);
    size_t bytes = (made.count + 1) * sizeof(double);
    double *room = mem_alloc(d->context, bytes);
    if (room != NULL) put_amounts(a, &made, room);
    mem_free(d->context, room, bytes);
    amount_columns_end(&made);
    return room != NULL;
}

/* ---- tables of several lists ------------------------------------------------------------------------------------- */

static const record refused_record = { OPEN({ UINT32("pod", karp_unschedulable, pod), COLUMN }) };

static bool refusal_rows(const karp_decision *d, karp_table *t)
{
    columns pods, pools;
    columns_begin(&pods, d, t, &refused_record);
    columns_begin(&pools, d, t, &record_pool_refusal);
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        const karp_unschedulable *u = &d->unschedulable.items[i];
        for (size_t k = 0; k < u->pool_count; k++) {
            put_row(&pods, u);
            put_row(&pools, &u->pools[k]);
        }
    }
    return true;
}

static bool node_rows(const karp_decision *d, karp_table *t)
{
    columns c;
    columns_begin(&c, d, t, &record_node_use);
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use row = { .size = sizeof row };
        (void)karp_decision_node(d, i, &row);
        put_row(&c, &row);
    }
    return true;
}

typedef struct table_kind {
    const record *record; /* of the rows of a list of the decision; NULL = `make` makes all columns */
    size_t list; /* offset */
    bool (*make)(const karp_decision *d, karp_table *t); /* false = out of memory */
} table_kind;

#define ROWS(record_, list)                                                                                            \
    {                                                                                                                  \
        &(record_), offsetof(karp_decision, list), NULL                                                                \
    }

static const table_kind kinds[] = {
    [KARP_TABLE_PODS] = { .make = pod_rows },
    [KARP_TABLE_LAUNCHES] = ROWS(record_launch, launches),
    [KARP_TABLE_PLACEMENTS] = ROWS(record_placement, placements),
    [KARP_TABLE_UNSCHEDULABLE] = ROWS(record_unschedulable, unschedulable),
    [KARP_TABLE_REFUSALS] = { .make = refusal_rows },
    [KARP_TABLE_IGNORED] = ROWS(record_ignored, ignored),
    [KARP_TABLE_NODES] = { .make = node_rows },
    [KARP_TABLE_CANDIDATES] = ROWS(record_candidate, candidates),
    [KARP_TABLE_COMMANDS] = ROWS(record_command, commands),
    [KARP_TABLE_KEPT] = ROWS(record_kept, kept),
};

static bool fill(const karp_decision *d, karp_table *t, const table_kind *kind)
{
    if (kind->make != NULL) return kind->make(d, t);
    const record *r = kind->record;
    const void *list = (const char *)d + kind->list;
    size_t count = list_count(list);
    const void *rows = count ? list_at(list, 0, r->size) : NULL;
    bool done = true;
    put_rows(d, t, r, rows, count);
    for (size_t i = 0; i < r->count && done; i++) {
        const amounts a = { &r->fields[i], rows, r->size, count };
        if (a.field->column && a.field->kind == FIELD_AMOUNTS) done = add_amounts(d, t, &a);
    }
    return done;
}

karp_status karp_decision_table(const karp_decision *decision, uint32_t table, karp_table **out, karp_error *error)
{
    if (decision == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a decision and a place for the table are needed");
    const table_kind *kind = table < COUNT(kinds) ? &kinds[table] : NULL;
    if (kind == NULL || (kind->record == NULL && kind->make == NULL))
        return fail(error, KARP_E_NOT_FOUND, "a decision has no table %u", (unsigned)table);
    karp_table *t = table_new(decision->context);
    if (t != NULL && !fill(decision, t, kind)) {
        karp_table_free(t);
        t = NULL;
    }
    return context_refusal(decision->context, table_finish(t, out, error), error);
}
