/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/fit.h>

#include <base/error.h>
#include <math.h>
#include <model/copy.h>
#include <model/prepare.h>
#include <model/selector.h>

static label_list labels_of(copier *c, const karp_label *list, size_t count)
{
    path_enter(c, "labels");
    label_list out = copy_labels(c, list, count);
    path_leave(c);
    return out;
}

static void read_node(copier *c, const karp_fit_node *given, fit_source *out)
{
    copy_reserved(c, given->reserved != 0, "karp_fit_node");
    out->amounts = copy_resources(c, "free", given->free, given->free_count, false);
    out->labels = labels_of(c, given->labels, given->label_count);
    out->most = given->count != 0 ? given->count : 1;
    if (c->status != KARP_OK) error_set_object(c->error, "Node", (karp_str){ NULL, 0 }, given->name);
}

static void read_type(copier *c, const karp_fit_type *given, fit_source *out)
{
    copy_reserved(c, given->reserved != 0, "karp_fit_type");
    out->amounts = copy_resources(c, "resources", given->resources, given->resource_count, false);
    out->labels = labels_of(c, given->labels, given->label_count);
    out->most = given->max_nodes != 0 ? given->max_nodes : UINT64_MAX;
    out->least = given->min_nodes;
    out->price = given->price;
    if (c->status == KARP_OK && (!isfinite(given->price) || given->price < 0))
        copy_blame(c, fail(c->error, KARP_E_INVALID, "must be a finite number and not negative"), "price");
    if (c->status == KARP_OK && out->least > out->most)
        copy_blame(c, fail(c->error, KARP_E_INVALID, "is more than max_nodes"), "min_nodes");
    if (c->status != KARP_OK) error_set_object(c->error, "Type", (karp_str){ NULL, 0 }, given->name);
}

static void read_demand(copier *c, const karp_fit_demand *given, fit_demand *out)
{
    copy_reserved(c, given->reserved != 0, "karp_fit_demand");
    out->amounts = copy_resources(c, "requests", given->requests, given->request_count, false);
    if (given->selector != NULL && c->status == KARP_OK) {
        path_enter(c, "selector");
        out->selects = copy_selector(c, given->selector);
        if (c->status == KARP_OK && !selector_valid(out->selects)) {
            copy_blame(c,
                       fail(c->error, KARP_E_INVALID,
                            "matchExpressions must be In or NotIn with values, or Exists or DoesNotExist without"),
                       "matchExpressions");
        }
        path_leave(c);
    }
    out->count = given->count;
    out->most_per_node = given->max_per_node != 0 ? given->max_per_node : UINT64_MAX;
    out->group = given->group;
    out->priority = given->priority;
}

static void read_nodes(fit_input *in, copier *c, const karp_fit_request *r)
{
    path_enter(c, "nodes");
    if (copy_has(c, r->nodes, r->node_count)) {
        for (uint32_t i = 0; i < in->node_count && c->status == KARP_OK; i++) {
            path_at(c, i);
            read_node(c, &r->nodes[i], &in->sources[i]);
        }
    }
    path_leave(c);
}

static void read_types(fit_input *in, copier *c, const karp_fit_request *r)
{
    path_enter(c, "types");
    if (copy_has(c, r->types, r->type_count)) {
        for (uint32_t i = 0; i < in->source_count - in->node_count && c->status == KARP_OK; i++) {
            path_at(c, i);
            read_type(c, &r->types[i], &in->sources[in->node_count + i]);
        }
    }
    path_leave(c);
}

static void read_demands(fit_input *in, copier *c, const karp_fit_request *r)
{
    path_enter(c, "demands");
    if (copy_has(c, r->demands, r->demand_count)) {
        for (uint32_t i = 0; i < in->demand_count && c->status == KARP_OK; i++) {
            path_at(c, i);
            read_demand(c, &r->demands[i], &in->demands[i]);
        }
    }
    path_leave(c);
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

static const int64_t *vector(fit_input *in, const amount *units, resource_list list)
{
    int64_t *v = arena_array(&in->data, in->dims, sizeof *v);
    for (uint32_t i = 0; i < list.count && v != NULL; i++) {
        uint32_t r = list.items[i].resource;
        (void)amount_scale(list.items[i].value, units[r], &v[r]); /* units divide every amount */
    }
    return v;
}

/* The largest need / most over all resources. A resource that no source has makes the demand larger than all others. */
static void size_of(const fit_input *in, const int64_t *most, fit_demand *d)
{
    d->part = 0;
    d->whole = 1;
    for (uint32_t r = 0; r < in->dims; r++) {
        amount mine, best;
        if (d->need[r] == 0) continue;
        if (most[r] == 0) {
            d->part = 1;
            d->whole = 0;
            return;
        }
        (void)amount_mul(amount_from(d->need[r]), (uint64_t)d->whole, &mine); /* below 2^122 */
        (void)amount_mul(amount_from(d->part), (uint64_t)most[r], &best);
        if (amount_cmp(mine, best) <= 0) continue;
        d->part = d->need[r];
        d->whole = most[r];
    }
}

static karp_status make_vectors(fit_input *in, karp_error *error)
{
    in->dims = in->resources.count > 0 ? (uint32_t)in->resources.count : 1; /* so that vectors have an address */
    amount *units = arena_array(&in->data, in->dims, sizeof *units),
           *largest = arena_array(&in->data, in->dims, sizeof *largest);
    int64_t *most = arena_array(&in->data, in->dims, sizeof *most);
    if (units == NULL || largest == NULL || most == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < in->source_count; i++) units_take(units, largest, in->sources[i].amounts);
    for (uint32_t i = 0; i < in->demand_count; i++) units_take(units, largest, in->demands[i].amounts);
    karp_status status = units_check(units, largest, &in->resources, error);
    if (status != KARP_OK) return status;
    for (uint32_t i = 0; i < in->source_count; i++) {
        in->sources[i].space = vector(in, units, in->sources[i].amounts);
        if (in->sources[i].space == NULL) return fail_nomem(error);
        for (uint32_t r = 0; r < in->dims; r++)
            most[r] = in->sources[i].space[r] > most[r] ? in->sources[i].space[r] : most[r];
    }
    for (uint32_t i = 0; i < in->demand_count; i++) {
        in->demands[i].need = vector(in, units, in->demands[i].amounts);
        if (in->demands[i].need == NULL) return fail_nomem(error);
        size_of(in, most, &in->demands[i]);
    }
    return KARP_OK;
}

/* Checks that no sum of nodes or copies can overflow later. */
static karp_status check_counts(const fit_input *in, karp_error *error)
{
    uint64_t copies = 0, nodes = 0, least = 0;
    const uint64_t most = (uint64_t)INT64_MAX;
    for (uint32_t i = 0; i < in->demand_count; i++) {
        if (in->demands[i].count > most - copies)
            return fail(error, KARP_E_RANGE, "more than %lld copies are demanded", (long long)INT64_MAX);
        copies += in->demands[i].count;
    }
    for (uint32_t i = 0; i < in->source_count; i++) {
        const fit_source *s = &in->sources[i];
        uint64_t *sum = i < in->node_count ? &nodes : &least;
        uint64_t more = i < in->node_count ? s->most : s->least;
        if (more > most - *sum)
            return fail(error, KARP_E_RANGE, "there are more than %lld nodes", (long long)INT64_MAX);
        *sum += more;
    }
    if (least > in->most_launched)
        return fail(error, KARP_E_INVALID, "min_nodes of all types are more than max_launches");
    return KARP_OK;
}

static karp_status check_limits(const karp_context_options *limits, const karp_fit_request *r, karp_error *error)
{
    if (r->type_count > limits->max_instance_types)
        return fail(error, KARP_E_LIMIT, "%zu types are more than the context allows", r->type_count);
    if (r->node_count > limits->max_nodes)
        return fail(error, KARP_E_LIMIT, "%zu nodes are more than the context allows", r->node_count);
    if (r->demand_count > limits->max_pods)
        return fail(error, KARP_E_LIMIT, "%zu demands are more than the context allows", r->demand_count);
    if (r->type_count > MOST_ELEMENTS || r->node_count > MOST_ELEMENTS || r->demand_count > MOST_ELEMENTS)
        return fail(error, KARP_E_LIMIT, "a list of the request is too long");
    return KARP_OK;
}

karp_status fit_input_read(fit_input *in, karp_context *context, const karp_fit_request *request, karp_error *error)
{
    memset(in, 0, sizeof *in);
    in->context = context;
    arena_init(&in->data, context);
    strings_init(&in->text, context);
    strings_init(&in->resources, context);
    karp_status status = check_limits(karp_context_get_options(context), request, error);
    if (status != KARP_OK) return status;
    in->node_count = (uint32_t)request->node_count;
    in->source_count = (uint32_t)(request->node_count + request->type_count);
    in->demand_count = (uint32_t)request->demand_count;
    in->most_launched = request->max_launches != 0 ? request->max_launches : UINT64_MAX;
    in->sources = arena_array(&in->data, in->source_count, sizeof *in->sources);
    in->demands = arena_array(&in->data, in->demand_count, sizeof *in->demands);
    if (in->sources == NULL || in->demands == NULL || strings_add(&in->text, "", 0) == NO_ID) return fail_nomem(error);
    copier c = { .context = context, .text = &in->text, .resources = &in->resources, .to = &in->data, .error = error };
    read_nodes(in, &c, request);
    if (c.status == KARP_OK) read_types(in, &c, request);
    if (c.status == KARP_OK) read_demands(in, &c, request);
    if (c.status == KARP_OK) c.status = check_counts(in, error);
    return c.status == KARP_OK ? make_vectors(in, error) : c.status;
}

void fit_input_free(fit_input *in)
{
    strings_free(&in->text);
    strings_free(&in->resources);
    arena_free(&in->data);
}
