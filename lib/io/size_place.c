/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that run get their new requests in place where Kubernetes can do it: its kubelet admits a resize if the node has
 * room for it, in the order of priority, QoS class and age. A pod that its node has no room for, or whose QoS class
 * would change, has to be created again: it is evicted, and pending, if it has a controller that does so.
 */
#include <io/fill.h>
#include <io/owner.h>
#include <io/pod_amount.h>
#include <io/sizes.h>

/* ---- QoS classes ------------------------------------------------------------------------------------------------- */

enum { QOS_GUARANTEED, QOS_BURSTABLE, QOS_BEST_EFFORT };

static karp_str stated(const tree *container, const char *list, size_t resource)
{
    return tree_text_or_digits(tree_get(tree_get(tree_get(container, "resources"), list), io_size_resources[resource]));
}

static bool is_some(karp_str text)
{
    amount a;
    return io_exact(text, &a) && amount_sign(a) > 0;
}

static bool is_equal(karp_str a, karp_str b)
{
    amount x, y;
    return io_exact(a, &x) && io_exact(b, &y) && amount_cmp(x, y) == 0;
}

static unsigned qos_of(const tree *spec)
{
    static const char *const lists[] = { "containers", "initContainers" };
    bool any = false, all = true;
    for (size_t k = 0; k < 2; k++) {
        const tree *list = tree_get(spec, lists[k]);
        for (size_t i = 0; i < tree_count(list) * SIZE_RESOURCES; i++) {
            const tree *one = tree_item(list, i / SIZE_RESOURCES);
            karp_str request = stated(one, "requests", i % SIZE_RESOURCES),
                     limit = stated(one, "limits", i % SIZE_RESOURCES);
            any = any || is_some(request) || is_some(limit);
            all = all && is_some(limit) && (request.len == 0 || is_equal(request, limit));
        }
    }
    return !any ? QOS_BEST_EFFORT : all ? QOS_GUARANTEED : QOS_BURSTABLE;
}

/* ---- pods on nodes ----------------------------------------------------------------------------------------------- */

typedef struct running {
    uint32_t number, node, workload; /* of the deferred pod, of `nodes`, of `sized` */
    tree *resized; /* its new spec */
    amount before[SIZE_RESOURCES], after[SIZE_RESOURCES];
    int64_t priority, created;
    unsigned qos;
    bool fixed; /* its QoS class would change, which a resize must not */
    bool fits; /* it has its new requests */
} running;

typedef struct room {
    amount allocatable[SIZE_RESOURCES], free[SIZE_RESOURCES];
    bool known[SIZE_RESOURCES];
} room;

/* A spec with other containers, by the containers that it had: the pods of a workload share them. */
typedef struct shared_spec {
    tree *containers, *init; /* NULL = they do not change */
} shared_spec;

typedef struct placing {
    karp_reader *reader;
    io_table names; /* of nodes */
    room *nodes;
    size_t node_count, node_capacity;
    running *list; /* pods on nodes whose requests change */
    size_t count, capacity;
    io_table keys; /* of shared specs */
    shared_spec *specs;
    size_t spec_count, spec_capacity;
} placing;

static const void *items_of(const tree *list) { return tree_is(list, TREE_LIST) ? (const void *)list->of.items : NULL; }

/* The changed lists of the pod's workload, made once for all pods that have their lists in common. NULL = a failure. */
static const shared_spec *shared_of(placing *p, uint32_t workload, const io_deferred *w, const tree *spec)
{
    karp_reader *reader = p->reader;
    const uintptr_t parts[] = { workload, (uintptr_t)items_of(tree_get(spec, "containers")),
                                (uintptr_t)items_of(tree_get(spec, "initContainers")) };
    char bytes[sizeof parts];
    memcpy(bytes, parts, sizeof bytes);
    uint32_t *at = io_table_at(&p->keys, (karp_str){ bytes, sizeof bytes });
    if (!at || !grow(reader->context, (void **)&p->specs, &p->spec_capacity, p->spec_count + 1, sizeof *p->specs)) {
        reader->sizes->status = io_reader_nomem(reader);
        return NULL;
    }
    if (*at != IO_NONE) return &p->specs[*at];
    /* Its mistakes are reported before anything replaces them. */
    keep_failure(&reader->sizes->status, io_object_check(reader, w->info, w->root, &w->place));
    if (reader->sizes->status) return NULL;
    const tree *resized = io_resized_spec(reader, &reader->trees, workload, spec);
    *at = (uint32_t)p->spec_count;
    shared_spec *s = &p->specs[p->spec_count++];
    *s = (shared_spec){ NULL, NULL };
    if (resized && tree_get(resized, "containers") != tree_get(spec, "containers"))
        s->containers = tree_get(resized, "containers");
    if (resized && tree_get(resized, "initContainers") != tree_get(spec, "initContainers"))
        s->init = tree_get(resized, "initContainers");
    return reader->sizes->status ? NULL : s;
}

/* The pod's spec with its new requests; NULL = they do not change, or a failure. */
static tree *resized_pod(placing *p, uint32_t workload, const io_deferred *w, const tree *spec)
{
    trees *t = &p->reader->trees;
    const shared_spec *s = shared_of(p, workload, w, spec);
    if (!s || (!s->containers && !s->init)) return NULL;
    tree *copy = tree_copy(t, spec);
    if (s->containers) tree_set(t, copy, "containers", s->containers);
    if (s->init) tree_set(t, copy, "initContainers", s->init);
    return copy;
}

static void amounts_of(const tree *spec, amount out[SIZE_RESOURCES])
{
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        char sum[KARP_VALUE_TEXT];
        io_pod_amount(spec, str(io_size_resources[r]), true, sum);
        if (!io_exact(str(sum), &out[r])) out[r] = amount_from(0);
    }
}

static bool use(amount *free, amount used)
{
    amount left;
    if (!amount_sub(*free, used, &left)) return false;
    *free = left;
    return true;
}

static bool add_node(placing *p, const io_deferred *w)
{
    const tree *allocatable = tree_get(tree_get(w->root, "status"), "allocatable");
    if (!grow(p->reader->context, (void **)&p->nodes, &p->node_capacity, p->node_count + 1, sizeof *p->nodes))
        return false;
    room *n = &p->nodes[p->node_count];
    *n = (room){ 0 };
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        n->known[r] = io_exact(tree_text_or_digits(tree_get(allocatable, io_size_resources[r])), &n->allocatable[r]);
        n->free[r] = n->allocatable[r];
    }
    return io_table_put(&p->names, w->name, (uint32_t)p->node_count++);
}

/* ---- what happens to a pod --------------------------------------------------------------------------------------- */

/* The status of a pod whose resize is done. */
static void forget_resize(trees *t, tree *pod)
{
    static const char *const of_pod[] = { "resize", "resources", "allocatedResources" };
    tree *status = tree_own(t, pod, "status", TREE_MAP), *list = NULL, *conditions = NULL;
    if (tree_get(status, "containerStatuses")) list = tree_own(t, status, "containerStatuses", TREE_LIST);
    if (tree_get(status, "conditions")) conditions = tree_own(t, status, "conditions", TREE_LIST);
    for (size_t i = 0; status && i < sizeof of_pod / sizeof of_pod[0]; i++) tree_remove(t, status, of_pod[i]);
    for (size_t i = 0; i < tree_count(list); i++) {
        tree *copy = tree_copy(t, tree_item(list, i));
        if (tree_is(copy, TREE_MAP)) tree_remove(t, copy, "resources");
        if (tree_is(copy, TREE_MAP)) tree_remove(t, copy, "allocatedResources");
        if (copy) list->of.items[i] = copy;
    }
    for (size_t i = tree_count(conditions); i-- > 0;) {
        if (str_starts(tree_get_text(tree_item(conditions, i), "type"), "PodResize"))
            tree_remove_item(t, conditions, i);
    }
}

static void give_spec(karp_reader *reader, io_deferred *w, tree *resized)
{
    trees *t = &reader->trees;
    tree *root = tree_copy(t, w->root);
    tree_set(t, root, "spec", resized);
    if (tree_get(root, "status")) forget_resize(t, root);
    if (root) w->root = root;
    w->like = NO_ID;
}

/* Whether its controller creates it again, on a node that the scheduler chooses. */
static bool comes_back(const io_deferred *w)
{
    io_owner owner = io_controller(w->root);
    return owner.kind[0] != '\0' && strcmp(owner.kind, "DaemonSet") != 0 && strcmp(owner.kind, "Node") != 0;
}

static void evict(karp_reader *reader, const running *r)
{
    io_deferred *w = &reader->deferred[r->number];
    if (!comes_back(w)) return;
    give_spec(reader, w, r->resized);
    io_set_pending(&reader->trees, w->root, KARP_NO_TIME);
}

/* ---- order and room ---------------------------------------------------------------------------------------------- */

static int by_turn(const void *a, const void *b, const void *user)
{
    const running *x = a, *y = b;
    const io_deferred *pods = user;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->priority != y->priority) return x->priority > y->priority ? -1 : 1;
    if (x->qos != y->qos) return x->qos < y->qos ? -1 : 1;
    if (x->created != y->created) return x->created < y->created ? -1 : 1;
    int order = compare_str(pods[x->number].namespace_, pods[y->number].namespace_);
    return order ? order : compare_str(pods[x->number].name, pods[y->number].name);
}

static bool grows(const running *r)
{
    return amount_cmp(r->after[SIZE_CPU], r->before[SIZE_CPU]) > 0 ||
           amount_cmp(r->after[SIZE_MEMORY], r->before[SIZE_MEMORY]) > 0;
}

/* Takes the additional requests from what is free. false = there is no room for them. */
static bool take(room *n, const running *r)
{
    amount left[SIZE_RESOURCES];
    for (size_t i = 0; i < SIZE_RESOURCES; i++) {
        amount more;
        left[i] = n->free[i];
        if (!n->known[i]) continue;
        if (!amount_sub(r->after[i], r->before[i], &more) || !amount_sub(n->free[i], more, &left[i])) return false;
        if (amount_sign(more) > 0 && amount_sign(left[i]) < 0) return false;
    }
    memcpy(n->free, left, sizeof left);
    return true;
}

static bool is_infeasible(const room *n, const running *r)
{
    for (size_t i = 0; i < SIZE_RESOURCES; i++) {
        if (n->known[i] && amount_cmp(r->after[i], n->allocatable[i]) > 0) return true;
    }
    return false;
}

/* Pods that only shrink make room for the others, which are tried again whenever one of them makes room. */
static void place_pods(placing *p)
{
    for (size_t i = 0; i < p->count; i++) {
        running *r = &p->list[i];
        const io_deferred *w = &p->reader->deferred[r->number];
        r->fixed = qos_of(tree_get(w->root, "spec")) != qos_of(r->resized);
        if (!r->fixed && !grows(r)) r->fits = take(&p->nodes[r->node], r);
    }
    for (size_t from = 0, to; from < p->count; from = to) {
        for (to = from; to < p->count && p->list[to].node == p->list[from].node;) to++;
        bool again = true;
        while (again) {
            again = false;
            for (size_t i = from; i < to; i++) {
                running *r = &p->list[i];
                if (r->fits || r->fixed || !take(&p->nodes[r->node], r)) continue;
                r->fits = true;
                again = again || amount_cmp(r->after[0], r->before[0]) < 0 || amount_cmp(r->after[1], r->before[1]) < 0;
            }
        }
    }
}

static void change_pods(placing *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const running *r = &p->list[i];
        io_sized_workload *of = &p->reader->sizes->sized[r->workload];
        if (r->fits) {
            give_spec(p->reader, &p->reader->deferred[r->number], r->resized);
            of->resized++;
            continue;
        }
        if (r->fixed) of->not_resizable++;
        else if (is_infeasible(&p->nodes[r->node], r)) of->infeasible++;
        else of->deferred++;
        evict(p->reader, r);
    }
}

/* ---- all pods ---------------------------------------------------------------------------------------------------- */

/* Counts a pod for its node, and notes it if its requests change. A pod without a node gets them at once. */
static bool add_pod(placing *p, uint32_t number)
{
    karp_reader *reader = p->reader;
    io_deferred *w = &reader->deferred[number];
    const tree *spec = tree_get(w->root, "spec"), *metadata = tree_get(w->root, "metadata");
    if (io_pod_ended(w->root)) return true;
    karp_str node_name = tree_get_text(spec, "nodeName");
    uint32_t node = node_name.len ? io_table_get(&p->names, node_name) : IO_NONE,
             workload = io_sized_of_pod(reader, w->root);
    io_sizes_note_pod(reader, w->root);
    running r = { .number = number, .node = node, .workload = workload, .created = io_creation(w->root) };
    bool leaves = tree_get(metadata, "deletionTimestamp") != NULL;
    if (workload != IO_NONE && !leaves) r.resized = resized_pod(p, workload, w, spec);
    if (node != IO_NONE) amounts_of(spec, r.before);
    for (size_t i = 0; node != IO_NONE && i < SIZE_RESOURCES; i++) {
        if (p->nodes[node].known[i] && !use(&p->nodes[node].free[i], r.before[i])) p->nodes[node].known[i] = false;
    }
    if (!r.resized) return true;
    if (node == IO_NONE) {
        give_spec(reader, w, r.resized);
        return true;
    }
    amounts_of(r.resized, r.after);
    (void)tree_integer(tree_get(spec, "priority"), &r.priority);
    r.qos = qos_of(spec);
    if (!grow(reader->context, (void **)&p->list, &p->capacity, p->count + 1, sizeof *p->list)) return false;
    p->list[p->count++] = r;
    return true;
}

static karp_status place_all(placing *p)
{
    karp_reader *reader = p->reader;
    bool fine = true;
    for (size_t i = 0; i < reader->deferred_count && fine; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (!w->gone && w->info->kind == IO_KIND_NODE) fine = add_node(p, w);
    }
    for (uint32_t i = 0; i < reader->deferred_count && fine && !reader->sizes->status; i++) {
        if (!reader->deferred[i].gone && reader->deferred[i].info->kind == IO_KIND_POD) fine = add_pod(p, i);
    }
    if (reader->sizes->status) return reader->sizes->status;
    if (!fine || !sort_stable(reader->context, p->list, p->count, sizeof *p->list, by_turn, reader->deferred))
        return io_reader_nomem(reader);
    place_pods(p);
    change_pods(p);
    return KARP_OK;
}

karp_status io_resize_pods(karp_reader *reader)
{
    placing p = { .reader = reader };
    io_table_init(&p.names, reader->context);
    io_table_init(&p.keys, reader->context);
    karp_status status = place_all(&p);
    io_table_free(&p.names);
    io_table_free(&p.keys);
    mem_free(reader->context, p.nodes, p.node_capacity * sizeof *p.nodes);
    mem_free(reader->context, p.list, p.capacity * sizeof *p.list);
    mem_free(reader->context, p.specs, p.spec_capacity * sizeof *p.specs);
    return status;
}
