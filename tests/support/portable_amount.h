/* SPDX-License-Identifier: Apache-2.0 */
/* base/amount.c a second time, built as on machines without a 128-bit type. */
#ifndef SUPPORT_PORTABLE_AMOUNT_H
#define SUPPORT_PORTABLE_AMOUNT_H

#include <base/amount.h>

amount portable_amount_from(int64_t nano_units);
amount portable_amount_whole(int64_t whole_units);
bool portable_amount_add(amount a, amount b, amount *out);
bool portable_amount_sub(amount a, amount b, amount *out);
bool portable_amount_mul(amount a, uint64_t by, amount *out);
int portable_amount_cmp(amount a, amount b);
int portable_amount_sign(amount a);
amount portable_amount_max(amount a, amount b);
amount portable_amount_min(amount a, amount b);
amount portable_amount_neg(amount a);
amount portable_amount_gcd(amount a, amount b);
bool portable_amount_scale(amount a, amount by, int64_t *out);
void portable_amount_divide(amount a, uint64_t by, amount *quotient, uint64_t *remainder);
double portable_amount_double(amount a);

#endif
