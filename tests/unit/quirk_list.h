/* SPDX-License-Identifier: Apache-2.0 */
/* The quirks that docs/conformance.md lists as flags. */
#ifndef UNIT_QUIRK_LIST_H
#define UNIT_QUIRK_LIST_H

#include <stdint.h>

/* Bit n−1 for each row of a quirk that has a test, which is a flag; `room` is 'S' or 'D'. */
uint64_t quirks_documented(char room);

#endif
