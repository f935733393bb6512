/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes of the pods of a launch, compared with the attachment limits of its instance types (K15-1). */
#ifndef SCHEDULE_LAUNCH_VOLUMES_H
#define SCHEDULE_LAUNCH_VOLUMES_H

#include <schedule/claims.h>

bool launch_volumes_init(scheduler *s);
/* Whether pods of the class have volumes of a driver that some instance type limits. */
bool launch_volumes_limited(scheduler *s, uint32_t class_number);
/* The types of the set that can attach the claim's volumes and those of one more pod of the class. NO_ID when
 * `failed`. */
uint32_t launch_volumes_narrow(scheduler *s, const claim *c, uint32_t class_number, uint32_t types);
/* Adds the volumes of a pod of the class to the claim. false = out of memory. */
bool launch_volumes_take(scheduler *s, claim *c, uint32_t class_number);
/* The driver that alone excludes every type of the set, the number of its volumes on the launch, and the largest
 * limit. false = no single driver excludes all. */
bool launch_volumes_blame(scheduler *s, const claim *c, uint32_t class_number, uint32_t types, uint32_t *driver,
                          uint32_t *count, int64_t *limit);

#endif
