/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in catalogues against the shared files that another implementation made of the same facts: every label,
 * amount, offering and price of every type. Skipped where those files are not at hand. */
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <support/plain.h>

static const karp_requirement *find(const karp_requirement *list, size_t count, karp_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (same(list[i].key, key)) return &list[i];
    }
    return NULL;
}

static bool has_value(const karp_requirement *r, karp_str value)
{
    for (size_t i = 0; i < r->value_count; i++) {
        if (same(r->values[i], value)) return true;
    }
    return false;
}

/* No values, or a key that must not be there: the same thing. */
static bool is_empty(const karp_requirement *r)
{
    return !r || r->op == KARP_OP_DOES_NOT_EXIST || (r->op == KARP_OP_IN && r->value_count == 0);
}

/* Every requirement of `a` is one of `b`; both are In or DoesNotExist. The shared files have a label that the sources
 * of August 2026 had, and no release. */
static void assert_labels(const char *type, const karp_requirement *a, size_t a_count, const karp_requirement *b,
                          size_t b_count)
{
    const karp_str never_released = { "karpenter.k8s.aws/nitro-sandbox", 31 };
    for (size_t i = 0; i < a_count; i++) {
        if (same(a[i].key, never_released)) continue;
        const karp_requirement *other = find(b, b_count, a[i].key);
        bool equal = is_empty(&a[i]) == is_empty(other) && (is_empty(&a[i]) || a[i].value_count == other->value_count);
        for (size_t k = 0; equal && !is_empty(&a[i]) && k < a[i].value_count; k++) {
            equal = has_value(other, a[i].values[k]);
        }
        if (!equal) fail_msg("%s: label %s differs", type, a[i].key.ptr);
    }
}

static void assert_amounts(const char *type, const char *what, const karp_resource *a, size_t a_count,
                           const karp_resource *b, size_t b_count)
{
    for (size_t i = 0; i < a_count; i++) {
        karp_str other = { "0", 1 };
        for (size_t k = 0; k < b_count; k++) {
            if (same(a[i].name, b[k].name)) other = b[k].text;
        }
        int32_t order = 1;
        if (karp_quantity_compare(a[i].text, other, &order) != KARP_OK || order != 0) {
            fail_msg("%s: %s %s: %s and %s", type, what, a[i].name.ptr, a[i].text.ptr, other.ptr);
        }
    }
}

static void assert_both_amounts(const char *type, const char *what, const karp_resource *a, size_t a_count,
                                const karp_resource *b, size_t b_count)
{
    assert_amounts(type, what, a, a_count, b, b_count);
    assert_amounts(type, what, b, b_count, a, a_count);
}

/* The files have the zones of a type; the provider has all zones of the region, and in the others nothing can be had.
 */
static void compare_offerings(const karp_instance_type *want, const karp_instance_type *got)
{
    static const karp_str zone = { "topology.kubernetes.io/zone", 27 };
    const karp_requirement *zones = find(got->requirements, got->requirement_count, zone);
    size_t next = 0;
    for (size_t i = 0; i < got->offering_count; i++) {
        const karp_offering *y = &got->offerings[i];
        const karp_requirement *of = find(y->requirements, y->requirement_count, zone);
        if (!zones || !of) fail_msg("%s: an offering without a zone", want->name.ptr);
        else if (!has_value(zones, of->values[0])) {
            assert_false(y->available || y->awaits_price);
            continue;
        }
        if (next == want->offering_count) fail_msg("%s: more than %zu offerings", want->name.ptr, next);
        const karp_offering *x = &want->offerings[next++];
        assert_labels(want->name.ptr, x->requirements, x->requirement_count, y->requirements, y->requirement_count);
        assert_labels(want->name.ptr, y->requirements, y->requirement_count, x->requirements, x->requirement_count);
        if (x->price != y->price)
            fail_msg("%s: offering %zu costs %.17g, not %.17g", want->name.ptr, i, y->price, x->price);
        assert_int_equal(x->available, y->available);
    }
    assert_int_equal(next, want->offering_count);
}

static void assert_type(const karp_instance_type *want, const karp_instance_type *got)
{
    const char *name = want->name.ptr;
    assert_true(same(want->name, got->name));
    assert_labels(name, want->requirements, want->requirement_count, got->requirements, got->requirement_count);
    assert_labels(name, got->requirements, got->requirement_count, want->requirements, want->requirement_count);
    assert_both_amounts(name, "capacity", want->capacity, want->capacity_count, got->capacity, got->capacity_count);
    const karp_overhead *a = &want->overhead, *b = &got->overhead;
    assert_both_amounts(name, "kubeReserved", a->kube_reserved, a->kube_reserved_count, b->kube_reserved,
                        b->kube_reserved_count);
    assert_both_amounts(name, "systemReserved", a->system_reserved, a->system_reserved_count, b->system_reserved,
                        b->system_reserved_count);
    assert_both_amounts(name, "evictionThreshold", a->eviction_threshold, a->eviction_threshold_count,
                        b->eviction_threshold, b->eviction_threshold_count);
    compare_offerings(want, got);
}

/* The files leave such types out. */
static void assert_without_price(const karp_instance_type *type)
{
    for (size_t i = 0; i < type->offering_count; i++) {
        if (type->offerings[i].available || type->offerings[i].price > 0) fail_msg("%s is in no file", type->name.ptr);
    }
}

static void compare_region(const char *region, size_t least)
{
    const char *shared = getenv("KARP_SHARED");
    char path[1024];
    snprintf(path, sizeof path, "%s/catalogue/aws-%s.full.json", shared ? shared : ".", region);
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_catalogue *want = NULL, *got = NULL;
    if (karp_catalogue_read_file(context, path, &want, &error) != KARP_OK) {
        fail_msg("%s: %s %s: %s", path, error.object, error.field, error.message);
    }
    karp_catalogue_options options;
    karp_catalogue_options_init(&options, sizeof options);
    options.region = text_of(region);
    assert_int_equal(karp_catalogue_aws(context, &options, &got, &error), KARP_OK);
    size_t count = karp_catalogue_count(want), next = 0;
    assert_true(count >= least);
    for (size_t i = 0; i < karp_catalogue_count(got); i++) {
        const karp_instance_type *type = karp_catalogue_type(got, i);
        if (next == count || !same(karp_catalogue_type(want, next)->name, type->name)) {
            assert_without_price(type);
            continue;
        }
        size_t want_count = 0, got_count = 0;
        const karp_resource *a = karp_catalogue_allocatable(want, next, &want_count);
        const karp_resource *b = karp_catalogue_allocatable(got, i, &got_count);
        assert_type(karp_catalogue_type(want, next++), type);
        assert_both_amounts(type->name.ptr, "allocatable", a, want_count, b, got_count);
    }
    assert_int_equal(next, count);
    karp_catalogue_unref(want);
    karp_catalogue_unref(got);
}

static void us_east_1(void **state)
{
    (void)state;
    compare_region("us-east-1", 1300);
}

static void us_west_2(void **state)
{
    (void)state;
    compare_region("us-west-2", 1300);
}

static void eu_west_1(void **state)
{
    (void)state;
    compare_region("eu-west-1", 1100);
}

/* cmocka's own skip() is "not ok" in TAP, so the whole program is skipped instead. */
static int shared_data_is_there(void)
{
    const char *shared = getenv("KARP_SHARED");
    char path[1024];
    snprintf(path, sizeof path, "%s/catalogue/aws-us-east-1.full.json", shared ? shared : ".");
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

int main(void)
{
    if (!shared_data_is_there()) {
        puts("1..0 # SKIP the catalogues to compare with are not here");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(us_east_1),
        cmocka_unit_test(us_west_2),
        cmocka_unit_test(eu_west_1),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
