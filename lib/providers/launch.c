/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/launch.h>

#include <karp/inspect.h>
#include <karp/library.h>
#include <karp/values.h>
#include <providers/provider.h>

/* ---- candidates -------------------------------------------------------------------------------------------------- */

const karp_offering *launch_offering(const karp_provider_launch *launch, karp_provider_candidate candidate)
{
    return &launch->types[candidate.type]->offerings[candidate.offering];
}

karp_str launch_label(const karp_offering *offering, const char *key)
{
    return requirement_single(offering->requirements, offering->requirement_count, key);
}

karp_str launch_capacity_type(const karp_offering *offering) { return launch_label(offering, LABEL_CAPACITY_TYPE); }

karp_str launch_first_capacity_type(const karp_provider_launch *launch)
{
    static const karp_str order[] = { TEXT("reserved"), TEXT("spot"), TEXT("on-demand") };
    const karp_str key = TEXT(LABEL_CAPACITY_TYPE);
    bool there[3] = { false, false, false };
    for (size_t i = 0; i < launch->candidate_count; i++) {
        const karp_offering *o = launch_offering(launch, launch->candidates[i]);
        for (size_t k = 0; k < 3 && launch->candidates[i].usable; k++) {
            if (!there[k] && equal_str(launch_capacity_type(o), order[k])) there[k] = true;
        }
    }
    for (size_t k = 0; k < 3; k++) {
        if (there[k] && requirements_allow(launch->requirements, launch->requirement_count, key, order[k]))
            return order[k];
    }
    return (karp_str){ "", 0 };
}

static int compare_offers(const karp_provider_launch *launch, karp_provider_candidate a, karp_provider_candidate b)
{
    const karp_offering *x = launch_offering(launch, a), *y = launch_offering(launch, b);
    if (x->price != y->price) return x->price < y->price ? -1 : 1;
    int order = compare_str(launch->types[a.type]->name, launch->types[b.type]->name);
    if (order) return order;
    return compare_str(launch_label(x, LABEL_ZONE), launch_label(y, LABEL_ZONE));
}

bool launch_cheapest(const karp_provider_launch *launch, karp_provider_candidate *out)
{
    bool found = false;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        karp_provider_candidate c = launch->candidates[i];
        if (!c.usable || !equal_str(launch_capacity_type(launch_offering(launch, c)), launch->capacity_type)) continue;
        if (!found || compare_offers(launch, c, *out) < 0) *out = c;
        found = true;
    }
    return found;
}

/* ---- filling a launch -------------------------------------------------------------------------------------------- */

/* Whether the amounts are exactly equal; false also if one of them is invalid. */
static bool holds(const karp_resource *have, size_t have_count, const karp_resource *want)
{
    int32_t order = 0;
    karp_str zero = TEXT("0"), amount = zero;
    for (size_t i = 0; i < have_count; i++) {
        if (equal_str(have[i].name, want->name)) amount = have[i].text;
    }
    return karp_quantity_compare(amount, want->text, &order) == KARP_OK && order >= 0;
}

static bool fits(const karp_resource *have, size_t have_count, const karp_provider_launch *launch)
{
    for (size_t i = 0; i < launch->request_count; i++) {
        if (!holds(have, have_count, &launch->requests[i])) return false;
    }
    return true;
}

/* A catalogue with only this type, with the overrides of one offering applied. The amounts are computed as for any
 * type. */
static karp_status alone(karp_context *context, const karp_instance_type *type, const karp_offering *o,
                         karp_catalogue **out, karp_error *error)
{
    size_t count = type->capacity_count, bytes = (count + o->capacity_override_count + 1) * sizeof(karp_resource);
    karp_resource *capacity = karp_alloc(context, bytes);
    if (!capacity) return fail_nomem(error);
    if (count) memcpy(capacity, type->capacity, count * sizeof *capacity);
    for (size_t i = 0; i < o->capacity_override_count; i++) {
        size_t at = 0;
        while (at < count && !equal_str(capacity[at].name, o->capacity_override[i].name)) at++;
        capacity[at] = o->capacity_override[i];
        if (at == count) count++;
    }
    karp_instance_type one = { .size = sizeof one, .name = type->name, .capacity = capacity, .capacity_count = count };
    one.overhead = o->overhead_override ? *o->overhead_override : type->overhead;
    karp_status status = karp_catalogue_new(context, &one, 1, out, error);
    karp_free(context, capacity, bytes);
    return status;
}

static karp_status fits_overridden(karp_context *context, const karp_instance_type *type, const karp_offering *o,
                                   const karp_provider_launch *launch, bool *out, karp_error *error)
{
    karp_catalogue *one = NULL;
    size_t have;
    karp_status status = alone(context, type, o, &one, error);
    if (status) return status;
    const karp_resource *allocatable = karp_catalogue_allocatable(one, 0, &have);
    *out = fits(allocatable, have, launch);
    karp_catalogue_unref(one);
    return KARP_OK;
}

/* Adds the offerings of a type if at least one is usable. */
static karp_status add_type(karp_context *context, const karp_catalogue *catalogue, uint32_t index,
                            karp_provider_launch *launch, karp_error *error)
{
    size_t have, before = launch->candidate_count;
    const karp_instance_type *type = launch->types[index];
    const karp_resource *allocatable = karp_catalogue_allocatable(catalogue, index, &have);
    if (!requirements_agree(launch->requirements, launch->requirement_count, type->requirements,
                            type->requirement_count))
        return KARP_OK;
    bool plain = fits(allocatable, have, launch), any = false;
    for (size_t i = 0; i < type->offering_count; i++) {
        const karp_offering *o = &type->offerings[i];
        bool full = str_is(launch_capacity_type(o), "reserved") && o->reservation_capacity <= 0;
        bool usable = o->available && !full &&
                      requirements_agree(launch->requirements, launch->requirement_count, o->requirements,
                                         o->requirement_count);
        if (usable && (o->has_capacity_override || o->overhead_override)) {
            karp_status status = fits_overridden(context, type, o, launch, &usable, error);
            if (status) return status;
        } else {
            usable = usable && plain;
        }
        any = any || usable;
        launch->candidates[launch->candidate_count++] = (karp_provider_candidate){ index, (uint32_t)i, usable, 0 };
    }
    if (!any) launch->candidate_count = before;
    return KARP_OK;
}

static karp_status fill(karp_provider *p, const karp_catalogue *catalogue, const karp_provider_memory *memory,
                        karp_provider_launch *launch, karp_error *error)
{
    size_t count = karp_catalogue_count(catalogue), offerings = 0;
    scratch s;
    scratch_init_on(&s, memory);
    const karp_instance_type **types = scratch_array(&s, count, sizeof *types);
    for (size_t i = 0; i < count && !s.failed; i++) {
        types[i] = karp_catalogue_type(catalogue, i);
        offerings += types[i]->offering_count;
    }
    launch->candidates = scratch_array(&s, offerings, sizeof *launch->candidates);
    launch->candidate_count = 0;
    launch->types = types;
    launch->type_count = count;
    if (s.failed) return fail_nomem(error);
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++)
        status = add_type(p->context, catalogue, (uint32_t)i, launch, error);
    return status;
}

/* Rejects invalid requests, which otherwise would never fit any type, without an error. */
static karp_status check_requests(const karp_provider_launch *launch, karp_error *error)
{
    for (size_t i = 0; i < launch->request_count; i++) {
        const karp_resource *r = &launch->requests[i];
        if (r->text.ptr && karp_quantity_check(r->text) == KARP_OK) continue;
        return provider_fail(error, KARP_E_INVALID, "requests", "%.*s is not a quantity in text",
                             str_shown(r->name, 80), r->name.len ? r->name.ptr : "");
    }
    return KARP_OK;
}

/* ---- the plugin's part ------------------------------------------------------------------------------------------- */

/* Whether the candidates are a subsequence of those before: a filter may only remove some. */
static bool is_part(const karp_provider_launch *launch, const karp_provider_candidate *before, size_t before_count)
{
    size_t at = 0;
    if (launch->candidate_count > before_count) return false;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        while (at < before_count && memcmp(&before[at], &launch->candidates[i], sizeof *before) != 0) at++;
        if (at++ == before_count) return false;
    }
    return true;
}

static karp_status no_capacity(karp_provider *p, karp_error *error)
{
    karp_provider_problem *problem = provider_new_problem(p);
    return provider_answer(
        p, provider_problem(problem, KARP_PROVIDER_NO_CAPACITY, "", "no instance type is available for it"), error);
}

static karp_status filter(karp_provider *p, const karp_provider_class *node_class, const karp_provider_memory *memory,
                          karp_provider_launch *launch, karp_error *error)
{
    if (launch->candidate_count == 0) return no_capacity(p, error);
    if (!p->plugin.filter_launch) {
        launch->capacity_type = launch_first_capacity_type(launch);
        return KARP_OK;
    }
    scratch s;
    size_t count = launch->candidate_count;
    scratch_init_on(&s, memory);
    karp_provider_candidate *before = scratch_array(&s, count, sizeof *before);
    if (s.failed) return fail_nomem(error);
    memcpy(before, launch->candidates, count * sizeof *before);
    uint32_t kind = p->plugin.filter_launch(p->handle, provider_class_data(node_class), memory, launch,
                                            provider_new_problem(p));
    karp_status status = provider_answer(p, kind, error);
    if (status) return status;
    if (launch->candidate_count == 0) return no_capacity(p, error);
    return is_part(launch, before, count) ? KARP_OK : provider_bad_answer(p, error, "candidates that it was not given");
}

karp_status karp_provider_launch_filter(karp_provider *provider, const karp_provider_class *node_class,
                                        const karp_provider_memory *memory, karp_provider_launch *launch,
                                        karp_error *error)
{
    if (!provider || !memory || !launch) return fail_null(error, "provider, memory or launch");
    karp_catalogue *catalogue = NULL;
    karp_provider_launch own;
    karp_status status = provider_launch_check(launch, &own, error);
    if (status == KARP_OK) status = check_requests(&own, error);
    if (status == KARP_OK) status = karp_provider_catalogue(provider, node_class, &catalogue, error);
    if (status == KARP_OK) status = memory_keep_catalogue(memory, catalogue, error);
    if (status == KARP_OK) status = fill(provider, catalogue, memory, &own, error);
    if (status == KARP_OK) status = filter(provider, node_class, memory, &own, error);
    return status ? status : struct_give(launch, &own, sizeof own, FIRST_PROVIDER_LAUNCH);
}

static karp_status check_candidate(const karp_provider *p, const karp_provider_launch *launch,
                                   karp_provider_candidate c, karp_error *error)
{
    if (c.type < launch->type_count && c.offering < launch->types[c.type]->offering_count) return KARP_OK;
    return provider_fail(error, KARP_E_INVALID, "", "provider %s: there is no candidate %u, %u", p->plugin.name, c.type,
                         c.offering);
}

karp_status karp_provider_launch_pick(karp_provider *provider, const karp_provider_class *node_class,
                                      const karp_provider_launch *given, karp_provider_candidate *out,
                                      karp_error *error)
{
    if (!provider || !given || !out) return fail_null(error, "provider, launch or out");
    karp_provider_launch own;
    const karp_provider_launch *launch = &own;
    karp_status status = provider_launch_check(given, &own, error);
    if (status) return status;
    karp_provider_candidate picked = { 0, 0, 0, 0 };
    if (!provider->plugin.pick) {
        if (!launch_cheapest(launch, &picked)) return no_capacity(provider, error);
        *out = picked;
        return KARP_OK;
    }
    uint32_t kind = provider->plugin.pick(provider->handle, provider_class_data(node_class), launch, &picked,
                                          provider_new_problem(provider));
    status = provider_answer(provider, kind, error);
    if (status) return status;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        if (launch->candidates[i].type != picked.type || launch->candidates[i].offering != picked.offering) continue;
        *out = launch->candidates[i];
        return KARP_OK;
    }
    return provider_bad_answer(provider, error, "a candidate that it was not given");
}

void launch_set_label(karp_label *list, size_t *count, karp_str key, karp_str value)
{
    size_t at = 0;
    while (at < *count && !equal_str(list[at].key, key)) at++;
    list[at] = (karp_label){ key, value };
    if (at == *count) ++*count;
}

static void set_settled(karp_label *list, size_t *count, const karp_requirement *requirements, size_t requirement_count)
{
    for (size_t i = 0; i < requirement_count; i++) {
        const karp_requirement *r = &requirements[i];
        if (r->op == KARP_OP_IN && r->value_count == 1) launch_set_label(list, count, r->key, r->values[0]);
    }
}

size_t launch_labels(const karp_instance_type *type, const karp_offering *o, karp_label *list)
{
    size_t count = 0;
    set_settled(list, &count, type->requirements, type->requirement_count);
    set_settled(list, &count, o->requirements, o->requirement_count);
    return count;
}

/* A node with all labels that have a single value: those of the type, then those of the offering. */
static karp_status plain_node(const karp_instance_type *type, const karp_offering *o,
                              const karp_provider_memory *memory, karp_provider_node *node, karp_error *error)
{
    scratch s;
    scratch_init_on(&s, memory);
    karp_label *labels = scratch_array(&s, type->requirement_count + o->requirement_count, sizeof *labels);
    if (s.failed) return fail_nomem(error);
    node->instance_type = type->name;
    node->labels = labels;
    node->label_count = launch_labels(type, o, labels);
    return KARP_OK;
}

/* Fills in amounts that the plugin leaves to the host. They live as long as the memory. */
static karp_status fill_amounts(karp_context *context, const karp_instance_type *type, const karp_offering *o,
                                const karp_provider_memory *memory, karp_provider_node *node, karp_error *error)
{
    karp_catalogue *one = NULL;
    if (node->capacity && node->allocatable) return KARP_OK;
    karp_status status = alone(context, type, o, &one, error);
    if (status == KARP_OK) status = memory_keep_catalogue(memory, one, error);
    if (status) return status;
    const karp_instance_type *as_it_is = karp_catalogue_type(one, 0);
    if (!node->capacity) {
        node->capacity = as_it_is->capacity;
        node->capacity_count = as_it_is->capacity_count;
    }
    if (!node->allocatable) node->allocatable = karp_catalogue_allocatable(one, 0, &node->allocatable_count);
    return KARP_OK;
}

karp_status karp_provider_launch_node(karp_provider *provider, const karp_provider_class *node_class,
                                      const karp_provider_launch *given, karp_provider_candidate candidate,
                                      const karp_provider_memory *memory, karp_provider_node *node, karp_error *error)
{
    if (!provider || !given || !memory || !node) return fail_null(error, "provider, launch, memory or node");
    karp_provider_launch own;
    const karp_provider_launch *launch = &own;
    karp_status status = provider_launch_check(given, &own, error);
    if (status == KARP_OK) status = provider_node_check_size(node, error);
    if (status == KARP_OK) status = check_candidate(provider, launch, candidate, error);
    if (status) return status;
    const karp_instance_type *type = launch->types[candidate.type];
    const karp_offering *o = launch_offering(launch, candidate);
    karp_provider_node made = { .size = sizeof made, .launched = KARP_NO_TIME };
    if (!provider->plugin.node) {
        status = plain_node(type, o, memory, &made, error);
    } else {
        uint32_t kind = provider->plugin.node(provider->handle, provider_class_data(node_class), launch, candidate,
                                              memory, &made, provider_new_problem(provider));
        status = provider_answer(provider, kind, error);
    }
    if (status == KARP_OK) status = fill_amounts(provider->context, type, o, memory, &made, error);
    return status ? status : provider_node_give(node, &made);
}
