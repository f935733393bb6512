/* SPDX-License-Identifier: Apache-2.0 */
#include <model/catalogue.h>

#include <base/error.h>
#include <base/sort.h>
#include <math.h>
#include <model/devices_copy.h>
#include <model/quantity.h>
#include <string.h>

/* ---- allocatable --------------------------------------------------------------------------------------------------- */

/* Huge pages are taken from memory, but leave no debt. */
static karp_status charge_hugepages(arena *a, resource_list *list, amount pages)
{
    amount left = resource_list_get(*list, RESOURCE_MEMORY);
    const resource_amount *known = resource_list_find(*list, RESOURCE_MEMORY);
    if (!amount_sub(left, pages, &left)) return KARP_E_RANGE;
    if (amount_sign(left) < 0) left = amount_from(0);
    resource_amount one = { .value = left, .resource = RESOURCE_MEMORY, .binary = known ? known->binary : true };
    return resource_list_override(a, *list, (resource_list){ &one, 1 }, list);
}

karp_status allocatable_of(arena *a, const strings *resource_names, resource_list capacity, resource_list overhead,
                           resource_list *out)
{
    resource_list list;
    karp_status status = resource_list_subtract(a, capacity, overhead, &list);
    for (uint32_t i = 0; i < capacity.count && status == KARP_OK; i++) {
        if (!resource_is_hugepages(resource_names, capacity.items[i].resource)) continue;
        status = charge_hugepages(a, &list, capacity.items[i].value);
    }
    if (status == KARP_OK) *out = list;
    return status;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static expression_list read_requirements(copier *c, const karp_requirement *list, size_t count)
{
    path_enter(c, "requirements");
    expression_list out = copy_expressions(c, list, count, true);
    if (c->status != KARP_OK) return out;
    for (uint32_t i = 0; i < out.count; i++) {
        if (out.items[i].key != NO_TEXT) continue;
        path_at(c, i);
        copy_blame(c, fail(c->error, KARP_E_INVALID, "a requirement without a key"), "key");
        return out;
    }
    path_leave(c);
    return out;
}

static resource_list read_amounts(copier *c, const char *path, const karp_resource *list, size_t count)
{
    path_enter(c, path);
    resource_list out = copy_resources(c, list, count, true);
    path_leave(c);
    return out;
}

static void check_sum(copier *c, karp_status status, const char *what)
{
    if (c->status != KARP_OK || status == KARP_OK) return;
    if (status == KARP_E_NOMEM) copy_refuse(c);
    else copy_blame(c, fail(c->error, status, "the amounts are too large"), what);
}

static resource_list sum(copier *c, resource_list x, resource_list y)
{
    resource_list out = x;
    if (c->status != KARP_OK || y.count == 0) return x;
    if (x.count == 0) return y;
    check_sum(c, resource_list_sum(c->to, x, y, &out), "overhead");
    return out;
}

/* ---- showing ------------------------------------------------------------------------------------------------------- */

static karp_str show_amount(copier *c, amount value, bool binary)
{
    repeated_amount *met = repeated_amount_slot(c->before, value, binary);
    if (met->text.ptr != NULL && amount_cmp(met->value, value) == 0 && met->binary == binary) return met->text;
    char text[QUANTITY_TEXT];
    size_t length = quantity_format((quantity){ value, binary }, text);
    karp_str copy = copy_string(c, (karp_str){ text, length });
    if (c->status == KARP_OK) *met = (repeated_amount){ value, binary, copy };
    return copy;
}

static const karp_resource *show_resources(copier *c, resource_list list)
{
    if (c->status != KARP_OK || list.count == 0) return NULL;
    karp_resource *shown = arena_array(c->to, list.count, sizeof *shown);
    if (shown == NULL) {
        copy_refuse(c);
        return NULL;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        shown[i].name = strings_get(c->resources, list.items[i].resource);
        shown[i].text = show_amount(c, list.items[i].value, list.items[i].binary);
    }
    return shown;
}

/* The sum of the three lists, and the lists as they will be shown. The same lists again are the same copies. */
static resource_list read_overhead(copier *c, const karp_overhead *given, karp_overhead *shown)
{
    repeated_overhead *met = repeated_overhead_slot(c->before, given);
    if (repeated_overhead_is(met, given)) {
        *shown = met->shown;
        return met->total;
    }
    resource_list kube = read_amounts(c, "overhead.kubeReserved", given->kube_reserved, given->kube_reserved_count);
    resource_list system = read_amounts(c, "overhead.systemReserved", given->system_reserved, given->system_reserved_count);
    resource_list eviction = read_amounts(c, "overhead.evictionThreshold", given->eviction_threshold, given->eviction_threshold_count);
    resource_list total = sum(c, sum(c, kube, system), eviction);
    *shown = (karp_overhead){
        show_resources(c, kube), kube.count, show_resources(c, system), system.count, show_resources(c, eviction), eviction.count,
    };
    if (c->status == KARP_OK) *met = (repeated_overhead){ *given, total, *shown };
    return total;
}

/* The values as texts; a list that came up before is shown already. */
static const karp_str *show_values(copier *c, const karp_requirement *given, const expression *e)
{
    if (e->value_count == 0) return NULL;
    repeated_values *met = repeated_values_slot(c->before, given->values, given->value_count);
    bool known = repeated_values_are(met, given->values, given->value_count);
    if (known && met->shown != NULL) return met->shown;
    karp_str *text = arena_alloc(c->to, e->value_count * sizeof *text);
    if (text == NULL) {
        copy_refuse(c);
        return NULL;
    }
    for (uint32_t i = 0; i < e->value_count; i++) text[i] = strings_get(c->text, e->values[i]);
    if (known) met->shown = text;
    return text;
}

/* `given` are those that the list was copied from. */
static const karp_requirement *show_requirements(copier *c, const karp_requirement *given, expression_list list)
{
    if (c->status != KARP_OK || list.count == 0) return NULL;
    karp_requirement *shown = arena_alloc(c->to, list.count * sizeof *shown);
    if (shown == NULL) {
        copy_refuse(c);
        return NULL;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        const expression *e = &list.items[i];
        shown[i] = (karp_requirement){ strings_get(c->text, e->key), e->op, e->min_values, show_values(c, &given[i], e), e->value_count };
    }
    return c->status == KARP_OK ? shown : NULL;
}

static const karp_volume_limit *show_volume_limits(copier *c, const karp_volume_limit *list, size_t count)
{
    karp_volume_limit *shown = copy_room(c, list, count, sizeof *shown);
    for (size_t i = 0; shown != NULL && i < count; i++) {
        uint32_t driver = copy_text(c, list[i].driver);
        shown[i].driver = strings_get(c->text, driver);
        shown[i].count = list[i].count;
    }
    return shown;
}

/* ---- types --------------------------------------------------------------------------------------------------------- */

static void read_offering(copier *c, const karp_offering *given, catalogue_offering *o, karp_offering *shown)
{
    repeated_list *met = repeated_list_slot(c->before, given->requirements, given->requirement_count);
    bool known = met->list != NULL && met->list == given->requirements && met->count == given->requirement_count;
    o->requirements = known ? met->copy : read_requirements(c, given->requirements, given->requirement_count);
    if (c->status != KARP_OK) return;
    if (!isfinite(given->price) || given->price < 0) {
        copy_blame(c, fail(c->error, KARP_E_INVALID, "must be a finite number and not negative"), "price");
        return;
    }
    o->price = given->price;
    o->reservation_capacity = given->reservation_capacity;
    o->available = given->available != 0;
    o->price_from_overlay = given->price_from_overlay != 0;
    o->overridden = given->has_capacity_override || given->overhead_override != NULL;
    *shown = *given; /* every pointer of it is replaced below */
    shown->requirements = known ? met->shown : show_requirements(c, given->requirements, o->requirements);
    if (c->status == KARP_OK && !known) {
        *met = (repeated_list){ given->requirements, given->requirement_count, o->requirements, shown->requirements };
    }
    shown->capacity_override = NULL;
    shown->overhead_override = NULL;
    if (given->has_capacity_override) {
        o->capacity_override = read_amounts(c, "capacityOverride", given->capacity_override, given->capacity_override_count);
        shown->capacity_override = show_resources(c, o->capacity_override);
    }
    shown->capacity_override_count = o->capacity_override.count;
    if (given->overhead_override != NULL) {
        karp_overhead *copy = arena_zalloc(c->to, sizeof *copy);
        if (copy == NULL) copy_refuse(c);
        else o->overhead_override = read_overhead(c, given->overhead_override, copy);
        shown->overhead_override = copy;
    }
}

static void read_offerings(copier *c, const karp_instance_type *given, catalogue_type *t)
{
    path_enter(c, "offerings");
    catalogue_offering *items = copy_room(c, given->offerings, given->offering_count, sizeof *items);
    if (items == NULL) {
        path_leave(c);
        return;
    }
    karp_offering *shown = arena_alloc(c->to, given->offering_count * sizeof *shown); /* copy_room() has limited the count */
    if (shown == NULL) {
        copy_refuse(c);
        return;
    }
    for (size_t i = 0; i < given->offering_count; i++) {
        path_at(c, i);
        read_offering(c, &given->offerings[i], &items[i], &shown[i]);
        if (c->status != KARP_OK) return;
    }
    path_leave(c);
    t->offerings = items;
    t->offering_count = (uint32_t)given->offering_count;
    t->shown.offerings = shown;
    t->shown.offering_count = given->offering_count;
}

static void read_type(copier *c, const karp_instance_type *given, catalogue_type *t)
{
    t->shown.size = sizeof t->shown;
    if (given->name.ptr == NULL || given->name.len == 0) {
        copy_blame(c, fail(c->error, KARP_E_INVALID, "an instance type without a name"), "name");
        return;
    }
    t->name = copy_text(c, given->name);
    t->requirements = read_requirements(c, given->requirements, given->requirement_count);
    t->capacity = read_amounts(c, "capacity", given->capacity, given->capacity_count);
    t->overhead = read_overhead(c, &given->overhead, &t->shown.overhead);
    t->capacity_from_overlay = given->capacity_from_overlay != 0;
    if (c->status == KARP_OK) {
        check_sum(c, allocatable_of(c->to, c->resources, t->capacity, t->overhead, &t->allocatable), "capacity");
    }
    if (c->status != KARP_OK) return;
    t->allocatable_shown = show_resources(c, t->allocatable);
    t->shown.name = strings_get(c->text, t->name);
    t->shown.requirements = show_requirements(c, given->requirements, t->requirements);
    t->shown.requirement_count = t->requirements.count;
    t->shown.capacity = show_resources(c, t->capacity);
    t->shown.capacity_count = t->capacity.count;
    path_enter(c, "volumeLimits");
    t->shown.volume_limits = show_volume_limits(c, given->volume_limits, given->volume_limit_count);
    t->shown.volume_limit_count = given->volume_limit_count;
    t->shown.capacity_from_overlay = t->capacity_from_overlay;
    if (c->status != KARP_OK) return;
    path_leave(c);
    t->devices = copy_type_devices(c, given);
    show_type_devices(c, given, &t->shown);
    read_offerings(c, given, t);
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

static void free_catalogue(karp_catalogue *catalogue)
{
    karp_context *context = catalogue->context;
    strings_free(&catalogue->text);
    strings_free(&catalogue->resources);
    arena_free(&catalogue->data);
    mem_free(context, catalogue, sizeof *catalogue);
    context_unref(context);
}

static karp_catalogue *new_catalogue(karp_context *context)
{
    karp_catalogue *catalogue = mem_zalloc(context, sizeof *catalogue);
    if (catalogue == NULL) return NULL;
    catalogue->context = context_ref(context);
    atomic_init(&catalogue->holds, 1);
    arena_init(&catalogue->data, context);
    strings_init(&catalogue->text, context);
    strings_init(&catalogue->resources, context);
    if (resource_names_init(&catalogue->resources, context) && strings_add(&catalogue->text, "", 0) == NO_TEXT) {
        return catalogue;
    }
    free_catalogue(catalogue);
    return NULL;
}

/* The array's stride is the caller's own size of the struct, which every element states. */
static karp_status read_element(const karp_instance_type *types, size_t index, karp_instance_type *out, karp_error *error)
{
    size_t stride = types->size;
    if (stride % sizeof(size_t) != 0) return fail(error, KARP_E_ABI_SIZE, "karp_instance_type.size is %zu", stride);
    const karp_instance_type *given = (const karp_instance_type *)(const void *)((const char *)types + index * stride);
    if (index > 0 && given->size != stride) {
        return fail(error, KARP_E_ABI_SIZE, "karp_instance_type.size differs between the elements of one array");
    }
    return struct_check(given, sizeof *out, SIZE_THROUGH(karp_instance_type, capacity_from_overlay), out,
                        "karp_instance_type", error);
}

static karp_status fill(karp_catalogue *catalogue, copier *c, const karp_instance_type *types, size_t count)
{
    catalogue->types = count > 0 ? arena_array(&catalogue->data, count, sizeof *catalogue->types) : NULL;
    if (count > 0 && catalogue->types == NULL) copy_refuse(c);
    for (size_t i = 0; i < count && c->status == KARP_OK; i++) {
        karp_instance_type own;
        catalogue_type *t = &catalogue->types[i];
        c->status = read_element(types, i, &own, c->error);
        if (c->status != KARP_OK) break;
        c->depth = 0;
        read_type(c, &own, t);
        if (c->status != KARP_OK) error_set_object(c->error, "InstanceType", str(""), own.name);
        catalogue->offering_total += t->offering_count;
    }
    catalogue->count = (uint32_t)count;
    return c->status;
}

karp_status karp_catalogue_new(karp_context *context, const karp_instance_type *types, size_t count,
                               karp_catalogue **out, karp_error *error)
{
    if (context == NULL || out == NULL) return fail_null(error, "context or out");
    if (count > karp_context_get_options(context)->max_instance_types || count > MOST_ELEMENTS) {
        return fail(error, KARP_E_LIMIT, "%zu instance types are more than the context allows", count);
    }
    if (count > 0 && types == NULL) return fail(error, KARP_E_INVALID, "the list of instance types is NULL");
    karp_catalogue *catalogue = new_catalogue(context);
    if (catalogue == NULL) return fail_nomem(error);
    repeats *before = mem_zalloc(context, sizeof *before);
    copier c = { .context = context, .text = &catalogue->text, .resources = &catalogue->resources,
                 .to = &catalogue->data, .before = before, .error = error };
    karp_status status = before ? fill(catalogue, &c, types, count) : fail_nomem(error);
    mem_free(context, before, sizeof *before);
    if (status == KARP_OK) *out = catalogue;
    else free_catalogue(catalogue);
    return status;
}

karp_catalogue *karp_catalogue_ref(karp_catalogue *catalogue)
{
    if (catalogue) atomic_fetch_add_explicit(&catalogue->holds, 1, memory_order_relaxed);
    return catalogue;
}

void karp_catalogue_unref(karp_catalogue *catalogue)
{
    if (catalogue && atomic_fetch_sub_explicit(&catalogue->holds, 1, memory_order_acq_rel) == 1) free_catalogue(catalogue);
}

/* ---- answers ------------------------------------------------------------------------------------------------------- */

size_t karp_catalogue_count(const karp_catalogue *catalogue) { return catalogue->count; }

const karp_instance_type *karp_catalogue_type(const karp_catalogue *catalogue, size_t index)
{
    return index < catalogue->count ? &catalogue->types[index].shown : NULL;
}

const karp_resource *karp_catalogue_allocatable(const karp_catalogue *catalogue, size_t index, size_t *count)
{
    static const karp_resource none = { .text = { "", 0 } };
    *count = 0;
    if (index >= catalogue->count) return NULL;
    *count = catalogue->types[index].allocatable.count;
    return *count > 0 ? catalogue->types[index].allocatable_shown : &none;
}
