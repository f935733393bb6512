/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that the cloud provides for a launch, and offerings that it does not have for a while. */
#pragma once

#include <replay/common.h>

/* Unavailable offerings. */
typedef struct replay_loss {
    karp_str instance_type, zone, capacity_type;
    int64_t until;
    bool known; /* Karpenter has seen a launch fail and treats the offering as unavailable */
    bool interrupted; /* the offering is not lost: Karpenter avoids it until then after a spot interruption */
} replay_loss;

struct replay_losses {
    replay_loss *list;
    size_t count, capacity;
};

/* Instances of reservations that nodes of one kind have taken since the replay began; less than 0: returned. */
typedef struct replay_reserved {
    uint32_t kind;
    int64_t taken, shown; /* shown: the snapshot has it */
} replay_reserved;

struct replay_reservations {
    replay_reserved *list;
    size_t count, capacity;
};

void reservation_take(engine *e, uint32_t node, int64_t instances);
/* The snapshot that is being edited counts what was taken. */
karp_status reservations_show(engine *e, karp_builder *builder);
/* The capacity reservations that the document of a node class states; NULL = none. */
const tree *reservations_of(const tree *object);
/* The document then states how many of their instances are free now. */
void reservations_state(engine *e, trees *t, tree *object);

/* The instance types for the pool's launches; NULL = unknown. */
const karp_catalogue *engine_catalogue(const engine *e, karp_str pool);
void note_interrupted(engine *e, uint32_t node); /* marks the node's offering as unavailable for a while */
bool loss_applies(const replay_loss *l, karp_str type, karp_str zone, karp_str capacity_type);
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
