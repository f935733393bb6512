/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <schedule/gang_domains.h>

/* Notes an attempt that did not reach the minimum, and why one more pod does not fit. Call before it is taken back.
 * domain NULL = anywhere. */
void gang_note_try(scheduler *s, const member_group *g, gang_result *r, const gang_domain *domain, const gang_try *one);
/* "7 of 8 fit: …", domain by domain. */
void gang_add_tries(const gang_result *r, strbuf *out);
