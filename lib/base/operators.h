/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the operators of requirements. */
#pragma once

#include <stdint.h>

/* "In", "NotIn" …; "?" for an unknown number. */
const char *operator_name(uint32_t op);
