/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes of a launch's pods against the attachment limits of its instance types (K15-1). */
#ifndef SCHEDULE_LAUNCH_VOLUMES_H
#define SCHEDULE_LAUNCH_VOLUMES_H

#include <schedule/claims.h>

bool launch_volumes_init(scheduler *s);
/* Whether pods of the class have volumes that some instance type limits the number of. */
bool launch_volumes_limited(scheduler *s, uint32_t class_number);
/* The types of the set that take the claim's volumes with those of one more pod of the class. NO_ID when `failed`. */
uint32_t launch_volumes_narrow(scheduler *s, const claim *c, uint32_t class_number, uint32_t types);
/* The claim has a pod of the class now. false = out of memory. */
bool launch_volumes_take(scheduler *s, claim *c, uint32_t class_number);
/* The driver that alone excludes every type of the set, what the launch would have of it and the largest limit; false = it takes
 * several drivers. */
bool launch_volumes_blame(scheduler *s, const claim *c, uint32_t class_number, uint32_t types, uint32_t *driver,
                          uint32_t *count, int64_t *limit);

#endif
