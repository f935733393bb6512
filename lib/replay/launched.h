/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a node that a decision launches. */
#ifndef REPLAY_LAUNCHED_H
#define REPLAY_LAUNCHED_H

#include <io/reader.h>

void replay_set_time(trees *t, tree *object, const char *name, int64_t instant);

/* A Node, or the NodeClaim of one: they say the same here, the reader fills the rest in. */
tree *replay_launched(trees *t, const karp_launch *launch, karp_str name, int64_t created, bool claim);

#endif
