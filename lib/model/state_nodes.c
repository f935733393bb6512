/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and claims, joined by provider id into what Karpenter calls state nodes (scheduling.md §16.1–16.3). */
#include <model/prepare.h>

#include <base/bits.h>
#include <base/block.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/kept_pods.h>
#include <string.h>

/* names id -> index of the Node; NULL = refused. */
static uint32_t *nodes_by_name(const karp_snapshot *s)
{
    uint32_t *index = mem_alloc(s->context, s->raw.names.count * sizeof *index);
    for (size_t i = 0; i < s->raw.names.count && index != NULL; i++) index[i] = NO_ID;
    for (size_t i = 0; i < s->raw.nodes.count && index != NULL; i++) index[s->raw.nodes.items[i].meta.name] = (uint32_t)i;
    return index;
}

karp_status prepare_bound(karp_snapshot *s, karp_error *error)
{
    size_t pods = s->raw.pods.count, nodes = s->raw.nodes.count;
    s->pod_node = block_new(s->context, pods + 1, sizeof *s->pod_node);
    s->bound_first = block_new(s->context, nodes + 2, sizeof *s->bound_first);
    uint32_t *index = nodes_by_name(s);
    if (s->pod_node == NULL || s->bound_first == NULL || index == NULL) {
        mem_free(s->context, index, s->raw.names.count * sizeof *index);
        return fail_nomem(error);
    }
    memset(s->bound_first, 0, (nodes + 2) * sizeof *s->bound_first);
    for (size_t i = 0; i < pods; i++) {
        uint32_t name = pod_at(&s->raw, i)->node;
        s->pod_node[i] = name == NO_ID ? NO_ID : index[name];
        if (s->pod_node[i] != NO_ID) s->bound_first[s->pod_node[i] + 2]++;
        else if (name != NO_ID) s->strays++;
    }
    mem_free(s->context, index, s->raw.names.count * sizeof *index);
    for (size_t i = 2; i <= nodes + 1; i++) s->bound_first[i] += s->bound_first[i - 1];
    s->bound = block_new(s->context, s->bound_first[nodes + 1] + (size_t)1, sizeof *s->bound);
    if (s->bound == NULL) return fail_nomem(error);
    for (size_t i = 0; i < pods; i++) { /* in the order of names, so that every node's list has it too */
        uint32_t p = s->by_name[i];
        if (s->pod_node[p] != NO_ID) s->bound[s->bound_first[s->pod_node[p] + 1]++] = p;
    }
    return KARP_OK;
}

karp_status continue_bound(karp_snapshot *s, karp_error *error)
{
    const karp_snapshot *before = s->kept->before;
    size_t n = s->raw.pods.count, began = before->raw.pods.count;
    s->bound_first = block_hold(before->bound_first);
    s->bound = block_hold(before->bound);
    if (n == began) {
        s->pod_node = block_hold(before->pod_node); /* the pods that changed are bound neither here nor there */
        return KARP_OK;
    }
    s->pod_node = block_new(s->context, n + 1, sizeof *s->pod_node);
    if (s->pod_node == NULL) return fail_nomem(error);
    memcpy(s->pod_node, before->pod_node, (n < began ? n : began) * sizeof *s->pod_node);
    for (size_t i = began; i < n; i++) s->pod_node[i] = NO_ID;
    return KARP_OK;
}

/* ---- joining ------------------------------------------------------------------------------------------------------- */

static bool label_is_true(const karp_snapshot *s, label_list labels, uint32_t key)
{
    return label_get(labels, key) == s->known.true_;
}

static bool condition_true(const karp_snapshot *s, condition_list list, uint32_t type)
{
    const condition *c = condition_find(list, type);
    return c != NULL && c->status == s->known.status_true;
}

static const node *node_at(const karp_snapshot *s, const state_node *n) { return n->node == NO_ID ? NULL : &s->raw.nodes.items[n->node]; }
static const node_claim *claim_at(const karp_snapshot *s, const state_node *n)
{
    return n->claim == NO_ID ? NULL : &s->raw.claims.items[n->claim];
}

static void derive_face(karp_snapshot *s, state_node *n)
{
    const node *node_ = node_at(s, n);
    const node_claim *claim = claim_at(s, n);
    n->managed = claim != NULL;
    n->registered = !n->managed || (node_ != NULL && label_is_true(s, node_->meta.labels, s->known.registered));
    n->initialized = !n->managed || (node_ != NULL && label_is_true(s, node_->meta.labels, s->known.initialized));
    const object *face = node_ == NULL || (n->managed && !n->registered) ? &claim->meta : &node_->meta;
    n->name = face->name;
    n->labels = face->labels;
    uint32_t host = label_get(n->labels, s->known.hostname);
    if (host == NO_ID || host == NO_TEXT) {
        karp_str name = name_of(s, n->name);
        host = strings_find(&s->raw.text, name.ptr, name.len);
    }
    n->hostname = host;
    n->marked = claim != NULL ? claim->meta.deletion != KARP_NO_TIME || condition_true(s, claim->conditions, s->known.instance_terminating)
                              : node_->meta.deletion != KARP_NO_TIME;
    n->pool_name = label_get(n->labels, s->known.node_pool);
    n->pool = NO_ID;
    if (n->pool_name != NO_ID) {
        karp_str pool = text_of(s, n->pool_name);
        uint32_t id = strings_find(&s->raw.names, pool.ptr, pool.len);
        if (id != NO_ID) n->pool = store_find(&s->raw, KIND_NODE_POOL, NO_TEXT, id);
    }
}

/* Whether the node is known to the scheduler; applies what the input says Karpenter remembers. */
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
    return false;
}

static bool labelled(label_list labels, uint32_t key)
{
    uint32_t value = label_get(labels, key);
    return value != NO_ID && value != NO_TEXT;
}

bool node_is_told(const karp_snapshot *s, const node *n)
{
    label_list labels = n->meta.labels;
    if (!labelled(labels, s->known.node_pool)) return true;
    return n->provider_id != 0 && (labelled(labels, s->known.initialized) || labelled(labels, s->known.instance_type));
}

/* Fills s->nodes with the pairs in the order of the input. */
static bool join(karp_snapshot *s)
{
    const store *raw = &s->raw;
    size_t most = raw->nodes.count + raw->claims.count, count = 0;
    s->nodes = arena_array(&s->data, most + 1, sizeof *s->nodes);
    map64 by_provider; /* names id -> index in s->nodes */
    map64_init(&by_provider, s->context);
    bool ok = s->nodes != NULL;
    for (uint32_t i = 0; ok && i < raw->claims.count; i++) {
        uint32_t provider = raw->claims.items[i].provider_id;
        if (provider == 0) continue;
        uint32_t at = map64_get(&by_provider, provider);
        if (at == NO_ID) {
            at = (uint32_t)count++;
            ok = map64_put(&by_provider, provider, at);
        }
        s->nodes[at] = (state_node){ .node = NO_ID, .claim = i };
    }
    for (uint32_t i = 0; ok && i < raw->nodes.count; i++) {
        if (!node_is_told(s, &raw->nodes.items[i]) || (s->lost != NULL && bits_test(s->lost, i))) continue;
        uint32_t provider = raw->nodes.items[i].provider_id != 0 ? raw->nodes.items[i].provider_id : raw->nodes.items[i].meta.name;
        uint32_t at = map64_get(&by_provider, provider);
        if (at == NO_ID) {
            at = (uint32_t)count++;
            ok = map64_put(&by_provider, provider, at);
            s->nodes[at] = (state_node){ .claim = NO_ID };
        }
        s->nodes[at].node = i;
    }
    map64_free(&by_provider);
    s->node_count = (uint32_t)count;
    return ok;
}

/* ---- taints, resources --------------------------------------------------------------------------------------------- */

bool taint_ephemeral(const karp_snapshot *s, const taint *t)
{
    const known_text *k = &s->known;
    karp_str key = text_of(s, t->key);
    if (key.len >= 17 && memcmp(key.ptr, "readiness.k8s.io/", 17) == 0) return true;
    return (t->key == k->not_ready && (t->effect == k->no_schedule || t->effect == k->no_execute)) ||
           (t->key == k->unreachable && t->effect == k->no_schedule) ||
           (t->key == k->uninitialized && t->effect == k->no_schedule) ||
           (t->key == k->unregistered && t->effect == k->no_execute);
}

static bool effective_taints(karp_snapshot *s, state_node *n)
{
    const node *node_ = node_at(s, n);
    const node_claim *claim = claim_at(s, n);
    bool of_claim = claim != NULL && (node_ == NULL || !n->registered);
    n->taints = of_claim ? claim->taints : node_->taints;
    if (claim == NULL || n->initialized) return true;
    taint *kept = arena_array(&s->data, n->taints.count + (size_t)1, sizeof *kept);
    uint32_t count = 0;
    if (kept == NULL) return false;
    for (uint32_t i = 0; i < n->taints.count; i++) {
        const taint *t = &n->taints.items[i];
        bool drop = taint_ephemeral(s, t);
        for (uint32_t k = 0; k < claim->startup_taints.count && !drop; k++) {
            drop = claim->startup_taints.items[k].key == t->key && claim->startup_taints.items[k].effect == t->effect;
        }
        if (!drop) kept[count++] = *t;
    }
    n->taints = (taint_list){ kept, count };
    return true;
}

/* §16.3: what the node says, and while it is not initialised the claim for every key that is zero or missing there. */
static karp_status merged_quantity(karp_snapshot *s, const state_node *n, resource_list of_node, resource_list of_claim, resource_list *out)
{
    *out = of_node;
    if (n->initialized) return KARP_OK; /* as what is not managed always is */
    if (n->node == NO_ID) {
        *out = of_claim;
        return KARP_OK;
    }
    resource_amount *fill = arena_array(&s->data, of_claim.count + (size_t)1, sizeof *fill);
    uint32_t count = 0;
    if (fill == NULL) return KARP_E_NOMEM;
    for (uint32_t i = 0; i < of_claim.count; i++) {
        if (amount_sign(resource_list_get(of_node, of_claim.items[i].resource)) == 0) fill[count++] = of_claim.items[i];
    }
    return resource_list_override(&s->data, of_node, (resource_list){ fill, count }, out);
}

static int64_t saturating_sub(int64_t a, int64_t b)
{
    const int64_t least = -(INT64_C(1) << 62);
    return a < least + b ? least : a - b;
}

static karp_status node_resources(karp_snapshot *s, state_node *n)
{
    static const resource_list none = { NULL, 0 };
    const node *node_ = node_at(s, n);
    const node_claim *claim = claim_at(s, n);
    resource_list allocatable, capacity;
    karp_status status = merged_quantity(s, n, node_ ? node_->allocatable : none, claim ? claim->allocatable : none, &allocatable);
    if (status == KARP_OK) status = merged_quantity(s, n, node_ ? node_->capacity : none, claim ? claim->capacity : none, &capacity);
    if (status == KARP_OK) status = resource_list_set(&s->data, capacity, RESOURCE_NODES, amount_whole(1), &n->capacity);
    if (status != KARP_OK) return status;
    int64_t *available = arena_array(&s->data, s->dims, sizeof *available);
    if (available == NULL) return KARP_E_NOMEM;
    vector_of(s, allocatable, available);
    for (uint32_t i = 0; i < n->pod_count; i++) {
        const int64_t *r = s->classes[s->pod_class[n->pods[i]]].requests;
        for (uint32_t k = 0; k < allocatable.count; k++) {
            uint32_t resource = allocatable.items[k].resource;
            available[resource] = saturating_sub(available[resource], r[resource]);
        }
    }
    n->allocatable = allocatable;
    n->available = available;
    return KARP_OK;
}

static bool bound_pods(karp_snapshot *s, state_node *n)
{
    if (n->node == NO_ID) return true;
    n->all_pods = s->bound + s->bound_first[n->node];
    n->all_pod_count = s->bound_first[n->node + 1] - s->bound_first[n->node];
    uint32_t *live = arena_array(&s->data, n->all_pod_count + (size_t)1, sizeof *live);
    if (live == NULL) return false;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        uint8_t phase = pod_at(&s->raw, n->all_pods[i])->phase;
        if (phase != KARP_PHASE_SUCCEEDED && phase != KARP_PHASE_FAILED) live[n->pod_count++] = n->all_pods[i];
    }
    n->pods = live;
    return true;
}

/* ---- the step ------------------------------------------------------------------------------------------------------- */

static int by_name(const void *x, const void *y, const void *user)
{
    const karp_snapshot *s = user;
    return compare_str(name_of(s, ((const state_node *)x)->name), name_of(s, ((const state_node *)y)->name));
}

/* Which state nodes there are, by name. */
static bool choose_nodes(karp_snapshot *s)
{
    s->node_of_name = arena_array(&s->data, s->raw.nodes.count + 1, sizeof *s->node_of_name);
    if (s->node_of_name == NULL || !join(s)) return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        derive_face(s, &s->nodes[i]);
        if (tracked(s, &s->nodes[i])) s->nodes[kept++] = s->nodes[i];
    }
    s->node_count = kept;
    for (size_t i = 0; i < s->raw.nodes.count; i++) s->node_of_name[i] = NO_ID;
    return sort_stable(s->context, s->nodes, kept, sizeof *s->nodes, by_name, s);
}

static karp_status complete_nodes(karp_snapshot *s, const uint8_t *of_nodes)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        state_node *n = &s->nodes[i];
        if (!effective_taints(s, n) || !bound_pods(s, n)) return KARP_E_NOMEM;
        karp_status status = node_resources(s, n);
        if (status != KARP_OK) return status;
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

/* The Nodes that Karpenter cannot take in: a volume of a pod that runs there cannot be looked up. What the input says that
 * Karpenter knows, it has taken in before. NULL = none, or refused memory. */
static const uint64_t *lost_nodes(karp_snapshot *s, bool *refused)
{
    uint64_t *lost = NULL;
    for (uint32_t i = 0; i < s->node_count && !s->raw.states_given && !*refused; i++) {
        const state_node *n = &s->nodes[i];
        bool found = true;
        for (uint32_t k = 0; k < n->pod_count && found; k++) found = s->classes[s->pod_class[n->pods[k]]].counts_volumes;
        if (found) continue;
        if (lost == NULL) lost = arena_array(&s->data, bits_words(s->raw.nodes.count), sizeof *lost);
        if (lost != NULL) bits_set(lost, n->node);
        *refused = lost == NULL;
    }
    return lost;
}

/* The nodes that are left when those are lost, kept beside the nodes there are. */
static karp_status prepare_remaining(karp_snapshot *s, const uint8_t *of_nodes)
{
    const struct known_nodes all = { s->nodes, s->node_count, s->node_of_name, NULL };
    bool refused = false;
    s->lost = lost_nodes(s, &refused);
    if (s->lost == NULL) return refused ? KARP_E_NOMEM : KARP_OK;
    struct known_nodes *r = arena_array(&s->data, 1, sizeof *r);
    karp_status status = r != NULL && choose_nodes(s) ? complete_nodes(s, of_nodes) : KARP_E_NOMEM;
    if (status == KARP_OK) {
        *r = (struct known_nodes){ s->nodes, s->node_count, s->node_of_name, s->lost };
        s->remaining = r;
    }
    s->nodes = all.nodes;
    s->node_count = all.count;
    s->node_of_name = all.of_name;
    s->lost = NULL;
    return status;
}

karp_status prepare_nodes(karp_snapshot *s, karp_error *error)
{
    s->node_sets = arena_array(&s->data, s->raw.nodes.count + 1, sizeof *s->node_sets);
    if (s->node_sets == NULL || !choose_nodes(s)) return fail_nomem(error);
    karp_status status = complete_nodes(s, s->of_nodes);
    if (status == KARP_OK) status = prepare_remaining(s, s->of_nodes);
    return status == KARP_OK ? KARP_OK : fail_nomem(error);
}
