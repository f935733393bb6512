/* SPDX-License-Identifier: Apache-2.0 */
/* Which instance types and offerings of a table are compatible with a requirement on one label key. */
#ifndef MODEL_AGREEMENT_H
#define MODEL_AGREEMENT_H

#include <model/snapshot.h>

/* Sets the bits of variants whose type is compatible with the requirement `required` on the table's type key number k. */
void mark_agreeing_types(algebra *a, const type_table *t, uint32_t k, uint32_t required, uint64_t *variants);
/* Sets the bits of offerings that are compatible with the requirement `required` on the table's offering key number k,
 * available or not. NO_ID = there is no requirement: then an offering is incompatible if it has a requirement on a
 * key that is not well-known. */
void mark_agreeing_offerings(const karp_snapshot *w, algebra *a, const type_table *t, uint32_t k, uint32_t required,
                             uint64_t *offerings);
/* The same for one offering, whose requirement on this key is `have`. */
bool offering_key_agrees(const karp_snapshot *w, algebra *a, uint32_t key, uint32_t required, uint32_t have);
/* Sets the bits of available offerings. */
void mark_available(const type_table *t, uint64_t *offerings);

#endif
