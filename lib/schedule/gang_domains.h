/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The domains of a group's topology key: the values that its label has on existing nodes, or could have on launches.
 * Nodes without the label, or with an empty value, are in no domain. Each existing node is a domain of the host name,
 * and so is each node that is launched.
 */
#pragma once

#include <schedule/gangs.h>
#include <schedule/within.h>

typedef struct gang_domain {
    uint32_t value; /* text id; NO_ID = a node to be launched, of the host name */
    uint32_t claim; /* the claim that this is; NO_ID = a new one, or not of the host name */
    uint32_t set; /* what launches have to meet */
    const uint32_t *hosts;
    uint32_t host_count;
    const uint64_t *bits; /* the same; NULL = they are few */
    double allocatable[2], left[2]; /* CPU and memory of its nodes, in units of vectors */
} gang_domain;

struct gang_domains {
    uint32_t key; /* text id */
    bool host; /* it is the host name */
    gang_domain *items; /* by name of the value */
    uint32_t count;
    uint32_t *orders[MOST_INSIDE]; /* by the depth of the group that asked; used again */
    struct fullest *ranking; /* scratch */
    struct domain_sums *sums; /* how `left` is kept up to date; NULL = not needed yet */
    gang_domains *next;
};

/* The domains of the key, found once a round. NULL = out of memory. */
gang_domains *gang_domains_of(scheduler *s, uint32_t key);
/* Domain `number`, from 0 on. Those of the host name continue with the claims that are open. */
gang_domain gang_domain_at(const gang_domains *domains, uint32_t number);
uint32_t gang_domain_count(const scheduler *s, const gang_domains *domains);
/* Numbers of the domains, apart from claims, in the order in which kube-scheduler prefers them for pods with these
 * requests: the fullest first. Valid until a group of the same depth asks; NULL = out of memory. */
const uint32_t *gang_domains_order(scheduler *s, gang_domains *domains, uint32_t depth, const int64_t *requests);

/* What gang_leave() restores. */
typedef struct outside {
    struct within within;
    uint64_t *offered;
} outside;
/* Confines placements to the domain, within the one to which they are confined already. false = out of memory. */
bool gang_enter(scheduler *s, const gang_domain *domain, outside *before);
void gang_leave(scheduler *s, const outside *before);
