/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/plugin.h>

#include <base/sort.h>
#include <math.h>

#include <providers/launch.h>

#define RESERVATION_TYPE AWS_GROUP "capacity-reservation-type"
#define RESERVATION_INTERRUPTIBLE AWS_GROUP "capacity-reservation-interruptible"

/* Candidates of the same type are adjacent; a step keeps some of them, in place. */
typedef bool (*keeps)(const karp_provider_launch *launch, karp_provider_candidate c, const void *about);

static void keep(karp_provider_launch *launch, keeps test, const void *about)
{
    size_t left = 0;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        karp_provider_candidate c = launch->candidates[i];
        if (test(launch, c, about)) launch->candidates[left++] = c;
    }
    launch->candidate_count = left;
}

static bool allows(const karp_provider_launch *launch, const char *capacity_type)
{
    const karp_str key = TEXT(LABEL_CAPACITY_TYPE), value = { capacity_type, strlen(capacity_type) };
    return requirements_allow(launch->requirements, launch->requirement_count, key, value);
}

static bool has_min_values(const karp_provider_launch *launch)
{
    for (size_t i = 0; i < launch->requirement_count; i++) {
        if (launch->requirements[i].min_values && launch->requirements[i].min_values != KARP_MIN_VALUES_ZERO)
            return true;
    }
    return false;
}

static bool is_of(const karp_provider_launch *launch, karp_provider_candidate c, const char *capacity_type)
{
    return str_is(launch_capacity_type(launch_offering(launch, c)), capacity_type);
}

static karp_str label_of(const karp_provider_launch *launch, karp_provider_candidate c, const char *key)
{
    return launch_label(launch_offering(launch, c), key);
}

/* ---- reservations of one kind only ------------------------------------------------------------------------------- */

/* A lower rank is preferred at equal prices: default, capacity-block, then interruptible reservations. */
static int kind_of(const karp_provider_launch *launch, karp_provider_candidate c)
{
    int rank = str_is(label_of(launch, c, RESERVATION_TYPE), "capacity-block") ? 1 : 0;
    return rank + (str_is(label_of(launch, c, RESERVATION_INTERRUPTIBLE), "true") ? 2 : 0);
}

static bool of_kind(const karp_provider_launch *launch, karp_provider_candidate c, const void *kind)
{
    return c.usable && is_of(launch, c, "reserved") && kind_of(launch, c) == *(const int *)kind;
}

static void one_reservation_type(karp_provider_launch *launch)
{
    int best = -1;
    double least = HUGE_VAL;
    if (!allows(launch, "reserved")) return;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        karp_provider_candidate c = launch->candidates[i];
        if (!c.usable || !is_of(launch, c, "reserved")) continue;
        double price = launch_offering(launch, c)->price;
        if (best >= 0 && (price > least || (price == least && kind_of(launch, c) >= best))) continue;
        least = price;
        best = kind_of(launch, c);
    }
    if (best >= 0) keep(launch, of_kind, &best);
}

/* ---- a single capacity block ------------------------------------------------------------------------------------- */

static bool same_candidate(const karp_provider_launch *launch, karp_provider_candidate c, const void *about)
{
    const karp_provider_candidate *one = about;
    (void)launch;
    return c.type == one->type && c.offering == one->offering;
}

static void one_capacity_block(karp_provider_launch *launch)
{
    karp_provider_candidate cheapest = { 0, 0, 0, 0 };
    bool found = false, first = true;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        karp_provider_candidate c = launch->candidates[i];
        if (!is_of(launch, c, "reserved")) continue;
        bool block = str_is(label_of(launch, c, RESERVATION_TYPE), "capacity-block");
        if (first && !block) return; /* the first reservation determines the kind of all */
        first = false;
        if (!block || !c.usable) continue;
        if (!found || launch_offering(launch, c)->price < launch_offering(launch, cheapest)->price) cheapest = c;
        found = true;
    }
    if (found) keep(launch, same_candidate, &cheapest);
}

/* ---- one reserved offering per zone ------------------------------------------------------------------------------ */

static bool roomier(const karp_provider_launch *launch, karp_provider_candidate a, karp_provider_candidate b)
{
    return launch_offering(launch, a)->reservation_capacity > launch_offering(launch, b)->reservation_capacity;
}

static bool is_best_reserved(const karp_provider_launch *launch, karp_provider_candidate c, const void *about)
{
    const karp_provider_launch *all = about;
    if (!c.usable || !is_of(launch, c, "reserved")) return false;
    for (size_t i = 0; i < all->candidate_count; i++) {
        karp_provider_candidate other = all->candidates[i];
        if (other.type != c.type || !other.usable || !is_of(all, other, "reserved")) continue;
        if (!equal_str(label_of(all, other, LABEL_ZONE), label_of(launch, c, LABEL_ZONE))) continue;
        if (roomier(all, other, c) || (other.offering < c.offering && !roomier(all, c, other))) return false;
    }
    return true;
}

static void one_reserved_a_zone(karp_provider_launch *launch)
{
    bool any = false;
    for (size_t i = 0; i < launch->candidate_count && !any; i++)
        any = launch->candidates[i].usable && is_of(launch, launch->candidates[i], "reserved");
    /* A removed candidate was worse than one that remains, so comparing with the shrinking list gives the same
     * result. */
    const karp_provider_launch whole = *launch;
    if (any && allows(launch, "reserved")) keep(launch, is_best_reserved, &whole);
}

/* ---- exotic types ------------------------------------------------------------------------------------------------ */

const karp_str aws_exotic[AWS_EXOTIC] = { TEXT("aws.amazon.com/neuron"), TEXT("aws.amazon.com/neuroncore"),
                                          TEXT("nvidia.com/gpu"), TEXT("amd.com/gpu"), TEXT("habana.ai/gaudi") };

static bool is_plain(const karp_provider_launch *launch, karp_provider_candidate c, const void *about)
{
    const karp_instance_type *type = launch->types[c.type];
    (void)about;
    if (str_contains(requirement_single(type->requirements, type->requirement_count, AWS_GROUP "instance-size"),
                     str("metal")))
        return false;
    for (size_t i = 0; i < type->capacity_count; i++) {
        for (size_t k = 0; k < AWS_EXOTIC; k++) {
            if (equal_str(type->capacity[i].name, aws_exotic[k]) && !str_is(type->capacity[i].text, "0")) return false;
        }
    }
    return true;
}

static void no_exotic(karp_provider_launch *launch)
{
    bool any = false;
    if (has_min_values(launch)) return;
    for (size_t i = 0; i < launch->candidate_count && !any; i++) any = is_plain(launch, launch->candidates[i], NULL);
    if (any) keep(launch, is_plain, NULL);
}

/* ---- expensive spot offerings ------------------------------------------------------------------------------------ */

static bool worth_it(const karp_provider_launch *launch, karp_provider_candidate c, const void *on_demand)
{
    return !is_of(launch, c, "spot") || launch_offering(launch, c)->price <= *(const double *)on_demand;
}

static void drop_expensive_spot(karp_provider_launch *launch)
{
    double cheapest = HUGE_VAL;
    bool spot = false;
    if (has_min_values(launch) || !allows(launch, "spot") || !allows(launch, "on-demand")) return;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        karp_provider_candidate c = launch->candidates[i];
        if (!c.usable) continue;
        spot = spot || is_of(launch, c, "spot");
        double price = launch_offering(launch, c)->price;
        if (is_of(launch, c, "on-demand") && price < cheapest) cheapest = price;
    }
    if (spot && isfinite(cheapest)) keep(launch, worth_it, &cheapest);
}

const aws_filter_step aws_filters[AWS_FILTERS] = {
    { "capacity-reservation-type-filter", one_reservation_type },
    { "capacity-block-filter", one_capacity_block },
    { "reserved-offering-filter", one_reserved_a_zone },
    { "exotic-instance-filter", no_exotic },
    { "spot-offering-filter", drop_expensive_spot },
};

/* ---- the cheapest types ------------------------------------------------------------------------------------------ */

/* A remaining type with its lowest price. */
typedef struct ranked {
    uint32_t type;
    double price;
} ranked;

static int by_price(const void *a, const void *b, const void *about)
{
    const karp_provider_launch *launch = about;
    const ranked *x = a, *y = b;
    if (x->price != y->price) return x->price < y->price ? -1 : 1;
    int order = compare_str(launch->types[x->type]->name, launch->types[y->type]->name);
    return order ? order : (x->type > y->type) - (x->type < y->type);
}

static size_t rank(const karp_provider_launch *launch, ranked *list)
{
    size_t n = 0;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        karp_provider_candidate c = launch->candidates[i];
        if (n == 0 || list[n - 1].type != c.type) list[n++] = (ranked){ c.type, HUGE_VAL };
        double price = launch_offering(launch, c)->price;
        if (c.usable && price < list[n - 1].price) list[n - 1].price = price;
    }
    return n;
}

static size_t values_of(const karp_instance_type *type, karp_str key, const karp_str **values)
{
    for (size_t i = 0; i < type->requirement_count; i++) {
        const karp_requirement *r = &type->requirements[i];
        *values = r->values;
        if (equal_str(r->key, key) && r->op == KARP_OP_IN) return r->value_count;
    }
    return 0;
}

/* Whether the types have as many values of the key as minValues requires. */
static bool enough(const karp_provider_launch *launch, const ranked *list, size_t count,
                   const karp_requirement *required, scratch *s)
{
    const karp_str *some = NULL;
    size_t most = 0, n = 0, distinct = 0;
    for (size_t i = 0; i < count; i++) most += values_of(launch->types[list[i].type], required->key, &some);
    karp_str *values = scratch_array(s, most, sizeof *values), *half = scratch_array(s, most / 2, sizeof *values);
    if (s->failed) return false;
    for (size_t i = 0; i < count; i++) {
        size_t more = values_of(launch->types[list[i].type], required->key, &some);
        if (more) memcpy(values + n, some, more * sizeof *values);
        n += more;
    }
    sort_with(half, values, n, sizeof *values, by_text, NULL);
    for (size_t i = 0; i < n; i++) distinct += i == 0 || !equal_str(values[i - 1], values[i]);
    return distinct >= required->min_values;
}

static bool is_listed(const karp_provider_launch *launch, karp_provider_candidate c, const void *about)
{
    const uint8_t *kept = about;
    (void)launch;
    return kept[c.type] != 0;
}

static uint32_t truncate_types(karp_provider_launch *launch, const karp_provider_memory *memory,
                               karp_provider_problem *problem)
{
    scratch s;
    scratch_init_on(&s, memory);
    ranked *list = scratch_array(&s, launch->candidate_count, sizeof *list);
    ranked *half = scratch_array(&s, launch->candidate_count / 2, sizeof *list);
    uint8_t *kept = scratch_array(&s, launch->type_count, 1);
    if (s.failed) return provider_no_memory(problem);
    size_t count = rank(launch, list);
    sort_with(half, list, count, sizeof *list, by_price, launch);
    if (count > AWS_TYPES_MOST) count = AWS_TYPES_MOST;
    for (size_t i = 0; i < launch->requirement_count && launch->min_values_policy == KARP_MIN_VALUES_STRICT; i++) {
        const karp_requirement *r = &launch->requirements[i];
        if (!r->min_values || r->min_values == KARP_MIN_VALUES_ZERO || enough(launch, list, count, r, &s)) continue;
        if (s.failed) return provider_no_memory(problem);
        return provider_problem(problem, KARP_PROVIDER_NO_CAPACITY, "requirements",
                                "minValues of %.*s is more than the %zu cheapest types have", str_shown(r->key, 80),
                                r->key.ptr, count);
    }
    if (s.failed) return provider_no_memory(problem);
    for (size_t i = 0; i < count; i++) kept[list[i].type] = 1;
    keep(launch, is_listed, kept);
    return KARP_PROVIDER_OK;
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

uint32_t aws_filter_launch(void *handle, const void *node_class, const karp_provider_memory *memory,
                           karp_provider_launch *launch, karp_provider_problem *problem)
{
    static const karp_str usual = TEXT("default"), dedicated = TEXT("dedicated"),
                          key = TEXT(AWS_GROUP "instance-tenancy");
    (void)handle;
    (void)node_class;
    for (size_t i = 0; i < AWS_FILTERS; i++) {
        aws_filters[i].run(launch);
        if (launch->candidate_count) continue;
        return provider_problem(problem, KARP_PROVIDER_NO_CAPACITY, "", "nothing is left after the %s",
                                aws_filters[i].name);
    }
    uint32_t kind = truncate_types(launch, memory, problem);
    if (kind) return kind;
    launch->capacity_type = launch_first_capacity_type(launch);
    launch->tenancy = requirements_allow(launch->requirements, launch->requirement_count, key, usual) ? usual
                                                                                                      : dedicated;
    if (launch->capacity_type.len) return KARP_PROVIDER_OK;
    return provider_problem(problem, KARP_PROVIDER_NO_CAPACITY, "", "no offering that is left can be launched");
}

uint32_t aws_pick(void *handle, const void *node_class, const karp_provider_launch *launch,
                  karp_provider_candidate *picked, karp_provider_problem *problem)
{
    (void)handle;
    (void)node_class;
    if (launch_cheapest(launch, picked)) return KARP_PROVIDER_OK;
    return provider_problem(problem, KARP_PROVIDER_NO_CAPACITY, "",
                            "no offering of the launch's capacity type is left");
}
