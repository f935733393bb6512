/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the operators of requirements. */
#ifndef BASE_OPERATORS_H
#define BASE_OPERATORS_H

#include <stdint.h>

/* "In", "NotIn" …; "?" for an unknown number. */
const char *operator_name(uint32_t op);

#endif
