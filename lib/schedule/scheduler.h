/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of one scheduler. Each module owns a part of it, declared in the module's header:
 *
 *   settings    derived from the options             claims      nodes to be launched
 *   templates   what each NodePool can launch        hosts       existing nodes
 *   types       which variants are possible          placement   where the pods of the round were placed
 *   topology    spread, affinity, anti-affinity      round       changes of a round
 *   pods        which pods, their classes and views  launches    rows of the decision
 *
 * A "host" is anything that can have a host name: a node or a claim. A failed allocation sets `failed`. Results after
 * that are invalid, and the loop ends.
 */
#pragma once

#include <schedule/claims.h>
#include <base/context.h>
#include <schedule/hosts.h>
#include <schedule/placement.h>
#include <schedule/pods.h>
#include <schedule/report.h>
#include <schedule/rounds.h>
#include <schedule/savepoint.h>
#include <schedule/split.h>
#include <schedule/templates.h>
#include <schedule/topology.h>
#include <schedule/types.h>
#include <schedule/volumes.h>
#include <schedule/within.h>

struct scheduler {
    const karp_snapshot *snapshot;
    karp_context *context; /* points to own_context */
    karp_context own_context;
    algebra algebra;
    arena data; /* memory that lives as long as the scheduler */
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
    struct saving saving; /* open savepoints */
    struct splitting splitting; /* see split.h */
    struct within within; /* where the pods that are being placed may be; without groups, anywhere */
    struct gang_state *gangs; /* see gang_loop.h; in the round's arena. NULL = the round places pods one by one */
    struct launches launches;
    struct first_fit *first_fit; /* see first_fit.c; NULL = not created yet */
    const struct policy *policy; /* see policy.h; NULL = Karpenter's behaviour */
    struct workloads *workloads; /* see workloads.h; NULL = nothing is noted of them */
};

/* Clears the state of a class that belongs to an earlier round. */
static inline void class_begin_round(scheduler *s, class_state *c)
{
    if (c->round != s->round.number) class_enter_round(s, c);
}

/* Whether S-Qn is in force. */
static inline bool quirk(const scheduler *s, unsigned n) { return (s->settings.quirks >> (n - 1)) & 1; }
/* Whether a pod that is being scheduled is not counted on its current node. True for all pods but those whose volumes
 * cannot be looked up. */
static inline bool leaves_its_count(const scheduler *s, uint32_t pod_number)
{
    return s->snapshot->classes[s->snapshot->pod_class[pod_number]].volumes_found || !quirk(s, 2);
}
/* The number of a pod's label group. */
static inline uint32_t label_group_of_pod(const scheduler *s, uint32_t pod_number)
{
    return s->pods.classes[s->snapshot->pod_class[pod_number]].label_group;
}
/* Whether devices serve the resource on nodes that have none of it. Such nodes have room for any amount of it. */
static inline bool is_served(const scheduler *s, uint32_t d)
{
    return s->vectors.device_class != NULL && s->vectors.device_class[d] != NO_ID;
}
/* Whether pods of the class need devices: for their resource claims, or for a resource that devices serve. */
static inline bool class_needs_devices(const scheduler *s, uint32_t class_number)
{
    return s->pods.classes[class_number].needs_devices;
}
/* Reports work that allocates nothing. false = the caller wants to stop, and the scheduler has failed. */
bool scheduler_work(scheduler *s, size_t units);
static inline bool scheduler_worked(scheduler *s, size_t units)
{
    return !s->own_context.guarded || scheduler_work(s, units);
}
/* From now on the options' step limit applies to work, until context_limit_run() ends it. */
void scheduler_limit_work(scheduler *s);
/* Whether a rule of a later version is in force. */
static inline bool in_force(const scheduler *s, enum peer_rule rule) { return rule_of(s->settings.rules, rule); }
