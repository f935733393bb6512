/* SPDX-License-Identifier: Apache-2.0 */
/* Joins Nodes and NodeClaims by provider id to state nodes. */
#include <model/prepare.h>

#include <base/bits.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/taints.h>

/* names id -> index of the Node; NULL = out of memory. */
static uint32_t *nodes_by_name(const karp_snapshot *s)
{
    uint32_t *index = mem_alloc(s->context, s->raw.names.count * sizeof *index);
    for (size_t i = 0; i < s->raw.names.count && index != NULL; i++) index[i] = NO_ID;
    for (size_t i = 0; i < s->raw.nodes.count && index != NULL; i++)
        index[s->raw.nodes.items[i].meta.name] = (uint32_t)i;
    return index;
}

karp_status prepare_bound(karp_snapshot *s, karp_error *error)
{
    size_t pods = s->raw.pods.count, nodes = s->raw.nodes.count;
    s->pod_node = block_new(s->context, pods + 1, sizeof *s->pod_node);
    s->bound = block_new(s->context, nodes + 1, sizeof *s->bound);
    uint32_t *index = nodes_by_name(s), *all = arena_array(&s->data, pods + 1, sizeof *all);
    if (s->pod_node == NULL || s->bound == NULL || index == NULL || all == NULL) {
        mem_free(s->context, index, s->raw.names.count * sizeof *index);
        return fail_nomem(error);
    }
    memset(s->bound, 0, nodes * sizeof *s->bound);
    for (size_t i = 0; i < pods; i++) {
        uint32_t name = pod_at(&s->raw, i)->node;
        s->pod_node[i] = name == NO_ID ? NO_ID : index[name];
        if (s->pod_node[i] != NO_ID) s->bound[s->pod_node[i]].count++;
        else if (name != NO_ID) s->orphan_pods++;
    }
    mem_free(s->context, index, s->raw.names.count * sizeof *index);
    size_t first = 0;
    for (size_t i = 0; i < nodes; i++) {
        s->bound[i].items = all + first;
        first += s->bound[i].count;
        s->bound[i].count = 0;
    }
    for (size_t i = 0; i < pods; i++) { /* in the order of names, so that every node's list is sorted by name */
        uint32_t p = s->by_name[i];
        if (s->pod_node[p] == NO_ID) continue;
        struct node_pods *on = &s->bound[s->pod_node[p]];
        all[(size_t)(on->items - all) + on->count++] = p;
    }
    return KARP_OK;
}

/* ---- joining ----------------------------------------------------------------------------------------------------- */

static bool label_is_true(const karp_snapshot *s, label_list labels, uint32_t key)
{
    return label_get(labels, key) == s->known.true_;
}

static bool condition_true(const karp_snapshot *s, condition_list list, uint32_t type)
{
    const condition *c = condition_find(list, type);
    return c != NULL && c->status == s->known.status_true;
}

static const node *node_at(const karp_snapshot *s, const state_node *n)
{
    return n->node == NO_ID ? NULL : &s->raw.nodes.items[n->node];
}
static const node_claim *claim_at(const karp_snapshot *s, const state_node *n)
{
    return n->claim == NO_ID ? NULL : &s->raw.claims.items[n->claim];
}

static void derive_identity(const karp_snapshot *s, state_node *n)
{
    const node *node_ = node_at(s, n);
    const node_claim *claim = claim_at(s, n);
    n->managed = claim != NULL;
    n->registered = !n->managed || (node_ != NULL && label_is_true(s, node_->meta.labels, s->known.registered));
    n->initialized = !n->managed || (node_ != NULL && label_is_true(s, node_->meta.labels, s->known.initialized));
    const object *shown = node_ == NULL || (n->managed && !n->registered) ? &claim->meta : &node_->meta;
    n->name = shown->name; /* NOLINT(clang-analyzer-core.NullDereference): every state node has a Node or a claim */
    n->labels = shown->labels;
    uint32_t host = label_get(n->labels, s->known.hostname);
    if (host == NO_ID || host == NO_TEXT) {
        karp_str name = name_of(s, n->name);
        host = strings_find(&s->raw.text, name.ptr, name.len);
    }
    n->hostname = host;
    n->zone = label_get(n->labels, s->known.zone);
    n->capacity_type = label_get(n->labels, s->known.capacity_type);
    n->host_is_name = node_ != NULL && shown == &node_->meta && host != NO_ID &&
                      label_get(n->labels, s->known.hostname) == host &&
                      equal_str(text_of(s, host), name_of(s, n->name));
    n->ready = node_ != NULL && condition_true(s, node_->conditions, s->known.ready);
    n->terminating = claim != NULL && condition_true(s, claim->conditions, s->known.instance_terminating);
    n->consolidatable = claim != NULL && condition_true(s, claim->conditions, s->known.consolidatable);
    n->drifted = claim != NULL && condition_true(s, claim->conditions, s->known.drifted);
    n->annotated = label_get(shown->annotations, s->known.do_not_disrupt) != NO_ID;
    n->marked = claim != NULL ? claim->meta.deletion != KARP_NO_TIME || n->terminating
                              : node_->meta.deletion != KARP_NO_TIME;
    n->rebooting = claim != NULL && condition_true(s, claim->conditions, s->known.rebooting);
    n->pool_name = label_get(n->labels, s->known.node_pool);
    n->pool = n->pool_name == NO_ID ? NO_ID : pool_named(s, text_of(s, n->pool_name));
}

/* Whether the node is in the cluster state. Sets the state that the input gives for it. */
static bool tracked(const karp_snapshot *s, state_node *n)
{
    if (!s->raw.states_given) return true;
    for (size_t i = 0; i < s->raw.states.count; i++) {
        const node_state *given = &s->raw.states.items[i];
        if (given->name != n->name) continue;
        n->marked = n->marked || given->marked;
        n->nominated = given->nominated;
        return true;
    }
    return s->raw.settings.other_nodes_known != 0;
}

bool state_node_identify(const karp_snapshot *s, state_node *n)
{
    derive_identity(s, n);
    return tracked(s, n);
}

static bool labelled(label_list labels, uint32_t key)
{
    uint32_t value = label_get(labels, key);
    return value != NO_ID && value != NO_TEXT;
}

bool node_is_known(const karp_snapshot *s, const node *n)
{
    label_list labels = n->meta.labels;
    if (!labelled(labels, s->known.node_pool)) return true;
    return n->provider_id != 0 && (labelled(labels, s->known.initialized) || labelled(labels, s->known.instance_type));
}

struct joining {
    const karp_snapshot *s;
    const uint64_t *only;
    map64 by_provider; /* names id -> index in the list */
    state_node_list *list;
};

/* The pair with the provider id, which is created if new. NULL = out of memory. */
static state_node *pair_of(struct joining *j, uint32_t provider)
{
    uint32_t at = map64_get(&j->by_provider, provider);
    if (at != NO_ID) return &j->list->items[at];
    if (!map64_put(&j->by_provider, provider, (uint32_t)j->list->count)) return NULL;
    state_node *n = list_push(j->s->context, j->list, sizeof *n);
    if (n == NULL) return NULL;
    n->node = n->claim = NO_ID;
    n->provider = provider;
    return n;
}

static bool wanted(const struct joining *j, uint32_t provider)
{
    return j->only == NULL || bits_test(j->only, provider);
}

/* The pairs in input order. Of several objects with one provider id, the last counts. */
static bool join(struct joining *j)
{
    const karp_snapshot *s = j->s;
    const store *raw = &s->raw;
    for (uint32_t i = 0; i < raw->claims.count; i++) {
        uint32_t provider = raw->claims.items[i].provider_id;
        if (provider == 0 || !wanted(j, provider)) continue;
        state_node *n = pair_of(j, provider);
        if (n == NULL) return false;
        n->claim = i;
    }
    for (uint32_t i = 0; i < raw->nodes.count; i++) {
        const node *of = &raw->nodes.items[i];
        if (!wanted(j, node_provider(of)) || !node_is_known(s, of) || (s->lost != NULL && bits_test(s->lost, i)))
            continue;
        state_node *n = pair_of(j, node_provider(of));
        if (n == NULL) return false;
        n->node = i;
    }
    return true;
}

/* ---- taints, resources ------------------------------------------------------------------------------------------- */

bool taint_ephemeral(const karp_snapshot *s, const taint *t)
{
    const known_text *k = &s->known;
    if (str_starts(text_of(s, t->key), "readiness.k8s.io/")) return true;
    return (t->key == k->not_ready && (t->effect == k->no_schedule || t->effect == k->no_execute)) ||
           (t->key == k->unreachable && t->effect == k->no_schedule) ||
           (t->key == k->uninitialized && t->effect == k->no_schedule) ||
           (t->key == k->unregistered && t->effect == k->no_execute);
}

/* The taints without those that are temporary. */
static bool lasting_taints(const karp_snapshot *s, const node_claim *claim, taint_list all, bool reboots, arena *to,
                           taint_list *out)
{
    taint *kept = arena_array(to, all.count + (size_t)1, sizeof *kept);
    uint32_t count = 0;
    if (kept == NULL) return false;
    for (uint32_t i = 0; i < all.count; i++) {
        const taint *t = &all.items[i];
        bool drop = taint_ephemeral(s, t) || has_such_taint(claim->startup_taints, t) ||
                    (reboots && t->key == s->known.rebooting_taint && t->effect == s->known.no_schedule);
        if (!drop) kept[count++] = *t;
    }
    *out = (taint_list){ kept, count };
    return true;
}

static bool has_taint(taint_list list, uint32_t key)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i].key == key) return true;
    }
    return false;
}

static bool effective_taints(const karp_snapshot *s, state_node *n, arena *to)
{
    const node *node_ = node_at(s, n);
    const node_claim *claim = claim_at(s, n);
    bool of_claim = claim != NULL && (node_ == NULL || !n->registered);
    taint_list all = of_claim ? claim->taints : node_->taints;
    n->taints = n->taints_since_reboots = all;
    if (claim == NULL || (n->initialized && !n->rebooting)) return true;
    if (!n->initialized && !lasting_taints(s, claim, all, false, to, &n->taints)) return false;
    n->taints_since_reboots = n->taints;
    return (!n->rebooting && !has_taint(all, s->known.rebooting_taint)) ||
           lasting_taints(s, claim, all, true, to, &n->taints_since_reboots);
}

/* The quantities of the node. While it is not initialized, missing or zero values are taken from the claim. */
static karp_status merged_quantity(const state_node *n, resource_list of_node, resource_list of_claim, arena *to,
                                   resource_list *out)
{
    *out = of_node;
    if (n->initialized) return KARP_OK; /* unmanaged nodes always are */
    if (n->node == NO_ID) {
        *out = of_claim;
        return KARP_OK;
    }
    resource_amount *fill = arena_array(to, of_claim.count + (size_t)1, sizeof *fill);
    uint32_t count = 0;
    if (fill == NULL) return KARP_E_NOMEM;
    for (uint32_t i = 0; i < of_claim.count; i++) {
        if (amount_sign(resource_list_get(of_node, of_claim.items[i].resource)) == 0) fill[count++] = of_claim.items[i];
    }
    return resource_list_override(to, of_node, (resource_list){ fill, count }, out);
}

static karp_status node_resources(const karp_snapshot *s, state_node *n, arena *to)
{
    static const resource_list none = { NULL, 0 };
    const node *node_ = node_at(s, n);
    const node_claim *claim = claim_at(s, n);
    resource_list allocatable, capacity;
    karp_status status = merged_quantity(n, node_ ? node_->allocatable : none, claim ? claim->allocatable : none, to,
                                         &allocatable);
    if (status == KARP_OK)
        status = merged_quantity(n, node_ ? node_->capacity : none, claim ? claim->capacity : none, to, &capacity);
    if (status == KARP_OK) status = resource_list_set(to, capacity, RESOURCE_NODES, amount_whole(1), &n->capacity);
    n->allocatable = allocatable;
    return status;
}

bool state_node_fill(const karp_snapshot *s, state_node *n, arena *to)
{
    return effective_taints(s, n, to) && node_resources(s, n, to) == KARP_OK;
}

/* ---- pods of a node ---------------------------------------------------------------------------------------------- */

/* A pod whose eviction cost is the usual one: it is running, does not belong to a DaemonSet, has no priority, and no
 * annotation about its disruption. */
static bool plain(const karp_snapshot *s, const pod *p)
{
    const pod_marks *m = store_marks(&s->raw, p);
    return p->deletion == KARP_NO_TIME && !(p->flags & (POD_OF_DAEMON_SET | POD_OF_NODE)) &&
           !s->raw.shapes.items[p->shape].has_priority && m->do_not_disrupt == NO_ID && m->deletion_cost == NO_ID &&
           m->disruption_cost == NO_ID && m->autoscaling_cost == NO_ID;
}

static bool bound_pods(const karp_snapshot *s, state_node *n, arena *to)
{
    n->pods = n->all_pods = s->bound[n->node].items;
    n->pod_count = n->all_pod_count = s->bound[n->node].count;
    uint32_t over = 0, plain_ones = 0;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        over += pod_over(p);
        plain_ones += plain(s, p);
    }
    n->plain_pods = n->all_pod_count > 0 && plain_ones == n->all_pod_count && over == 0;
    if (over == 0) return true;
    uint32_t *live = arena_array(to, n->all_pod_count - over + (size_t)1, sizeof *live);
    if (live == NULL) return false;
    n->pods = live;
    n->pod_count = 0;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        if (!pod_over(pod_at(&s->raw, n->all_pods[i]))) live[n->pod_count++] = n->all_pods[i];
    }
    return true;
}

static int64_t saturating_sub(int64_t a, int64_t b)
{
    const int64_t least = -(INT64_C(1) << 62);
    return a < least + b ? least : a - b;
}

bool state_node_load(const karp_snapshot *s, state_node *n, arena *to)
{
    n->type = n->pool == NO_ID ? NO_ID : type_of_labels(s, n->pool, n->labels);
    if (n->node != NO_ID && !bound_pods(s, n, to)) return false;
    int64_t *available = arena_array(to, s->dims, sizeof *available);
    if (available == NULL) return false;
    vector_of(s, n->allocatable, available);
    for (uint32_t i = 0; i < n->pod_count; i++) {
        const int64_t *r = s->classes[s->pod_class[n->pods[i]]].requests;
        for (uint32_t k = 0; k < n->allocatable.count; k++) {
            uint32_t column = s->column_of[n->allocatable.items[k].resource];
            available[column] = saturating_sub(available[column], r[column]);
        }
    }
    n->available = available;
    n->overfull = false;
    for (uint32_t k = 0; k < s->dims; k++) n->overfull = n->overfull || available[k] < 0;
    return true;
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

/* The order in which pairs were first joined. */
static size_t order_joined(const karp_snapshot *s, const state_node *n)
{
    return n->claim != NO_ID ? n->claim : s->raw.claims.count + n->node;
}

int state_nodes_by_name(const karp_snapshot *s, const state_node *a, const state_node *b)
{
    int order = compare_str(name_of(s, a->name), name_of(s, b->name));
    if (order != 0) return order;
    return order_joined(s, a) < order_joined(s, b) ? -1 : order_joined(s, a) > order_joined(s, b);
}

static int by_name(const void *x, const void *y, const void *user) { return state_nodes_by_name(user, x, y); }

bool state_nodes_choose(const karp_snapshot *s, const uint64_t *only, state_node_list *out)
{
    struct joining j = { .s = s, .only = only, .list = out };
    map64_init(&j.by_provider, s->context);
    bool ok = join(&j);
    size_t kept = 0;
    for (size_t i = 0; ok && i < out->count; i++) {
        if (state_node_identify(s, &out->items[i])) out->items[kept++] = out->items[i];
    }
    out->count = kept;
    map64_free(&j.by_provider);
    return ok && sort_stable(s->context, out->items, kept, sizeof *out->items, by_name, s);
}

/* Determines the state nodes. */
static bool choose_nodes(karp_snapshot *s)
{
    state_node_list chosen = { .items = NULL };
    bool ok = state_nodes_choose(s, NULL, &chosen);
    s->node_of_name = block_new(s->context, s->raw.nodes.count + 1, sizeof *s->node_of_name);
    s->nodes = block_copy(s->context, chosen.items, chosen.count, sizeof *s->nodes);
    ok = ok && s->node_of_name != NULL && s->nodes != NULL;
    s->node_count = (uint32_t)chosen.count;
    for (size_t i = 0; ok && i < s->raw.nodes.count; i++) s->node_of_name[i] = NO_ID;
    list_free(s->context, &chosen, sizeof(state_node));
    return ok;
}

static karp_status complete_nodes(karp_snapshot *s, const uint8_t *of_nodes)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        state_node *n = &s->nodes[i];
        if (!state_node_fill(s, n, &s->data) || !state_node_load(s, n, &s->data)) return KARP_E_NOMEM;
        n->set = set_of_labels(&s->algebra, n->labels, of_nodes);
        if (n->set == NO_ID) return KARP_E_NOMEM;
        if (n->node != NO_ID) s->node_of_name[n->node] = i;
    }
    for (size_t i = 0; i < s->raw.nodes.count; i++) {
        s->node_sets[i] = set_of_labels(&s->algebra, s->raw.nodes.items[i].meta.labels, of_nodes);
        if (s->node_sets[i] == NO_ID) return KARP_E_NOMEM;
    }
    return KARP_OK;
}

/* The Nodes that Karpenter cannot add to the cluster state, because a volume of a pod on the node cannot be
 * looked up. Nodes whose state the input gives were added earlier. NULL = none, or out of memory. */
static const uint64_t *lost_nodes(karp_snapshot *s, bool *refused)
{
    uint64_t *lost = NULL;
    for (uint32_t i = 0; i < s->node_count && !s->raw.states_given && !*refused; i++) {
        const state_node *n = &s->nodes[i];
        bool found = true;
        for (uint32_t k = 0; k < n->pod_count && found; k++)
            found = s->classes[s->pod_class[n->pods[k]]].counts_volumes;
        if (found) continue;
        if (lost == NULL) lost = arena_array(&s->data, bits_words(s->raw.nodes.count), sizeof *lost);
        if (lost != NULL) bits_set(lost, n->node);
        *refused = lost == NULL;
    }
    return lost;
}

/* Prepares `remaining`, the nodes without the lost ones. */
static karp_status prepare_remaining(karp_snapshot *s, const uint8_t *of_nodes)
{
    const struct known_nodes all = { s->nodes, s->node_count, s->node_of_name, NULL };
    bool refused = false;
    s->lost = lost_nodes(s, &refused);
    if (s->lost == NULL) return refused ? KARP_E_NOMEM : KARP_OK;
    struct known_nodes *r = arena_array(&s->data, 1, sizeof *r);
    s->nodes = NULL;
    s->node_of_name = NULL;
    karp_status status = r != NULL && choose_nodes(s) ? complete_nodes(s, of_nodes) : KARP_E_NOMEM;
    if (status == KARP_OK) {
        *r = (struct known_nodes){ s->nodes, s->node_count, s->node_of_name, s->lost };
        s->remaining = r;
    } else {
        block_unref(s->nodes);
        block_unref(s->node_of_name);
    }
    s->nodes = all.nodes;
    s->node_count = all.count;
    s->node_of_name = all.of_name;
    s->lost = NULL;
    return status;
}

karp_status prepare_nodes(karp_snapshot *s, karp_error *error)
{
    s->node_sets = block_new(s->context, s->raw.nodes.count + 1, sizeof *s->node_sets);
    if (s->node_sets == NULL || !choose_nodes(s)) return fail_nomem(error);
    karp_status status = complete_nodes(s, s->of_nodes);
    if (status == KARP_OK) status = prepare_remaining(s, s->of_nodes);
    return status == KARP_OK ? KARP_OK : fail_nomem(error);
}
