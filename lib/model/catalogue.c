/* SPDX-License-Identifier: Apache-2.0 */
#include <model/catalogue.h>

#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/copy.h>
#include <math.h>
#include <model/quantity.h>

#include <karp/inspect.h>

/* ---- lists of requirements --------------------------------------------------------------------------------------- */

/* Adds the public form, with texts, for karp_catalogue_type(). */
static void show_requirement(copier *c, karp_catalogue *catalogue, const expression *e)
{
    karp_requirement *shown = list_push(catalogue->context, &catalogue->shown, sizeof *shown);
    karp_str *values = e->value_count > 0 ? arena_alloc(c->to, e->value_count * sizeof *values) : NULL;
    if (shown == NULL || (e->value_count > 0 && values == NULL)) {
        copy_refuse(c);
        return;
    }
    for (uint32_t i = 0; i < e->value_count; i++) values[i] = strings_get(c->text, e->values[i]);
    *shown = (karp_requirement){ strings_get(c->text, e->key), e->op, e->min_values, values, e->value_count };
}

static uint32_t read_requirement(copier *c, karp_catalogue *catalogue, const karp_requirement *given)
{
    repeated_requirement *met = repeated_requirement_slot(c->before, given);
    if (repeated_requirement_is(met, given)) return met->number;
    expression *e = list_push(catalogue->context, &catalogue->requirements, sizeof *e);
    if (e == NULL) {
        copy_refuse(c);
        return 0;
    }
    if (!copy_expression(c, given, true, e)) return 0;
    if (e->key == NO_TEXT) {
        copy_blame(c, fail(c->error, KARP_E_INVALID, "a requirement without a key"), "key");
        return 0;
    }
    if (!catalogue->adopted) show_requirement(c, catalogue, e);
    *met = (repeated_requirement){ *given, (uint32_t)(catalogue->requirements.count - 1) };
    return met->number;
}

static const karp_requirement *show_list(copier *c, const karp_catalogue *catalogue, const uint32_t *numbers,
                                         size_t count)
{
    karp_requirement *shown = arena_alloc(c->to, count * sizeof *shown);
    if (shown == NULL) copy_refuse(c);
    for (size_t i = 0; shown != NULL && i < count; i++) shown[i] = catalogue->shown.items[numbers[i]];
    return shown;
}

static uint32_t read_new_list(copier *c, karp_catalogue *catalogue, const karp_requirement *given, size_t count)
{
    uint32_t *numbers = NULL;
    catalogue_list *list = list_push(catalogue->context, &catalogue->lists, sizeof *list);
    if (list == NULL) {
        copy_refuse(c);
        return 0;
    }
    path_enter(c, "requirements");
    if (copy_has(c, given, count)) {
        numbers = arena_alloc_aligned(c->to, count * sizeof *numbers, sizeof *numbers);
        if (numbers == NULL) copy_refuse(c);
    }
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        path_at(c, i);
        numbers[i] = read_requirement(c, catalogue, &given[i]);
        if (c->status != KARP_OK) return 0;
    }
    path_leave(c);
    if (c->status != KARP_OK || numbers == NULL) return (uint32_t)(catalogue->lists.count - 1);
    *list = (catalogue_list){ numbers, (uint32_t)count,
                              catalogue->adopted ? given : show_list(c, catalogue, numbers, count) };
    return (uint32_t)(catalogue->lists.count - 1);
}

static uint32_t read_list(copier *c, karp_catalogue *catalogue, const karp_requirement *given, size_t count)
{
    if (c->status != KARP_OK) return 0;
    repeated_list *met = repeated_list_slot(c->before, given);
    if (met->list != NULL && met->list == given && met->count == count) return met->number;
    uint32_t number = read_new_list(c, catalogue, given, count);
    if (c->status == KARP_OK) *met = (repeated_list){ given, count, number };
    return number;
}

/* ---- allocatable ------------------------------------------------------------------------------------------------- */

/* Subtracts huge pages from memory, but not below zero. */
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

/* ---- reading ----------------------------------------------------------------------------------------------------- */

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

/* ---- the public form --------------------------------------------------------------------------------------------- */

static karp_str show_amount(copier *c, amount value, bool binary)
{
    repeated_amount *met = repeated_amount_slot(c->before, value, binary);
    if (met->text.ptr != NULL && amount_cmp(met->value, value) == 0 && met->binary == binary) return met->text;
    char text[QUANTITY_TEXT];
    size_t length = quantity_format((quantity){ .value = value, .binary = binary }, text);
    karp_str copy = copy_string(c, (karp_str){ text, length });
    if (c->status == KARP_OK) *met = (repeated_amount){ value, binary, copy };
    return copy;
}

/* Resources without a fixed id are shown by name, because their ids depend on the order of the types. */
static void order_shown(copier *c, karp_resource *shown, resource_list list)
{
    uint32_t first = 0;
    while (first < list.count && list.items[first].resource < RESOURCE_FIXED) first++;
    uint32_t sorted = first + 1;
    while (sorted < list.count && compare_str(shown[sorted - 1].name, shown[sorted].name) < 0) sorted++;
    if (sorted >= list.count) return;
    if (!sort_stable(c->context, shown + first, list.count - first, sizeof *shown, by_text, NULL)) copy_refuse(c);
}

static const karp_resource *show_resources(copier *c, resource_list list)
{
    if (c->status != KARP_OK || list.count == 0) return NULL;
    karp_resource *shown = arena_array(c->to, list.count, sizeof *shown);
    if (shown == NULL) return copy_refuse(c);
    for (uint32_t i = 0; i < list.count; i++) {
        shown[i].name = strings_get(c->resources, list.items[i].resource);
        shown[i].text = show_amount(c, list.items[i].value, list.items[i].binary);
    }
    order_shown(c, shown, list);
    return shown;
}

/* The sum of the three lists, and the lists in public form. Repeated lists share their copies. */
static resource_list read_overhead(copier *c, const karp_overhead *given, karp_overhead *shown)
{
    repeated_overhead *met = repeated_overhead_slot(c->before, given);
    if (repeated_overhead_is(met, given)) {
        *shown = met->shown;
        return met->total;
    }
    resource_list kube = copy_resources(c, "overhead.kubeReserved", given->kube_reserved, given->kube_reserved_count,
                                        true);
    resource_list system = copy_resources(c, "overhead.systemReserved", given->system_reserved,
                                          given->system_reserved_count, true);
    resource_list eviction = copy_resources(c, "overhead.evictionThreshold", given->eviction_threshold,
                                            given->eviction_threshold_count, true);
    resource_list total = sum(c, sum(c, kube, system), eviction);
    *shown = (karp_overhead){
        show_resources(c, kube),     kube.count,     show_resources(c, system), system.count,
        show_resources(c, eviction), eviction.count,
    };
    if (c->status == KARP_OK) *met = (repeated_overhead){ *given, total, *shown };
    return total;
}

static const karp_volume_limit *show_volume_limits(copier *c, const karp_volume_limit *list, size_t count)
{
    karp_volume_limit *shown = copy_alloc_list(c, list, count, sizeof *shown);
    for (size_t i = 0; shown != NULL && i < count; i++) {
        uint32_t driver = copy_text(c, list[i].driver);
        shown[i].driver = strings_get(c->text, driver);
        shown[i].count = list[i].count;
    }
    return shown;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool is_overridden(const karp_offering *given)
{
    return given->has_capacity_override || given->overhead_override != NULL || given->capacity_override != NULL ||
           given->capacity_override_count > 0;
}

/* Only overrides that are present are part of the public form. */
static void read_overrides(copier *c, const karp_offering *given, catalogue_offering *o, karp_offering *shown)
{
    bool any = given->has_capacity_override || given->overhead_override != NULL;
    offering_overrides *overrides = any ? arena_zalloc(c->to, sizeof *overrides) : NULL;
    karp_overhead *overhead = given->overhead_override != NULL ? arena_zalloc(c->to, sizeof *overhead) : NULL;
    shown->capacity_override = NULL;
    shown->capacity_override_count = 0;
    shown->overhead_override = overhead;
    o->overrides = overrides;
    if ((any && overrides == NULL) || (given->overhead_override != NULL && overhead == NULL)) {
        copy_refuse(c);
        return;
    }
    if (given->has_capacity_override) {
        overrides->capacity = copy_resources(c, "capacityOverride", given->capacity_override,
                                             given->capacity_override_count, true);
        shown->capacity_override = show_resources(c, overrides->capacity);
        shown->capacity_override_count = overrides->capacity.count;
    }
    if (overhead != NULL) overrides->overhead = read_overhead(c, given->overhead_override, overhead);
}

/* `shown` NULL: the caller's struct is used. */
static void read_offering(copier *c, karp_catalogue *catalogue, const karp_offering *given, catalogue_offering *o,
                          karp_offering *shown)
{
    o->requirements = read_list(c, catalogue, given->requirements, given->requirement_count);
    if (c->status != KARP_OK) return;
    if (!isfinite(given->price) || (given->price < 0 && !catalogue->below_zero)) {
        copy_blame(c, fail(c->error, KARP_E_INVALID, "must be a finite number and not negative"), "price");
        return;
    }
    if (shown == NULL) return;
    *shown = *given; /* all its pointers are replaced below */
    shown->requirements = catalogue->lists.items[o->requirements].shown;
    shown->requirement_count = catalogue->lists.items[o->requirements].count;
    read_overrides(c, given, o, shown);
}

/* Allocates the public form of offerings, if it differs from the caller's structs. */
static karp_offering *alloc_offerings(copier *c, const karp_catalogue *catalogue, const karp_instance_type *given)
{
    bool as_given = catalogue->adopted;
    for (size_t i = 0; as_given && i < given->offering_count; i++) as_given = !is_overridden(&given->offerings[i]);
    if (as_given) return NULL;
    karp_offering *shown = arena_alloc(c->to, given->offering_count *
                                                  sizeof *shown); /* copy_alloc_list() has limited the count */
    if (shown == NULL) copy_refuse(c);
    return shown;
}

static void read_offerings(copier *c, karp_catalogue *catalogue, const karp_instance_type *given, catalogue_type *t)
{
    path_enter(c, "offerings");
    catalogue_offering *items = copy_alloc_list(c, given->offerings, given->offering_count, sizeof *items);
    if (items == NULL) {
        path_leave(c);
        return;
    }
    karp_offering *shown = alloc_offerings(c, catalogue, given);
    for (size_t i = 0; i < given->offering_count && c->status == KARP_OK; i++) {
        path_at(c, i);
        read_offering(c, catalogue, &given->offerings[i], &items[i], shown ? &shown[i] : NULL);
    }
    if (c->status != KARP_OK) return;
    path_leave(c);
    t->offerings = items;
    t->offering_count = (uint32_t)given->offering_count;
    t->shown.offerings = shown ? shown : given->offerings;
    t->shown.offering_count = given->offering_count;
}

/* Types with equal amounts share them. NULL after a failure. */
static repeated_capacity *read_capacity(copier *c, const karp_instance_type *given)
{
    arena_mark mark = arena_get_mark(c->to);
    resource_list list = copy_resources(c, "capacity", given->capacity, given->capacity_count, true);
    repeated_capacity *met = repeated_capacity_slot(c->before, list);
    if (c->status != KARP_OK) return NULL;
    if (repeated_capacity_is(met, list)) {
        arena_release(c->to, mark);
        return met;
    }
    const karp_resource *shown = show_resources(c, list);
    if (c->status != KARP_OK) return NULL;
    *met = (repeated_capacity){ .list = list, .shown = shown };
    return met;
}

static void read_resources(copier *c, const karp_instance_type *given, catalogue_type *t)
{
    repeated_capacity *capacity = read_capacity(c, given);
    t->overhead = read_overhead(c, &given->overhead, &t->shown.overhead);
    if (capacity == NULL || c->status != KARP_OK) return;
    if (capacity->allocatable_shown == NULL || capacity->overhead != t->overhead.items) {
        resource_list left;
        check_sum(c, allocatable_of(c->to, c->resources, capacity->list, t->overhead, &left), "capacity");
        if (c->status != KARP_OK) return;
        capacity->overhead = t->overhead.items;
        capacity->allocatable = left;
        capacity->allocatable_shown = show_resources(c, left);
    }
    t->capacity = capacity->list;
    t->allocatable = capacity->allocatable;
    t->allocatable_shown = capacity->allocatable_shown;
    t->shown.capacity = capacity->shown;
    t->shown.capacity_count = capacity->list.count;
}

static void read_type(copier *c, karp_catalogue *catalogue, const karp_instance_type *given, catalogue_type *t)
{
    t->shown.size = sizeof t->shown;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): reading has ended if the struct was not
     * filled */
    if (given->name.ptr == NULL || given->name.len == 0) {
        copy_blame(c, fail(c->error, KARP_E_INVALID, "an instance type without a name"), "name");
        return;
    }
    t->name = copy_text(c, given->name);
    t->requirements = read_list(c, catalogue, given->requirements, given->requirement_count);
    read_resources(c, given, t);
    if (c->status != KARP_OK) return;
    t->capacity_from_overlay = given->capacity_from_overlay != 0;
    t->shown.name = strings_get(c->text, t->name);
    t->shown.requirements = catalogue->lists.items[t->requirements].shown;
    t->shown.requirement_count = catalogue->lists.items[t->requirements].count;
    path_enter(c, "volumeLimits");
    t->shown.volume_limits = show_volume_limits(c, given->volume_limits, given->volume_limit_count);
    t->shown.volume_limit_count = given->volume_limit_count;
    t->shown.capacity_from_overlay = t->capacity_from_overlay;
    t->shown.pod_addresses = given->pod_addresses;
    if (c->status != KARP_OK) return;
    path_leave(c);
    t->devices = copy_type_devices(c, given);
    show_type_devices(c, given, &t->shown);
    read_offerings(c, catalogue, given, t);
}

/* ---- creating and freeing ---------------------------------------------------------------------------------------- */

static void free_catalogue(karp_catalogue *catalogue)
{
    karp_context *context = catalogue->context;
    list_free(context, &catalogue->requirements, sizeof *catalogue->requirements.items);
    list_free(context, &catalogue->shown, sizeof *catalogue->shown.items);
    list_free(context, &catalogue->lists, sizeof *catalogue->lists.items);
    strings_free(&catalogue->text);
    strings_free(&catalogue->resources);
    arena_free(&catalogue->data);
    if (catalogue->release) catalogue->release(catalogue->user);
    mem_free(context, catalogue, sizeof *catalogue);
    context_unref(context);
}

static karp_catalogue *new_catalogue(karp_context *context)
{
    karp_catalogue *catalogue = mem_zalloc(context, sizeof *catalogue);
    if (catalogue == NULL) return NULL;
    catalogue->context = context_ref(context);
    atomic_init(&catalogue->references, 1);
    arena_init(&catalogue->data, context);
    strings_init(&catalogue->text, context);
    strings_init(&catalogue->resources, context);
    if (resource_names_init(&catalogue->resources, context) && strings_add(&catalogue->text, "", 0) == NO_TEXT)
        return catalogue;
    free_catalogue(catalogue);
    return NULL;
}

static karp_status fill(karp_catalogue *catalogue, copier *c, const karp_instance_type *types, size_t count)
{
    catalogue->types = count > 0 ? arena_array(&catalogue->data, count, sizeof *catalogue->types) : NULL;
    if (count > 0 && catalogue->types == NULL) copy_refuse(c);
    for (size_t i = 0; i < count && c->status == KARP_OK; i++) {
        karp_instance_type own;
        catalogue_type *t = &catalogue->types[i];
        c->status = struct_element(types, i, sizeof own, SIZE_THROUGH(karp_instance_type, capacity_from_overlay), &own,
                                   "karp_instance_type", c->error);
        if (c->status != KARP_OK) break;
        c->depth = 0;
        read_type(c, catalogue, &own, t);
        if (c->status != KARP_OK) error_set_object(c->error, "InstanceType", str(""), own.name);
        catalogue->offering_total += t->offering_count;
    }
    catalogue->count = (uint32_t)count;
    return c->status;
}

static karp_status make_catalogue(karp_context *context, const karp_instance_type *types, size_t count, bool adopted,
                                  bool below_zero, karp_catalogue **out, karp_error *error)
{
    if (context == NULL || out == NULL) return fail_null(error, "context or out");
    if (count > karp_context_get_options(context)->max_instance_types || count > MOST_ELEMENTS)
        return fail(error, KARP_E_LIMIT, "%zu instance types are more than the context allows", count);
    if (count > 0 && types == NULL) return fail(error, KARP_E_INVALID, "the list of instance types is NULL");
    karp_catalogue *catalogue = new_catalogue(context);
    if (catalogue == NULL) return fail_nomem(error);
    catalogue->adopted = adopted;
    catalogue->below_zero = below_zero;
    repeats *before = count > 0 ? mem_zalloc(context, sizeof *before) : NULL;
    copier c = { .context = context,
                 .text = &catalogue->text,
                 .resources = &catalogue->resources,
                 .to = &catalogue->data,
                 .before = before,
                 .error = error };
    karp_status status = before || count == 0 ? fill(catalogue, &c, types, count) : fail_nomem(error);
    mem_free(context, before, sizeof *before);
    if (status == KARP_OK) *out = catalogue;
    else free_catalogue(catalogue);
    return status;
}

karp_status karp_catalogue_new(karp_context *context, const karp_instance_type *types, size_t count,
                               karp_catalogue **out, karp_error *error)
{
    return context_refusal(context, make_catalogue(context, types, count, false, false, out, error), error);
}

karp_status catalogue_overlaid(karp_context *context, const karp_instance_type *types, size_t count,
                               karp_catalogue **out, karp_error *error)
{
    return make_catalogue(context, types, count, false, true, out, error);
}

karp_status karp_catalogue_adopt(karp_context *context, const karp_instance_type *types, size_t count,
                                 karp_catalogue_release release, void *user, karp_catalogue **out, karp_error *error)
{
    karp_status status = make_catalogue(context, types, count, true, false, out, error);
    if (status != KARP_OK) return context_refusal(context, status, error);
    (*out)->release = release;
    (*out)->user = user;
    return KARP_OK;
}

karp_catalogue *karp_catalogue_ref(const karp_catalogue *catalogue)
{
    karp_catalogue *own = (karp_catalogue *)(uintptr_t)catalogue; /* the count is not part of what is constant */
    if (own != NULL) atomic_fetch_add_explicit(&own->references, 1, memory_order_relaxed);
    return own;
}

void karp_catalogue_unref(karp_catalogue *catalogue)
{
    if (catalogue && atomic_fetch_sub_explicit(&catalogue->references, 1, memory_order_acq_rel) == 1)
        free_catalogue(catalogue);
}

/* ---- getters ----------------------------------------------------------------------------------------------------- */

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
