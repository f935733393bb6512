/* SPDX-License-Identifier: Apache-2.0 */
/* Label selectors. */
#pragma once

#include <model/store.h>

/* NULL is valid. An invalid selector selects nothing. */
bool selector_valid(const selector *x);
bool selector_selects(const selector *x, label_list labels); /* x is not NULL */
