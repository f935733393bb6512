/* SPDX-License-Identifier: Apache-2.0 */
/* Parses IP addresses. */
#pragma once

#include <karp/base.h>
#include <stdbool.h>

/* An IPv4 address becomes ::ffff:a.b.c.d. IPv6 zones and leading zeros in IPv4 are not allowed. false = not an
 * address; ip is cleared. */
bool address_parse(karp_str text, uint8_t ip[16]);
/* 0.0.0.0 or :: */
bool address_unspecified(const uint8_t ip[16]);
