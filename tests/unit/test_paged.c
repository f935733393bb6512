/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in pages, and memory with several owners: whoever continues an array sees what was there, and changes his own
 * alone. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <base/paged.h>
#include <support/fault.h>

enum { ONE_PAGE = 1024, MANY = 3 * ONE_PAGE + 5 }; /* of four bytes each */

static uint32_t at(const paged *p, size_t i) { return *(const uint32_t *)paged_at(p, i, sizeof(uint32_t)); }

/* A new zeroed element at the end; NULL = out of memory. */
static void *push(paged *p)
{
    if (!paged_reserve(p)) return NULL;
    return memset(paged_at(p, p->count++, p->element_bytes), 0, p->element_bytes);
}

/* Elements 0, 1, 2 … */
static void count_up(paged *p, karp_context *context, size_t count)
{
    paged_init(p, context, sizeof(uint32_t));
    for (size_t i = 0; i < count; i++) {
        uint32_t *element = push(p);
        assert_non_null(element);
        assert_int_equal(*element, 0);
        *element = (uint32_t)i;
    }
}

static void assert_counts_up(const paged *p, size_t count)
{
    assert_int_equal(p->count, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(at(p, i), i);
}

static void test_growth(void **state)
{
    karp_context *context = *state;
    const size_t counts[] = { 0, 1, 8, 9, ONE_PAGE - 1, ONE_PAGE, ONE_PAGE + 1, MANY };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        paged p;
        count_up(&p, context, counts[i]);
        assert_counts_up(&p, counts[i]);
        paged_free(&p);
        assert_int_equal(p.count, 0);
        assert_true(paged_fill(&p, counts[i]));
        assert_int_equal(p.count, counts[i]);
        for (size_t k = 0; k < counts[i]; k++) assert_int_equal(at(&p, k), 0);
        paged_free(&p);
    }
}

/* Two continue one; each writes, grows, and is freed in turn. */
static void continue_twice(karp_context *context, size_t count, size_t place)
{
    paged from, one, other;
    count_up(&from, context, count);
    paged_init(&one, context, sizeof(uint32_t));
    paged_init(&other, context, sizeof(uint32_t));
    assert_true(paged_continue(&one, &from));
    assert_true(paged_continue(&other, &one));
    *(uint32_t *)paged_own(&one, place) = 1000001;
    *(uint32_t *)push(&one) = 1000002;
    *(uint32_t *)push(&other) = 1000003;
    assert_counts_up(&from, count);
    assert_int_equal(at(&one, place), 1000001);
    assert_int_equal(at(&one, count), 1000002);
    assert_int_equal(at(&other, place), place);
    assert_int_equal(at(&other, count), 1000003);
    paged_free(&from);
    const uint32_t *owned = paged_own(&other, place);
    assert_int_equal(*owned, place);
    assert_ptr_equal(owned, paged_own(&other, place)); /* nobody else's any more: not copied again */
    other.count = count;
    assert_counts_up(&other, count);
    paged_free(&one);
    paged_free(&other);
}

static void test_continuing(void **state)
{
    continue_twice(*state, 3, 1);
    continue_twice(*state, ONE_PAGE, 7);
    continue_twice(*state, MANY, 0);
    continue_twice(*state, MANY, ONE_PAGE);
    continue_twice(*state, MANY, MANY - 1);
}

static void test_pages_are_shared(void **state)
{
    paged from, to;
    count_up(&from, *state, MANY);
    paged_init(&to, *state, sizeof(uint32_t));
    assert_true(paged_continue(&to, &from));
    assert_non_null(paged_own(&to, ONE_PAGE));
    assert_ptr_equal(paged_at(&to, 0, 4), paged_at(&from, 0, 4));
    assert_ptr_not_equal(paged_at(&to, ONE_PAGE, 4), paged_at(&from, ONE_PAGE, 4));
    assert_ptr_equal(paged_at(&to, 2 * ONE_PAGE, 4), paged_at(&from, 2 * ONE_PAGE, 4));
    paged_free(&to);
    assert_counts_up(&from, MANY);
    paged_free(&from);
}

static void test_blocks(void **state)
{
    uint32_t *block = block_new(*state, 10, sizeof *block);
    assert_non_null(block);
    for (uint32_t i = 0; i < 10; i++) block[i] = i;
    assert_ptr_equal(block_ref(block), block);
    block_unref(block);
    assert_int_equal(block[9], 9);
    block_unref(block);
    block_unref(NULL);
    assert_null(block_ref(NULL));
    assert_null(block_new(*state, SIZE_MAX / 2, 4));
    assert_null(block_new(*state, SIZE_MAX, 1));
}

/* Whatever is refused, the array is as it was. */
static void test_refusals(void **state)
{
    static fault f;
    (void)state;
    karp_context *context = fault_context(&f);
    for (size_t refused = 1; refused < 40; refused++) {
        paged p, to;
        paged_init(&p, context, sizeof(uint32_t));
        fault_arm(&f, refused, false);
        while (p.count < 2 * ONE_PAGE + 1) {
            uint32_t i = (uint32_t)p.count, *element = push(&p);
            if (element != NULL) *element = i;
            assert_int_equal(p.count, i + (element != NULL));
        }
        paged_init(&to, context, sizeof(uint32_t));
        while (!paged_continue(&to, &p)) assert_int_equal(to.count, 0);
        uint32_t *own = paged_own(&to, 0);
        if (own == NULL) assert_ptr_equal(paged_at(&to, 0, 4), paged_at(&p, 0, 4));
        else *own = 7;
        if (!paged_reserve(&to)) assert_true(paged_reserve(&to));
        fault_arm(&f, 1, true);
        assert_non_null(push(&to)); /* there was room for one */
        fault_arm(&f, 0, false);
        assert_counts_up(&p, p.count);
        paged_free(&to);
        paged_free(&p);
        fault_arm(&f, refused, true);
        if (!paged_fill(&p, ONE_PAGE * 3)) assert_int_equal(p.count, 0);
        fault_arm(&f, 0, false);
        paged_free(&p);
    }
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

static fault counted;

static int set_up(void **state)
{
    *state = fault_context(&counted);
    return *state == NULL;
}

static int tear_down(void **state)
{
    karp_context_unref(*state);
    return counted.live_blocks != 0 || counted.live_bytes != 0 || counted.wrong_sizes != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_growth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_continuing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pages_are_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_blocks, set_up, tear_down),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
