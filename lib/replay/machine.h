/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that the cloud provides for a launch. */
#ifndef REPLAY_MACHINE_H
#define REPLAY_MACHINE_H

#include <replay/engine.h>

/* The result of a launch. Everything is borrowed. */
typedef struct machine {
    karp_choice choice;
    const karp_instance_type *type; /* NULL = the launch's own choice */
    const karp_offering *offering;
    const karp_resource *allocatable;
    size_t allocatable_count;
} machine;

/* Finds the launch's choice, or if it is unavailable the cheapest other option that the launch allows. false = there is
 * none. */
bool find_machine(engine *e, const karp_launch *launch, machine *out);

#endif
