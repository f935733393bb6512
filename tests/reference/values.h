/* SPDX-License-Identifier: Apache-2.0 */
/** @file values.h  Amounts, resource lists, instants, durations and sets of names (scheduling.md 4). */
#ifndef REFERENCE_VALUES_H
#define REFERENCE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Exact, in units of 10^-9. */
__extension__ typedef __int128 amount;

#define NANO ((amount)1000000000)

/** False if @p text is not a quantity, or one beyond 128 bits. */
bool ref_amount_parse(const char *text, amount *out);
/** In the largest power-of-1000 suffix that leaves an integer. */
const char *ref_amount_text(amount value);

struct resource {
    const char *name;
    amount value;
};

/** By name. Never changed once made, except by ref_resources_set(). */
struct resources {
    struct resource *items;
    size_t count;
};

/** The entry, or NULL. */
const struct resource *ref_resources_find(struct resources list, const char *name);
/** 0 if it is not there. */
amount ref_resources_get(struct resources list, const char *name);
/** Replaces or adds an entry, in a copy. */
struct resources ref_resources_set(struct resources list, const char *name, amount value);
struct resources ref_resources_sum(struct resources a, struct resources b);
/** Only the keys of @p a. */
struct resources ref_resources_subtract(struct resources a, struct resources b);
/** The keys of both; what @p a lacks becomes negative. */
struct resources ref_resources_take(struct resources a, struct resources b);
struct resources ref_resources_max(struct resources a, struct resources b);
/** Only the keys that both have. */
struct resources ref_resources_min(struct resources a, struct resources b);
/** @p a with the entries of @p b in place of its own. */
struct resources ref_resources_override(struct resources a, struct resources b);
bool ref_resources_equal(struct resources a, struct resources b);
/** False if anything of @p total is negative, even if it is not asked for. */
bool ref_resources_fit(struct resources wanted, struct resources total);

/** A sorted set of strings. */
struct names {
    const char **items;
    size_t count;
};

struct names ref_names_sorted(const char **items, size_t count);
struct names ref_names_one(const char *name);
bool ref_names_has(struct names set, const char *name);
bool ref_names_equal(struct names a, struct names b);

/** RFC 3339 to nanoseconds; false if it is none. */
bool ref_instant(const char *text, int64_t *out);
/** A Go duration to nanoseconds; false if it is none. */
bool ref_duration(const char *text, int64_t *out);
/** Go's Atoi: optional sign, decimal digits, 64 bits. */
bool ref_atoi(const char *text, int64_t *out);

#endif
