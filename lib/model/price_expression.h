/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preview P-5 (kubernetes-sigs/karpenter#3004): prices that a NodeOverlay computes. The arithmetic of CEL on
 * self.price: numbers, + - * /, - before a value, and parentheses. As in CEL, whole numbers and others do not mix,
 * whole numbers are divided without a remainder, and neither overflows silently.
 */
#pragma once

#include <karp/values.h>
#include <stdbool.h>

/* A price, not negative and finite. false: *why (static) says what is wrong; *beyond = it is or may be valid CEL, but
 * is not evaluated. */
bool price_evaluate(karp_str expression, double price, double *out, const char **why, bool *beyond);
