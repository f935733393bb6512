/* SPDX-License-Identifier: Apache-2.0 */
/* What objects of manifests get that an API server would have given them. */
#pragma once

#include <stdint.h>

/* The uid without its last 12 digits, which count the objects. */
#define ASSUMED_UID "00000000-0000-4000-8000-"
/* They were created so many nanoseconds before the decision. */
static const int64_t assumed_age = INT64_C(86400000000000);
