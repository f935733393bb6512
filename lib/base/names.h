/* SPDX-License-Identifier: Apache-2.0 */
/* What Kubernetes takes for names and labels. Source: apimachinery's pkg/util/validation. */
#pragma once

#include <base/str.h>

/* A DNS subdomain (RFC 1123), as prefixes of keys and nearly all object names are. */
bool is_dns_subdomain(karp_str t);
/* A DNS label: a subdomain of one part and at most 63 characters, as names of namespaces and containers are. */
bool is_dns_label(karp_str t);
/* The name part of a key, or the value of a label unless it is empty: at most 63 characters, alphanumeric at both ends.
 */
bool is_label_name(karp_str t);
/* The key of a label: a name, or a DNS subdomain, a slash and a name. */
bool is_label_key(karp_str t);
