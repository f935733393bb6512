/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/library.h>

#include <base/context.h>
#include <base/memory.h>
#include <base/strbuf.h>
#include <support/counted.h>
#include <support/random.h>

/* ---- context ----------------------------------------------------------------------------------------------------- */

static void test_defaults(void **state)
{
    (void)state;
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    const karp_context_options *o = karp_context_get_options(context);
    assert_int_equal(o->size, sizeof *o);
    assert_int_equal(o->max_pods, 10000000);
    assert_int_equal(o->max_nodes, 1000000);
    assert_int_equal(o->max_instance_types, 100000);
    assert_int_equal(o->max_document_bytes, UINT64_C(4) << 30);
    assert_int_equal(o->max_nesting, 100);
    assert_int_equal(o->max_aliases, 100000);
    assert_non_null(o->allocator);
    assert_non_null(o->allocator->realloc);
    void *memory = karp_alloc(context, 100);
    assert_non_null(memory);
    memset(memory, 1, 100);
    karp_free(context, memory, 100);
    karp_free(context, NULL, 5);
    karp_context_unref(context);
    karp_context_unref(NULL);
    assert_null(karp_context_ref(NULL));
}

static void ignore_log(uint32_t level, karp_str message, void *user)
{
    (void)level;
    (void)message;
    (void)user;
}

static void test_options_are_kept(void **state)
{
    (void)state;
    int user = 0;
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.log = ignore_log;
    options.log_user = &user;
    options.max_pods = 1;
    options.max_nodes = 2;
    options.max_instance_types = 3;
    options.max_document_bytes = 4;
    options.max_nesting = 5;
    options.max_aliases = 6;
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    memset(&options, 0xff, sizeof options);
    const karp_context_options *o = karp_context_get_options(context);
    assert_true(o->log == ignore_log && o->log_user == &user);
    assert_int_equal(o->max_pods, 1);
    assert_int_equal(o->max_nodes, 2);
    assert_int_equal(o->max_instance_types, 3);
    assert_int_equal(o->max_document_bytes, 4);
    assert_int_equal(o->max_nesting, 5);
    assert_int_equal(o->max_aliases, 6);
    karp_context_unref(context);
}

static void test_options_are_checked(void **state)
{
    (void)state;
    struct {
        karp_context_options options;
        uint64_t newer;
    } wide;
    karp_context *context = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    memset(&wide, 0, sizeof wide);

    wide.options.size = 5;
    karp_context_options_init(&wide.options, sizeof wide.options.size - 1); /* no room for even the size: left alone */
    assert_int_equal(wide.options.size, 5);
    karp_context_options_init(&wide.options, sizeof wide.options);
    wide.options.size = offsetof(karp_context_options, parallel_for); /* as callers of before know it */
    assert_int_equal(karp_context_new(&wide.options, &context, &error), KARP_OK);
    assert_null(karp_context_get_options(context)->parallel_for);
    karp_context_unref(context);
    context = NULL;
    wide.options.size--;
    assert_int_equal(karp_context_new(&wide.options, &context, &error), KARP_E_ABI_SIZE);
    assert_int_equal(error.status, KARP_E_ABI_SIZE);
    assert_non_null(strstr(error.message, "karp_context_options"));
    wide.options.size = 1 << 20;
    assert_int_equal(karp_context_new(&wide.options, &context, NULL), KARP_E_ABI_SIZE);

    wide.options.size = sizeof wide;
    wide.newer = 1;
    assert_int_equal(karp_context_new(&wide.options, &context, NULL), KARP_E_ABI_NEW);
    wide.newer = 0;
    wide.options.debug = 1u << 31;
    assert_int_equal(karp_context_new(&wide.options, &context, NULL), KARP_E_ABI_NEW);
    wide.options.debug = 0;
    assert_null(context);

    karp_allocator allocator = { sizeof allocator, NULL, NULL, NULL, NULL };
    wide.options.allocator = &allocator;
    assert_int_equal(karp_context_new(&wide.options, &context, NULL), KARP_E_ABI_OLD);
    fault none = { 0 };
    allocator.alloc = fault_allocator(&none).alloc;
    assert_int_equal(karp_context_new(&wide.options, &context, NULL), KARP_E_ABI_OLD); /* and nothing to free with */
    allocator.size = 0;
    assert_int_equal(karp_context_new(&wide.options, &context, NULL), KARP_E_ABI_SIZE);
    assert_null(context);
    wide.options.allocator = NULL;
    assert_int_equal(karp_context_new(&wide.options, &context, NULL), KARP_OK);
    karp_context_unref(context);
}

static void test_context_refused(void **state)
{
    (void)state;
    fault f;
    memset(&f, 0, sizeof f);
    fault_arm(&f, 1, true);
    karp_allocator allocator = fault_allocator(&f);
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.allocator = &allocator;
    karp_context *context = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(&options, &context, &error), KARP_E_NOMEM);
    assert_int_equal(error.status, KARP_E_NOMEM);
    assert_null(context);
    assert_int_equal(f.live_blocks, 0);
}

static void test_holds(void **state)
{
    fixture *f = *state;
    karp_context *held = context_ref(f->context);
    assert_ptr_equal(held, f->context);
    karp_context_unref(f->context); /* the caller's hold */
    void *memory = mem_alloc(held, 10);
    assert_non_null(memory);
    mem_free(held, memory, 10);
    assert_int_equal(f->fault.live_blocks, 1); /* the last hold is tear_down's */
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void test_sizes(void **state)
{
    fixture *f = *state;
    unsigned char *nothing = mem_zalloc(f->context, 0);
    assert_non_null(nothing);
    assert_int_equal(nothing[0], 0);
    nothing = mem_realloc(f->context, nothing, 0, 4);
    assert_non_null(nothing);
    nothing = mem_realloc(f->context, nothing, 4, 0);
    assert_non_null(nothing);
    mem_free(f->context, nothing, 0);
    mem_free(f->context, NULL, 7);

    size_t before = f->fault.calls;
    assert_null(mem_alloc(f->context, (size_t)PTRDIFF_MAX + 1));
    assert_null(mem_zalloc(f->context, SIZE_MAX));
    void *kept = mem_alloc(f->context, 3);
    assert_null(mem_realloc(f->context, kept, 3, SIZE_MAX));
    mem_free(f->context, kept, 3);
    assert_int_equal(f->fault.calls, before + 1);

    size_t r = 7;
    assert_true(size_add(SIZE_MAX - 1, 1, &r) && r == SIZE_MAX);
    assert_false(size_add(SIZE_MAX, 1, &r));
    assert_true(size_mul(SIZE_MAX / 3, 3, &r) && r == SIZE_MAX / 3 * 3);
    assert_false(size_mul(SIZE_MAX / 2 + 1, 2, &r));
    assert_true(size_mul(SIZE_MAX, 0, &r) && r == 0);
    assert_true(size_mul(0, SIZE_MAX, &r) && r == 0);
}

/* An allocator may come without realloc. */
static void test_without_realloc(void **state)
{
    (void)state;
    fault f;
    memset(&f, 0, sizeof f);
    karp_allocator allocator = fault_allocator(&f);
    allocator.realloc = NULL;
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.allocator = &allocator;
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    char *text = mem_alloc(context, 4);
    assert_non_null(text);
    memcpy(text, "abc", 4);
    text = mem_realloc(context, text, 4, 1000);
    assert_string_equal(text, "abc");
    text = mem_realloc(context, text, 1000, 2);
    assert_memory_equal(text, "ab", 2);
    fault_arm(&f, 1, false);
    assert_null(mem_realloc(context, text, 2, 100));
    mem_free(context, text, 2);
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

static void test_growing(void **state)
{
    fixture *f = *state;
    uint32_t *array = NULL;
    size_t capacity = 0, last = 0, steps = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        assert_true(grow(f->context, (void **)&array, &capacity, (size_t)i + 1, sizeof *array));
        assert_true(capacity > i);
        if (capacity != last) steps++;
        last = capacity;
        array[i] = i;
    }
    assert_true(steps <= 12);
    for (uint32_t i = 0; i < 10000; i++) assert_int_equal(array[i], i);

    uint32_t *before = array;
    size_t calls = f->fault.calls;
    assert_true(grow(f->context, (void **)&array, &capacity, 5, sizeof *array));
    assert_false(grow(f->context, (void **)&array, &capacity, SIZE_MAX / 2, sizeof *array));
    assert_int_equal(f->fault.calls, calls);
    fault_arm(&f->fault, 1, false);
    assert_false(grow(f->context, (void **)&array, &capacity, capacity + 1, sizeof *array));
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, last);
    mem_free(f->context, array, capacity * sizeof *array);
}

/* ---- arena ------------------------------------------------------------------------------------------------------- */

static void test_arena_pieces(void **state)
{
    fixture *f = *state;
    arena a;
    arena_init(&a, f->context);
    uint64_t seed = 1;
    unsigned char *pieces[500];
    size_t sizes[500];
    for (size_t i = 0; i < 500; i++) {
        sizes[i] = random_below(&seed, 20) == 0 ? random_below(&seed, 9000) : random_below(&seed, 60);
        pieces[i] = arena_alloc(&a, sizes[i]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], (int)(i % 251), sizes[i]);
        char *text = arena_string(&a, "ab", i % 3);
        assert_int_equal(strlen(text), i % 3);
    }
    /* Nothing overlaps. */
    for (size_t i = 0; i < 500; i++) {
        for (size_t j = 0; j < sizes[i]; j++) assert_int_equal(pieces[i][j], i % 251);
    }
    assert_true(a.total <= f->fault.live_bytes);
    uint32_t *cleared = arena_array(&a, 10, sizeof *cleared);
    for (size_t i = 0; i < 10; i++) assert_int_equal(cleared[i], 0);
    assert_memory_equal(arena_copy(&a, "xyz", 3), "xyz", 3);
    assert_non_null(arena_copy(&a, NULL, 0));
    assert_non_null(arena_zalloc(&a, 0));
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_null(arena_alloc(&a, SIZE_MAX - 40));
    assert_null(arena_array(&a, SIZE_MAX / 2, 3));
    assert_null(arena_string(&a, "", SIZE_MAX));
    arena_free(&a);
    assert_int_equal(a.total, 0);
    assert_non_null(arena_alloc(&a, 1)); /* and it may be used again */
    arena_free(&a);
}

/* Strings are packed: 16-byte steps would need twice the room. */
static void test_arena_packs_strings(void **state)
{
    fixture *f = *state;
    arena a;
    arena_init(&a, f->context);
    for (int i = 0; i < 100; i++) assert_non_null(arena_string(&a, "1234567", 7));
    assert_int_equal(a.total, 1024);
    arena_free(&a);
}

static void test_arena_blocks_grow_to_a_limit(void **state)
{
    fixture *f = *state;
    arena a;
    arena_init(&a, f->context);
    assert_non_null(arena_alloc(&a, 1));
    assert_int_equal(a.total, 1024);
    size_t calls = f->fault.calls, largest = 0, last = a.total;
    for (int i = 0; i < 8000; i++) {
        assert_non_null(arena_alloc(&a, 1000));
        if (a.total - last > largest) largest = a.total - last;
        last = a.total;
    }
    assert_int_equal(largest, 1 << 20);
    assert_true(f->fault.calls - calls < 25);
    assert_non_null(arena_alloc(&a, 3 << 20)); /* a piece larger than any block has one of its own */
    arena_free(&a);
}

/* One released block is kept, the largest; a piece that does not fit it has a new block. */
static void test_arena_spare(void **state)
{
    fixture *f = *state;
    arena a;
    arena_init(&a, f->context);
    arena_mark empty = arena_get_mark(&a);
    assert_non_null(arena_alloc(&a, 100));
    arena_release(&a, empty);
    assert_int_equal(a.total, 1024); /* the spare */
    assert_non_null(arena_alloc(&a, 5000));
    assert_true(a.total > 6000);
    arena_release(&a, empty);
    size_t kept = a.total, calls = f->fault.calls;
    assert_true(kept > 5000 && kept < 6000);
    assert_non_null(arena_alloc(&a, 5000));
    assert_int_equal(f->fault.calls, calls);
    assert_int_equal(a.total, kept);
    arena_free(&a);
}

static void test_arena_marks(void **state)
{
    fixture *f = *state;
    arena a;
    arena_init(&a, f->context);
    arena_mark empty = arena_get_mark(&a);
    char *first = arena_string(&a, "first", 5);
    arena_mark mark = arena_get_mark(&a);
    char *second = arena_alloc(&a, 10);
    arena_release(&a, mark);
    assert_ptr_equal(arena_alloc(&a, 10), second);
    assert_non_null(arena_alloc(&a, 5000));
    arena_release(&a, mark);
    assert_string_equal(first, "first");
    assert_ptr_equal(arena_alloc(&a, 10), second);

    /* Taking and releasing in turn does not visit the allocator: one block is kept. */
    size_t calls = f->fault.calls;
    for (int i = 0; i < 100; i++) {
        arena_release(&a, mark);
        assert_non_null(arena_alloc(&a, 4000));
    }
    assert_true(f->fault.calls - calls <= 1);
    arena_release(&a, empty);
    assert_null(a.blocks);
    assert_non_null(arena_alloc(&a, 10));
    arena_release(&a, empty);
    arena_free(&a);
}

static void test_arena_refused(void **state)
{
    fixture *f = *state;
    arena a;
    arena_init(&a, f->context);
    fault_arm(&f->fault, 1, false);
    assert_null(arena_alloc(&a, 10));
    char *kept = arena_string(&a, "kept", 4);
    size_t total = a.total;
    fault_arm(&f->fault, 1, true);
    assert_null(arena_alloc(&a, 5000));
    assert_null(arena_zalloc(&a, 5000));
    assert_null(arena_copy(&a, kept, 5000));
    assert_int_equal(a.total, total);
    assert_string_equal(kept, "kept");
    assert_non_null(arena_alloc(&a, 100)); /* what is left of the block is still there */
    arena_free(&a);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void test_text(void **state)
{
    fixture *f = *state;
    strbuf b;
    strbuf_init(&b, f->context);
    assert_int_equal(b.len, 0);
    strbuf_adds(&b, "n=");
    assert_string_equal(b.ptr, "n=");
    strbuf_addi(&b, INT64_MIN);
    strbuf_addc(&b, ',');
    strbuf_addi(&b, 0);
    strbuf_addc(&b, ',');
    strbuf_addi(&b, -7);
    strbuf_addc(&b, ',');
    strbuf_addu(&b, UINT64_MAX);
    strbuf_add(&b, NULL, 0);
    karp_str piece = { "|xyz", 2 }, none = { NULL, 0 };
    strbuf_addstr(&b, piece);
    strbuf_addstr(&b, none);
    assert_string_equal(b.ptr, "n=-9223372036854775808,0,-7,18446744073709551615|x");
    assert_int_equal(b.len, strlen(b.ptr));
    strbuf_clear(&b);
    assert_string_equal(b.ptr, "");
    for (int i = 0; i < 5000; i++) strbuf_addc(&b, (char)('a' + i % 26));
    assert_int_equal(b.len, 5000);
    for (int i = 0; i < 5000; i++) assert_int_equal(b.ptr[i], 'a' + i % 26);
    assert_false(b.failed);
    strbuf_free(&b);
    assert_null(b.ptr);
}

static void test_text_refused(void **state)
{
    fixture *f = *state;
    strbuf b;
    strbuf_init(&b, f->context);
    strbuf_adds(&b, "abc");
    fault_arm(&f->fault, 1, false);
    strbuf_adds(&b, "a text that is longer than the room there is");
    assert_true(b.failed);
    strbuf_addc(&b, 'd'); /* it would fit: but a failure stays one */
    assert_string_equal(b.ptr, "abc");
    strbuf_clear(&b);
    assert_false(b.failed);
    strbuf_adds(&b, "ok");
    assert_string_equal(b.ptr, "ok");
    strbuf_add(&b, "x", SIZE_MAX);
    assert_true(b.failed);
    strbuf_free(&b);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* test_holds takes one hold and gives one back, so that tear_down's is the last. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_options_are_kept),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_context_refused),
        WITH_CONTEXT(test_holds),
        WITH_CONTEXT(test_sizes),
        cmocka_unit_test(test_without_realloc),
        WITH_CONTEXT(test_growing),
        WITH_CONTEXT(test_arena_pieces),
        WITH_CONTEXT(test_arena_packs_strings),
        WITH_CONTEXT(test_arena_blocks_grow_to_a_limit),
        WITH_CONTEXT(test_arena_spare),
        WITH_CONTEXT(test_arena_marks),
        WITH_CONTEXT(test_arena_refused),
        WITH_CONTEXT(test_text),
        WITH_CONTEXT(test_text_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
