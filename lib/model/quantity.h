/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kubernetes quantities ("100m", "1.5Gi", "1e3"): exact amounts, and the suffix family of their text. Syntax and
 * canonical form are those of apimachinery's ParseQuantity and CanonicalizeBytes; tests/oracle/texts compares the two
 * implementations.
 */
#pragma once

#include <stddef.h>

#include <base/amount.h>

#define QUANTITY_TEXT 64 /* enough for any quantity's text, including the NUL */

typedef struct quantity {
    amount value;
    bool binary; /* printed with Ki … Ei if that is exact */
    /* printed with e3, e6 …; not kept for resources of objects, which are printed in the decimal family */
    bool exponent;
} quantity;

enum { QUANTITY_OK, QUANTITY_SYNTAX, QUANTITY_RANGE };

/* Digits beyond 10^-9 are rounded away from zero. Amounts with binary suffixes are capped at 2^63 - 1, as in
 * Kubernetes. *out is written only on success. */
int quantity_parse(const char *text, size_t len, quantity *out);

/* Writes the canonical text and returns its length. */
size_t quantity_format(quantity q, char out[QUANTITY_TEXT]);
