/* SPDX-License-Identifier: Apache-2.0 */
/* A few objects that are edited: after each edit the snapshot is compared with one built afresh from what there is
 * then. */
#ifndef UNIT_EDITED_WORLD_H
#define UNIT_EDITED_WORLD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include <karp/karp.h>
#include <karp/settings.h>
#include <model/snapshot.h>
#include <support/fault.h>

/* An object; what it does not say is absent. */
typedef struct thing {
    const char *kind, *name; /* as karp_builder_remove() knows it; those that have a namespace are in "default" */
    bool gone; /* in an edit: it goes */
    const char *cpu; /* what a pod asks for, a Node has left for pods, an overlay's price */
    const char *resource; /* what else a pod asks for one of, a Node or NodeClaim has one of */
    const char *whole; /* what a Node has; NULL = the same */
    karp_label labels[3]; /* of a pod, a Node, or a pool's nodes; a budget and a Service select by them */
    karp_label wants; /* a pod's node selector, an overlay's requirement */
    const char *node; /* where a pod runs; NULL = it waits */
    const char *owner; /* the uid of the DaemonSet that a pod belongs to */
    const char *claim; /* a pod's volume claim; the volume of a claim */
    const char *device; /* a pod's ResourceClaim */
    const char *provider; /* of a Node or NodeClaim; NULL = its name */
    const char *of, *group; /* the kind of a pool's node class, and its group; NULL = some */
    bool apart; /* from pods with its first label, by host name */
    bool over; /* a pod has succeeded */
    int32_t most; /* a CSINode's volumes, a buffer's pods */
    int64_t age; /* when it was made */
} thing;

enum { MOST_THINGS = 160 };

typedef struct edited_world {
    fault fault;
    karp_context *context;
    karp_catalogue *catalogue;
    karp_settings settings;
    thing things[MOST_THINGS];
    size_t count;
    karp_snapshot *before, *now; /* the last edit made one of the other */
    uint32_t classes; /* of pods, that one built afresh has */
} edited_world;

#define HERE(list) (list), sizeof(list) / sizeof(list)[0]

void edited_world_open(edited_world *w, const thing *things, size_t count);
/* With constraints for pods that have none of their own, or with devices. */
void edited_world_open_with(edited_world *w, const karp_spread_constraint *default_spread, bool devices,
                            const thing *things, size_t count);
/* An edit for which every request for memory is refused in turn: it is made or it is not, and changes nothing. How many
 * it took. */
size_t edited_world_refuse(edited_world *w, const thing *changes, size_t count);
/* What is there already becomes another. The decisions on the result are those on a snapshot built afresh, and can be
 * verified. */
void edited_world_edit(edited_world *w, const thing *changes, size_t count);
/* Nothing is left of it. */
void edited_world_close(edited_world *w);

/* Two types of 4 and of 8 cpus, in the zones a and b. */
karp_catalogue *edited_world_types(karp_context *context, const char *first, const char *second);

#endif
