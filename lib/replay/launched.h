/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a node launched by a decision. */
#ifndef REPLAY_LAUNCHED_H
#define REPLAY_LAUNCHED_H

#include <io/reader.h>

void replay_set_time(trees *t, tree *object, const char *name, int64_t instant);

/* A Node or its NodeClaim. Here both have the same content, and the reader completes it. */
tree *replay_launched(trees *t, const karp_launch *launch, karp_str name, int64_t created, bool claim);

#endif
