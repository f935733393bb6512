/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills in NodePools, Nodes and NodeClaims. A Node that states neither capacity nor allocatable is a sketch: the rest
 * comes from its instance type and its pool.
 */
#include <io/clouds.h>
#include <io/fill.h>

#include <base/admit.h>
#include <io/decode_fields.h>

#include <karp/inspect.h>

static const karp_str nothing = { "", 0 };

/* Whether the status has no conditions yet. A wrong value counts as some: the decoder reports it. */
static bool lacks_conditions(const tree *status)
{
    const tree *conditions = tree_get(status, "conditions");
    return !conditions || (tree_is(conditions, TREE_LIST) && conditions->count == 0);
}

/* ---- NodePool ---------------------------------------------------------------------------------------------------- */

static void fill_budgets(trees *t, tree *disruption)
{
    tree *budgets = tree_get(disruption, "budgets");
    if (!budgets) {
        budgets = tree_new(t, TREE_LIST);
        tree_append(t, budgets, tree_new(t, TREE_MAP));
        tree_set(t, disruption, "budgets", budgets);
    }
    for (size_t i = 0; i < tree_count(budgets); i++) tree_default_text(t, tree_item(budgets, i), "nodes", str("10%"));
}

static void fill_reference(const karp_reader *reader, trees *t, tree *spec)
{
    karp_str group, kind;
    if (tree_get(spec, "nodeClassRef")) return;
    io_usual_class(reader, spec, &group, &kind);
    tree *ref = tree_get_or_make(t, spec, "nodeClassRef");
    tree_set_text(t, ref, "group", group);
    tree_set_text(t, ref, "kind", kind);
    tree_set_text(t, ref, "name", str("default"));
}

/* Fills in the defaults of the CRD, and the conditions that the controllers set on a valid pool. */
void io_fill_pool(const karp_reader *reader, trees *t, tree *root)
{
    tree *spec = tree_get_or_make(t, root, "spec"), *disruption = tree_get_or_make(t, spec, "disruption");
    tree *inner = tree_get_or_make(t, tree_get_or_make(t, spec, "template"), "spec");
    tree *status = tree_get_or_make(t, root, "status");
    tree_default_text(t, disruption, "consolidateAfter", str("0s"));
    tree_default_text(t, disruption, "consolidationPolicy", str("WhenEmptyOrUnderutilized"));
    fill_budgets(t, disruption);
    tree_default_text(t, inner, "expireAfter", str("720h"));
    fill_reference(reader, t, inner);
    if (!lacks_conditions(status)) return;
    static const char *const types[] = { "NodeClassReady", "ValidationSucceeded", "Ready" };
    tree *conditions = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < 3; i++) io_add_condition(t, conditions, types[i], "True", types[i], io_creation(root));
    tree_set(t, status, "conditions", conditions);
}

static const tree *pool_of(const io_filler *f, const tree *labels)
{
    uint32_t number = io_table_get(&f->pools, tree_get_text(labels, LABEL_NODE_POOL));
    return number == IO_NONE ? NULL : f->pool_copies[number];
}

/* ---- from the catalogue ------------------------------------------------------------------------------------------ */

static bool build_types(io_filler *f)
{
    const karp_reader *reader = f->reader;
    if (f->types || reader->catalogues.count == 0) return true;
    f->types = mem_zalloc(reader->context, reader->catalogues.count * sizeof *f->types);
    if (!f->types) return false;
    f->type_table_count = reader->catalogues.count;
    for (size_t i = 0; i < f->type_table_count; i++) io_table_init(&f->types[i], reader->context);
    for (size_t i = 0; i < f->type_table_count; i++) {
        const karp_catalogue *catalogue = reader->catalogues.list[i].catalogue;
        for (size_t k = 0; k < karp_catalogue_count(catalogue) && k < IO_NONE; k++) {
            if (!io_table_put(&f->types[i], karp_catalogue_type(catalogue, k)->name, (uint32_t)k)) return false;
        }
    }
    return true;
}

/* Finds the type of that name in the pool's catalogues, or else in any. */
static const karp_catalogue *find_type(const io_filler *f, karp_str pool, karp_str name, size_t *index)
{
    for (int any = 0; any < 2; any++) {
        for (size_t i = 0; i < f->type_table_count; i++) {
            const io_given_catalogue *given = &f->reader->catalogues.list[i];
            uint32_t at = any || io_serves(given, pool) ? io_table_get(&f->types[i], name) : IO_NONE;
            if (at == IO_NONE) continue;
            *index = at;
            return given->catalogue;
        }
    }
    return NULL;
}

static void default_labels(trees *t, tree *labels, const karp_requirement *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].op == KARP_OP_IN && list[i].value_count == 1 && !tree_find_str(labels, list[i].key))
            tree_set_str(t, labels, list[i].key, tree_new_text(t, list[i].values[0]));
    }
}

static bool allows(const karp_offering *offering, const tree *labels)
{
    for (size_t i = 0; i < offering->requirement_count; i++) {
        const karp_requirement *r = &offering->requirements[i];
        const tree *label = tree_find_str(labels, r->key);
        if (!tree_is(label, TREE_STRING)) continue;
        karp_str value = tree_text(label);
        if (!requirement_allows(r, &value)) return false;
    }
    return true;
}

/* Fills in what a node has from its instance type, found in the catalogue of its pool or in any. */
static karp_status fill_from_type(io_filler *f, tree *labels, tree *status)
{
    trees *t = f->t;
    size_t index = 0;
    if (!build_types(f)) return io_reader_nomem(f->reader);
    karp_str name = tree_get_text(labels, LABEL_TYPE), pool = tree_get_text(labels, LABEL_NODE_POOL);
    const karp_catalogue *catalogue = name.len ? find_type(f, pool, name, &index) : NULL;
    if (!catalogue) return KARP_OK;
    const karp_instance_type *type = karp_catalogue_type(catalogue, index);
    size_t count = 0;
    const karp_resource *allocatable = karp_catalogue_allocatable(catalogue, index, &count);
    tree_default(t, status, "capacity", io_new_amounts(t, type->capacity, type->capacity_count));
    tree_default(t, status, "allocatable", io_new_amounts(t, allocatable, count));
    default_labels(t, labels, type->requirements, type->requirement_count);
    /* The offering's labels are known only if no other offering matches the known labels. */
    const karp_offering *only = NULL;
    size_t fitting = 0;
    for (size_t i = 0; i < type->offering_count; i++) {
        if (!allows(&type->offerings[i], labels)) continue;
        only = &type->offerings[i];
        fitting++;
    }
    if (fitting == 1) default_labels(t, labels, only->requirements, only->requirement_count);
    return KARP_OK;
}

/* ---- NodeClaim --------------------------------------------------------------------------------------------------- */

/* Whether a claim that was initialized at `since` is consolidatable, as its controller would decide. */
static bool consolidatable(const io_filler *f, const tree *pool, const tree *claim, int64_t since)
{
    karp_str after = tree_get_text(tree_get(tree_get(pool, "spec"), "disruption"), "consolidateAfter");
    int64_t window = 0, event = 0;
    if (!pool || tree_get(tree_get(pool, "spec"), "replicas") || karp_duration_parse(after, &window)) return false;
    karp_str stated = tree_get_text(tree_get(claim, "status"), "lastPodEventTime");
    if (stated.len && karp_time_parse(stated, &event) == KARP_OK) since = event;
    if (window == 0 || since == KARP_NO_TIME) return true;
    return since < f->reader->asked.now && (uint64_t)f->reader->asked.now - (uint64_t)since >= (uint64_t)window;
}

static void claim_conditions(const io_filler *f, const tree *pool, const tree *claim, tree *status, bool has_node)
{
    static const char *const types[] = { "Launched", "Registered", "Initialized", "Ready", "Consolidatable" };
    if (!lacks_conditions(status)) return;
    tree *list = tree_new(f->t, TREE_LIST);
    int64_t when = io_creation(claim);
    size_t count = !has_node ? 1 : consolidatable(f, pool, claim, when) ? 5 : 4;
    for (size_t i = 0; i < count; i++) io_add_condition(f->t, list, types[i], "True", types[i], when);
    tree_set(f->t, status, "conditions", list);
}

/* A claim that a cluster has may have another terminationGracePeriod than its NodePool has now, or none, and pods hold
 * a drain for as long as it says. */
static karp_status note_grace(karp_reader *reader, const tree *pool, const tree *claim, karp_str pool_grace)
{
    if (pool_grace.len == 0 || tree_get_text(tree_get(claim, "spec"), "terminationGracePeriod").len > 0) return KARP_OK;
    karp_str name = tree_get_text(tree_get(pool, "metadata"), "name");
    return io_warn_once(
        reader,
        "NodeClaims that are not in the input, or not as a cluster has them (uid, resourceVersion), take "
        "terminationGracePeriod %.*s from NodePool %.*s; read those of the cluster: each keeps the one "
        "it was made with, or none",
        (int)pool_grace.len, pool_grace.ptr, (int)name.len, name.ptr);
}

/* Fills in what the pool's template gives every new claim. One that a cluster has keeps what it has: the template may
 * be newer, and without a terminationGracePeriod, for one, it has none. */
static karp_status claim_from_pool(karp_reader *reader, trees *t, const tree *pool, tree *claim)
{
    static const char *const shared[] = { "nodeClassRef",  "requirements",           "taints",
                                          "startupTaints", "terminationGracePeriod", "expireAfter" };
    const tree *template_ = tree_get(tree_get(pool, "spec"), "template"), *inner = tree_get(template_, "spec");
    tree *spec = tree_get_or_make(t, claim, "spec"), *metadata = tree_get(claim, "metadata");
    bool stored = tree_get_text(metadata, "uid").len > 0 && tree_get_text(metadata, "resourceVersion").len > 0;
    karp_status status = stored ? KARP_OK
                                : note_grace(reader, pool, claim, tree_get_text(inner, "terminationGracePeriod"));
    for (size_t i = 0; i < sizeof shared / sizeof shared[0] && !stored; i++)
        tree_default(t, spec, shared[i], tree_get(inner, shared[i]));
    if (!stored)
        tree_set_missing(t, tree_get_or_make(t, metadata, "labels"),
                         tree_get(tree_get(template_, "metadata"), "labels"));
    tree_default_text(t, spec, "expireAfter", str("720h"));
    fill_reference(reader, t, spec);
    return status;
}

/* Completes a claim; `provider_id` is the node's. */
static karp_status finish_claim(io_filler *f, tree *claim, const tree *node, karp_str provider_id,
                                const io_place *place)
{
    const io_kind_info *info = io_kind_find(str("karpenter.sh/v1"), str("NodeClaim"));
    trees *t = f->t;
    tree *metadata = tree_get(claim, "metadata"), *status = tree_get_or_make(t, claim, "status");
    const tree *pool = pool_of(f, tree_get(metadata, "labels"));
    karp_status result = claim_from_pool(f->reader, t, pool, claim);
    if (node) {
        const tree *node_status = tree_get(node, "status");
        tree_default_text(t, status, "nodeName", tree_get_text(tree_get(node, "metadata"), "name"));
        tree_default_text(t, status, "providerID", provider_id);
        tree_default(t, status, "capacity", tree_get(node_status, "capacity"));
        tree_default(t, status, "allocatable", tree_get(node_status, "allocatable"));
    }
    claim_conditions(f, pool, claim, status, node != NULL);
    if (result == KARP_OK && (!tree_get(status, "capacity") || !tree_get(status, "allocatable")))
        result = fill_from_type(f, tree_get(metadata, "labels"), status);
    return result ? result : io_add_filled(f, info, claim, place);
}

/* The providerID of a node; if it is not stated, one is made from the name. */
static karp_str provider_id(const tree *object, karp_str name, char room[320])
{
    karp_str stated = tree_get_text(object, "providerID");
    if (stated.len) return stated;
    memcpy(room, "karp://", 8);
    str_shorten(room + 7, 320 - 7, name);
    return str(room);
}

static void own_provider(trees *t, tree *object, karp_str name)
{
    char room[320];
    if (!io_is_stated(object, "providerID")) tree_set_text(t, object, "providerID", provider_id(object, name, room));
}

/* Adds the NodeClaim of a managed node whose claim is not in the input. */
static karp_status invent_claim(io_filler *f, const tree *node, const io_place *place)
{
    static const char *const of_the_node[] = { LABEL_REGISTERED, LABEL_INITIALIZED, LABEL_HOSTNAME };
    trees *t = f->t;
    const tree *metadata = tree_get(node, "metadata");
    const io_kind_info *info = io_kind_find(str("karpenter.sh/v1"), str("NodeClaim"));
    tree *claim = io_new_object(t, "karpenter.sh/v1", "NodeClaim", nothing, tree_get_text(metadata, "name"));
    tree *own = tree_get(claim, "metadata"), *labels = tree_copy(t, tree_get(metadata, "labels"));
    for (size_t i = 0; i < 3; i++) tree_remove(t, labels, of_the_node[i]);
    tree_set(t, own, "labels", labels);
    tree_default(t, own, "annotations", tree_get(metadata, "annotations"));
    tree_default(t, own, "creationTimestamp", tree_get(metadata, "creationTimestamp"));
    io_identify(f, info, claim);
    return finish_claim(f, claim, node, tree_get_text(tree_get(node, "spec"), "providerID"), place);
}

/* The Node of a claim: the one in its status, or the one with its name. NULL = none. */
static const tree *node_of_claim(const io_filler *f, const tree *claim)
{
    karp_str names[2] = { tree_get_text(tree_get(claim, "status"), "nodeName"),
                          tree_get_text(tree_get(claim, "metadata"), "name") };
    for (size_t i = 0; i < 2; i++) {
        uint32_t number = names[i].len ? io_find(f->reader, "Node", nothing, names[i]) : IO_NONE;
        if (number < f->reader->deferred_count) return f->reader->deferred[number].root;
    }
    return NULL;
}

karp_status io_fill_and_add_node_claim(io_filler *f, tree *root, const io_place *place)
{
    const io_kind_info *info = io_kind_find(str("karpenter.sh/v1"), str("NodeClaim"));
    if (!f->fill) return io_add_filled(f, info, root, place);
    tree *status = tree_get_or_make(f->t, root, "status");
    karp_str name = tree_get_text(tree_get(root, "metadata"), "name");
    /* A claim with conditions states whether it is registered. Without any, its node decides. */
    bool silent = !tree_count(tree_get(status, "conditions"));
    const tree *node = silent || !tree_get_text(status, "providerID").len ? node_of_claim(f, root) : NULL;
    char room[320];
    karp_str id = nothing;
    if (node) id = provider_id(tree_get(node, "spec"), tree_get_text(tree_get(node, "metadata"), "name"), room);
    else own_provider(f->t, status, name);
    return finish_claim(f, root, node, id, place);
}

/* ---- Node -------------------------------------------------------------------------------------------------------- */

static bool has_taint(const tree *list, karp_str key, karp_str effect)
{
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *taint = tree_item(list, i);
        if (equal_str(tree_get_text(taint, "key"), key) && equal_str(tree_get_text(taint, "effect"), effect))
            return true;
    }
    return false;
}

static void add_taint(trees *t, tree *spec, tree *taint)
{
    if (has_taint(tree_get(spec, "taints"), tree_get_text(taint, "key"), tree_get_text(taint, "effect"))) return;
    tree_default(t, spec, "taints", tree_new(t, TREE_LIST));
    tree_append(t, tree_get(spec, "taints"), taint);
}

static void cordon_taint(trees *t, tree *spec)
{
    if (!tree_is(tree_get(spec, "unschedulable"), TREE_TRUE)) return;
    karp_taint taint = { str("node.kubernetes.io/unschedulable"), { "", 0 }, str("NoSchedule") };
    add_taint(t, spec, io_new_taint(t, &taint, false));
}

/* Adds to a sketch what its pool sets on every node. */
static void sketch_from_pool(trees *t, const tree *pool, tree *labels, tree *spec)
{
    const tree *template_ = tree_get(tree_get(pool, "spec"), "template");
    const tree *taints = tree_get(tree_get(template_, "spec"), "taints");
    tree_set_missing(t, labels, tree_get(tree_get(template_, "metadata"), "labels"));
    for (size_t i = 0; i < tree_count(taints); i++) add_taint(t, spec, tree_item(taints, i));
}

/* Fills in what the claim implies for its node: it is registered and initialized unless its conditions deny it. */
static void claim_labels(trees *t, const tree *claim, tree *labels, tree *spec)
{
    const tree *status = tree_get(claim, "status"), *conditions = tree_get(status, "conditions");
    bool silent = !tree_count(conditions);
    bool registered = silent || str_is(io_condition_status(conditions, "Registered"), "True");
    bool initialized = silent || str_is(io_condition_status(conditions, "Initialized"), "True");
    karp_str id = tree_get_text(status, "providerID"),
             pool = tree_get_text(tree_get(tree_get(claim, "metadata"), "labels"), LABEL_NODE_POOL);
    if (registered) tree_default_text(t, labels, LABEL_REGISTERED, str("true"));
    if (initialized) tree_default_text(t, labels, LABEL_INITIALIZED, str("true"));
    if (registered && pool.len) tree_default_text(t, labels, LABEL_NODE_POOL, pool);
    if (id.len && !io_is_stated(spec, "providerID")) tree_set_text(t, spec, "providerID", id);
}

static void node_status(trees *t, const tree *root, tree *status)
{
    tree_default(t, status, "allocatable", tree_get(status, "capacity"));
    tree_default(t, status, "capacity", tree_get(status, "allocatable"));
    if (!lacks_conditions(status)) return;
    tree *list = tree_new(t, TREE_LIST);
    io_add_condition(t, list, "Ready", "True", "KubeletReady", io_creation(root));
    tree_set(t, status, "conditions", list);
}

karp_status io_fill_and_add_node(io_filler *f, tree *root, const io_place *place)
{
    const io_kind_info *info = io_kind_find(str("v1"), str("Node"));
    if (!f->fill) return io_add_filled(f, info, root, place);
    trees *t = f->t;
    const tree *metadata = tree_get(root, "metadata");
    tree *labels = tree_get_or_make(t, tree_get(root, "metadata"), "labels"), *spec = tree_get_or_make(t, root, "spec"),
         *status = tree_get_or_make(t, root, "status");
    karp_str name = tree_get_text(metadata, "name"), id = tree_get_text(spec, "providerID");
    uint32_t claim = id.len ? io_table_get(&f->claim_providers, id) : IO_NONE;
    if (claim == IO_NONE) claim = io_table_get(&f->claim_nodes, name);
    bool managed = claim != IO_NONE || tree_get_text(labels, LABEL_NODE_POOL).len > 0;
    bool sketch = !tree_get(status, "capacity") && !tree_get(status, "allocatable");
    const tree *pool = pool_of(f, labels);
    tree_default_text(t, labels, LABEL_HOSTNAME, name);
    cordon_taint(t, spec);
    if (claim != IO_NONE) {
        claim_labels(t, f->reader->deferred[claim].root, labels, spec);
    } else if (managed) {
        tree_default_text(t, labels, LABEL_REGISTERED, str("true"));
        tree_default_text(t, labels, LABEL_INITIALIZED, str("true"));
    }
    if (sketch && pool) sketch_from_pool(t, pool, labels, spec);
    own_provider(t, spec, name);
    karp_status result = sketch ? fill_from_type(f, labels, status) : KARP_OK;
    node_status(t, root, status);
    if (result == KARP_OK) result = io_add_filled(f, info, root, place);
    return result == KARP_OK && managed && claim == IO_NONE ? invent_claim(f, root, place) : result;
}

/* ---- conditions of NodePools ------------------------------------------------------------------------------------- */

static bool has_no_conditions(const io_deferred *w)
{
    return w->info->kind == IO_KIND_NODE_POOL && !w->stated && lacks_conditions(tree_get(w->root, "status"));
}

static karp_status add_pool(karp_reader *reader, karp_builder *builder, const io_deferred *w)
{
    io_decoder d;
    karp_node_pool pool;
    arena_release(&reader->scratch, (arena_mark){ NULL, NULL });
    io_decoder_init(&d, &reader->scratch);
    io_decode(&d, &io_node_pool_record, w->root, &pool);
    /* A failure to decode or add the object is reported later, when it is added. */
    if (d.status) return d.status == KARP_E_NOMEM ? io_reader_nomem(reader) : KARP_OK;
    karp_error error = { .size = sizeof error };
    return karp_builder_add_node_pool(builder, &pool, &error) == KARP_E_NOMEM ? io_reader_nomem(reader) : KARP_OK;
}

/* The decision reports which requirement is invalid; a class that is not ready has a note. */
static karp_status refuse(karp_reader *reader, const io_deferred *w, bool not_ready)
{
    trees *t = &reader->trees;
    tree *status = tree_get_or_make(t, w->root, "status"), *conditions = tree_new(t, TREE_LIST);
    int64_t when = io_creation(w->root);
    io_add_condition(t, conditions, "NodeClassReady", not_ready ? "False" : "True",
                     not_ready ? "NodeClassNotReady" : "NodeClassReady", when);
    io_add_condition(t, conditions, "ValidationSucceeded", not_ready ? "True" : "False",
                     not_ready ? "ValidationSucceeded" : "NodePoolValidationFailed", when);
    io_add_condition(t, conditions, "Ready", "False", "UnhealthyDependents", when);
    tree_set(t, status, "conditions", conditions);
    return t->status ? io_reader_nomem(reader) : KARP_OK;
}

static karp_status check(karp_reader *reader, karp_builder *builder, const karp_settings *settings)
{
    karp_snapshot *snapshot = NULL;
    karp_status status = karp_builder_set_settings(builder, settings, &reader->error);
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && !status; i = io_other(reader, i + 1)) {
        if (has_no_conditions(&reader->deferred[i])) status = add_pool(reader, builder, &reader->deferred[i]);
    }
    if (!status) status = karp_builder_finish(builder, &snapshot, &reader->error);
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && !status; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        bool not_ready = false;
        if (!has_no_conditions(w)) continue;
        status = io_check_class_gates(reader, tree_get(io_template_spec(w->root), "nodeClassRef"), settings->gates,
                                      &not_ready);
        if (!status && (not_ready || karp_snapshot_pool_fault(snapshot, w->name, NULL)))
            status = refuse(reader, w, not_ready);
    }
    karp_snapshot_unref(snapshot);
    return status;
}

karp_status io_check_pools(karp_reader *reader, const karp_settings *settings)
{
    karp_builder *builder = NULL;
    bool any = false;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && !any; i = io_other(reader, i + 1))
        any = has_no_conditions(&reader->deferred[i]);
    if (!any || reader->options.strict) return KARP_OK;
    karp_status status = karp_builder_new(reader->context, &builder, &reader->error);
    if (!status) status = check(reader, builder, settings);
    karp_builder_free(builder);
    return status;
}
