/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worth of free space. For each node that can receive pods, the continuous knapsack over the worth of pods has
 * dual prices, which show which pods suit the shape of the space. Space is used optimally by pods that pay these
 * prices.
 */
#include <optimise/repack_state.h>

#include <base/bits.h>
#include <math.h>
#include <optimise/knapsack.h>
#include <string.h>

enum { MOST_PAIRS = 1 << 20 };

typedef struct valuer {
    repack_search *q;
    knapsack k;
    double *sizes; /* [class * dims] */
} valuer;

static bool begin_value(valuer *v, arena *a)
{
    const packing_problem *l = &v->q->p->launches;
    size_t all = (size_t)l->class_count * l->dims;
    v->sizes = arena_array(a, all + 1, sizeof *v->sizes);
    if (v->sizes == NULL || !knapsack_init(&v->k, a, l->dims, l->class_count)) return false;
    for (size_t i = 0; i < all; i++) v->sizes[i] = (double)l->requests[i];
    v->k.stride = l->dims;
    v->k.sizes = v->sizes;
    v->k.worth = l->worth;
    return knapsack_alloc(&v->k, a, l->dims, l->class_count);
}

/* The rows are the resources with free capacity, the items the classes that fit. */
static void set_knapsack(valuer *v, uint32_t host)
{
    const repack_search *q = v->q;
    const packing_problem *l = &q->p->launches;
    const int64_t *left = q->p->left + (size_t)host * l->dims;
    knapsack *k = &v->k;
    k->dims = k->count = k->solved = 0;
    for (uint32_t d = 0; d < l->dims; d++) {
        if (left[d] <= 0) continue;
        k->dim_of[k->dims] = d;
        k->capacity[k->dims++] = (double)left[d];
    }
    for (uint32_t c = 0; c < l->class_count; c++) {
        const int64_t *r = l->requests + (size_t)c * l->dims;
        double most = l->counts[c];
        if (!bits_test(q->p->host_allowed + c * q->host_words, host)) continue;
        for (uint32_t d = 0; d < l->dims; d++) {
            if (r[d] > 0 && r[d] > left[d]) most = 0;
        }
        if (q->p->alone[c] && most > 1) most = 1;
        if (most > l->limits[c]) most = l->limits[c];
        if (!(most > 0)) continue;
        k->items[k->count] = c;
        k->most[k->count++] = most;
    }
}

bool state_value_hosts(repack_search *q)
{
    const packing_problem *l = &q->p->launches;
    valuer v = { .q = q };
    arena_mark mark;
    if ((uint64_t)q->p->host_count * l->class_count > MOST_PAIRS) return true;
    q->rate = arena_array(&q->data, (size_t)q->p->host_count * l->dims + 1, sizeof *q->rate);
    q->space = arena_array(&q->data, q->p->host_count + (size_t)1, sizeof *q->space);
    mark = arena_get_mark(&q->data);
    if (q->rate == NULL || q->space == NULL || !begin_value(&v, &q->data)) return false;
    for (uint32_t h = 0; h < q->p->host_count; h++) {
        set_knapsack(&v, h);
        if (v.k.count == 0 || v.k.dims == 0) continue;
        q->work += (knapsack_solve(&v.k) + 1) * (uint64_t)v.k.count;
        q->space[h] = v.k.value;
        for (uint32_t d = 0; d < v.k.dims; d++) q->rate[(size_t)h * l->dims + v.k.dim_of[d]] = v.k.rate[d];
    }
    arena_release(&q->data, mark);
    return true;
}

double state_lost(const repack_search *q, uint32_t host, uint32_t class_)
{
    const packing_problem *l = &q->p->launches;
    const double *rate = q->rate + (size_t)host * l->dims;
    const int64_t *r = l->requests + (size_t)class_ * l->dims;
    double paid = 0;
    for (uint32_t d = 0; d < l->dims; d++) paid += rate[d] * (double)r[d];
    return paid - l->worth[class_];
}
