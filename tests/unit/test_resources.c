/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts of resources as they are given, and the units in which a snapshot counts them. */
#include <support/building.h>

#include <stdio.h>

#include <karp/snapshot.h>
#include <model/prepare.h>
#include <model/snapshot.h>

static karp_node node_with(const char *name, const karp_resource *amounts, size_t count)
{
    return (karp_node){ .size = sizeof(karp_node),
                        .meta = { .name = str(name) },
                        .provider_id = str(name),
                        .capacity = amounts,
                        .capacity_count = count };
}

static void assert_refused(building *f, karp_resource one, karp_status expected)
{
    karp_node n = node_with("n", &one, 1);
    assert_int_equal(karp_builder_add_node(f->b, &n, &f->error), expected);
    assert_int_equal(f->error.status, expected);
    assert_string_equal(f->error.object, "Node n");
    assert_int_equal(strncmp(f->error.field, "status.capacity", 15), 0);
    assert_int_equal(f->s->nodes.count, 0);
}

/* value × 10^scale */
static void numbers(void **state)
{
    building *f = *state;
    assert_refused(f, (karp_resource){ .name = T("cpu"), .value = 1, .scale = -10 }, KARP_E_INVALID);
    assert_refused(f, (karp_resource){ .name = T("cpu"), .value = 1, .scale = 19 }, KARP_E_INVALID);
    /* 2^127 · 10^-9 is 1.7 · 10^29 */
    assert_refused(f, (karp_resource){ .name = T("cpu"), .value = INT64_C(1800000000000), .scale = 18 }, KARP_E_RANGE);
    assert_refused(f, (karp_resource){ .name = T("cpu"), .value = INT64_MAX, .scale = 17 }, KARP_E_RANGE);
    assert_refused(f, (karp_resource){ .name = T("cpu"), .value = INT64_MAX, .scale = 18 }, KARP_E_RANGE);
    assert_refused(f, (karp_resource){ .name = T("cpu"), .text = T("1e40") }, KARP_E_RANGE);
    assert_refused(f, (karp_resource){ .name = T(""), .text = T("1") }, KARP_E_INVALID);
    static const char digits[] = "11111111111111111111111111111111111111111111111111111111111111111111111111111x";
    assert_refused(f, (karp_resource){ .name = T("cpu"), .text = T(digits) }, KARP_E_INVALID);
    assert_non_null(strstr(f->error.message, "\"111111111111111111111111111111111111111111111111111111111111\""));
    karp_resource good_ones[] = {
        { .name = T("a"), .value = 15, .scale = -9 },
        { .name = T("b"), .value = -2, .scale = 18 },
        { .name = T("c"), .value = 12, .scale = 1 },
        { .name = T("d"), .value = INT64_C(170000000000), .scale = 18 },
    };
    karp_node n = node_with("n", good_ones, COUNT(good_ones));
    good(f, karp_builder_add_node(f->b, &n, &f->error));
    resource_list list = f->s->nodes.items[0].capacity;
    assert_int_equal(list.count, 4);
    assert_true(amount_cmp(list.items[0].value, amount_from(15)) == 0);
    assert_true(amount_cmp(list.items[1].value, amount_whole(INT64_C(-2000000000000000000))) == 0);
    assert_true(amount_cmp(list.items[2].value, amount_whole(120)) == 0);
    amount all;
    assert_true(amount_mul(amount_whole(INT64_C(170000000000)), UINT64_C(1000000000000000000), &all));
    assert_true(amount_cmp(list.items[3].value, all) == 0);
}

/* The name of a resource is told as far as there is room. */
static void long_names(void **state)
{
    building *f = *state;
    static char name[400];
    memset(name, 'n', sizeof name - 1);
    assert_refused(f, (karp_resource){ .name = T(name), .text = T("two") }, KARP_E_INVALID);
    assert_int_equal(strncmp(f->error.field, "status.capacity[\"nnn", 19), 0);
    assert_int_equal(strlen(f->error.field), sizeof f->error.field - 1);
    assert_refused(f, (karp_resource){ .name = { NULL, 0 }, .text = T("1") }, KARP_E_INVALID);
    assert_string_equal(f->error.field, "status.capacity[0]");
    /* One thing of 10^-9 and another of 2^62 have no unit in which both are counted. */
    karp_resource far_apart[] = { { .name = { name, 90 }, .text = T("1n") } },
                  apart[] = { { .name = { name, 90 }, .text = T("5E") } };
    karp_node small = node_with("small", far_apart, 1), large = node_with("large", apart, 1);
    karp_snapshot *s = NULL;
    good(f, karp_builder_add_node(f->b, &small, &f->error));
    good(f, karp_builder_add_node(f->b, &large, &f->error));
    assert_int_equal(karp_builder_finish(f->b, &s, &f->error), KARP_E_RANGE);
    assert_int_equal(strncmp(f->error.message, "amounts of nnn", 14), 0);
    assert_int_equal(strspn(f->error.message + 11, "n"), 80);
}

/* Amounts beyond what is counted, which only sums and differences can be, stay at the ends. */
static void vectors(void **state)
{
    building *f = *state;
    karp_resource amounts[] = { AMOUNT("x", "-3"), AMOUNT("y", "2") };
    karp_node n = node_with("n", amounts, 2);
    karp_snapshot *s = NULL;
    good(f, karp_builder_add_node(f->b, &n, &f->error));
    good(f, karp_builder_finish(f->b, &s, &f->error));
    uint32_t x = strings_find(&s->raw.resources, "x", 1), y = strings_find(&s->raw.resources, "y", 1);
    const int64_t most = INT64_C(1) << 61;
    assert_true(amount_cmp(s->units[x], amount_whole(3)) == 0); /* the size counts, not the sign */
    amount far;
    assert_true(amount_mul(amount_whole(3), (uint64_t)most + 1, &far));
    resource_amount items[2] = { { .resource = x, .value = far }, { .resource = y, .value = amount_neg(far) } };
    int64_t v[64];
    assert_true(s->dims <= COUNT(v));
    vector_of(s, (resource_list){ items, 2 }, v);
    assert_true(v[x] == most);
    assert_true(v[y] == -most); /* not even a number of its units */
    items[0].value = amount_neg(far);
    items[1].value = amount_whole(2);
    vector_of(s, (resource_list){ items, 2 }, v);
    assert_true(v[x] == -most && v[y] == 1);
    items[0].value = amount_whole(4); /* no multiple of 3 */
    vector_of(s, (resource_list){ items, 1 }, v);
    assert_true(v[x] == most && v[y] == 0);
    karp_snapshot_unref(s);
}

/* Resources that pods ask for and nothing provides have one column, the last; the others stand in the order of their
 * ids. */
static void columns(void **state)
{
    building *f = *state;
    karp_resource amounts[] = { AMOUNT("b", "0") };
    karp_resource asked[] = { AMOUNT("a", "3"), AMOUNT("b", "2"), AMOUNT("c", "0"), AMOUNT("d", "7") };
    karp_node n = node_with("n", amounts, 1);
    karp_container c = { .name = T("c"), .requests = asked, .request_count = COUNT(asked) };
    karp_pod p = { .size = sizeof p, .meta = { .name = T("p") }, .containers = &c, .container_count = 1 };
    karp_snapshot *s = NULL;
    good(f, karp_builder_add_node(f->b, &n, &f->error));
    good(f, karp_builder_add_pod(f->b, &p, &f->error));
    good(f, karp_builder_finish(f->b, &s, &f->error));
    uint32_t id[4];
    for (size_t i = 0; i < 4; i++) id[i] = strings_find(&s->raw.resources, asked[i].name.ptr, 1);
    assert_int_equal(s->dims, RESOURCE_FIXED + 2);
    assert_int_equal(s->nowhere, RESOURCE_FIXED + 1);
    assert_int_equal(s->column_of[id[1]], RESOURCE_FIXED);
    assert_int_equal(s->resource_of[RESOURCE_FIXED], id[1]);
    for (size_t i = 0; i < 4; i++) assert_true(i == 1 || s->column_of[id[i]] == s->nowhere);
    assert_int_equal(s->resource_of[s->nowhere], id[0]);
    const int64_t *v = s->classes[0].requests;
    assert_int_equal(v[s->nowhere], 2); /* nothing of c is asked for */
    assert_int_equal(v[RESOURCE_FIXED], 1);
    karp_snapshot_unref(s);
}

/* A total is what adding one list after the other gives, also in how it prints, and refuses what that refuses. */
static void totals(void **state)
{
    building *f = *state;
    arena a;
    arena_init(&a, f->context);
    resource_amount items[] = {
        { .resource = 7, .value = amount_from(0) },
        { .resource = 2, .value = amount_from(5) },
        { .resource = 7, .value = amount_from(3), .binary = true },
        { .resource = 7, .value = amount_from(4) },
    };
    resource_list total, other = { NULL, 0 };
    assert_int_equal(resource_list_sum(&a, (resource_list){ &items[1], 1 }, (resource_list){ items, 1 }, &other),
                     KARP_OK);
    for (size_t i = 2; i < COUNT(items); i++)
        assert_int_equal(resource_list_sum(&a, other, (resource_list){ &items[i], 1 }, &other), KARP_OK);
    assert_int_equal(resource_list_total(&a, items, COUNT(items), &total), KARP_OK);
    assert_int_equal(total.count, 2);
    assert_int_equal(other.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(total.items[i].resource, other.items[i].resource);
        assert_true(amount_cmp(total.items[i].value, other.items[i].value) == 0);
        assert_int_equal(total.items[i].binary, other.items[i].binary);
    }
    assert_true(amount_cmp(resource_list_get(total, 7), amount_from(7)) == 0 && total.items[1].binary);
    assert_int_equal(resource_list_total(&a, NULL, 0, &total), KARP_OK);
    assert_int_equal(total.count, 0);
    amount most = amount_whole(INT64_MAX);
    while (amount_add(most, most, &most)) continue;
    resource_amount much[] = { { .resource = 1, .value = most }, { .resource = 1, .value = most } };
    assert_int_equal(resource_list_total(&a, much, 2, &total), KARP_E_RANGE);
    arena_free(&a);
}

static void differences(void **state)
{
    building *f = *state;
    arena a;
    arena_init(&a, f->context);
    const amount least = { 0, INT64_MIN };
    resource_amount x[] = { { .resource = 1, .value = least }, { .resource = 2, .value = amount_from(5) } },
                    y[] = { { .resource = 1, .value = amount_from(1) } };
    resource_list out;
    assert_int_equal(resource_list_subtract(&a, (resource_list){ x, 2 }, (resource_list){ y, 1 }, &out), KARP_E_RANGE);
    assert_int_equal(resource_list_subtract(&a, (resource_list){ x + 1, 1 }, (resource_list){ y, 1 }, &out), KARP_OK);
    assert_true(out.count == 1 && amount_cmp(out.items[0].value, amount_from(5)) == 0);
    /* Nothing less something has the other's suffixes. */
    x[0].value = amount_from(0);
    y[0].binary = true;
    assert_int_equal(resource_list_subtract(&a, (resource_list){ x, 1 }, (resource_list){ y, 1 }, &out), KARP_OK);
    assert_true(out.items[0].binary && amount_cmp(out.items[0].value, amount_from(-1)) == 0);
    size_t bad_one;
    assert_int_equal(resource_list_read(NULL, &a, NULL, 0, &out, &bad_one, NULL), KARP_OK);
    assert_int_equal(out.count, 0);
    assert_int_equal(resource_list_read(NULL, &a, NULL, (size_t)UINT32_MAX / 2 + 1, &out, &bad_one, NULL),
                     KARP_E_LIMIT);
    arena_free(&a);
}

/* Which texts are numbers: Go's Atoi. */
static void integers(void **state)
{
    building *f = *state;
    static const struct {
        const char *text;
        bool is_number;
        int64_t value;
    } list[] = {
        { "0", true, 0 },
        { "-0", true, 0 },
        { "+7", true, 7 },
        { "-7", true, -7 },
        { "007", true, 7 },
        { "-", false, 0 },
        { "+", false, 0 },
        { "", false, 0 },
        { "1a", false, 0 },
        { "1/", false, 0 },
        { "--1", false, 0 },
        { "9223372036854775807", true, INT64_MAX },
        { "9223372036854775808", false, 0 },
        { "-9223372036854775808", true, INT64_MIN },
        { "-9223372036854775809", false, 0 },
        { "99999999999999999999", false, 0 },
        { "1.5", false, 0 },
    };
    char name[16];
    for (size_t i = 0; i < COUNT(list); i++) {
        karp_label one = { str(list[i].text), T("x") };
        karp_pod p = { .size = sizeof p, .meta = { .name = { name, 0 }, .labels = &one, .label_count = 1 } };
        p.meta.name.len = (size_t)snprintf(name, sizeof name, "p%zu", i);
        good(f, karp_builder_add_pod(f->b, &p, &f->error));
    }
    karp_snapshot *s = NULL;
    good(f, karp_builder_finish(f->b, &s, &f->error));
    for (size_t i = 0; i < COUNT(list); i++) {
        uint32_t id = strings_find(&s->raw.text, list[i].text, strlen(list[i].text));
        assert_int_not_equal(id, NO_ID);
        if (s->facts.numbers[id].is_number != list[i].is_number) fail_msg("\"%s\"", list[i].text);
        if (list[i].is_number) assert_true(s->facts.numbers[id].value == list[i].value);
    }
    karp_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(long_names, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(vectors, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(columns, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(totals, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(differences, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(integers, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests_name("resources", tests, NULL, NULL);
}
