/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogues: deep copies, allocatable (scheduling.md section 10.1), what is shown, what is refused. */
#include <support/building.h>

#include <math.h>
#include <model/catalogue.h>

#include <karp/inspect.h>
#include <karp/library.h>

/* Room for what a test changes of a type. */
typedef struct type_parts {
    karp_str zone, capacity_type;
    karp_requirement requirements[2], of_offering[2];
    karp_resource capacity[4], kube[2], system[1], eviction[1], more[1];
    karp_overhead override;
    karp_offering offerings[2];
    karp_volume_limit limit;
    karp_instance_type type;
} type_parts;

static void fill(type_parts *p)
{
    memset(p, 0, sizeof *p);
    p->zone = str("z1");
    p->capacity_type = str("spot");
    p->requirements[0] = (karp_requirement){ T("arch"), KARP_OP_IN, 0, &p->zone, 1 };
    p->requirements[1] = (karp_requirement){ T("gpu"), KARP_OP_DOES_NOT_EXIST, 0, NULL, 0 };
    p->of_offering[0] = (karp_requirement){ T("zone"), KARP_OP_IN, 0, &p->zone, 1 };
    p->of_offering[1] = (karp_requirement){ T("capacity-type"), KARP_OP_IN, 0, &p->capacity_type, 1 };
    p->capacity[0] = (karp_resource)AMOUNT("cpu", "4");
    p->capacity[1] = (karp_resource)AMOUNT("memory", "16384Mi");
    p->capacity[2] = (karp_resource)AMOUNT("pods", "58");
    p->kube[0] = (karp_resource)AMOUNT("cpu", "80m");
    p->kube[1] = (karp_resource)AMOUNT("memory", "1Gi");
    p->system[0] = (karp_resource)AMOUNT("memory", "100Mi");
    p->eviction[0] = (karp_resource)AMOUNT("memory", "100Mi");
    p->more[0] = (karp_resource)AMOUNT("memory", "8Gi");
    p->override = (karp_overhead){ .kube_reserved = p->kube, .kube_reserved_count = 1 };
    p->offerings[0] = (karp_offering){
        .requirements = p->of_offering, .requirement_count = 2, .price = 0.25, .available = 1
    };
    p->offerings[1] = (karp_offering){ .requirements = p->of_offering,
                                       .requirement_count = 2,
                                       .reservation_capacity = 7,
                                       .price_from_overlay = 1,
                                       .capacity_override = p->more,
                                       .capacity_override_count = 1,
                                       .has_capacity_override = 1,
                                       .overhead_override = &p->override };
    p->limit = (karp_volume_limit){ T("ebs.csi.aws.com"), 25 };
    p->type = (karp_instance_type){
        .size = sizeof p->type,
        .name = T("m5.xlarge"),
        .requirements = p->requirements,
        .requirement_count = 2,
        .capacity = p->capacity,
        .capacity_count = 3,
        .overhead = { p->kube, 2, p->system, 1, p->eviction, 1 },
        .offerings = p->offerings,
        .offering_count = 2,
        .volume_limits = &p->limit,
        .volume_limit_count = 1,
        .capacity_from_overlay = 1,
    };
}

static karp_catalogue *make(building *f, const type_parts *p)
{
    karp_catalogue *c = NULL;
    good(f, karp_catalogue_new(f->context, &p->type, 1, &c, &f->error));
    return c;
}

static const char *amount_text(const karp_resource *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name.ptr, name) == 0) return list[i].text.ptr;
    }
    return "-";
}

static void test_shown(void **state)
{
    building *f = *state;
    type_parts p;
    fill(&p);
    karp_catalogue *c = make(f, &p);
    memset(&p, 0xee, sizeof p); /* nothing of it is needed any more */
    assert_int_equal(karp_catalogue_count(c), 1);
    assert_null(karp_catalogue_type(c, 1));
    const karp_instance_type *t = karp_catalogue_type(c, 0);
    assert_int_equal(t->size, sizeof *t);
    assert_string_equal(t->name.ptr, "m5.xlarge");
    assert_int_equal(t->requirement_count, 2);
    assert_string_equal(t->requirements[0].key.ptr, "arch");
    assert_string_equal(t->requirements[0].values[0].ptr, "z1");
    assert_int_equal(t->requirements[1].op, KARP_OP_DOES_NOT_EXIST);
    assert_int_equal(t->requirements[1].value_count, 0);
    assert_int_equal(t->capacity_count, 3);
    assert_string_equal(amount_text(t->capacity, t->capacity_count, "memory"), "16Gi");
    assert_string_equal(amount_text(t->overhead.kube_reserved, t->overhead.kube_reserved_count, "cpu"), "80m");
    assert_string_equal(amount_text(t->overhead.system_reserved, t->overhead.system_reserved_count, "memory"), "100Mi");
    assert_int_equal(t->overhead.eviction_threshold_count, 1);
    assert_int_equal(t->volume_limits[0].count, 25);
    assert_string_equal(t->volume_limits[0].driver.ptr, "ebs.csi.aws.com");
    assert_int_equal(t->capacity_from_overlay, 1);
    assert_int_equal(t->offering_count, 2);
    assert_true(t->offerings[0].price == 0.25 && t->offerings[0].available && !t->offerings[0].has_capacity_override);
    assert_null(t->offerings[0].overhead_override);
    assert_string_equal(t->offerings[1].requirements[1].values[0].ptr, "spot");
    assert_int_equal(t->offerings[1].reservation_capacity, 7);
    assert_string_equal(amount_text(t->offerings[1].capacity_override, 1, "memory"), "8Gi");
    assert_string_equal(amount_text(t->offerings[1].overhead_override->kube_reserved, 1, "cpu"), "80m");

    size_t count = 0;
    const karp_resource *a = karp_catalogue_allocatable(c, 0, &count);
    assert_int_equal(count, 3);
    assert_string_equal(amount_text(a, count, "cpu"), "3920m");
    assert_string_equal(amount_text(a, count, "memory"), "15160Mi");
    assert_string_equal(amount_text(a, count, "pods"), "58");
    assert_null(karp_catalogue_allocatable(c, 1, &count));
    assert_int_equal(count, 0);

    const catalogue_type *raw = &c->types[0];
    assert_null(raw->offerings[0].overrides);
    assert_int_equal(raw->offerings[1].overrides->overhead.count, 1);
    assert_true(!t->offerings[1].available && t->offerings[1].price_from_overlay);
    assert_int_equal(c->offering_total, 2);
    karp_catalogue_unref(c);
}

/* "has an override that is empty" is not "has none". */
static void test_empty_override(void **state)
{
    building *f = *state;
    type_parts p;
    fill(&p);
    p.offerings[1].capacity_override_count = 0;
    p.offerings[1].overhead_override = NULL;
    p.offerings[0].capacity_override = p.more; /* not read without the mark */
    p.offerings[0].capacity_override_count = 1;
    karp_catalogue *c = make(f, &p);
    assert_non_null(c->types[0].offerings[1].overrides);
    assert_null(c->types[0].offerings[0].overrides);
    assert_int_equal(karp_catalogue_type(c, 0)->offerings[0].capacity_override_count, 0);
    karp_catalogue_unref(c);
}

static void test_allocatable(void **state)
{
    static const struct {
        const char *capacity[4][2], *overhead[2][2], *memory, *cpu;
    } cases[] = {
        { { { "cpu", "1" }, { "memory", "1Gi" } }, { { "cpu", "2" } }, "1Gi", "-1" }, /* a debt is kept */
        { { { "memory", "8Gi" }, { "hugepages-2Mi", "2Gi" } }, { { "memory", "1Gi" } }, "5Gi", "-" },
        { { { "memory", "1Gi" }, { "hugepages-2Mi", "2Gi" } },
          { { "memory", "1Mi" } },
          "0",
          "-" }, /* huge pages leave none */
        { { { "memory", "8Gi" }, { "hugepages-2Mi", "1Gi" }, { "hugepages-1Gi", "2Gi" } },
          { { "memory", "1Gi" } },
          "4Gi",
          "-" },
        { { { "cpu", "1" }, { "hugepages-2Mi", "2Gi" } }, { { "memory", "1Gi" } }, "0", "1" },
        { { { "cpu", "1" } }, { { "memory", "1Gi" }, { "cpu", "100m" } }, "-", "900m" }, /* only capacity's keys */
        { { { "memory", "1Gi" }, { "xhugepages-2Mi", "2Gi" } }, { { NULL } }, "1Gi", "-" },
    };
    building *f = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        type_parts p;
        size_t count = 0;
        fill(&p);
        for (p.type.capacity_count = 0; p.type.capacity_count < 4 && cases[i].capacity[p.type.capacity_count][0];
             p.type.capacity_count++) {
            const char *const *pair = cases[i].capacity[p.type.capacity_count];
            p.capacity[p.type.capacity_count] = (karp_resource){ .name = str(pair[0]), .text = str(pair[1]) };
        }
        p.type.overhead = (karp_overhead){ .kube_reserved = p.kube };
        for (; count < 2 && cases[i].overhead[count][0]; count++) {
            const char *const *pair = cases[i].overhead[count];
            p.kube[count] = (karp_resource){ .name = str(pair[0]), .text = str(pair[1]) };
        }
        p.type.overhead.kube_reserved_count = count;
        p.type.offering_count = 0;
        karp_catalogue *c = make(f, &p);
        const karp_resource *a = karp_catalogue_allocatable(c, 0, &count);
        assert_string_equal(amount_text(a, count, "memory"), cases[i].memory);
        assert_string_equal(amount_text(a, count, "cpu"), cases[i].cpu);
        karp_catalogue_unref(c);
    }
}

static void refuse(building *f, const type_parts *p, karp_status status, const char *field)
{
    karp_catalogue *c = NULL;
    bad(f, karp_catalogue_new(f->context, &p->type, 1, &c, &f->error), status, "InstanceType m5.xlarge", field);
    assert_null(c);
    assert_int_equal(karp_catalogue_new(f->context, &p->type, 1, &c, NULL), status);
}

static void test_refusals(void **state)
{
    building *f = *state;
    type_parts p;
    const double prices[] = { (double)NAN, (double)INFINITY, -(double)INFINITY, -0.01 };
    for (size_t i = 0; i < COUNT(prices); i++) {
        fill(&p);
        p.offerings[1].price = prices[i];
        refuse(f, &p, KARP_E_INVALID, "offerings[1].price");
    }
    fill(&p);
    p.requirements[1].op = KARP_OP_UNKNOWN;
    refuse(f, &p, KARP_E_INVALID, "requirements[1].operator");
    p.requirements[1].op = KARP_OP_LTE + 1;
    refuse(f, &p, KARP_E_INVALID, "requirements[1].operator");
    fill(&p);
    p.of_offering[1].key = str("");
    refuse(f, &p, KARP_E_INVALID, "offerings[0].requirements[1].key");
    fill(&p);
    p.capacity[1].text = str("16 Gi");
    refuse(f, &p, KARP_E_INVALID, "capacity[\"memory\"]");
    fill(&p);
    p.eviction[0].text = str("");
    refuse(f, &p, KARP_E_INVALID, "overhead.evictionThreshold[\"memory\"]");
    fill(&p);
    p.more[0].text = str("x");
    refuse(f, &p, KARP_E_INVALID, "offerings[1].capacityOverride[\"memory\"]");
    fill(&p);
    p.capacity[1].text = str("999999999999999999999999999999999999999");
    refuse(f, &p, KARP_E_RANGE, "capacity[\"memory\"]");
    fill(&p);
    p.kube[1].text = p.system[0].text = str("100000000000000000000000000000");
    refuse(f, &p, KARP_E_RANGE, "overhead");
    fill(&p);
    p.type.offerings = NULL;
    refuse(f, &p, KARP_E_INVALID, "offerings");
    fill(&p);
    p.type.name = str("");
    karp_catalogue *c = NULL;
    bad(f, karp_catalogue_new(f->context, &p.type, 1, &c, &f->error), KARP_E_INVALID, "InstanceType", "name");
    assert_int_equal(karp_catalogue_new(f->context, NULL, 1, &c, &f->error), KARP_E_INVALID);
    assert_null(c);
}

typedef struct newer_type {
    karp_instance_type type;
    uint64_t more;
} newer_type;

static void test_arrays(void **state)
{
    building *f = *state;
    karp_catalogue *c = NULL;
    karp_instance_type two[2] = { { .size = sizeof two[0], .name = T("a") },
                                  { .size = sizeof two[0], .name = T("b") } };
    good(f, karp_catalogue_new(f->context, two, 2, &c, &f->error));
    assert_string_equal(karp_catalogue_type(c, 1)->name.ptr, "b");
    size_t count = 1;
    assert_non_null(karp_catalogue_allocatable(c, 1, &count));
    assert_int_equal(count, 0);
    assert_ptr_equal(karp_catalogue_ref(c), c);
    karp_catalogue_unref(c);
    assert_int_equal(karp_catalogue_count(c), 2); /* there is a hold left */
    karp_catalogue_unref(c);
    assert_null(karp_catalogue_ref(NULL));
    karp_catalogue_unref(NULL);

    two[1].name = str("a"); /* each entry is a type of its own, whatever its name */
    good(f, karp_catalogue_new(f->context, two, 2, &c, &f->error));
    assert_int_equal(karp_catalogue_count(c), 2);
    karp_catalogue_unref(c);
    good(f, karp_catalogue_new(f->context, NULL, 0, &c, &f->error));
    assert_int_equal(karp_catalogue_count(c), 0);
    assert_null(karp_catalogue_type(c, 0));
    karp_catalogue_unref(c);

    /* The stride is the caller's size. */
    newer_type newer[2];
    memset(newer, 0, sizeof newer);
    newer[0].type.size = newer[1].type.size = sizeof newer[0];
    newer[0].type.name = str("a");
    newer[1].type.name = str("b");
    good(f, karp_catalogue_new(f->context, &newer[0].type, 2, &c, &f->error));
    assert_string_equal(karp_catalogue_type(c, 1)->name.ptr, "b");
    karp_catalogue_unref(c);
    newer[1].more = 1;
    assert_int_equal(karp_catalogue_new(f->context, &newer[0].type, 2, &c, &f->error), KARP_E_ABI_NEW);
    newer[1].more = 0;
    newer[1].type.size = sizeof newer[1].type;
    assert_int_equal(karp_catalogue_new(f->context, &newer[0].type, 2, &c, &f->error), KARP_E_ABI_SIZE);
    two[0].size = 0;
    assert_int_equal(karp_catalogue_new(f->context, two, 2, &c, &f->error), KARP_E_ABI_SIZE);
    two[0].size = sizeof two[0] + 1;
    assert_int_equal(karp_catalogue_new(f->context, two, 2, &c, &f->error), KARP_E_ABI_SIZE);
}

/* Lists and texts that come up again are copied once; what only begins like them, or only looks like them, is not taken
 * for them. */
static void test_repeats(void **state)
{
    building *f = *state;
    type_parts p;
    fill(&p);
    static const char zones[] = "z1z2";
    karp_str one = { zones, 2 }, both = { zones, 4 }, nothing = { zones, 0 }, zone_key = T("zone");
    karp_requirement lists[3] = {
        { zone_key, KARP_OP_IN, 0, &one, 1 },
        { zone_key, KARP_OP_IN, 0, &both, 1 },
        { zone_key, KARP_OP_IN, 0, &nothing, 1 },
    };
    karp_offering offerings[5];
    for (size_t i = 0; i < 5; i++) {
        /* All three and again (what was copied last is remembered for sure), none, the first, the last. */
        static const size_t from[5] = { 0, 0, 0, 0, 2 }, counts[5] = { 3, 3, 0, 1, 1 };
        offerings[i] = (karp_offering){
            .requirements = lists + from[i], .requirement_count = counts[i], .price = 1, .available = 1
        };
    }
    karp_resource capacity[3] = { AMOUNT("memory", "1Gi"), AMOUNT("ephemeral-storage", "1073741824"),
                                  AMOUNT("pods", "58") };
    p.type.offerings = offerings;
    p.type.offering_count = 5;
    p.type.capacity = capacity;
    p.type.capacity_count = 3;
    p.type.overhead = (karp_overhead){ .kube_reserved = NULL };
    karp_catalogue *c = make(f, &p);
    const karp_instance_type *shown = karp_catalogue_type(c, 0);
    static const size_t counts[5] = { 3, 3, 0, 1, 1 };
    for (size_t i = 0; i < 5; i++) assert_int_equal(shown->offerings[i].requirement_count, counts[i]);
    assert_ptr_equal(shown->offerings[0].requirements, shown->offerings[1].requirements);
    assert_ptr_not_equal(shown->offerings[0].requirements, shown->offerings[3].requirements);
    assert_string_equal(shown->offerings[0].requirements[0].values[0].ptr, "z1");
    assert_string_equal(shown->offerings[0].requirements[1].values[0].ptr, "z1z2");
    assert_string_equal(shown->offerings[0].requirements[2].values[0].ptr, "");
    assert_string_equal(shown->offerings[4].requirements[0].values[0].ptr, "");
    assert_int_equal(shown->offerings[4].requirements[0].values[0].len, 0);
    /* Equal amounts, written differently: each keeps its kind of suffix. */
    assert_string_equal(amount_text(shown->capacity, 3, "memory"), "1Gi");
    assert_string_equal(amount_text(shown->capacity, 3, "ephemeral-storage"), "1073741824");
    karp_catalogue_unref(c);
}

static void count_release(void *user) { ++*(int *)user; }

/* What is adopted is shown where it is, and given back with the last hold; not after a failure. */
static void test_adopted(void **state)
{
    building *f = *state;
    type_parts p;
    fill(&p);
    int released = 0;
    karp_catalogue *c = NULL, *copy = make(f, &p);
    good(f, karp_catalogue_adopt(f->context, &p.type, 1, count_release, &released, &c, &f->error));
    const karp_instance_type *t = karp_catalogue_type(c, 0), *other = karp_catalogue_type(copy, 0);
    assert_ptr_equal(t->requirements, p.requirements);
    assert_int_equal(t->requirement_count, 2);
    assert_ptr_not_equal(other->requirements, p.requirements);
    assert_string_equal(amount_text(t->capacity, t->capacity_count, "memory"), "16Gi"); /* not as it was written */
    /* Amounts of offerings are shown as all amounts are, so the list is another one. */
    assert_ptr_not_equal(t->offerings, p.offerings);
    assert_ptr_equal(t->offerings[1].requirements, p.of_offering);
    assert_string_equal(amount_text(t->offerings[1].capacity_override, 1, "memory"), "8Gi");
    assert_int_equal(c->lists.count, copy->lists.count);
    assert_int_equal(c->offering_total, 2);
    (void)karp_catalogue_ref(c);
    karp_catalogue_unref(c);
    assert_int_equal(released, 0);
    karp_catalogue_unref(c);
    assert_int_equal(released, 1);
    karp_catalogue_unref(copy);

    p.type.offering_count = 1; /* it has no overrides */
    good(f, karp_catalogue_adopt(f->context, &p.type, 1, NULL, NULL, &c, &f->error));
    assert_ptr_equal(karp_catalogue_type(c, 0)->offerings, p.offerings);
    karp_catalogue_unref(c);
    p.offerings[0].capacity_override = p.more; /* not shown without the mark */
    good(f, karp_catalogue_adopt(f->context, &p.type, 1, NULL, NULL, &c, &f->error));
    assert_null(karp_catalogue_type(c, 0)->offerings[0].capacity_override);
    karp_catalogue_unref(c);
    p.offerings[0].price = -1;
    assert_int_equal(karp_catalogue_adopt(f->context, &p.type, 1, count_release, &released, &c, &f->error),
                     KARP_E_INVALID);
    assert_string_equal(f->error.field, "offerings[0].price");
    assert_int_equal(released, 1);
}

/* Types that have the same amounts share their lists; what is left depends on the overhead as well. */
static void test_shared_amounts(void **state)
{
    building *f = *state;
    type_parts p[3];
    karp_instance_type types[3];
    karp_catalogue *c = NULL;
    for (size_t i = 0; i < 3; i++) {
        fill(&p[i]);
        types[i] = p[i].type;
    }
    types[2].overhead.system_reserved_count = 0;
    good(f, karp_catalogue_new(f->context, types, 3, &c, &f->error));
    size_t count;
    assert_ptr_equal(karp_catalogue_type(c, 0)->capacity, karp_catalogue_type(c, 2)->capacity);
    const karp_resource *left = karp_catalogue_allocatable(c, 1, &count);
    assert_string_equal(amount_text(left, count, "memory"), "15160Mi");
    left = karp_catalogue_allocatable(c, 2, &count);
    assert_string_equal(amount_text(left, count, "memory"), "15260Mi");
    left = karp_catalogue_allocatable(c, 0, &count);
    assert_string_equal(amount_text(left, count, "memory"), "15160Mi");
    karp_catalogue_unref(c);

    p[1].capacity[1] = (karp_resource)AMOUNT("memory", "17179869184"); /* as much, written in another way */
    good(f, karp_catalogue_new(f->context, types, 3, &c, &f->error));
    const karp_instance_type *t = karp_catalogue_type(c, 1);
    assert_string_equal(amount_text(t->capacity, t->capacity_count, "memory"), "17179869184");
    karp_catalogue_unref(c);
}

static void test_refused_memory(void **state)
{
    building *f = *state;
    type_parts p;
    fill(&p);
    size_t blocks = f->fault.live_blocks, at = 1;
    for (;; at++) {
        karp_catalogue *c = NULL;
        fault_arm(&f->fault, at, at % 2 == 0);
        karp_status status = karp_catalogue_new(f->context, &p.type, 1, &c, &f->error);
        if (status == KARP_OK) {
            karp_catalogue_unref(c);
            break;
        }
        assert_int_equal(status, KARP_E_NOMEM);
        assert_null(c);
        assert_int_equal(f->fault.live_blocks, blocks);
    }
    fault_arm(&f->fault, 0, false);
    assert_int_equal(f->fault.live_blocks, blocks);
    assert_true(at > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shown, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_empty_override, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_allocatable, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_refusals, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_arrays, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_repeats, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_adopted, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_shared_amounts, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(test_refused_memory, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
