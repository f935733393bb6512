/* SPDX-License-Identifier: Apache-2.0 */
/* karp_list_nodes(): the nodes as they are, with the cost of each pod, and with a scheduling round without each node.
 */
#include <karp/nodes.h>

#include <base/assumed.h>
#include <base/context.h>
#include <base/error.h>
#include <schedule/movable.h>
#include <schedule/options.h>
#include <schedule/result.h>

struct karp_node_list {
    karp_context *context;
    karp_snapshot *snapshot; /* owns the texts of the rows */
    karp_listed_node *nodes;
    size_t count;
    LIST_OF(karp_listed_pod) pods;
    bool losses;
};

const char *karp_node_state_name(uint32_t state)
{
    static const char *const names[] = { "", "Ready", "Starting", "NotReady", "Leaving" };
    return state < sizeof names / sizeof *names ? names[state] : "";
}

/* ---- shares and costs -------------------------------------------------------------------------------------------- */

/* The resources that a node's price is divided among, by column of the snapshot's vectors. */
typedef struct divided {
    uint32_t *columns;
    uint32_t count;
    int64_t *allocatable; /* vector of the current node */
    double *used; /* by column: what its pods request of it, of 1 */
} divided;

static bool is_divided(const karp_snapshot *s, uint32_t column)
{
    karp_str name = strings_get(&s->raw.resources, s->resource_of[column]);
    uint32_t resource = s->resource_of[column];
    return resource == RESOURCE_CPU || resource == RESOURCE_MEMORY || str_contains(name, str("/"));
}

static bool divided_init(divided *d, const karp_snapshot *s, arena *a)
{
    d->columns = arena_array(a, s->dims + (size_t)1, sizeof *d->columns);
    d->allocatable = arena_array(a, s->dims + (size_t)1, sizeof *d->allocatable);
    d->used = arena_array(a, s->dims + (size_t)1, sizeof *d->used);
    if (d->columns == NULL || d->allocatable == NULL || d->used == NULL) return false;
    for (uint32_t c = 0; c < s->dims; c++) {
        if (is_divided(s, c)) d->columns[d->count++] = c;
    }
    return true;
}

/* The mean of the pod's shares of what the node has. */
static double share_of(const karp_snapshot *s, const divided *d, uint32_t pod_number)
{
    const int64_t *requests = s->classes[s->pod_class[pod_number]].requests;
    double sum = 0;
    uint32_t has = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t c = d->columns[i];
        if (d->allocatable[c] <= 0) continue;
        has++;
        /* A node that is requested more than once over is divided among its pods. */
        sum += (double)requests[c] / (double)d->allocatable[c] / (d->used[c] > 1 ? d->used[c] : 1);
    }
    return has == 0 ? 0 : sum / has;
}

static void add_used(const karp_snapshot *s, divided *d, const state_node *n)
{
    for (uint32_t i = 0; i < d->count; i++) d->used[d->columns[i]] = 0;
    for (uint32_t k = 0; k < n->pod_count; k++) {
        const int64_t *requests = s->classes[s->pod_class[n->pods[k]]].requests;
        for (uint32_t i = 0; i < d->count; i++) {
            uint32_t c = d->columns[i];
            if (d->allocatable[c] > 0) d->used[c] += (double)requests[c] / (double)d->allocatable[c];
        }
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool runs_always(const pod *p) { return (p->flags & (POD_OF_DAEMON_SET | POD_OF_NODE)) != 0; }

static uint32_t state_of(const state_node *n)
{
    if (n->marked) return KARP_NODE_LEAVING;
    if (n->node == NO_ID || (n->managed && !n->initialized)) return KARP_NODE_STARTING;
    return n->ready ? KARP_NODE_READY : KARP_NODE_NOT_READY;
}

/* The stated creation of an object. What the reader assumes of a manifest is none. */
static int64_t stated_creation(const karp_snapshot *s, const object *o)
{
    bool assumed = str_starts(name_of(s, o->uid), ASSUMED_UID) && o->creation == s->raw.now - assumed_age;
    return assumed ? KARP_NO_TIME : o->creation;
}

static int64_t created_at(const karp_snapshot *s, const state_node *n)
{
    int64_t created = n->claim == NO_ID ? KARP_NO_TIME : stated_creation(s, &s->raw.claims.items[n->claim].meta);
    return created == KARP_NO_TIME && n->node != NO_ID ? stated_creation(s, &s->raw.nodes.items[n->node].meta)
                                                       : created;
}

static int64_t pods_allocatable(const state_node *n)
{
    const resource_amount *pods = resource_list_find(n->allocatable, RESOURCE_PODS);
    double most = pods == NULL ? KARP_NO_AMOUNT : amount_double(pods->value);
    return most > (double)INT32_MAX ? INT32_MAX : (int64_t)most;
}

static bool list_pods(karp_node_list *l, const karp_snapshot *s, const divided *d, uint32_t number)
{
    const state_node *n = &s->nodes[number];
    karp_listed_node *row = &l->nodes[number];
    double cpu = amount_double(s->units[RESOURCE_CPU]), memory = amount_double(s->units[RESOURCE_MEMORY]), used = 0;
    size_t first = l->pods.count;
    for (uint32_t k = 0; k < n->pod_count; k++) {
        karp_listed_pod *p = list_push(l->context, &l->pods, sizeof *p);
        if (p == NULL) return false;
        const int64_t *requests = s->classes[s->pod_class[n->pods[k]]].requests;
        const pod_marks *marks = store_marks(&s->raw, pod_at(&s->raw, n->pods[k]));
        double share = share_of(s, d, n->pods[k]);
        used += share;
        *p = (karp_listed_pod){ .size = sizeof *p,
                                .pod = n->pods[k],
                                .node = number,
                                .daemon = runs_always(pod_at(&s->raw, n->pods[k])),
                                .owner_kind = marks->controller_kind == NO_ID ? 0 : marks->controller_kind,
                                .owner = name_of(s, marks->controller_name),
                                .cpu = (double)requests[RESOURCE_CPU] * cpu,
                                .memory = (double)requests[RESOURCE_MEMORY] * memory,
                                .cost = row->price * share };
        row->daemon_count += p->daemon;
    }
    row->idle = used < 1 ? row->price * (1 - used) : 0;
    for (size_t i = first; i < l->pods.count && used > 0; i++)
        l->pods.items[i].idle = row->price > 0 ? row->idle * (l->pods.items[i].cost / (row->price * used)) : 0;
    return true;
}

static double price_of(const karp_node_list_options *options, const karp_node_use *use)
{
    if (use->price > 0 || options->price == NULL || use->instance_type.len == 0) return use->price;
    double price = options->price(use->instance_type, use->zone, use->capacity_type, options->price_user);
    return price > 0 ? price : 0;
}

static bool list_node(karp_node_list *l, const karp_snapshot *s, const karp_node_list_options *options, divided *d,
                      uint32_t number)
{
    static const node_changes none = { .scheduled = NULL };
    const state_node *n = &s->nodes[number];
    karp_node_use use;
    node_row(s, &none, number, &use);
    l->nodes[number] = (karp_listed_node){ .size = sizeof l->nodes[number],
                                           .node = use.node,
                                           .node_pool = use.node_pool,
                                           .instance_type = use.instance_type,
                                           .zone = use.zone,
                                           .capacity_type = use.capacity_type,
                                           .state = state_of(n),
                                           .pod_count = n->pod_count,
                                           .pods_allocatable = pods_allocatable(n),
                                           .created = created_at(s, n),
                                           .price = price_of(options, &use),
                                           .cpu_requested = use.cpu_requested,
                                           .cpu_allocatable = use.cpu_allocatable,
                                           .memory_requested = use.memory_requested,
                                           .memory_allocatable = use.memory_allocatable };
    vector_of(s, n->allocatable, d->allocatable);
    add_used(s, d, n);
    return list_pods(l, s, d, number);
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

typedef struct losing {
    const karp_snapshot *snapshot;
    run_options how;
    scheduler *s;
    arena data; /* the lists of one round */
    uint32_t *moving, moving_count;
    round_cost base; /* with all nodes */
} losing;

/* Runs a round without the node (NO_ID = with all nodes), and returns what it launches. */
static karp_status round_without(losing *l, uint32_t number, round_cost *out, karp_error *error)
{
    if (l->s != NULL && !scheduler_repeatable(l->s)) {
        scheduler_free(l->s);
        l->s = NULL;
    }
    karp_status status = l->s == NULL ? scheduler_new(l->snapshot, &l->how, &l->s, error) : KARP_OK;
    if (status == KARP_OK) status = scheduler_round(l->s, &number, number != NO_ID, l->moving, l->moving_count, error);
    if (status == KARP_OK && !result_cost(l->s, &l->data, out)) status = fail_nomem(error);
    if (status == KARP_OK) status = scheduler_stopped(l->s, error);
    return status;
}

static bool list_moving(losing *l, uint32_t number)
{
    const state_node *n = &l->snapshot->nodes[number];
    l->moving_count = 0;
    l->moving = arena_array(&l->data, n->all_pod_count + (size_t)1, sizeof *l->moving);
    for (uint32_t k = 0; k < n->all_pod_count && l->moving != NULL; k++) {
        if (pod_reschedulable(pod_at(&l->snapshot->raw, n->all_pods[k]))) l->moving[l->moving_count++] = n->all_pods[k];
    }
    return l->moving != NULL;
}

static karp_status lose_each(karp_node_list *list, losing *l, karp_error *error)
{
    round_cost cost;
    karp_status status = round_without(l, NO_ID, &l->base, error);
    for (uint32_t i = 0; i < list->count && status == KARP_OK; i++) {
        arena_free(&l->data);
        arena_init(&l->data, list->context);
        status = list_moving(l, i) ? round_without(l, i, &cost, error) : fail_nomem(error);
        if (status != KARP_OK) break;
        list->nodes[i].replacement = cost.price - l->base.price;
        list->nodes[i].left_pending = cost.left > l->base.left ? cost.left - l->base.left : 0;
    }
    return status;
}

static karp_status find_losses(karp_node_list *list, const karp_snapshot *seen, const karp_options *options,
                               karp_error *error)
{
    losing l = { .snapshot = seen, .how = { .options = options } };
    arena_init(&l.data, list->context);
    karp_status status = lose_each(list, &l, error);
    scheduler_free(l.s);
    arena_free(&l.data);
    list->losses = true;
    return status;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

void karp_node_list_options_init(karp_node_list_options *options, size_t size)
{
    const karp_node_list_options fresh = { .size = sizeof fresh };
    struct_start(options, size, &fresh, sizeof fresh);
}

static karp_status fill(karp_node_list *l, const karp_snapshot *seen, const karp_node_list_options *options,
                        karp_error *error)
{
    divided d = { .count = 0 };
    arena a = arena_on(l->context);
    l->count = seen->node_count;
    l->nodes = mem_zalloc(l->context, (l->count + 1) * sizeof *l->nodes);
    bool ok = l->nodes != NULL && divided_init(&d, seen, &a);
    for (uint32_t i = 0; ok && i < seen->node_count; i++) ok = list_node(l, seen, options, &d, i);
    arena_free(&a);
    if (!ok) return fail_nomem(error);
    return options->losses ? find_losses(l, seen, options->common, error) : KARP_OK;
}

static karp_status options_of_list(const karp_node_list_options *given, karp_node_list_options *out,
                                   karp_options *common, karp_error *error)
{
    karp_status status = struct_check(given, sizeof *out, SIZE_THROUGH(karp_node_list_options, reserved), out,
                                      "karp_node_list_options", error);
    if (status == KARP_OK) status = options_check(out->common, common, error);
    if (status != KARP_OK) return status;
    if (out->reserved != 0) return fail_reserved(error, "karp_node_list_options");
    if (out->losses > 1) return fail(error, KARP_E_INVALID, "karp_node_list_options: losses is 0 or 1");
    common->keep_partial = 0;
    out->common = common;
    return KARP_OK;
}

karp_status karp_list_nodes(const karp_snapshot *snapshot, const karp_node_list_options *options, karp_node_list **out,
                            karp_error *error)
{
    karp_node_list_options checked;
    karp_options common;
    karp_snapshot remaining;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the list are needed");
    karp_status status = options_of_list(options, &checked, &common, error);
    if (status != KARP_OK) return status;
    karp_node_list *l = mem_zalloc(snapshot->context, sizeof *l);
    if (l == NULL) return context_nomem(snapshot->context, error);
    l->context = context_ref(snapshot->context);
    l->snapshot = snapshot_hold(snapshot);
    status = fill(l, options_view(&common, snapshot, &remaining), &checked, error);
    if (status == KARP_OK) {
        *out = l;
        return KARP_OK;
    }
    karp_node_list_free(l);
    return status == KARP_E_NOMEM ? context_refusal(snapshot->context, status, error) : status;
}

void karp_node_list_free(karp_node_list *list)
{
    if (list == NULL) return;
    karp_context *context = list->context;
    mem_free(context, list->nodes, (list->count + 1) * sizeof *list->nodes);
    list_free(context, &list->pods, sizeof(karp_listed_pod));
    karp_snapshot_unref(list->snapshot);
    mem_free(context, list, sizeof *list);
    context_unref(context);
}

size_t karp_node_list_count(const karp_node_list *list) { return list == NULL ? 0 : list->count; }

karp_status karp_node_list_at(const karp_node_list *list, size_t index, karp_listed_node *out)
{
    if (list == NULL || index >= list->count) return KARP_E_NOT_FOUND;
    return struct_give(out, &list->nodes[index], sizeof *out, SIZE_THROUGH(karp_listed_node, replacement));
}

size_t karp_node_list_pod_count(const karp_node_list *list) { return list == NULL ? 0 : list->pods.count; }

karp_status karp_node_list_pod(const karp_node_list *list, size_t index, karp_listed_pod *out)
{
    if (list == NULL || index >= list->pods.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &list->pods.items[index], sizeof *out, SIZE_THROUGH(karp_listed_pod, idle));
}

karp_str karp_node_list_pod_name(const karp_node_list *list, size_t index)
{
    if (list == NULL || index >= list->pods.count) return (karp_str){ NULL, 0 };
    return pod_name(list->snapshot, list->pods.items[index].pod);
}

uint32_t karp_node_list_losses(const karp_node_list *list) { return list != NULL && list->losses; }

int64_t karp_node_list_now(const karp_node_list *list) { return list == NULL ? 0 : list->snapshot->raw.now; }
