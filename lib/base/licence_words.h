/* SPDX-License-Identifier: Apache-2.0 */
/* The words for what prices lack: licences of operating systems, and fees of services. */
#pragma once

#include <base/str.h>

/* The one service with a fee for each node; the last one of a list. */
#define AUTO_MODE "EKS Auto Mode"

/* What stands before such a list: "licences of Windows", "the fee of EKS Auto Mode". */
static inline const char *licence_words(karp_str list)
{
    if (str_is(list, AUTO_MODE)) return "the fee of ";
    return str_ends(list, AUTO_MODE) ? "licences and fees of " : "licences of ";
}
