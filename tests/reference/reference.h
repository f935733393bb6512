/* SPDX-License-Identifier: Apache-2.0 */
/** @file reference.h  The plain reference scheduler: a Snapshot in, the decision part of a Plan out. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <jansson.h>
#include <stdbool.h>

/**
 * Decides on a Snapshot, which stays as it is. Catalogue paths are relative to @p base_dir. The text is freed by the
 * caller with free(). NULL if the snapshot cannot be used; reference_error() then says why.
 */
char *reference_plan(json_t *snapshot, const char *base_dir);

/** The version of Karpenter whose rules this thread's calls follow from now on: 1014 or 1015, as KARP_PEER_*; 1015 at
 * first. */
void reference_follow(unsigned version);

/**
 * Whether this thread's calls take what a selector said of one device for what it says of every device of the same
 * driver, pool and name, while they search for one pod's (S-Q38). At first they do.
 */
void reference_remember_selectors(bool remember);

/** Why the last call of this thread returned NULL. */
const char *reference_error(void);

#endif
