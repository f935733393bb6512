/* SPDX-License-Identifier: Apache-2.0 */
/* A design as Comparisons and Settlements show it. */
#pragma once

#include <compare/comparison.h>
#include <io/encode.h>

void design_as_json(const encoder *e, const summed_design *d);
