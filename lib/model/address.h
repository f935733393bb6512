/* SPDX-License-Identifier: Apache-2.0 */
/* Text to IP addresses. */
#ifndef MODEL_ADDRESS_H
#define MODEL_ADDRESS_H

#include <karp/base.h>
#include <stdbool.h>

/* An IPv4 address becomes ::ffff:a.b.c.d. No zones, no leading zeros in IPv4. false = not an address; ip is cleared. */
bool address_parse(karp_str text, uint8_t ip[16]);
/* 0.0.0.0 or :: */
bool address_unspecified(const uint8_t ip[16]);

#endif
