/* SPDX-License-Identifier: Apache-2.0 */
/* Kubernetes' quantities ("100m", "1.5Gi", "1e3"): exact amounts, and the family their text was written in. What is one, and how
 * it is written, is what apimachinery's ParseQuantity and CanonicalizeBytes say; tests/oracle/texts holds the two together. */
#ifndef MODEL_QUANTITY_H
#define MODEL_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

#include <base/amount.h>

#define QUANTITY_TEXT 64 /* room for any quantity's text, the NUL included */

typedef struct quantity {
    amount value;
    bool binary; /* printed with Ki … Ei where that is exact */
    bool
        exponent; /* printed with e3, e6 …; not kept with the resources of objects, which are shown in the decimal family */
} quantity;

enum { QUANTITY_OK, QUANTITY_SYNTAX, QUANTITY_RANGE };

/* Parts finer than 10^-9 are rounded away from zero; binary suffixes are capped at 2^63 - 1, as Kubernetes does.
 * *out is written on success only. */
int quantity_parse(const char *text, size_t len, quantity *out);

/* The canonical text; returns its length. */
size_t quantity_format(quantity q, char out[QUANTITY_TEXT]);

#endif
