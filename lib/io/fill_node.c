/* SPDX-License-Identifier: Apache-2.0 */
/* NodePools, Nodes and NodeClaims. A Node that states neither capacity nor allocatable is a sketch: its instance type and
 * its pool tell the rest. */
#include <io/fill.h>

#include <string.h>

#define POOL_LABEL "karpenter.sh/nodepool"
#define TYPE_LABEL "node.kubernetes.io/instance-type"
#define REGISTERED_LABEL "karpenter.sh/registered"
#define INITIALIZED_LABEL "karpenter.sh/initialized"
#define HOSTNAME_LABEL "kubernetes.io/hostname"

static const karp_str nothing = { "", 0 };

/* ---- NodePool ---------------------------------------------------------------------------------------------------- */

static bool fill_budgets(json_t *disruption)
{
    json_t *budgets = io_get(disruption, "budgets");
    if (budgets) {
        for (size_t i = 0; i < json_array_size(budgets); i++) {
            if (!io_default_text(json_array_get(budgets, i), "nodes", "10%")) return false;
        }
        return true;
    }
    json_t *budget = io_map();
    budgets = io_list();
    bool ok = budget && budgets && io_set(budget, "nodes", json_string("10%")) &&
              json_array_append(budgets, budget) == 0 && json_object_set(disruption, "budgets", budgets) == 0;
    json_decref(budget);
    json_decref(budgets);
    return ok;
}

static bool fill_reference(json_t *spec)
{
    if (io_get(spec, "nodeClassRef")) return true;
    json_t *ref = io_map();
    bool ok = ref && io_set(ref, "group", json_string("karpenter.k8s.aws")) &&
              io_set(ref, "kind", json_string("EC2NodeClass")) && io_set(ref, "name", json_string("default")) &&
              json_object_set(spec, "nodeClassRef", ref) == 0;
    json_decref(ref);
    return ok;
}

/* The defaults of the resource definition, and the conditions that the controllers set on a sound pool. */
bool io_fill_pool(json_t *tree)
{
    json_t *spec = io_get_or_make(tree, "spec");
    json_t *disruption = spec ? io_get_or_make(spec, "disruption") : NULL;
    json_t *template_ = spec ? io_get_or_make(spec, "template") : NULL;
    json_t *inner = template_ ? io_get_or_make(template_, "spec") : NULL;
    json_t *status = io_get_or_make(tree, "status");
    bool ok = disruption && inner && status && io_default_text(disruption, "consolidateAfter", "0s") &&
              io_default_text(disruption, "consolidationPolicy", "WhenEmptyOrUnderutilized") &&
              fill_budgets(disruption) && io_default_text(inner, "expireAfter", "720h") && fill_reference(inner);
    if (!ok || json_array_size(io_get(status, "conditions"))) return ok;
    json_t *conditions = io_list();
    int64_t when = io_creation(tree);
    ok = conditions && io_add_condition(conditions, "NodeClassReady", "True", "NodeClassReady", when) &&
         io_add_condition(conditions, "ValidationSucceeded", "True", "ValidationSucceeded", when) &&
         io_add_condition(conditions, "Ready", "True", "Ready", when) &&
         json_object_set(status, "conditions", conditions) == 0;
    json_decref(conditions);
    return ok;
}

static const json_t *pool_of(const io_filler *f, const json_t *labels)
{
    karp_str name = io_get_text(labels, POOL_LABEL);
    return name.len ? json_object_get(f->pools, name.ptr) : NULL;
}

static bool set_str(json_t *object, karp_str name, karp_str text)
{
    json_t *value = io_text_value(text);
    return value && json_object_set_new_nocheck(object, name.ptr, value) == 0;
}

/* ---- from the catalogue ------------------------------------------------------------------------------------------ */

static bool build_types(io_filler *f)
{
    karp_reader *reader = f->reader;
    if (f->types || reader->catalogue_count == 0) return true;
    f->types = karp_alloc(reader->context, reader->catalogue_count * sizeof *f->types);
    if (!f->types) return false;
    f->type_table_count = reader->catalogue_count;
    for (size_t i = 0; i < f->type_table_count; i++) io_table_init(&f->types[i], &f->arena);
    for (size_t i = 0; i < f->type_table_count; i++) {
        const karp_catalogue *catalogue = reader->catalogues[i].catalogue;
        for (size_t k = 0; k < karp_catalogue_count(catalogue) && k < IO_NONE; k++) {
            if (!io_table_put(&f->types[i], karp_catalogue_type(catalogue, k)->name, (uint32_t)k)) return false;
        }
    }
    return true;
}

static bool serves(const io_given_catalogue *given, karp_str pool)
{
    if (given->pool_count == 0) return true;
    for (size_t i = 0; i < given->pool_count; i++) {
        if (io_str_equal(given->pools[i], pool)) return true;
    }
    return false;
}

/* The type of that name in the pool's catalogues, else in any. */
static const karp_catalogue *find_type(const io_filler *f, karp_str pool, karp_str name, size_t *index)
{
    for (int any = 0; any < 2; any++) {
        for (size_t i = 0; i < f->type_table_count; i++) {
            const io_given_catalogue *given = &f->reader->catalogues[i];
            uint32_t at = any || serves(given, pool) ? io_table_get(&f->types[i], name) : IO_NONE;
            if (at == IO_NONE) continue;
            *index = at;
            return given->catalogue;
        }
    }
    return NULL;
}

static bool default_resources(json_t *status, const char *name, const karp_resource *list, size_t count)
{
    if (io_get(status, name)) return true;
    json_t *map = io_map();
    bool ok = map != NULL;
    for (size_t i = 0; ok && i < count; i++) ok = set_str(map, list[i].name, list[i].text);
    ok = ok && json_object_set(status, name, map) == 0;
    json_decref(map);
    return ok;
}

static bool default_labels(json_t *labels, const karp_requirement *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].op != KARP_OP_IN || list[i].value_count != 1) continue;
        if (json_object_get(labels, list[i].key.ptr)) continue;
        if (!set_str(labels, list[i].key, list[i].values[0])) return false;
    }
    return true;
}

static bool allows(const karp_offering *offering, const json_t *labels)
{
    for (size_t i = 0; i < offering->requirement_count; i++) {
        const karp_requirement *r = &offering->requirements[i];
        const json_t *label = json_object_get(labels, r->key.ptr);
        if (!json_is_string(label)) continue;
        karp_str value = { json_string_value(label), json_string_length(label) };
        bool listed = false;
        for (size_t k = 0; k < r->value_count; k++) listed = listed || io_str_equal(r->values[k], value);
        if (r->op == KARP_OP_IN ? !listed : r->op == KARP_OP_NOT_IN ? listed : r->op == KARP_OP_DOES_NOT_EXIST)
            return false;
    }
    return true;
}

karp_status io_fill_from_type(io_filler *f, karp_str pool, json_t *labels, json_t *status)
{
    size_t index = 0;
    if (!build_types(f)) return io_reader_nomem(f->reader);
    karp_str name = io_get_text(labels, TYPE_LABEL);
    const karp_catalogue *catalogue = name.len ? find_type(f, pool, name, &index) : NULL;
    if (!catalogue) return KARP_OK;
    const karp_instance_type *type = karp_catalogue_type(catalogue, index);
    size_t count = 0;
    const karp_resource *allocatable = karp_catalogue_allocatable(catalogue, index, &count);
    bool ok = default_resources(status, "capacity", type->capacity, type->capacity_count) &&
              default_resources(status, "allocatable", allocatable, count) &&
              default_labels(labels, type->requirements, type->requirement_count);
    /* An offering's labels can be told only when no other fits what is known. */
    const karp_offering *only = NULL;
    size_t fitting = 0;
    for (size_t i = 0; ok && i < type->offering_count; i++) {
        if (!allows(&type->offerings[i], labels)) continue;
        only = &type->offerings[i];
        fitting++;
    }
    if (ok && fitting == 1) ok = default_labels(labels, only->requirements, only->requirement_count);
    return ok ? KARP_OK : io_reader_nomem(f->reader);
}

/* ---- NodeClaim --------------------------------------------------------------------------------------------------- */

static bool share_default(json_t *into, const json_t *from, const char *name)
{
    json_t *value = io_get(from, name);
    return !value || io_get(into, name) || json_object_set(into, name, value) == 0;
}

/* Whether a claim that was initialised at `since` may be consolidated, as the claim's controller would say. */
static bool consolidatable(const io_filler *f, const json_t *pool, const json_t *claim, int64_t since)
{
    karp_str after = io_get_text(io_get(io_get(pool, "spec"), "disruption"), "consolidateAfter");
    int64_t window = 0, event = 0;
    if (!pool || io_get(io_get(pool, "spec"), "replicas") || karp_duration_parse(after, &window)) return false;
    karp_str stated = io_get_text(io_get(claim, "status"), "lastPodEventTime");
    if (stated.len && karp_time_parse(stated, &event) == KARP_OK) since = event;
    if (window == 0 || since == KARP_NO_TIME) return true;
    return since < f->reader->now && (uint64_t)f->reader->now - (uint64_t)since >= (uint64_t)window;
}

static bool claim_conditions(const io_filler *f, const json_t *pool, json_t *claim, json_t *status, bool has_node)
{
    if (json_array_size(io_get(status, "conditions"))) return true;
    json_t *list = io_list();
    int64_t when = io_creation(claim);
    bool ok = list && io_add_condition(list, "Launched", "True", "Launched", when);
    if (ok && has_node) {
        ok = io_add_condition(list, "Registered", "True", "Registered", when) &&
             io_add_condition(list, "Initialized", "True", "Initialized", when) &&
             io_add_condition(list, "Ready", "True", "Ready", when);
        if (ok && consolidatable(f, pool, claim, when))
            ok = io_add_condition(list, "Consolidatable", "True", "Consolidatable", when);
    }
    ok = ok && json_object_set(status, "conditions", list) == 0;
    json_decref(list);
    return ok;
}

/* What the pool's template gives every claim. */
static bool claim_from_pool(const json_t *pool, json_t *claim)
{
    json_t *spec = io_get_or_make(claim, "spec"), *metadata = io_get(claim, "metadata");
    if (!spec) return false;
    const json_t *template_ = io_get(io_get(pool, "spec"), "template");
    const json_t *inner = io_get(template_, "spec"), *given = io_get(template_, "metadata");
    static const char *const shared[] = { "nodeClassRef",  "requirements",           "taints",
                                          "startupTaints", "terminationGracePeriod", "expireAfter" };
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        if (!share_default(spec, inner, shared[i])) return false;
    }
    json_t *labels = io_get(given, "labels"), *own = io_get_or_make(metadata, "labels");
    if (!own || (labels && json_object_update_missing(own, labels) != 0)) return false;
    return io_default_text(spec, "expireAfter", "720h") && fill_reference(spec);
}

static karp_status finish_claim(io_filler *f, json_t *claim, const json_t *node, const io_place *place)
{
    const io_kind_info *info = io_kind_find(io_str("karpenter.sh/v1"), io_str("NodeClaim"));
    json_t *metadata = io_get(claim, "metadata"), *status = io_get_or_make(claim, "status");
    const json_t *node_status = io_get(node, "status");
    const json_t *pool = pool_of(f, io_get(metadata, "labels"));
    bool ok = status && claim_from_pool(pool, claim);
    if (ok && node) {
        ok = io_default_str(status, "nodeName", io_get_text(io_get(node, "metadata"), "name")) &&
             io_default_str(status, "providerID", io_get_text(io_get(node, "spec"), "providerID")) &&
             share_default(status, node_status, "capacity") && share_default(status, node_status, "allocatable");
    }
    ok = ok && claim_conditions(f, pool, claim, status, node != NULL);
    if (!ok) return io_reader_nomem(f->reader);
    karp_status result = KARP_OK;
    if (!io_get(status, "capacity") || !io_get(status, "allocatable")) {
        result = io_fill_from_type(f, io_get_text(io_get(metadata, "labels"), POOL_LABEL), io_get(metadata, "labels"),
                                   status);
    }
    return result ? result : io_add_filled(f->reader, info, claim, place);
}

static bool own_provider(json_t *object, karp_str name)
{
    if (io_get_text(object, "providerID").len) return true;
    char id[320] = "karp://";
    io_error_text(id + strlen(id), sizeof id - strlen(id), name);
    return io_set(object, "providerID", json_string(id));
}

/* The claim that a managed node without one must have had. */
static karp_status invent_claim(io_filler *f, const json_t *node, const io_place *place)
{
    static const char *const of_the_node[] = { REGISTERED_LABEL, INITIALIZED_LABEL, HOSTNAME_LABEL };
    const json_t *metadata = io_get(node, "metadata");
    karp_str name = io_get_text(metadata, "name");
    const io_kind_info *info = io_kind_find(io_str("karpenter.sh/v1"), io_str("NodeClaim"));
    json_t *claim = io_new_object("karpenter.sh/v1", "NodeClaim", nothing, name);
    json_t *own = io_get(claim, "metadata"), *labels = json_copy(io_get(metadata, "labels"));
    bool ok = claim && labels && json_object_set(own, "labels", labels) == 0 &&
              share_default(own, metadata, "annotations") && share_default(own, metadata, "creationTimestamp") &&
              io_identify(f, info, claim);
    for (size_t i = 0; ok && i < 3; i++) (void)json_object_del(labels, of_the_node[i]);
    json_decref(labels);
    karp_status status = ok ? finish_claim(f, claim, node, place) : io_reader_nomem(f->reader);
    json_decref(claim);
    return status;
}

/* The Node that belongs to a claim: the one it names, or the one of its name. NULL: none, or failed. */
static json_t *node_of_claim(io_filler *f, const json_t *claim)
{
    const json_t *metadata = io_get(claim, "metadata");
    karp_str names[2] = { io_get_text(io_get(claim, "status"), "nodeName"), io_get_text(metadata, "name") };
    for (size_t i = 0; i < 2; i++) {
        uint32_t number = names[i].len ? io_find(f->reader, "Node", nothing, names[i]) : IO_NONE;
        if (number < f->reader->waiting_count) return io_waiting_tree(f->reader, &f->reader->waiting[number]);
    }
    return NULL;
}

karp_status io_fill_and_add_node_claim(io_filler *f, json_t *tree, const io_place *place)
{
    const io_kind_info *info = io_kind_find(io_str("karpenter.sh/v1"), io_str("NodeClaim"));
    if (!f->fill) return io_add_filled(f->reader, info, tree, place);
    json_t *status = io_get_or_make(tree, "status");
    karp_str name = io_get_text(io_get(tree, "metadata"), "name");
    json_t *node = io_get_text(status, "providerID").len ? NULL : node_of_claim(f, tree);
    /* A registered claim says so itself; only one that says nothing is judged by its node. */
    bool silent = !json_array_size(io_get(status, "conditions"));
    if (!node && silent) node = node_of_claim(f, tree);
    bool ok = status &&
              (!node || own_provider(io_get_or_make(node, "spec"), io_get_text(io_get(node, "metadata"), "name")));
    if (ok && !node) ok = own_provider(status, name);
    karp_status result = ok ? finish_claim(f, tree, node, place) : io_reader_nomem(f->reader);
    json_decref(node);
    return result;
}

/* ---- Node -------------------------------------------------------------------------------------------------------- */

static bool has_taint(const json_t *list, karp_str key, karp_str effect)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *taint = json_array_get(list, i);
        if (io_str_equal(io_get_text(taint, "key"), key) && io_str_equal(io_get_text(taint, "effect"), effect))
            return true;
    }
    return false;
}

static json_t *taints_of(json_t *spec)
{
    json_t *list = io_get(spec, "taints");
    if (list) return list;
    list = io_list();
    return io_set(spec, "taints", list) ? list : NULL;
}

static bool cordon_taint(json_t *spec)
{
    karp_str key = io_str("node.kubernetes.io/unschedulable"), effect = io_str("NoSchedule");
    if (!json_is_true(io_get(spec, "unschedulable"))) return true;
    json_t *list = taints_of(spec);
    if (!list || has_taint(list, key, effect)) return list != NULL;
    json_t *taint = io_map();
    bool ok = taint && io_set(taint, "key", io_text_value(key)) && io_set(taint, "effect", io_text_value(effect)) &&
              json_array_append(list, taint) == 0;
    json_decref(taint);
    return ok;
}

/* A sketch has what its pool puts on every node. */
static bool sketch_from_pool(const json_t *pool, json_t *labels, json_t *spec)
{
    const json_t *template_ = io_get(io_get(pool, "spec"), "template");
    json_t *given = io_get(io_get(template_, "metadata"), "labels");
    const json_t *taints = io_get(io_get(template_, "spec"), "taints");
    if (given && json_object_update_missing(labels, given) != 0) return false;
    for (size_t i = 0; i < json_array_size(taints); i++) {
        json_t *taint = json_array_get(taints, i), *list = taints_of(spec);
        if (!list) return false;
        if (has_taint(list, io_get_text(taint, "key"), io_get_text(taint, "effect"))) continue;
        if (json_array_append(list, taint) != 0) return false;
    }
    return true;
}

/* What the claim of the input says of its node: registered and initialised unless its conditions deny it. */
static bool claim_labels(io_filler *f, uint32_t number, json_t *labels, json_t *spec)
{
    json_t *claim = number < f->reader->waiting_count ? io_waiting_tree(f->reader, &f->reader->waiting[number]) : NULL;
    if (!claim) return false;
    const json_t *status = io_get(claim, "status"), *conditions = io_get(status, "conditions");
    bool silent = !json_array_size(conditions);
    bool registered = silent || io_str_is(io_condition_status(conditions, "Registered"), "True");
    bool initialized = silent || io_str_is(io_condition_status(conditions, "Initialized"), "True");
    karp_str id = io_get_text(status, "providerID"),
             pool = io_get_text(io_get(io_get(claim, "metadata"), "labels"), POOL_LABEL);
    bool ok = (!registered || io_default_text(labels, REGISTERED_LABEL, "true")) &&
              (!initialized || io_default_text(labels, INITIALIZED_LABEL, "true")) &&
              (pool.len == 0 || !registered || io_default_str(labels, POOL_LABEL, pool)) &&
              (id.len == 0 || io_get_text(spec, "providerID").len || io_set(spec, "providerID", io_text_value(id)));
    json_decref(claim);
    return ok;
}

static bool node_status(json_t *tree, json_t *status)
{
    json_t *capacity = io_get(status, "capacity"), *allocatable = io_get(status, "allocatable");
    if (capacity && !allocatable && json_object_set(status, "allocatable", capacity) != 0) return false;
    if (allocatable && !capacity && json_object_set(status, "capacity", allocatable) != 0) return false;
    if (json_array_size(io_get(status, "conditions"))) return true;
    json_t *list = io_list();
    bool ok = list && io_add_condition(list, "Ready", "True", "KubeletReady", io_creation(tree)) &&
              json_object_set(status, "conditions", list) == 0;
    json_decref(list);
    return ok;
}

karp_status io_fill_and_add_node(io_filler *f, json_t *tree, const io_place *place)
{
    karp_reader *reader = f->reader;
    const io_kind_info *info = io_kind_find(io_str("v1"), io_str("Node"));
    if (!f->fill) return io_add_filled(reader, info, tree, place);
    json_t *metadata = io_get(tree, "metadata");
    json_t *labels = io_get_or_make(metadata, "labels"), *spec = io_get_or_make(tree, "spec"),
           *status = io_get_or_make(tree, "status");
    if (!labels || !spec || !status) return io_reader_nomem(reader);
    karp_str name = io_get_text(metadata, "name"), id = io_get_text(spec, "providerID");
    uint32_t claim = id.len ? io_table_get(&f->claim_providers, id) : IO_NONE;
    if (claim == IO_NONE) claim = io_table_get(&f->claim_nodes, name);
    bool managed = claim != IO_NONE || io_get_text(labels, POOL_LABEL).len > 0;
    bool sketch = !io_get(status, "capacity") && !io_get(status, "allocatable");
    const json_t *pool = pool_of(f, labels);
    bool ok = io_default_str(labels, HOSTNAME_LABEL, name) && cordon_taint(spec);
    if (ok && claim != IO_NONE) ok = claim_labels(f, claim, labels, spec);
    if (ok && managed && claim == IO_NONE) {
        ok = io_default_text(labels, REGISTERED_LABEL, "true") && io_default_text(labels, INITIALIZED_LABEL, "true");
    }
    if (ok && sketch && pool) ok = sketch_from_pool(pool, labels, spec);
    ok = ok && own_provider(spec, name);
    if (!ok) return io_reader_nomem(reader);
    karp_status result = sketch ? io_fill_from_type(f, io_get_text(labels, POOL_LABEL), labels, status) : KARP_OK;
    if (result == KARP_OK && !node_status(tree, status)) result = io_reader_nomem(reader);
    if (result == KARP_OK) result = io_add_filled(reader, info, tree, place);
    if (result == KARP_OK && managed && claim == IO_NONE) result = invent_claim(f, tree, place);
    return result;
}
