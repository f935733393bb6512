/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of one scheduler. Each module owns a part of it, declared in the module's header:
 *
 *     settings    what the options say                 claims      nodes to be launched
 *     templates   what each pool could start           hosts       existing nodes
 *     types       which variants are possible          placement   where the pods of the round went
 *     topology    spread, affinity, anti-affinity      round       what a round changes
 *     pods        which pods, their classes and views  launches    rows of the decision
 *
 * "Host" is whatever can have a host name here: a node or a claim.
 * A failed allocation sets `failed`; answers after that are meaningless, and the loop stops on it.
 */
#ifndef SCHEDULE_SCHEDULER_H
#define SCHEDULE_SCHEDULER_H

#include <schedule/claims.h>
#include <base/context.h>
#include <schedule/hosts.h>
#include <schedule/places.h>
#include <schedule/pods.h>
#include <schedule/report.h>
#include <schedule/rounds.h>
#include <schedule/templates.h>
#include <schedule/topology.h>
#include <schedule/types.h>
#include <schedule/volumes.h>

struct scheduler {
    const karp_snapshot *snapshot;
    karp_context *context; /* its own, for as long as it lives */
    karp_context own_context;
    algebra algebra;
    arena data; /* what lasts as long as the scheduler */
    bool failed;
    struct settings settings;
    struct vectors vectors;
    struct templates templates;
    struct types types;
    struct topology topology;
    struct pods pods;
    struct placement placement;
    struct hosts hosts;
    struct claims claims;
    struct reservations reservations;
    struct volumes volumes; /* CSI limits */
    struct devices *devices; /* see devices.h; NULL = no pod's devices are allocated */
    struct round round;
    struct launches launches;
    struct first_fit *first_fit; /* see first_fit.c; NULL = nobody has asked */
    const struct policy *policy; /* see policy.h; NULL = Karpenter's */
};

/* Whether S-Qn is in force. */
static inline bool quirk(const scheduler *s, unsigned n) { return (s->settings.quirks >> (n - 1)) & 1; }
/* Whether a pod that is being scheduled is not counted where it is: all but those whose volumes cannot be looked up. */
static inline bool leaves_its_count(const scheduler *s, uint32_t pod_number)
{
    return s->snapshot->classes[s->snapshot->pod_class[pod_number]].volumes_found || !quirk(s, 2);
}
/* Work for which no memory is asked; false = the caller wants to stop, and the scheduler has failed. */
bool scheduler_work(scheduler *s, size_t units);
static inline bool scheduler_worked(scheduler *s, size_t units)
{
    return !s->own_context.guarded || scheduler_work(s, units);
}
/* From here on no more than the steps allow, until context_limit_run() ends it. */
void scheduler_limit_work(scheduler *s);
/* Whether the rule of a later version is. */
static inline bool in_force(const scheduler *s, enum peer_rule rule) { return rule_of(s->settings.rules, rule); }

#endif
