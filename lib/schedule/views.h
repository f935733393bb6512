/* SPDX-License-Identifier: Apache-2.0 */
/* Pod classes as far as they have been relaxed (scheduling.md §6.2, §17.1, §26). */
#ifndef SCHEDULE_VIEWS_H
#define SCHEDULE_VIEWS_H

#include <schedule/common.h>

/* A class after some steps of the relaxation ladder (§26). */
typedef struct view {
    uint32_t class_, step;
    uint32_t next; /* view of the next step; NO_ID = not made yet; LAST_VIEW = nothing left to give up */
    const char *gave_up; /* what the step that led here dropped; NULL for step 0 */
    uint32_t required_first; /* OR-terms dropped so far */
    const node_term *preferred; /* by weight */
    uint32_t preferred_count;
    pod_term_list preferred_affinity, preferred_anti; /* by weight */
    uint32_t *affinity_groups,
        *anti_groups; /* of these, term by term, NO_ID = not looked up yet; the views of a class share them */
    spread_list spread; /* all of the class */
    uint32_t *spread_left; /* numbers of those not given up yet, in the peer's order */
    uint32_t spread_count;
    uint32_t *
        spread_groups; /* of `spread`, NO_ID = not looked up yet; views with the same terms and tolerations share them */
    toleration_list tolerations;
    demand full, strict; /* §6.2, §17.1 */
    struct owned_group {
        uint32_t group;
        int32_t most; /* host groups other than affinity: the highest count at which one more pod may come */
        bool self; /* the group selects the pods that own it */
        bool host; /* it is about host names */
    } * owned; /* groups that own it; valid when updated */
    uint32_t owned_count;
    bool updated;
    bool elsewhere; /* some of them are about other keys than host names */
    bool settled; /* no step of the ladder changes its groups */
    bool typeless, typeless_known; /* no type of any template meets its requirements: claims_typeless() */
    uint64_t *tolerated; /* templates whose taints it tolerates */
    uint64_t *barred_hosts; /* nodes whose counts refuse it for the rest of a round … */
    uint32_t barred_round; /* … this one */
} view;

#define LAST_VIEW (UINT32_MAX - 1)

/* The unrelaxed view of a class, made when new. NO_ID = out of memory. */
uint32_t view_of_class(scheduler *s, uint32_t class_number);
/* The view after one more step of the ladder: LAST_VIEW = nothing left to give up, NO_ID = out of memory. */
uint32_t view_relax(scheduler *s, uint32_t view_number);

#endif
