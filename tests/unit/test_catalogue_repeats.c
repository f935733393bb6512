/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that several types share by their address are read once; of two that begin alike, each is read for itself. */
#include <support/building.h>

#include <model/catalogue.h>

#include <karp/inspect.h>

static karp_str values[] = { T("a"), T("b") };
static const karp_resource kube[] = { AMOUNT("cpu", "80m"), AMOUNT("memory", "1Gi") },
                           system_[] = { AMOUNT("memory", "100Mi") }, eviction[] = { AMOUNT("memory", "200Mi") };

static karp_catalogue *make(building *f, const karp_instance_type *types, size_t count)
{
    karp_catalogue *c = NULL;
    good(f, karp_catalogue_new(f->context, types, count, &c, &f->error));
    return c;
}

static void requirements(void **state)
{
    building *f = *state;
    static const char key[] = "architecture";
    const karp_requirement list[][1] = {
        { { { key, 4 }, KARP_OP_IN, 0, values, 2 } },     { { { key, 12 }, KARP_OP_IN, 0, values, 2 } },
        { { { key, 4 }, KARP_OP_IN, 2, values, 2 } },     { { { key, 4 }, KARP_OP_IN, 0, values, 1 } },
        { { { key, 4 }, KARP_OP_NOT_IN, 0, values, 2 } }, { { { key, 4 }, KARP_OP_IN, 0, values + 1, 1 } },
        { { { key, 4 }, KARP_OP_IN, 0, values, 2 } },
    };
    karp_instance_type types[COUNT(list)];
    static const char names[] = "abcdefg";
    for (size_t i = 0; i < COUNT(list); i++)
        types[i] = (karp_instance_type){
            .size = sizeof types[i], .name = { names + i, 1 }, .requirements = list[i], .requirement_count = 1
        };
    karp_catalogue *c = make(f, types, COUNT(list));
    for (size_t i = 0; i < COUNT(list); i++) {
        const karp_requirement *shown = karp_catalogue_type(c, i)->requirements;
        assert_true(equal_str(shown->key, list[i]->key));
        assert_true(shown->op == list[i]->op && shown->min_values == list[i]->min_values &&
                    shown->value_count == list[i]->value_count);
        assert_true(equal_str(shown->values[0], list[i]->values[0]));
    }
    karp_catalogue_unref(c);
}

static void overheads(void **state)
{
    building *f = *state;
    const karp_overhead list[] = {
        { kube, 2, system_, 1, eviction, 1 }, { kube, 1, system_, 1, eviction, 1 },
        { kube, 2, NULL, 0, eviction, 1 },    { kube, 2, system_, 0, eviction, 1 },
        { kube, 2, system_, 1, eviction, 0 }, { kube, 2, eviction, 1, eviction, 1 },
        { NULL, 0, system_, 1, NULL, 0 },     { NULL, 0, NULL, 0, eviction, 1 },
        { NULL, 0, NULL, 0, NULL, 0 },        { kube, 2, system_, 1, NULL, 0 },
        { kube, 2, system_, 1, eviction, 1 },
    };
    karp_instance_type types[COUNT(list)];
    static const char names[] = "abcdefghijk";
    for (size_t i = 0; i < COUNT(list); i++)
        types[i] = (karp_instance_type){ .size = sizeof types[i], .name = { names + i, 1 }, .overhead = list[i] };
    karp_catalogue *c = make(f, types, COUNT(list));
    for (size_t i = 0; i < COUNT(list); i++) {
        const karp_overhead *shown = &karp_catalogue_type(c, i)->overhead;
        assert_int_equal(shown->kube_reserved_count, list[i].kube_reserved_count);
        assert_int_equal(shown->system_reserved_count, list[i].system_reserved_count);
        assert_int_equal(shown->eviction_threshold_count, list[i].eviction_threshold_count);
        if (shown->system_reserved_count > 0)
            assert_true(equal_str(shown->system_reserved->text, list[i].system_reserved->text));
    }
    karp_catalogue_unref(c);
}

/* What says that an offering has amounts of its own; a list that is not said to be there is neither read nor shown. */
static void overrides(void **state)
{
    building *f = *state;
    const karp_overhead own = { kube, 1, NULL, 0, NULL, 0 };
    karp_offering offerings[] = { { .price = 1 },
                                  { .price = 1, .overhead_override = &own },
                                  { .price = 1, .has_capacity_override = 1 },
                                  { .price = 1, .capacity_override = kube, .capacity_override_count = 2 },
                                  { .price = 1, .capacity_override = kube } };
    karp_resource capacity[] = { AMOUNT("cpu", "4"), AMOUNT("memory", "8Gi") };
    karp_instance_type t = { .size = sizeof t,
                             .name = T("t"),
                             .capacity = capacity,
                             .capacity_count = 2,
                             .offerings = offerings,
                             .offering_count = COUNT(offerings) };
    karp_catalogue *c = make(f, &t, 1);
    static const bool overridden[] = { false, true, true, false, false };
    for (size_t i = 0; i < COUNT(offerings); i++) {
        const karp_offering *shown = &karp_catalogue_type(c, 0)->offerings[i];
        assert_int_equal(c->types[0].offerings[i].overrides != NULL, overridden[i]);
        assert_true(shown->capacity_override == NULL && shown->capacity_override_count == 0);
        assert_int_equal(shown->overhead_override != NULL, i == 1);
    }
    karp_catalogue_unref(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(requirements, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(overheads, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(overrides, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests_name("catalogue_repeats", tests, NULL, NULL);
}
