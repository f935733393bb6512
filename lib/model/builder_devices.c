/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of dynamic resource allocation, and the names of a pod's resource claims. */
#include <model/builder.h>

#include <base/error.h>

/* ---- slices and classes ------------------------------------------------------------------------------------------ */

/* The Node that publishes the slice. */
static uint32_t owner_node(adding *a, const karp_meta *meta)
{
    if (!copy_has(&a->c, meta->owners, meta->owner_count)) return NO_ID;
    for (size_t i = 0; i < meta->owner_count; i++) {
        if (meta->owners[i].kind.ptr != NULL && equal_str(meta->owners[i].kind, str("Node")))
            return copy_name(a, meta->owners[i].name);
    }
    return NO_ID;
}

karp_status karp_builder_add_resource_slice(karp_builder *builder, const karp_resource_slice *given, karp_error *error)
{
    karp_resource_slice own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_RESOURCE_SLICE, given, &own, error);
    if (status != KARP_OK) return status;
    resource_slice s = { .meta = copy_meta(&a, &own.meta),
                         .generation = own.generation,
                         .slice_count = own.slice_count };
    s.owner = owner_node(&a, &own.meta);
    s.node = own.node_name.len > 0 ? copy_name(&a, own.node_name) : NO_ID;
    s.driver = copy_text(&a.c, own.driver);
    s.pool = copy_text(&a.c, own.pool);
    s.has_selector = own.has_node_selector != 0;
    s.all_nodes = own.all_nodes != 0;
    s.terms = copy_node_terms(&a.c, "spec.nodeSelector.nodeSelectorTerms", own.node_terms, own.node_term_count);
    s.devices = copy_devices(&a.c, own.devices, own.device_count);
    s.counters = copy_counter_sets(&a.c, "sharedCounters", own.shared_counters, own.shared_counter_count);
    return adding_finish(&a, &builder->s.slices, &s, sizeof s);
}

karp_status karp_builder_add_device_class(karp_builder *builder, const karp_device_class *given, karp_error *error)
{
    karp_device_class own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_DEVICE_CLASS, given, &own, error);
    if (status != KARP_OK) return status;
    device_class d = { .meta = copy_meta(&a, &own.meta) };
    path_enter(&a.c, "spec.selectors");
    d.selectors = copy_texts(&a.c, own.selectors, own.selector_count, &d.selector_count);
    d.extended = copy_text(&a.c, own.extended_resource);
    return adding_finish(&a, &builder->s.device_classes, &d, sizeof d);
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

/* "request/alternative" */
static uint32_t joined_name(adding *a, karp_str request, karp_str alternative)
{
    size_t bytes;
    char *text = NULL;
    if (a->c.status != KARP_OK) return NO_TEXT;
    if (size_add(request.len, alternative.len, &bytes) && size_add(bytes, 1, &bytes))
        text = arena_alloc_aligned(&a->b->scratch, bytes, 1);
    if (text == NULL) {
        copy_refuse(&a->c);
        return NO_TEXT;
    }
    if (request.len > 0) memcpy(text, request.ptr, request.len);
    text[request.len] = '/';
    if (alternative.len > 0) memcpy(text + request.len + 1, alternative.ptr, alternative.len);
    return copy_text(&a->c, (karp_str){ text, bytes });
}

static void read_request(adding *a, const karp_device_request *given, const karp_device_request *parent,
                         device_request *out)
{
    copier *c = &a->c;
    out->name = copy_text(c, given->name);
    out->full_name = parent != NULL ? joined_name(a, parent->name, given->name) : out->name;
    out->exact = given->exact != 0 || parent != NULL;
    if (!out->exact) return;
    out->class_ = copy_name(a, given->device_class);
    out->selectors = copy_texts(c, given->selectors, given->selector_count, &out->selector_count);
    out->capacity = copy_shares(c, given->capacity, given->capacity_count);
    out->all = given->mode == KARP_ALLOCATE_ALL;
    out->count = out->all ? 0 : given->count;
    if (c->status != KARP_OK) return;
    if (given->mode > KARP_ALLOCATE_ALL)
        copy_blame(c, fail(c->error, KARP_E_INVALID, "unknown mode %u", (unsigned)given->mode), NULL);
    else if (out->count < 0) copy_blame(c, fail(c->error, KARP_E_INVALID, "the count must not be negative"), NULL);
}

static void read_requests(adding *a, const karp_resource_claim *given, resource_claim *out)
{
    copier *c = &a->c;
    path_enter(c, "spec.devices.requests");
    device_request *items = copy_alloc_list(c, given->requests, given->request_count, sizeof *items);
    for (size_t i = 0; items != NULL && i < given->request_count && c->status == KARP_OK; i++) {
        const karp_device_request *r = &given->requests[i];
        path_at(c, i);
        read_request(a, r, NULL, &items[i]);
        if (items[i].exact) continue;
        device_request *alternatives = copy_alloc_list(c, r->alternatives, r->alternative_count, sizeof *alternatives);
        for (size_t k = 0; alternatives != NULL && k < r->alternative_count && c->status == KARP_OK; k++)
            read_request(a, &r->alternatives[k], r, &alternatives[k]);
        items[i].alternatives = alternatives;
        items[i].alternative_count = alternatives != NULL ? (uint32_t)r->alternative_count : 0;
    }
    path_leave(c);
    out->requests = items;
    out->request_count = items != NULL ? (uint32_t)given->request_count : 0;
}

static void read_constraints(copier *c, const karp_resource_claim *given, resource_claim *out)
{
    path_enter(c, "spec.devices.constraints");
    device_constraint *items = copy_alloc_list(c, given->constraints, given->constraint_count, sizeof *items);
    for (size_t i = 0; items != NULL && i < given->constraint_count && c->status == KARP_OK; i++) {
        path_at(c, i);
        items[i].requests = copy_texts(c, given->constraints[i].requests, given->constraints[i].request_count,
                                       &items[i].request_count);
        items[i].attribute = copy_text(c, given->constraints[i].match_attribute);
    }
    path_leave(c);
    out->constraints = items;
    out->constraint_count = items != NULL ? (uint32_t)given->constraint_count : 0;
}

static void read_allocation(copier *c, const karp_resource_claim *given, resource_claim *out)
{
    out->allocated = given->allocated != 0;
    if (!out->allocated) return;
    out->terms = copy_node_terms(c, "status.allocation.nodeSelector.nodeSelectorTerms", given->node_terms,
                                 given->node_term_count);
    path_enter(c, "status.allocation.devices.results");
    allocated_device *items = copy_alloc_list(c, given->results, given->result_count, sizeof *items);
    for (size_t i = 0; items != NULL && i < given->result_count && c->status == KARP_OK; i++) {
        const karp_allocated_device *r = &given->results[i];
        path_at(c, i);
        copy_reserved(c, r->reserved, "karp_allocated_device");
        items[i].driver = copy_text(c, r->device.driver);
        items[i].pool = copy_text(c, r->device.pool);
        items[i].device = copy_text(c, r->device.device);
        items[i].has_consumed = r->has_consumed != 0;
        if (items[i].has_consumed) items[i].consumed = copy_shares(c, r->consumed, r->consumed_count);
    }
    path_leave(c);
    out->results = items;
    out->result_count = items != NULL ? (uint32_t)given->result_count : 0;
}

static void read_consumers(adding *a, const karp_resource_claim *given, resource_claim *out)
{
    copier *c = &a->c;
    path_enter(c, "status.reservedFor");
    uint32_t *uids = copy_alloc_list(c, given->reserved_for, given->reserved_for_count, sizeof *uids);
    out->pods_only = uids != NULL;
    for (size_t i = 0; uids != NULL && i < given->reserved_for_count; i++) {
        const karp_claim_consumer *r = &given->reserved_for[i];
        bool is_pod = r->api_group.len == 0 && r->resource.ptr != NULL && equal_str(r->resource, str("pods"));
        if (is_pod) uids[out->pod_uid_count++] = copy_name(a, r->uid);
        else out->pods_only = false;
    }
    out->pod_uids = uids;
    path_leave(c);
}

karp_status karp_builder_add_resource_claim(karp_builder *builder, const karp_resource_claim *given, karp_error *error)
{
    karp_resource_claim own;
    adding a;
    karp_status status = adding_open(&a, builder, KIND_RESOURCE_CLAIM, given, &own, error);
    if (status != KARP_OK) return status;
    resource_claim r = { .meta = copy_meta(&a, &own.meta) };
    copy_reserved(&a.c, own.reserved, "karp_resource_claim");
    read_requests(&a, &own, &r);
    read_constraints(&a.c, &own, &r);
    read_allocation(&a.c, &own, &r);
    read_consumers(&a, &own, &r);
    return adding_finish(&a, &builder->s.resource_claims, &r, sizeof r);
}

uint32_t intern_pod_claims(adding *a, const karp_pod *given)
{
    copier *c = &a->c;
    if (!copy_has(c, given->resource_claims, given->resource_claim_count)) return 0;
    uint32_t *names = arena_array(&a->b->scratch, given->resource_claim_count, sizeof *names);
    size_t count = 0;
    if (names == NULL) {
        copy_refuse(c);
        return 0;
    }
    for (size_t i = 0; i < given->resource_claim_count; i++) { /* a claim that was not generated requests nothing */
        copy_reserved(c, given->resource_claims[i].reserved, "karp_pod_claim");
        if (given->resource_claims[i].resource_claim_name.len > 0)
            names[count++] = copy_name(a, given->resource_claims[i].resource_claim_name);
    }
    if (c->status != KARP_OK) return 0;
    uint32_t id = words_add(&a->b->s.claim_names, names, count);
    if (id == NO_ID) copy_refuse(c);
    return id;
}
