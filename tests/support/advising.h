/* SPDX-License-Identifier: Apache-2.0 */
/* Advice as one line that a test can state. */
#ifndef SUPPORT_ADVISING_H
#define SUPPORT_ADVISING_H

#include <support/disrupting.h>

#include <karp/lifecycle.h>
#include <karp/values.h>

/* What a kind of action does not use is empty, and only pods have a namespace in their names. */
static inline void action_says_what_it_means(const karp_action *x)
{
    karp_action_meaning m = { .size = sizeof m };
    assert_int_equal(karp_action_describe(x->kind, &m), KARP_OK);
    assert_true(m.object != KARP_MEANS_NOTHING && x->object.len > 0);
    assert_true(x->object_kind == m.object || x->kind == KARP_ACTION_BLOCKED ||
                x->kind == KARP_ACTION_REMOVE_FINALIZER);
    assert_int_equal(x->object_kind == KARP_MEANS_POD, memchr(x->object.ptr, '/', x->object.len) != NULL);
    assert_true(m.subject != KARP_MEANS_NOTHING || x->subject.len == 0);
    assert_true(m.value != KARP_MEANS_NOTHING || x->value.len == 0);
    assert_true(m.number != KARP_MEANS_NOTHING || x->number == 0);
}

/* Every action as "kind object[ subject][=value][ number]", joined by "; "; then "again TIME" when there is one. */
static inline void advice_words(const karp_advice *a, char *got, size_t room)
{
    static const char *const kinds[] = {
        "?",         "delete",   "create",  "set",         "clear",      "annotate",    "annotate-pool",
        "untaint",   "evict",    "force",   "blocked",     "taint",      "launch",      "mark",
        "unmark",    "nominate", "event",   "unavailable", "pod-event",  "delete-node", "delete-instance",
        "finalizer", "false",    "unknown", "unlabel",     "unannotate", "reboot"
    };
    char when[KARP_VALUE_TEXT];
    size_t n = 0;
    got[0] = '\0';
    for (size_t i = 0; i < karp_advice_action_count(a); i++) {
        karp_action x = { .size = sizeof x };
        assert_int_equal(karp_advice_action(a, i, &x), KARP_OK);
        action_says_what_it_means(&x);
        n += (size_t)snprintf(got + n, room - n, "%s%s %.*s", i > 0 ? "; " : "", kinds[x.kind], (int)x.object.len,
                              x.object.ptr);
        if (x.subject.len > 0) n += (size_t)snprintf(got + n, room - n, " %.*s", (int)x.subject.len, x.subject.ptr);
        if (x.value.len > 0) n += (size_t)snprintf(got + n, room - n, "=%.*s", (int)x.value.len, x.value.ptr);
        if (x.number != 0) n += (size_t)snprintf(got + n, room - n, " %lld", (long long)x.number);
    }
    if (karp_advice_look_again(a) != KARP_NO_TIME) {
        karp_time_format(karp_advice_look_again(a), when);
        n += (size_t)snprintf(got + n, room - n, "%sagain %s", n > 0 ? "; " : "", when);
    }
    karp_action none = { .size = sizeof none };
    assert_int_equal(karp_advice_action(a, karp_advice_action_count(a), &none), KARP_E_NOT_FOUND);
}

/* Frees it. */
static inline void expect_advice(karp_advice *a, const char *expected)
{
    char got[4096];
    advice_words(a, got, sizeof got);
    karp_advice_free(a);
    assert_string_equal(got, expected);
}

#endif
