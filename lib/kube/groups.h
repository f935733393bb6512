/* SPDX-License-Identifier: Apache-2.0 */
/* Groups: pods that selectors of other pods select, counted on every node. Equal rules share a group. */
#pragma once

#include <kube/cluster.h>

/* The rules and the lists in them must stay valid. */
uint32_t kube_group_add(kube_cluster *c, const kube_rule *rules, size_t count);
uint32_t kube_term_add(kube_cluster *c, uint32_t group, karp_str key, uint32_t kind, int64_t weight);
/* Finds the groups of every class. No class may be added afterwards. */
void kube_groups_settle(kube_cluster *c);
bool kube_group_has(const kube_cluster *c, uint32_t group, const kube_class *s);
void kube_count_pod(kube_cluster *c, uint32_t pod, int sign);
void kube_groups_free(kube_cluster *c);
