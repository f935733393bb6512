/* SPDX-License-Identifier: Apache-2.0 */
/* Which domains topology rules out for an unschedulable pod, and why. */
#pragma once

#include <schedule/domain_facts.h>
#include <schedule/report.h>
#include <schedule/topology.h>
#include <schedule/views.h>

/* A NodePool that would launch a node for the pod if topology allowed it, for one alternative of its volumes. */
typedef struct way {
    uint32_t template_, set, types;
} way;

/* An unschedulable pod. */
typedef struct refused_pod {
    scheduler *s;
    karp_decision *d;
    domain_facts *facts;
    uint32_t pod, view_number;
    view v;
    way *ways;
    uint32_t way_count;
} refused_pod;

/* A group that applies to it. The masks are by domain; unused if its key is the host name. */
typedef struct refusing_group {
    const group *g;
    uint32_t number;
    bool self;
    const uint64_t *own; /* domains that the pod's own requirements allow */
    uint64_t *volumes; /* domains that its volumes allow; NULL = all */
    uint64_t *there; /* domains that the requirements of the ways allow */
    uint64_t *chosen; /* domains that the group allows */
    int64_t least;
    bool occupied; /* some domain of `own` has a pod */
    const uint32_t *listed; /* by row: its domain */
    const domain_source *sources;
    const counted_pod *pods; /* by domain − base of domain_span(); NULL = not asked for */
} refusing_group;

/* Fills row->topologies. false = out of memory. */
bool why_topology(scheduler *s, domain_facts *facts, const failure *f, karp_decision *d, karp_unschedulable *row);

/* why_topology_text.c: the texts of a domain and of a group. Names are in the decision's arena. */
void domain_detail(refused_pod *p, const refusing_group *q, uint32_t domain, const karp_topology_domain *row,
                   strbuf *b);
void topology_cause(refused_pod *p, const refusing_group *q, const karp_topology *row, strbuf *b);
