/* SPDX-License-Identifier: Apache-2.0 */
/** @file reference.h  The plain reference scheduler: a Snapshot in, the decision part of a Plan out. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <jansson.h>

/**
 * Decides on a Snapshot, which stays as it is. Catalogue paths are relative to @p base_dir. The text is freed by the
 * caller with free(). NULL if the snapshot cannot be used; reference_error() then says why.
 */
char *reference_plan(json_t *snapshot, const char *base_dir);

/** Why the last call of this thread returned NULL. */
const char *reference_error(void);

#endif
