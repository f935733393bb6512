/* SPDX-License-Identifier: Apache-2.0 */
/* Which instance types and offerings of a table agree with what is asked on one label key. */
#ifndef MODEL_AGREEMENT_H
#define MODEL_AGREEMENT_H

#include <model/snapshot.h>

/* Sets the variants whose type agrees with the requirement on the table's type key number k. */
void mark_agreeing_types(algebra *a, const type_table *t, uint32_t k, uint32_t asked, uint64_t *variants);
/* Sets the offerings that agree with the requirement on the table's offering key number k, available or not. NO_ID = nothing is
 * asked: what an offering says of a key that is not well-known has to be asked for then. */
void mark_agreeing_offerings(const karp_snapshot *w, algebra *a, const type_table *t, uint32_t k, uint32_t asked,
                             uint64_t *offerings);
/* The same of one offering, which has the requirement `have` there. */
bool offering_key_agrees(const karp_snapshot *w, algebra *a, uint32_t key, uint32_t asked, uint32_t have);
/* Sets the offerings that are available. */
void mark_available(const type_table *t, uint64_t *offerings);

#endif
