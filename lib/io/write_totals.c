/* SPDX-License-Identifier: Apache-2.0 */
#include "write_rows.h"

#include <io/table.h>

#include <karp/library.h>

/* A_GLANCE: totals are not needed for this number of launches. */
enum { A_GLANCE = 3, MOST_LINES = 4, LABEL = 16 };

typedef enum dimension { BY_POOL, BY_CAPACITY_TYPE, BY_ZONE, BY_TYPE, DIMENSIONS } dimension;

typedef struct total {
    karp_str name;
    size_t count;
    double price;
} total;

typedef struct totals {
    total *list;
    size_t count, capacity;
} totals;

static karp_str name_of(const karp_launch *l, dimension by)
{
    if (by == BY_POOL) return l->node_pool;
    if (by == BY_CAPACITY_TYPE) return l->choice.capacity_type;
    return by == BY_ZONE ? l->choice.zone : l->choice.instance_type;
}

/* Sorts by decreasing price. */
static int compare(const void *a, const void *b, const void *user)
{
    const total *x = a, *y = b;
    (void)user;
    if (x->price > y->price || x->price < y->price) return x->price > y->price ? -1 : 1;
    return compare_str(x->name, y->name);
}

static void sum_up(const write_job *job, dimension by, totals *out)
{
    io_table known;
    io_table_init(&known, job->context);
    size_t count = karp_decision_launch_count(job->decision);
    for (size_t i = 0; i < count; i++) {
        karp_launch l;
        get_launch(job, job->decision, i, &l);
        karp_str name = name_of(&l, by);
        uint32_t at = io_table_get(&known, name);
        if (at == IO_NONE) {
            at = (uint32_t)out->count++;
            if (!io_table_put(&known, name, at)) write_refuse(job, KARP_E_NOMEM, "out of memory");
            out->list[at] = (total){ .name = name };
        }
        out->list[at].count++;
        out->list[at].price += l.choice.price;
    }
    io_table_free(&known);
    if (!sort_stable(job->context, out->list, out->count, sizeof *out->list, compare, NULL))
        write_refuse(job, KARP_E_NOMEM, "out of memory");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Writes "10 × m6a.xlarge $1.728/h". false = it does not fit. */
static bool write_total(text_flow *flow, const total *one, bool last)
{
    char kept[512];
    write_buffer *b = flow->t->out;
    size_t from = b->text.len;
    buffer_uint(b, one->count);
    text_between(b, " × ", one->name.len ? one->name : str("any"), " $");
    text_money(b, one->price);
    buffer_text(b, last ? "/h" : "/h,");
    size_t length = b->text.len - from;
    if (b->text.failed || length > sizeof kept) return false;
    memcpy(kept, b->text.ptr + from, length);
    buffer_cut(b, from);
    bool first = flow->column <= flow->indent;
    bool fits = flow_fits(flow, text_columns((karp_str){ kept, length }) + !first);
    if (fits && !first && !flow->wrapped) buffer_char(b, ' ');
    if (fits) buffer_bytes(b, kept, length);
    else buffer_text(b, " …");
    return fits;
}

static void write_dimension(const text_out *t, const write_job *job, dimension by)
{
    static const char *const labels[DIMENSIONS] = { "NodePools", "capacity types", "zones", "instance types" };
    totals sums = { .capacity = karp_decision_launch_count(job->decision) };
    sums.list = write_array(job, sums.capacity, sizeof *sums.list);
    if (sums.list == NULL) return;
    sum_up(job, by, &sums);
    buffer_text(t->out, "  ");
    text_left(t->out, str(labels[by]), LABEL);
    text_flow flow;
    flow_begin(&flow, t, LABEL + 2, LABEL + 2, MOST_LINES);
    for (size_t i = 0; i < sums.count; i++) {
        if (!write_total(&flow, &sums.list[i], i + 1 == sums.count)) break;
    }
    buffer_char(t->out, '\n');
    karp_free(job->context, sums.list, sums.capacity * sizeof *sums.list);
}

void totals_as_text(const text_out *t, const write_job *job)
{
    if (karp_decision_launch_count(job->decision) <= A_GLANCE) return;
    buffer_char(t->out, '\n');
    text_styled(t, STYLE_HEADING, "Totals");
    buffer_char(t->out, '\n');
    for (dimension by = BY_POOL; by < DIMENSIONS; by++) write_dimension(t, job, by);
}
