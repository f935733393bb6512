/* SPDX-License-Identifier: Apache-2.0 */
#include <abi/callers.h>

#include <stdlib.h>

/* Bytes that the library's structs have more than ours: grown.py. */
static size_t grown(void)
{
    const char *more = getenv("KARP_GROWN_BY");
    return more ? (size_t)atoi(more) : 0;
}

/* The struct as a caller has it that knows `size` bytes of it; `tail` is a byte near its end, beyond what we know. It
 * is a block of exactly this size, so that tools see a step too far. */
static karp_status call_with(const struct given *g, size_t size, size_t tail_at, unsigned char tail)
{
    size_t room = size < sizeof(size_t) ? sizeof(size_t) : size;
    unsigned char *copy = calloc(1, room);
    assert_non_null(copy);
    memcpy(copy, g->value, size < g->size ? size : g->size);
    memcpy(copy, &size, sizeof size);
    if (tail != 0) copy[tail_at] = tail;
    karp_status status = g->call(copy);
    free(copy);
    return status;
}

static void expect(const struct given *g, const char *caller, karp_status got, karp_status wanted)
{
    if (got != wanted)
        fail_msg("%s from %s caller: %s, expected %s", g->name, caller, karp_status_name(got),
                 karp_status_name(wanted));
}

void check_given(const struct given *g)
{
    size_t first = g->first != 0 ? g->first : g->size;
    expect(g, "a present", call_with(g, g->size, 0, 0), KARP_OK);
    expect(g, "an older", call_with(g, first, 0, 0), KARP_OK);
    expect(g, "a newer, zeros", call_with(g, g->size + 8, 0, 0), KARP_OK);
    expect(g, "a newer, zeros", call_with(g, LARGEST_STRUCT, 0, 0), KARP_OK);
    size_t known = g->size + 2 * grown(); /* of the library; a DaemonSet has a pod inside */
    expect(g, "a newer, data", call_with(g, known + 8, known, 1), KARP_E_ABI_NEW);
    expect(g, "a newer, data", call_with(g, known + 8, known + 7, 0x80), KARP_E_ABI_NEW);
    expect(g, "a newer, data", call_with(g, LARGEST_STRUCT, LARGEST_STRUCT - 1, 1), KARP_E_ABI_NEW);
    expect(g, "a wrong", call_with(g, LARGEST_STRUCT + 8, 0, 0), KARP_E_ABI_SIZE);
    expect(g, "a wrong", call_with(g, 0, 0, 0), KARP_E_ABI_SIZE);
    expect(g, "a wrong", call_with(g, sizeof(size_t), 0, 0), KARP_E_ABI_SIZE);
}

static karp_status ask_with(const struct asked *a, unsigned char *room, size_t bytes, size_t size)
{
    memset(room, 0xa5, bytes);
    memcpy(room, &size, sizeof size);
    return a->call(room);
}

void check_asked(const struct asked *a)
{
    size_t newer = a->size + 24, most = LARGEST_STRUCT + 8, kept;
    unsigned char *room = malloc(most);
    assert_non_null(room);
    if (ask_with(a, room, most, newer) != KARP_OK) fail_msg("%s to a newer caller", a->name);
    memcpy(&kept, room, sizeof kept);
    assert_int_equal(kept, newer); /* the caller's own size stays */
    for (size_t k = a->size; k < newer; k++) assert_int_equal(room[k], 0);
    if (ask_with(a, room, most, a->first) != KARP_OK) fail_msg("%s to an older caller", a->name);
    for (size_t k = a->first; k < most; k++)
        assert_int_equal(room[k], 0xa5); /* what it does not know is not its memory */
    for (size_t small = 0; small < a->first; small += sizeof(size_t)) {
        assert_int_equal(ask_with(a, room, most, small), KARP_E_ABI_SIZE);
        assert_int_equal(room[sizeof small], 0xa5); /* and nothing is written */
    }
    assert_int_equal(ask_with(a, room, most, most), KARP_E_ABI_SIZE);
    assert_int_equal(room[sizeof most], 0xa5);
    free(room);
}
