/* SPDX-License-Identifier: Apache-2.0 */
/* Pod classes after some relaxation. */
#pragma once

#include <schedule/common.h>

/* A class after some steps of the relaxation ladder. */
typedef struct view {
    uint32_t class_, step;
    uint32_t next; /* view of the next step; NO_ID = not created yet; LAST_VIEW = nothing left to relax */
    const char *gave_up; /* the preference that the last step dropped; NULL for step 0 */
    uint32_t required_first; /* number of OR-terms dropped so far */
    const node_term *preferred; /* by weight */
    uint32_t preferred_count;
    pod_term_list preferred_affinity, preferred_anti; /* by weight */
    /* their groups, term by term, NO_ID = not looked up yet; shared by the views of a class */
    uint32_t *affinity_groups, *anti_groups;
    spread_list spread; /* all spread constraints of the class */
    uint32_t *spread_left; /* indices of those that were not dropped, in the peer's order */
    uint32_t spread_count;
    /* groups of `spread`, NO_ID = not looked up yet; shared by views with the same terms and tolerations */
    uint32_t *spread_groups;
    toleration_list tolerations;
    demand full, strict; /* with and without preferences */
    struct owned_group {
        uint32_t group;
        /* groups about host names other than affinity: the highest count at which one more pod is allowed */
        int32_t most;
        bool self; /* the group selects the pods that use it */
        bool host; /* its key is the host name */
    } * owned; /* groups that apply to the view's pods; valid when `updated` */
    uint32_t owned_count;
    bool updated;
    bool elsewhere; /* some of them have keys other than the host name */
    bool settled; /* no further step of the ladder changes its groups */
    bool typeless, typeless_known; /* no type of any template meets its requirements: claims_typeless() */
    uint64_t *tolerated; /* bits of templates whose taints it tolerates */
    uint64_t *barred_hosts; /* bits of nodes whose counts reject it until the end of round `barred_round` */
    uint32_t barred_round; /* the round for which barred_hosts is valid */
} view;

#define LAST_VIEW (UINT32_MAX - 1)

/* The view of a class before relaxation, created on first use. NO_ID = out of memory. */
uint32_t view_of_class(scheduler *s, uint32_t class_number);
/* The view after so many steps of the ladder, or the last one that exists. NO_ID = out of memory. */
uint32_t view_after(scheduler *s, uint32_t class_number, uint32_t step);
/* The view after one more step of the ladder. LAST_VIEW = nothing left to relax, NO_ID = out of memory. */
uint32_t view_relax(scheduler *s, uint32_t view_number);
