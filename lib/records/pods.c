/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that a decision leaves without a node. */
#include <records/rows.h>
#include <records/tables.h>

#include <karp/explain.h>
#include <karp/inspect.h>

const record_names record_reasons = { karp_reason_name, 1, 1000, false };

static const record funnel = { OPEN(
    { UINT32("start", karp_pool_refusal, types_start) },
    { UINT32("types_start", karp_pool_refusal, types_start), COLUMN_ALONE },
    { UINT32("requirements", karp_pool_refusal, types_requirements) },
    { UINT32("types_requirements", karp_pool_refusal, types_requirements), COLUMN_ALONE },
    { UINT32("resources", karp_pool_refusal, types_resources) },
    { UINT32("types_resources", karp_pool_refusal, types_resources), COLUMN_ALONE },
    { UINT32("offerings", karp_pool_refusal, types_offerings) },
    { UINT32("types_offerings", karp_pool_refusal, types_offerings), COLUMN_ALONE }) };

const record record_pool_refusal = { OF(karp_pool_refusal),
                                     OPEN({ TEXT("nodePool", karp_pool_refusal, node_pool), WORDS_COLUMN },
                                          { UINT32("code", karp_pool_refusal, code), COLUMN_ALONE },
                                          { NAMED("code", karp_pool_refusal, code, record_reasons) },
                                          { NAMED("reason", karp_pool_refusal, code, record_reasons), COLUMN_ALONE },
                                          { TEXT("detail", karp_pool_refusal, detail), WORDS_COLUMN },
                                          { OBJECT("types", funnel), FLAT, COLUMN }) };

static const record target_refusal = {
    OF(karp_target_refusal),
    OPEN({ TEXT("launch", karp_target_refusal, target), WHEN(karp_target_refusal, is_launch) },
         { TEXT("node", karp_target_refusal, target), WHEN_NOT(karp_target_refusal, is_launch) },
         { NAMED("code", karp_target_refusal, code, record_reasons) })
};

static const record_names domain_codes = { karp_domain_name, KARP_DOMAIN_ALLOWED, KARP_DOMAIN_NOT_CHOSEN, false };
static const record_names topology_kinds = { karp_topology_name, KARP_TOPOLOGY_SPREAD,
                                             KARP_TOPOLOGY_ANTI_AFFINITY_OF_OTHERS, false };

static const record topology_domain = {
    OF(karp_topology_domain),
    OPEN({ TEXT("value", karp_topology_domain, value) }, { UINT32("pods", karp_topology_domain, count) },
         { NAMED("code", karp_topology_domain, code, domain_codes) },
         { TEXT("detail", karp_topology_domain, detail), GIVEN }, { UINT32("nodes", karp_topology_domain, node_count) },
         { TEXT("node", karp_topology_domain, node), GIVEN }, { UINT32("nodePools", karp_topology_domain, pool_count) },
         { TEXT("nodePool", karp_topology_domain, node_pool), GIVEN },
         { FLAG("named", karp_topology_domain, named), GIVEN },
         { FLAG("minimum", karp_topology_domain, minimum), GIVEN }, { TEXT("pod", karp_topology_domain, pod), GIVEN },
         { TEXT("volume", karp_topology_domain, volume), GIVEN })
};

const record record_topology = {
    OF(karp_topology),
    OPEN({ NAMED("kind", karp_topology, kind, topology_kinds) }, { TEXT("key", karp_topology, key) },
         { TEXT("selector", karp_topology, selector) }, { FLAG("selectsItself", karp_topology, selects_itself) },
         { INT32("maxSkew", karp_topology, max_skew), POSITIVE },
         { INT32("minDomains", karp_topology, min_domains), POSITIVE },
         { INT64("minimum", karp_topology, minimum), IF_GIVEN(karp_topology, max_skew, int32_t) },
         { TEXT("cause", karp_topology, cause) },
         { LIST("domains", karp_topology, domains, domain_count, topology_domain) },
         { SIZE("domainsInAll", karp_topology, domain_total), IF_MORE(karp_topology, domain_count) })
};

const record record_unschedulable = {
    SIZED(karp_unschedulable, relaxed_count),
    OPEN({ UINT32("pod", karp_unschedulable, pod), COLUMN_ALONE }, { POD("pod", karp_unschedulable, pod) },
         { POD("pod_name", karp_unschedulable, pod), COLUMN_ALONE },
         { UINT32("code", karp_unschedulable, code), COLUMN_ALONE },
         { NAMED("code", karp_unschedulable, code, record_reasons) },
         { NAMED("reason", karp_unschedulable, code, record_reasons), COLUMN_ALONE },
         { FLAG("permanent", karp_unschedulable, permanent), COLUMN },
         { TEXT("message", karp_unschedulable, message), COLUMN },
         { LIST("pools", karp_unschedulable, pools, pool_count, record_pool_refusal) },
         { LIST("topology", karp_unschedulable, topologies, topology_count, record_topology), GIVEN },
         { LIST("targets", karp_unschedulable, targets, target_count, target_refusal), GIVEN, FLAT },
         { TEXTS("relax", karp_unschedulable, relaxed, relaxed_count) },
         { TEXTS("relaxed", karp_unschedulable, relaxed, relaxed_count), COLUMN_ALONE })
};

const record record_ignored = {
    SIZED(karp_ignored, message),
    OPEN({ UINT32("pod", karp_ignored, pod), COLUMN_ALONE }, { POD("pod", karp_ignored, pod) },
         { POD("pod_name", karp_ignored, pod), COLUMN_ALONE }, { UINT32("code", karp_ignored, code), COLUMN_ALONE },
         { NAMED("code", karp_ignored, code, record_reasons) },
         { NAMED("reason", karp_ignored, code, record_reasons), COLUMN_ALONE },
         { TEXT("message", karp_ignored, message), COLUMN })
};
