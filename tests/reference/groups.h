/* SPDX-License-Identifier: Apache-2.0 */
/** @file groups.h  One topology group: domains, identity, next domain (scheduling.md 14.2, 14.8–14.10). */
#ifndef REFERENCE_GROUPS_H
#define REFERENCE_GROUPS_H

#include "world.h"

enum group_kind { SPREAD, AFFINITY, ANTI_AFFINITY };

struct domain {
    const char *name;
    int64_t count;
};

/** Which nodes count for a spread constraint. */
struct node_filter {
    const char *taints_policy, *affinity_policy;
    struct tolerations tolerations;
    struct requirements *any_of;
    size_t count;
};

struct group {
    enum group_kind kind;
    const char *key; /* as written, not normalised: Q-34 */
    struct names namespaces;
    struct selector selector;
    int64_t max_skew, min_domains;
    bool has_min_domains;
    struct node_filter filter; /* spread only */
    struct domain *domains; /* by name */
    size_t domain_count;
    bool *owners; /* by pod index */
};

struct node_filter ref_filter_make(const struct pod *pod, const struct spread *spread);
/** Always strict: what the node does not state does not count. */
bool ref_filter_passes(const struct group *group, struct taints taints, struct requirements requirements);
/** The same to the peer's structural hash (appendix B, Q-3). */
bool ref_groups_alike(const struct group *a, const struct group *b);
bool ref_group_selects(const struct group *group, const struct pod *pod);
/** Adds @p by to a domain's count, which may be new. */
void ref_group_count(struct group *group, const char *domain, int64_t by);
/** The domains the pod may go to; none if it may not. */
struct names ref_group_next(const struct group *group, const struct pod *pod, const struct requirement *of_pod,
                            const struct requirement *of_node);

#endif
