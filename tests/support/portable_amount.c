/* SPDX-License-Identifier: Apache-2.0 */
#include <support/portable_amount.h>

#define KARP_NO_INT128 1
#define amount_from portable_amount_from
#define amount_whole portable_amount_whole
#define amount_add portable_amount_add
#define amount_sub portable_amount_sub
#define amount_mul portable_amount_mul
#define amount_cmp portable_amount_cmp
#define amount_sign portable_amount_sign
#define amount_max portable_amount_max
#define amount_min portable_amount_min
#define amount_neg portable_amount_neg
#define amount_gcd portable_amount_gcd
#define amount_scale portable_amount_scale
#define amount_divide portable_amount_divide
#define amount_double portable_amount_double
#include "../../lib/base/amount.c"
