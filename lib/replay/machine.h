/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine the cloud gives for a launch. */
#ifndef REPLAY_MACHINE_H
#define REPLAY_MACHINE_H

#include <replay/engine.h>

/* What a launch becomes. Everything is borrowed. */
typedef struct machine {
    karp_choice choice;
    const karp_instance_type *type; /* NULL = the launch's own choice */
    const karp_offering *offering;
    const karp_resource *allocatable;
    size_t allocatable_count;
} machine;

/* The launch's choice, or when the cloud is out of that the cheapest other that the launch allows. false = there is none. */
bool find_machine(engine *e, const karp_launch *launch, machine *out);

#endif
