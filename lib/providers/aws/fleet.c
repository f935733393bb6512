/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/plugin.h>

#include <stdio.h>

#include <providers/decode.h>
#include <providers/launch.h>

static const karp_instance_type *type_of(const karp_provider_launch *launch, karp_provider_candidate c)
{
    return launch->types[c.type];
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

/* The class's subnet in the zone with the most free addresses, then by id. */
static karp_str subnet_in(const aws_node_class *c, const aws_marks *marks, karp_str zone)
{
    const aws_subnet *best = NULL;
    for (size_t i = 0; i < c->subnet_count; i++) {
        const aws_subnet *s = &c->subnets[i];
        if (!equal_str(s->zone, zone) || aws_subnet_marked(marks, s->id)) continue;
        bool better = !best || s->free_addresses > best->free_addresses ||
                      (s->free_addresses == best->free_addresses && compare_str(s->id, best->id) < 0);
        if (better) best = s;
    }
    return best ? best->id : (karp_str){ "", 0 };
}

static karp_str image_of(const aws_node_class *c, const karp_instance_type *type)
{
    for (size_t i = 0; i < c->image_count; i++) {
        const aws_image *image = &c->images[i];
        if (requirements_agree(image->requirements, image->requirement_count, type->requirements,
                               type->requirement_count))
            return image->id;
    }
    return (karp_str){ "", 0 };
}

static void set_text(trees *t, tree *map, const char *name, karp_str text)
{
    if (text.len > 0) tree_set_text(t, map, name, text);
}

static tree *override_of(trees *t, const aws_handle *h, const aws_node_class *c, const karp_provider_launch *launch,
                         karp_provider_candidate candidate)
{
    const karp_offering *o = launch_offering(launch, candidate);
    karp_str zone = launch_label(o, LABEL_ZONE);
    tree *one = tree_new(t, TREE_MAP);
    set_text(t, one, "InstanceType", type_of(launch, candidate)->name);
    set_text(t, one, "AvailabilityZone", zone);
    set_text(t, one, "SubnetId", subnet_in(c, &h->marks, zone));
    set_text(t, one, "ImageId", image_of(c, type_of(launch, candidate)));
    tree_set(t, one, "Priority", tree_new_double(t, o->price));
    return one;
}

/* Whether this is the first offering of its type in its zone. */
static bool is_first(const karp_provider_launch *launch, size_t index)
{
    karp_provider_candidate c = launch->candidates[index];
    karp_str zone = launch_label(launch_offering(launch, c), LABEL_ZONE);
    for (size_t i = index; i-- > 0 && launch->candidates[i].type == c.type;) {
        const karp_offering *o = launch_offering(launch, launch->candidates[i]);
        if (!launch->candidates[i].usable || !equal_str(launch_capacity_type(o), launch->capacity_type)) continue;
        if (equal_str(launch_label(o, LABEL_ZONE), zone)) return false;
    }
    return true;
}

static tree *overrides_of(trees *t, const aws_handle *h, const aws_node_class *c, const karp_provider_launch *launch)
{
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < launch->candidate_count; i++) {
        karp_provider_candidate candidate = launch->candidates[i];
        if (!candidate.usable ||
            !equal_str(launch_capacity_type(launch_offering(launch, candidate)), launch->capacity_type))
            continue;
        if (is_first(launch, i)) tree_append(t, list, override_of(t, h, c, launch, candidate));
    }
    return list;
}

/* The allocation strategy that weighs prices as Karpenter does; with overlaid prices it follows the order of the
 * overrides. */
static void set_strategy(trees *t, tree *request, const karp_provider_launch *launch)
{
    bool spot = str_is(launch->capacity_type, "spot"), overlay = launch->price_from_overlay != 0;
    const char *strategy = spot ? (overlay ? "capacity-optimized-prioritized" : "price-capacity-optimized")
                                : (overlay ? "prioritized" : "lowest-price");
    if (!spot && !str_is(launch->capacity_type, "on-demand")) return;
    tree *options = tree_get_or_make(t, request, spot ? "SpotOptions" : "OnDemandOptions");
    tree_set_text(t, options, "AllocationStrategy", str(strategy));
}

static const char *target_of(const karp_provider_launch *launch)
{
    if (str_is(launch->capacity_type, "on-demand")) return "on-demand";
    if (str_is(launch->capacity_type, "spot")) return "spot";
    karp_str kind = launch_label(launch_offering(launch, launch->candidates[0]), AWS_GROUP "capacity-reservation-type");
    return str_is(kind, "capacity-block") ? "capacity-block" : "reserved";
}

static tree *make_request(trees *t, const aws_handle *h, const aws_node_class *c, const karp_provider_launch *launch,
                          karp_str claim)
{
    tree *request = tree_new(t, TREE_MAP), *templates = tree_new(t, TREE_LIST), *only = tree_new(t, TREE_MAP);
    tree *target = tree_get_or_make(t, request, "TargetCapacitySpecification");
    tree_set_text(t, request, "Type", str("instant"));
    tree_set_text(t, target, "DefaultTargetCapacityType", str(target_of(launch)));
    tree_set(t, target, "TotalTargetCapacity", tree_new_integer(t, 1));
    set_strategy(t, request, launch);
    set_text(t, request, "ClientToken", claim);
    tree_set(t, only, "Overrides", overrides_of(t, h, c, launch));
    tree_append(t, templates, only);
    tree_set(t, request, "LaunchTemplateConfigs", templates);
    return request;
}

uint32_t aws_launch_request(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str claim,
                            const karp_provider_memory *memory, karp_str *request, karp_provider_problem *problem)
{
    if (launch->candidate_count == 0)
        return provider_problem(problem, KARP_PROVIDER_INVALID, "candidates", "there are none");
    const aws_handle *h = handle;
    trees t = trees_on(h->base.context);
    strbuf written = strbuf_on(h->base.context);
    tree_write(&written, make_request(&t, h, aws_class_of(node_class), launch, claim));
    scratch s;
    scratch_init_on(&s, memory);
    s.failed = t.status != KARP_OK || written.failed;
    *request = scratch_text(&s, (karp_str){ written.ptr, written.len });
    strbuf_free(&written);
    trees_free(&t);
    return s.failed ? provider_no_memory(problem) : KARP_PROVIDER_OK;
}

/* ---- the response ------------------------------------------------------------------------------------------------ */

static bool means_no_capacity(karp_str code)
{
    static const char codes[] =
        "InsufficientInstanceCapacity MaxSpotInstanceCountExceeded VcpuLimitExceeded "
        "UnfulfillableCapacity Unsupported InsufficientFreeAddressesInSubnet MaxFleetCountExceeded "
        "ReservationCapacityExceeded";
    return str_in_list(code, codes);
}

/* Creating the role that spot instances need is not permitted: there is no spot capacity until it exists. */
static bool means_no_spot(karp_str code) { return str_is(code, "AuthFailure.ServiceLinkedRoleCreationNotPermitted"); }

static uint32_t mark_spot(aws_handle *h, int64_t now, karp_provider_problem *problem)
{
    const karp_provider_scope scope = { .size = sizeof scope, .capacity_type = TEXT("spot") };
    h->base.generation++;
    return aws_marks_add(&h->marks, &scope, now, 0, problem);
}

/* One failure of a response, with the request. */
typedef struct fleet_failure {
    aws_handle *h;
    const aws_node_class *c;
    const karp_provider_launch *launch;
    karp_str instance_type, zone, subnet, code, message;
    int64_t now;
    karp_provider_problem *problem;
} fleet_failure;

static uint32_t mark(const fleet_failure *f, const karp_provider_scope *scope)
{
    f->h->base.generation++;
    return aws_marks_add(&f->h->marks, scope, f->now, 0, f->problem);
}

/* A spread placement group permits seven instances per zone, of any type; EC2 reports this only in the message. */
static bool is_spread_limit(const fleet_failure *f)
{
    return str_contains(f->message, str("limit of instances in this spread placement group"));
}

/* Marks all types of the launch as unavailable in the zone, for this group. */
static uint32_t mark_spread_limit(const fleet_failure *f)
{
    uint32_t kind = KARP_PROVIDER_OK;
    karp_provider_scope scope = { .size = sizeof scope,
                                  .capacity_type = f->launch->capacity_type,
                                  .zone = f->zone,
                                  .group = f->c->placement_group.id };
    for (size_t i = 0; i < f->launch->candidate_count && kind == KARP_PROVIDER_OK; i++) {
        uint32_t type = f->launch->candidates[i].type;
        if (i > 0 && type == f->launch->candidates[i - 1].type) continue;
        scope.instance_type = f->launch->types[type]->name;
        kind = mark(f, &scope);
    }
    return kind;
}

/* Marks the reservation that the launch would have used there, not others of the type: it has no free capacity, or
 * cannot be used for another reason. */
static uint32_t mark_reservation(const fleet_failure *f)
{
    for (size_t i = 0; i < f->launch->candidate_count; i++) {
        const karp_offering *o = launch_offering(f->launch, f->launch->candidates[i]);
        if (!equal_str(type_of(f->launch, f->launch->candidates[i])->name, f->instance_type)) continue;
        if (!str_is(launch_capacity_type(o), "reserved") || !equal_str(launch_label(o, LABEL_ZONE), f->zone)) continue;
        karp_provider_scope scope = { .size = sizeof scope,
                                      .reservation = launch_label(o, AWS_GROUP "capacity-reservation-id") };
        if (!str_is(f->code, "ReservationCapacityExceeded")) {
            scope.capacity_type = launch_capacity_type(o);
            scope.instance_type = f->instance_type;
            scope.zone = f->zone;
        }
        return mark(f, &scope);
    }
    return KARP_PROVIDER_OK;
}

/* Marks the offering. Capacity lacking for a placement group may exist outside of it. */
static uint32_t mark_offering(const fleet_failure *f)
{
    const karp_provider_scope scope = {
        .size = sizeof scope,
        .capacity_type = f->launch->capacity_type,
        .instance_type = f->instance_type,
        .zone = f->zone,
        .group = f->c->placement_group.id,
    };
    return mark(f, &scope);
}

static uint32_t mark_failure(const fleet_failure *f)
{
    if (str_is(f->code, "InsufficientFreeAddressesInSubnet") && f->subnet.len) {
        const karp_provider_scope scope = { .size = sizeof scope, .subnet = f->subnet };
        uint32_t kind = mark(f, &scope);
        if (kind) return kind;
    }
    if (!f->zone.len) return KARP_PROVIDER_OK; /* a failure without a zone cannot be marked */
    bool full = is_spread_limit(f), reserved = str_is(f->launch->capacity_type, "reserved");
    if (full && reserved) return KARP_PROVIDER_OK; /* unrelated to the reservation */
    if (full && f->c->placement_group.id.len) return mark_spread_limit(f);
    if (!f->instance_type.len) return KARP_PROVIDER_OK;
    return reserved ? mark_reservation(f) : mark_offering(f);
}

static void read_failure(decoder *d, const tree *failure, fleet_failure *f)
{
    const tree *overrides = decode_object(d, decode_object(d, failure, "LaunchTemplateAndOverrides"), "Overrides");
    f->code = decode_text(d, failure, "ErrorCode");
    f->message = decode_text(d, failure, "ErrorMessage");
    f->instance_type = decode_text(d, overrides, "InstanceType");
    f->zone = decode_text(d, overrides, "AvailabilityZone");
    f->subnet = decode_text(d, overrides, "SubnetId");
}

/* Marks capacity errors; `other` = the first code with another meaning. */
static uint32_t take_errors(aws_handle *h, decoder *d, const aws_node_class *c, const karp_provider_launch *launch,
                            const tree *root, int64_t now, karp_str *other, karp_provider_problem *problem)
{
    const tree *errors;
    uint32_t kind = KARP_PROVIDER_OK;
    size_t count = decode_list(d, root, "Errors", &errors);
    for (size_t i = 0; i < count && kind == KARP_PROVIDER_OK; i++) {
        decode_at_element(d, "Errors", i);
        fleet_failure f = { .h = h, .c = c, .launch = launch, .now = now, .problem = problem };
        read_failure(d, tree_item(errors, i), &f);
        if (means_no_capacity(f.code)) kind = mark_failure(&f);
        else if (!other->len) *other = f.code;
        if (means_no_spot(f.code)) kind = mark_spot(h, now, problem);
    }
    return kind;
}

static void take_instance(decoder *d, const tree *instance, const karp_provider_launch *launch, int64_t now,
                          karp_provider_node *node)
{
    static const char start[] = "aws:///";
    const tree *overrides = decode_object(d, decode_object(d, instance, "LaunchTemplateAndOverrides"), "Overrides"),
               *ids;
    (void)decode_list(d, instance, "InstanceIds", &ids);
    karp_str id = tree_text(tree_item(ids, 0));
    karp_str zone = decode_text(d, overrides, "AvailabilityZone");
    if (!id.len || !zone.len) decode_bad(d, "", "must have an id and a zone");
    if (d->status) return;
    size_t length = sizeof start + zone.len + id.len + 1;
    char *text = scratch_alloc(d->s, length);
    if (!text) return;
    int n = snprintf(text, length, "%s%.*s/%.*s", start, (int)zone.len, zone.ptr, (int)id.len, id.ptr);
    karp_label *label = scratch_array(d->s, 2, sizeof *label);
    if (!label || n < 0) return;
    label[0] = (karp_label){ TEXT(LABEL_ZONE), zone };
    label[1] = (karp_label){ TEXT(LABEL_CAPACITY_TYPE), scratch_text(d->s, launch->capacity_type) };
    node->provider_id = (karp_str){ text, (size_t)n };
    node->instance_type = decode_text(d, instance, "InstanceType");
    node->image_id = decode_text(d, overrides, "ImageId");
    node->subnet_id = decode_text(d, overrides, "SubnetId");
    node->labels = label;
    node->label_count = 2;
    node->launched = now;
}

uint32_t aws_launch_result(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str answer,
                           int64_t now, const karp_provider_memory *memory, karp_provider_node *node,
                           karp_provider_problem *problem)
{
    karp_error error = { .size = sizeof error };
    scratch s;
    scratch_init_on(&s, memory);
    decoder d;
    decode_begin(&d, ((const aws_handle *)handle)->base.context, &s, &error);
    karp_str other = TEXT("");
    const tree *root = decode_tree(&d, answer, "the answer"), *instances;
    size_t count = decode_list(&d, root, "Instances", &instances);
    uint32_t kind = root ? take_errors(handle, &d, aws_class_of(node_class), launch, root, now, &other, problem) : 0;
    decode_at(&d, "Instances[0]");
    if (count && !kind) take_instance(&d, tree_item(instances, 0), launch, now, node);
    decode_end(&d);
    if (!root) return provider_problem_of(problem, &error);
    if (kind) return kind;
    if (s.failed) return provider_no_memory(problem);
    if (d.status) return provider_problem_of(problem, &error);
    if (count) return KARP_PROVIDER_OK;
    if (!other.len)
        return provider_problem(problem, KARP_PROVIDER_NO_CAPACITY, "", "EC2 has no capacity for any of the types");
    (void)snprintf(problem->reason, sizeof problem->reason, "LaunchFailed");
    return provider_problem(problem, KARP_PROVIDER_CREATE_FAILED, "", "EC2 refuses: %.*s", str_shown(other, 100),
                            other.ptr);
}

/* ---- the node ---------------------------------------------------------------------------------------------------- */

static bool is_reservation(karp_str key)
{
    return equal_str(key, aws_key_reservation_id) || equal_str(key, aws_key_reservation_type) ||
           equal_str(key, aws_key_reservation_interruptible);
}

static void add(karp_label *list, size_t *count, karp_str key, karp_str value)
{
    list[(*count)++] = (karp_label){ key, value };
}

static bool requests(const karp_provider_launch *launch, const char *resource)
{
    for (size_t i = 0; i < launch->request_count; i++) {
        if (str_is(launch->requests[i].name, resource)) return true;
    }
    return false;
}

/* EFA interfaces are only part of the capacity if they were requested. */
static const karp_resource *capacity_of(scratch *s, const karp_provider_launch *launch, const karp_instance_type *type,
                                        size_t *count)
{
    karp_resource *list = scratch_array(s, type->capacity_count, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < type->capacity_count; i++) {
        const karp_resource *r = &type->capacity[i];
        if (str_is(r->name, "vpc.amazonaws.com/efa") && !requests(launch, r->name.ptr)) continue;
        list[(*count)++] = *r;
    }
    return list;
}

uint32_t aws_node_of(void *handle, const void *node_class, const karp_provider_launch *launch,
                     karp_provider_candidate candidate, const karp_provider_memory *memory, karp_provider_node *node,
                     karp_provider_problem *problem)
{
    static const karp_str tenancy = TEXT(AWS_GROUP "instance-tenancy");
    const aws_handle *h = handle;
    const aws_node_class *c = aws_class_of(node_class);
    const karp_instance_type *type = type_of(launch, candidate);
    const karp_offering *o = launch_offering(launch, candidate);
    scratch s;
    scratch_init_on(&s, memory);
    karp_label *list = scratch_array(&s, type->requirement_count + o->requirement_count + 1, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; list && i < type->requirement_count; i++) {
        const karp_requirement *r = &type->requirements[i];
        bool of_offering = is_reservation(r->key) || requirement_find(o->requirements, o->requirement_count, r->key);
        if (r->op == KARP_OP_IN && r->value_count == 1 && !of_offering && !equal_str(r->key, tenancy))
            add(list, &n, r->key, r->values[0]);
    }
    for (size_t i = 0; list && i < o->requirement_count; i++) {
        const karp_requirement *r = &o->requirements[i];
        if (r->op == KARP_OP_IN && r->value_count == 1) add(list, &n, r->key, r->values[0]);
    }
    if (list && launch->tenancy.len) add(list, &n, tenancy, launch->tenancy);
    node->labels = list;
    node->label_count = n;
    node->capacity = capacity_of(&s, launch, type, &node->capacity_count);
    node->instance_type = type->name;
    node->image_id = image_of(c, type);
    node->subnet_id = subnet_in(c, &h->marks, launch_label(o, LABEL_ZONE));
    node->reservation_id = launch_label(o, AWS_GROUP "capacity-reservation-id");
    return s.failed ? provider_no_memory(problem) : KARP_PROVIDER_OK;
}
