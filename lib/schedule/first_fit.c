/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_in_vain() of solve.h: predicts that a round fails without running it. */
/*
 * Why the prediction is certain: a round places its pods in the order of the queue, each on the first existing node
 * that accepts it. New nodes are considered only after that. For a plain class of pods (see plain()) a node's result
 * depends only on its free capacity, which only shrinks during the round. So this file computes exactly which pods do
 * not fit on existing nodes.
 *
 * All of these that run now would have to be on one new node. A type with too little capacity for their total
 * requests and its daemons cannot be that node, and its worst launch price is at least its lowest price. So if each
 * type with a price below the limit is too small, the nodes stay, regardless of requirements, limits or reservations.
 */
#include <schedule/solve.h>

#include <base/sort.h>
#include <schedule/capacity.h>
#include <schedule/hosts.h>
#include <schedule/movable.h>
#include <schedule/result.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/volumes.h>

enum { CLASS_UNKNOWN, CLASS_PLAIN, CLASS_OTHER };

/* Existing nodes that accept a pod of a class before the round. Nodes are looked at when a pod gets that far. */
struct open_nodes {
    uint32_t *hosts, count; /* in their order */
    uint32_t looked_at; /* number of hosts */
    uint32_t next; /* of this run: nodes before this index have no room left */
};

/* A class of pods. */
struct fitted_class {
    uint8_t kind; /* CLASS_*; a class is plain until a node turns up that its pods would narrow */
    struct open_nodes open[2]; /* for pods that must avoid shielded nodes, and for those that need not */
    uint32_t view;
    struct host_answers *answers;
    const int64_t *requests;
    uint32_t run; /* the run for which `next` is valid */
};

/* A pod and its place in the order of the queue. */
struct queued {
    uint32_t rank, pod;
    bool exempt; /* it may be placed on shielded nodes; known of pods of every round alone */
};

/* A variant of a type with the lowest price of its offerings. */
struct priced_space {
    double price;
    const int64_t *space;
};

struct first_fit {
    uint32_t groups; /* number of topology groups when the classes were judged */
    struct fitted_class *classes; /* by class */
    int64_t *left; /* by host: capacity left by the pods of this run; between runs the initial one */
    uint32_t *gone; /* by host: the run in which it was last removed */
    uint32_t *taken, taken_count; /* hosts whose capacity must be restored */
    uint32_t *taken_in; /* by host: the run in which it was added to `taken` */
    uint32_t run;
    struct queued *common, *queue; /* pods of every round, and pods that move, in queue order */
    uint32_t common_count, queue_count;
    uint32_t *moving; /* scratch for the latter */
    struct priced_space *spaces; /* by price; none is covered by one before it */
    uint32_t space_count;
    int64_t *over; /* total requests of the pods that do not fit */
};

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

static bool exempt(const scheduler *s, uint32_t pod_number)
{
    return s->hosts.shielded == NULL || hosts_exempt(s, pod_number);
}

static bool list_common(scheduler *s, struct first_fit *f)
{
    const uint32_t *rank = s->snapshot->queue_rank;
    f->common_count = s->pods.pending_count + s->pods.displaced_count;
    f->common = arena_alloc(&s->data, (f->common_count + (size_t)1) * sizeof *f->common);
    if (f->common == NULL) return false;
    for (uint32_t i = 0; i < f->common_count; i++) {
        bool pending = i < s->pods.pending_count;
        uint32_t pod_number = pending ? s->pods.pending[i] : s->pods.displaced[i - s->pods.pending_count];
        f->common[i] = (struct queued){ rank[pod_number], pod_number, exempt(s, pod_number) };
    }
    return sort_stable(s->context, f->common, f->common_count, sizeof *f->common, by_number, NULL);
}

/* The lowest price of an offering that a claim of the template could get; false = none. */
static bool least_price(scheduler *s, const template_ *t, const instance_type *y, double *price)
{
    bool some = false, allowed = false;
    uint32_t last = NO_ID;
    for (uint32_t i = y->offering_first; i < y->offering_first + y->offering_count; i++) {
        const offering *o = &t->table->offerings[i];
        if (!o->available || (some && o->price >= *price)) continue;
        if (o->capacity_type != last || last == NO_ID) allowed = result_allows(s, t->set, last = o->capacity_type);
        if (!allowed) continue;
        *price = o->price;
        some = true;
    }
    return some;
}

static int by_price_and_space(const void *x, const void *y, const void *user)
{
    const struct priced_space *a = x, *b = y;
    (void)user;
    return (a->price > b->price) - (a->price < b->price);
}

/* Removes spaces that are covered by one of no higher price. */
static void drop_covered_spaces(const scheduler *s, struct first_fit *f)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->space_count; i++) {
        bool covered = false;
        for (uint32_t k = 0; k < kept && !covered; k++)
            covered = vector_within(f->spaces[i].space, f->spaces[k].space, s->vectors.dims);
        if (!covered) f->spaces[kept++] = f->spaces[i];
    }
    f->space_count = kept;
}

static bool list_spaces(scheduler *s, struct first_fit *f)
{
    size_t most = 1;
    for (uint32_t i = 0; i < s->templates.count; i++) {
        const template_ *t = &s->templates.items[i];
        most += bits_count(t->filtered, bits_words(t->table->variant_count));
    }
    f->spaces = arena_alloc(&s->data, most * sizeof *f->spaces);
    if (f->spaces == NULL) return false;
    for (uint32_t i = 0; i < s->templates.count; i++) {
        const template_ *t = &s->templates.items[i];
        size_t width = t->table->variant_count;
        uint32_t last = NO_ID;
        bool priced = false;
        double price = 0;
        for (size_t v = bits_next(t->filtered, width, 0); v < width; v = bits_next(t->filtered, width, v + 1)) {
            uint32_t type = t->table->variants[v].type;
            if (type != last) priced = least_price(s, t, &t->table->types[type], &price);
            last = type;
            if (priced) f->spaces[f->space_count++] = (struct priced_space){ price, t->space + v * s->vectors.dims };
        }
    }
    if (!sort_stable(s->context, f->spaces, f->space_count, sizeof *f->spaces, by_price_and_space, NULL)) return false;
    drop_covered_spaces(s, f);
    return true;
}

static bool make_first_fit(scheduler *s)
{
    struct first_fit *f = arena_array(&s->data, 1, sizeof *f);
    size_t hosts = s->hosts.count + (size_t)1, dims = s->vectors.dims;
    if (f == NULL || !scheduler_worked(s, hosts)) return false;
    f->classes = arena_array(&s->data, s->snapshot->class_count + (size_t)1, sizeof *f->classes);
    f->left = arena_alloc(&s->data, hosts * dims * sizeof *f->left); /* no more than the scheduler has */
    f->gone = arena_array(&s->data, hosts, sizeof *f->gone);
    f->taken = arena_alloc(&s->data, hosts * sizeof *f->taken);
    f->taken_in = arena_array(&s->data, hosts, sizeof *f->taken_in);
    f->queue = arena_alloc(&s->data, (s->snapshot->raw.pods.count + 1) * sizeof *f->queue);
    f->moving = arena_alloc(&s->data, (s->snapshot->raw.pods.count + 1) * sizeof *f->moving);
    f->over = arena_array(&s->data, dims, sizeof *f->over);
    if (f->classes == NULL || f->left == NULL || f->gone == NULL || f->over == NULL || f->taken == NULL ||
        f->taken_in == NULL || f->queue == NULL || f->moving == NULL)
        return false;
    for (uint32_t h = 0; h < s->hosts.count; h++)
        memcpy(f->left + (size_t)h * dims, s->hosts.items[h].left, dims * sizeof *f->left);
    if (!list_common(s, f) || !list_spaces(s, f)) return false;
    s->first_fit = f;
    return true;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

/* Whether existing nodes accept pods of the class depending only on free capacity, whatever other pods of the round
 * do: the pods have no preferences, topology groups, host ports, volumes or devices. */
static bool plain(scheduler *s, uint32_t class_number, uint32_t *view_number)
{
    const pod_class *k = &s->snapshot->classes[class_number];
    const shape *h = shape_of(s->snapshot, class_number);
    if (h->required.count > 1 || h->preferred.count > 0 || h->preferred_affinity.count > 0 ||
        h->preferred_anti.count > 0 || h->ports.count > 0 || class_needs_devices(s, class_number) ||
        k->alternative_count > 0 || !k->counts_volumes || !k->volumes_found || k->too_many_alternatives ||
        volumes_rule_out(s, class_number))
        return false;
    const struct class_volumes *volumes = volumes_of_class(s, class_number);
    *view_number = volumes == NULL ? NO_ID : view_of_class(s, class_number);
    if (*view_number == NO_ID) return mem_refused(&s->failed);
    if (volumes->count > 0 || !s->pods.classes[class_number].tracked || !topology_update(s, *view_number)) return false;
    const view *v = &s->pods.views.items[*view_number];
    bool last_rung = !s->settings.tolerate_prefer_no_schedule || tolerates_prefer_no_schedule(s, v->tolerations);
    return last_rung && v->owned_count == 0 && v->spread_count == 0 && s->pods.classes[class_number].inverse_count == 0;
}

static void judge(scheduler *s, struct first_fit *f, uint32_t class_number)
{
    struct fitted_class *c = &f->classes[class_number];
    for (size_t i = 0; i < 2; i++) {
        struct open_nodes *o = &c->open[i];
        if (o->hosts == NULL) o->hosts = arena_alloc(&s->data, (s->hosts.count + (size_t)1) * sizeof *o->hosts);
        o->count = o->looked_at = 0;
        s->failed = s->failed || o->hosts == NULL;
    }
    if (s->failed || !scheduler_worked(s, s->hosts.count)) {
        s->failed = true;
        return;
    }
    c->kind = CLASS_OTHER;
    c->requests = s->pods.classes[class_number].requests;
    if (!plain(s, class_number, &c->view) || s->failed) return;
    c->answers = host_answers_new(s, c->view);
    if (c->answers != NULL) c->kind = CLASS_PLAIN;
}

/* The i-th node that accepts a pod of the class; NO_ID = there are not so many. */
static uint32_t open_host(scheduler *s, struct fitted_class *c, bool everywhere, uint32_t i)
{
    struct open_nodes *o = &c->open[everywhere];
    while (i == o->count && o->looked_at < s->hosts.count) {
        bool narrows = false;
        uint32_t h = hosts_next_open(s, c->view, c->answers, everywhere, o->looked_at, &narrows);
        o->looked_at = h == NO_ID ? s->hosts.count : h + 1;
        if (h != NO_ID) o->hosts[o->count++] = h;
        if (narrows) c->kind = CLASS_OTHER;
    }
    return i < o->count ? o->hosts[i] : NO_ID;
}

/* NULL = the class is not plain, or out of memory. */
static struct fitted_class *class_of(scheduler *s, struct first_fit *f, uint32_t pod_number)
{
    uint32_t class_number = s->snapshot->pod_class[pod_number];
    struct fitted_class *c = &f->classes[class_number];
    if (c->kind == CLASS_UNKNOWN) judge(s, f, class_number);
    if (c->kind != CLASS_PLAIN || s->failed) return NULL;
    if (c->run != f->run) {
        c->run = f->run;
        c->open[0].next = c->open[1].next = 0;
    }
    return c;
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

/* The next node that accepts the pod; NO_ID = none. The class may turn out not to be plain. */
static uint32_t take(scheduler *s, struct first_fit *f, struct fitted_class *c, bool everywhere)
{
    const uint32_t dims = s->vectors.dims;
    uint32_t *next = &c->open[everywhere].next, h;
    for (; (h = open_host(s, c, everywhere, *next)) != NO_ID; (*next)++) {
        int64_t *left = f->left + (size_t)h * dims;
        if (f->gone[h] == f->run) continue;
        if (!vector_fits(left, c->requests, dims)) continue;
        if (f->taken_in[h] != f->run) f->taken[f->taken_count++] = h;
        f->taken_in[h] = f->run;
        for (uint32_t d = 0; d < dims; d++) left[d] -= c->requests[d];
        return h;
    }
    return NO_ID;
}

/* Whether a type with a price below the limit has space for the pods that do not fit. */
static bool some_type_holds(const scheduler *s, const struct first_fit *f, double limit)
{
    for (uint32_t i = 0; i < f->space_count && f->spaces[i].price < limit; i++) {
        if (vector_fits(f->spaces[i].space, f->over, s->vectors.dims)) return true;
    }
    return false;
}

/* A running pod must not move to a node that is not initialized, unless its own node is being deleted. */
static bool ends_well(const scheduler *s, uint32_t pod_number, uint32_t host_index)
{
    uint32_t from = s->snapshot->pod_node[pod_number];
    return s->snapshot->nodes[s->hosts.items[host_index].node].initialized ||
           pod_provisionable(pod_at(&s->snapshot->raw, pod_number)) ||
           (from != NO_ID && bits_test(s->hosts.marked_nodes, from));
}

static bool go_through(scheduler *s, struct first_fit *f, double limit)
{
    const uint32_t dims = s->vectors.dims;
    uint32_t i = 0, k = 0;
    bool left_over = false;
    while (i < f->common_count || k < f->queue_count) {
        bool moves = i == f->common_count || (k < f->queue_count && f->queue[k].rank < f->common[i].rank);
        struct queued q = moves ? f->queue[k++] : f->common[i++];
        uint32_t pod_number = q.pod;
        struct fitted_class *c = class_of(s, f, pod_number);
        if (c == NULL) return false;
        uint32_t h = take(s, f, c, moves ? exempt(s, pod_number) : q.exempt);
        if (s->failed || c->kind != CLASS_PLAIN) return false;
        if (h != NO_ID && !ends_well(s, pod_number, h)) return true;
        if (h != NO_ID || pod_provisionable(pod_at(&s->snapshot->raw, pod_number))) continue;
        left_over = true;
        for (uint32_t d = 0; d < dims; d++) {
            if (__builtin_add_overflow(f->over[d], c->requests[d], &f->over[d])) return false;
        }
    }
    return left_over && !some_type_holds(s, f, limit);
}

/* Lists the pods that move, without those of every round, in queue order. */
static bool list_moving(scheduler *s, struct first_fit *f, const uint32_t *moving, uint32_t count)
{
    enum { FEW = 32 }; /* as many as one node has */
    const uint32_t *rank = s->snapshot->queue_rank;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count && i < 64; i++) __builtin_prefetch(pod_at(&s->snapshot->raw, moving[i]));
    for (uint32_t i = 0; i < count; i++) {
        if (exclusion(&s->pods, moving[i]) == 0) f->moving[n++] = moving[i];
    }
    if (n > FEW && !sort_ids(s->context, f->moving, n, by_rank, rank)) s->failed = true;
    for (uint32_t i = 0; i < n; i++) { /* the sorted ones stay as they are */
        struct queued q = { rank[f->moving[i]], f->moving[i], false };
        uint32_t at = i;
        for (; at > 0 && f->queue[at - 1].rank > q.rank; at--) f->queue[at] = f->queue[at - 1];
        f->queue[at] = q;
    }
    f->queue_count = n;
    return !s->failed;
}

static void restore(scheduler *s, struct first_fit *f)
{
    const size_t dims = s->vectors.dims;
    for (uint32_t i = 0; i < f->taken_count; i++) {
        uint32_t h = f->taken[i];
        const int64_t *before = s->hosts.items[h].left;
        for (size_t d = 0; d < dims; d++) f->left[h * dims + d] = before[d];
    }
    f->taken_count = 0;
    memset(f->over, 0, dims * sizeof *f->over);
}

/* New topology groups may have changed which classes are plain. */
static void judge_anew(scheduler *s, struct first_fit *f)
{
    if (f->groups == s->topology.groups.count) return;
    for (uint32_t c = 0; c < s->snapshot->class_count; c++) f->classes[c].kind = CLASS_UNKNOWN;
    f->groups = (uint32_t)s->topology.groups.count;
}

bool scheduler_in_vain(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *moving,
                       uint32_t moving_count, double limit)
{
    if (s->policy != NULL || s->pods.excluded == NULL) return false;
    round_undo(s);
    if (s->failed || (s->first_fit == NULL && !make_first_fit(s))) return mem_refused(&s->failed);
    struct first_fit *f = s->first_fit;
    judge_anew(s, f);
    f->run++;
    for (uint32_t i = 0; i < removed_count; i++) {
        uint32_t h = s->hosts.of_node[removed[i]];
        if (h != NO_ID) f->gone[h] = f->run;
    }
    bool vain = list_moving(s, f, moving, moving_count) && scheduler_worked(s, 64) && go_through(s, f, limit);
    restore(s, f);
    /* The result is invalid if groups were added meanwhile. */
    return vain && !s->failed && f->groups == s->topology.groups.count;
}
