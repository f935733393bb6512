/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a finished round chose from, in numbers: classes of pods, what may be bought for them, and which of them may share a node.
 * Only what binds a pod where it stands is told. What does not fit numbers stays where the round put it: pods on existing nodes,
 * and claims whose pods have to be together, share devices, volumes or reservations.
 */
#ifndef SCHEDULE_MENU_H
#define SCHEDULE_MENU_H

#include <base/memory.h>
#include <karp/objective.h>
#include <schedule/common.h>

/* Pods that may go to the same nodes and ask for as much: in one domain of each of their groups, and with the same rules about who */
typedef struct menu_class {
    uint32_t class_, step; /* of its first pod; others may differ in what does not matter here */
    uint32_t pin; /* requirements that keep it in its domains */
    uint32_t order; /* pools beyond this weight are not for it */
    uint32_t set; /* what it asks of a node, with the pin */
    uint32_t *pods; /* in queue order */
    uint32_t count;
    uint32_t limit; /* copies on one node */
} menu_class;

/* What may be bought. */
typedef struct menu_offer {
    uint32_t template_, variant, offering;
    double price; /* as the objective has it */
    bool spot;
} menu_offer;

/* A claim of the round: where it stays, its pods are in no class. */
typedef struct menu_claim {
    bool stays;
    uint32_t offer; /* otherwise; the first that the claim could be, by price. UINT32_MAX = none */
} menu_claim;

typedef struct menu {
    uint32_t dims, class_count, offer_count, claim_count;
    menu_class *classes;
    menu_offer *offers; /* by price */
    menu_claim *claims;
    int64_t *requests, *rooms; /* [class * dims], [offer * dims]; counted in … */
    int64_t *units; /* [dims]: … so many of the scheduler's: the most that count them all */
    uint64_t *allowed; /* [class * bits_words(offer_count)] */
    uint64_t *conflicts; /* [class * bits_words(class_count)]; NULL = none */
    uint32_t *class_of; /* by pod: menu class, UINT32_MAX = it is in none */
    uint32_t *claim_of; /* by pod: the claim it is on, UINT32_MAX = none */
    uint32_t *host_of; /* by pod: the existing node */
} menu;

/* Of the round that has just ended; `steps`: at which step of the ladder each pod was placed. The lists lie in `a`. false = out
 * of memory. */
bool menu_make(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, menu *out);

/* A node that exists, with those of its pods that may move. */
typedef struct menu_home {
    uint32_t node; /* state node, of a pool */
    const uint32_t *pods;
    uint32_t count;
} menu_home;

/* Likewise of pods where they run: the nodes stand for claims, and pods stay in the domains in which they are counted now, so
 * that no order in which they move breaks a spread constraint. The last round has placed all of them. */
bool menu_of_nodes(scheduler *s, arena *a, const menu_home *homes, uint32_t count, const uint16_t *steps,
                   const karp_objective *aim, menu *out);

/* Which nodes that exist take pods of a menu's classes. */
typedef struct menu_hosts {
    uint32_t count;
    uint32_t *host; /* its number for guides … */
    uint32_t *node; /* … and its state node */
    int64_t *left; /* [host * dims]: after the round that has just ended */
    uint64_t *allowed; /* [class * bits_words(count)] */
    bool *alone; /* by class: a node takes one pod of it at most */
    uint32_t *host_of; /* by pod: where that round placed it, UINT32_MAX = on no node that exists */
} menu_hosts;

/* After a round in which the menu's pods stay where they are; what that round decided is undone. false = out of memory. */
bool menu_hosts_make(scheduler *s, arena *a, const menu *m, menu_hosts *out);

#endif
