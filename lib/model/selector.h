/* SPDX-License-Identifier: Apache-2.0 */
/* Label selectors. */
#ifndef MODEL_SELECTOR_H
#define MODEL_SELECTOR_H

#include <model/store.h>

/* NULL is valid. An invalid selector selects nothing. */
bool selector_valid(const selector *x);
bool selector_selects(const selector *x, label_list labels); /* x is not NULL */

#endif
