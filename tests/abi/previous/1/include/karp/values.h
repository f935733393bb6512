/* SPDX-License-Identifier: Apache-2.0 */
/** @file values.h  Kubernetes' quantities, durations and times, and prices, as text; digests. Pure functions; any
 * thread. */
#ifndef KARP_VALUES_H
#define KARP_VALUES_H

#include <karp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Room for any text these functions write, the NUL included. */
#define KARP_VALUE_TEXT 64

/** Checks a quantity ("100m", "1.5Gi", "1e3"): what Kubernetes' own parser takes, most texts without a digit included,
 * as 0. Errors: INVALID (not a quantity), RANGE (beyond 128 bits of 10^-9). */
KARP_API karp_status karp_quantity_check(karp_str text);
/** −1, 0, 1 into @p order. Exact. Errors: as karp_quantity_check(). */
KARP_API karp_status karp_quantity_compare(karp_str a, karp_str b, int32_t *order);
/** The nearest double of the value. Errors: as karp_quantity_check(). */
KARP_API karp_status karp_quantity_double(karp_str text, double *out);
/**
 * a + b as canonical text in a's family (binary or decimal suffixes; b's when a is zero). Errors: as
 * karp_quantity_check().
 */
KARP_API karp_status karp_quantity_add(karp_str a, karp_str b, char out[KARP_VALUE_TEXT]);
/**
 * Canonical text of a quantity, as Kubernetes' CanonicalizeBytes writes it, in the family it was written in: "1500m",
 * "2Gi", "9e3". Beyond 999E, where Kubernetes loses the suffix, it stays ("1000E"). Errors: as karp_quantity_check().
 */
KARP_API karp_status karp_quantity_canonical(karp_str text, char out[KARP_VALUE_TEXT]);

/** Go duration ("1h30m", "1.5s", "-2ms") to nanoseconds. Errors: INVALID, RANGE. "Never" is INVALID here. */
KARP_API karp_status karp_duration_parse(karp_str text, int64_t *nanoseconds);
/** Nanoseconds as Go prints them ("1h30m0s"). */
KARP_API void karp_duration_format(int64_t nanoseconds, char out[KARP_VALUE_TEXT]);

/** RFC 3339 to an instant. Errors: INVALID, RANGE (years before 1678 or after 2261). */
KARP_API karp_status karp_time_parse(karp_str text, int64_t *instant);
/** An instant as RFC 3339 in UTC, with as many decimals of a second as it has. */
KARP_API void karp_time_format(int64_t instant, char out[KARP_VALUE_TEXT]);

/** The shortest decimal that reads back as the same double; no exponent below 1e21. */
KARP_API void karp_double_format(double value, char out[KARP_VALUE_TEXT]);
/** A decimal number to the nearest double, whatever the locale. Errors: INVALID, RANGE (not finite). */
KARP_API karp_status karp_double_parse(karp_str text, double *out);

/** A SHA-256 in the making (FIPS 180-4). Copy it to go on from one point twice. */
typedef struct karp_digest {
    size_t size;
    uint64_t bytes; /**< so far; likewise the fields below: the library's */
    uint32_t state[8];
    unsigned char block[64];
} karp_digest;

/** Begins a digest. @p size is sizeof(karp_digest). Since 1.0. */
KARP_API void karp_digest_init(karp_digest *digest, size_t size);
/** Adds bytes. @p data may be NULL when @p bytes is 0. Since 1.0. */
KARP_API void karp_digest_add(karp_digest *digest, const void *data, size_t bytes);
/** What was added so far as 64 hex digits; more may be added afterwards. Since 1.0. */
KARP_API void karp_digest_text(const karp_digest *digest, char out[KARP_DIGEST_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
