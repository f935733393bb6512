/* SPDX-License-Identifier: Apache-2.0 */
/* Money as every text shows it. */
#ifndef IO_MONEY_H
#define IO_MONEY_H

#include <stdbool.h>
#include <stddef.h>

#define HOURS_A_MONTH 730.0
enum { MONEY_TEXT = 48 };

/* "0.096" or "1,234.5678": dollars per hour, with three digits behind the point, or four where they are needed. Returns the length. */
size_t money_hourly(double value, char text[MONEY_TEXT]);
/* "$5,955.41", with `sign` "+$5,955.41": a sum, to the cent. Likewise. */
size_t money_dollars(double value, bool sign, char text[MONEY_TEXT]);
/* A sum without the noise of its additions (0.40800000000000003): what is so near to whole billionths of a dollar is that. */
double money_without_noise(double value);

#endif
