/* SPDX-License-Identifier: Apache-2.0 */
/* A design as Comparisons and Settlements show it. */
#ifndef COMPARE_WRITE_COMPARISON_H
#define COMPARE_WRITE_COMPARISON_H

#include <compare/comparison.h>
#include <io/encode.h>

void design_as_json(const encoder *e, const summed_design *d);

#endif
