/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes cost (deprovisioning.md §14). */
#ifndef DISRUPT_PRICES_H
#define DISRUPT_PRICES_H

#include <model/snapshot.h>

/* §14.1: the first offering of that type in the labels' zone and capacity type; 0 = unknown. `reservations`: one of the
 * labels' reservation, if there is any, comes before it (without D-Q10). */
double labels_price(const karp_snapshot *w, uint32_t pool, label_list labels, bool reservations);

#endif
