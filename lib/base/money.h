/* SPDX-License-Identifier: Apache-2.0 */
/* Formats money in the same way in all texts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define HOURS_A_MONTH 730.0
enum { MONEY_TEXT = 48 };

/* Dollars per hour, "0.096" or "1,234.5678": with three decimals, or four where they are needed. Returns the length. */
size_t money_hourly(double value, char text[MONEY_TEXT]);
/* The same as a rate: "$0.096/h", with `sign` "+$0.096/h". Returns the length. */
size_t money_rate(double value, bool sign, char text[MONEY_TEXT]);
/* A sum to the cent: "$5,955.41", with `sign` "+$5,955.41". Returns the length. */
size_t money_dollars(double value, bool sign, char text[MONEY_TEXT]);
/* Removes the rounding error of additions (0.40800000000000003): a value very close to a whole number of billionths of
 * a dollar is rounded to it. */
double money_without_noise(double value);
/* Whether an hourly price is shown as more than 0: shares of any other, as of a capacity reservation, say nothing. */
static inline bool money_seen(double hourly) { return hourly >= 0.00005; }
/* Whether it is a price: 0 = not known. A NodeOverlay may make negative ones. */
static inline bool has_price(double value) { return value > 0 || value < 0; }
