/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choices of a finished round as numbers: classes of pods, the offerings that can be bought for them, and which
 * of them may share a node. Only rules that bind a pod at its place are included. What cannot be expressed in numbers
 * stays where the round placed it: pods on existing nodes, and claims whose pods have to be together or share
 * devices, volumes or reservations.
 */
#pragma once

#include <karp/objective.h>
#include <schedule/common.h>

/* Pods that can be placed on the same nodes and have equal requests. They are in the same domain of each of their
 * groups, and the same rules decide which other pods may share their node. */
typedef struct menu_class {
    /* class and relaxation step of its first pod; others may differ where it makes no difference here */
    uint32_t class_, step;
    uint32_t pin; /* requirements that keep it in its domains */
    uint32_t order; /* lowest weight of a NodePool that its pods can be launched from */
    uint32_t set; /* requirements for a node, with the pin */
    uint32_t *pods; /* in queue order */
    uint32_t count;
    uint32_t limit; /* most pods of the class on one node */
    bool roams; /* its pods may be in several domains: a node with them has to be in one */
} menu_class;

/* An offering that can be bought. */
typedef struct menu_offer {
    uint32_t template_, variant, offering;
    double price; /* under the objective */
    bool spot;
} menu_offer;

/* A claim of the round. If it stays, its pods are in no class. */
typedef struct menu_claim {
    bool stays;
    uint32_t offer; /* if it does not stay: the cheapest offer that the claim could use. UINT32_MAX = none */
} menu_claim;

typedef struct menu {
    uint32_t dims, class_count, offer_count, claim_count;
    menu_class *classes;
    menu_offer *offers; /* in ascending order of price */
    menu_claim *claims;
    int64_t *requests, *spaces; /* [class * dims], [offer * dims]: free capacity of a new node; counted in `units` */
    int64_t *units; /* [dims]: the unit, in the scheduler's units: the largest in which all amounts are integers */
    uint64_t *allowed; /* [class * bits_words(offer_count)]: offers that the class can use */
    uint64_t *conflicts; /* [class * bits_words(class_count)]: classes that cannot share a node with it; NULL = none */
    uint32_t *class_of; /* by pod: menu class, UINT32_MAX = in none */
    uint32_t *claim_of; /* by pod: the claim it was placed on, UINT32_MAX = none */
    uint32_t *host_of; /* by pod: the existing node it was placed on */
} menu;

/* For the round that has just ended. `steps` has the relaxation step at which each pod was placed. The lists are
 * allocated in `a`. false = out of memory. */
bool menu_make(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, menu *out);

/* menu_domains.c: by pod, the requirement on its zone, if its spread constraint allows others than the zone in which
 * the last round placed it, else NO_ID. NULL = no pod has one. false = out of memory. */
bool menu_roaming(scheduler *s, arena *a, const menu *m, const uint16_t *steps, uint32_t **out);

/* By pod of the menu: the requirement on the zone in which the last round placed it, if it has another one and its
 * class is kept in that by nothing else, else NO_ID. Returns whether there is such a pod. */
bool menu_moved_zones(scheduler *s, const menu *m, uint32_t *out);

/* An existing node and those of its pods that can be moved. */
typedef struct menu_home {
    uint32_t node; /* a state node of a NodePool */
    const uint32_t *pods;
    uint32_t count;
} menu_home;

/* The same for running pods. Nodes take the part of claims, and pods stay in the domains in which they are counted
 * now, so that they can be moved in any order without breaking a spread constraint. The last round must have placed
 * all of them. `zones` has by pod another zone in which it is kept, see menu_moved_zones(); NULL = none. */
bool menu_of_nodes(scheduler *s, arena *a, const menu_home *homes, uint32_t count, const uint16_t *steps,
                   uint32_t *zones, const karp_objective *aim, menu *out);

/* The existing nodes that accept pods of a menu's classes. */
typedef struct menu_hosts {
    uint32_t count;
    uint32_t *host; /* host number, for guides */
    uint32_t *node; /* state node */
    int64_t *left; /* [host * dims]: free capacity after the round that has just ended */
    uint64_t *allowed; /* [class * bits_words(count)]: hosts that accept the class */
    bool *alone; /* by class: a node accepts at most one pod of it */
    uint32_t *host_of; /* by pod: the host on which that round placed it, UINT32_MAX = none */
} menu_hosts;

/* Call after a round in which the menu's pods stay where they are. Undoes that round. false = out of memory. */
bool menu_hosts_make(scheduler *s, arena *a, const menu *m, menu_hosts *out);
