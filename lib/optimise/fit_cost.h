/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <schedule/fit.h>

#ifndef KARP_NO_FIT
/* Status: OK, NOMEM, UNSUPPORTED. When the caller stops it, the result is the best found so far. */
karp_status fit_for_cost(fit_purchase *p, karp_error *error);
#endif
