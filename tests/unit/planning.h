/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of Snapshots written as YAML, as a few lines of text to compare. */
#ifndef UNIT_PLANNING_H
#define UNIT_PLANNING_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <karp/karp.h>

/*
 * A line each, in the decision's order:
 *     new POOL PODS on TYPES [key=value of its last requirement on zone] [drivers=…]
 *     node NODE PODS
 *     no POD CODE
 * Names of pods are without their namespace. In the context given, or one of its own (NULL).
 */
karp_status plan_of(karp_context *context, const char *yaml, char *into, size_t room, karp_error *error);

/* The text as a snapshot, of a document with that name. */
karp_status world_of(karp_context *context, const char *name, const char *text, karp_snapshot **out, karp_error *error);

/* Whether an answer is what was expected; if not, it is printed with the number of its case and `about`. */
bool as_expected(size_t number, const char *about, karp_status status, const karp_error *error, const char *expected,
                 const char *found);
/* A context for one case, with the error cleared; to be freed. */
karp_context *context_of_case(karp_error *error);

/* The plan is exactly this text; on the way there every refused allocation was NOMEM, none leaked. */
void assert_plan(const char *yaml, const char *expected);
/* The same by the rules of that version of Karpenter. */
void assert_plan_of(uint32_t peer_version, const char *yaml, const char *expected);
/* The same, with every single allocation refused in turn. Slow for large inputs. */
void assert_plan_fault(const char *yaml, const char *expected);

/* The message of the only unschedulable pod. */
void assert_refusal(const char *yaml, const char *code, const char *message);

/* The head of a Snapshot: gates, then catalogue entries, each the text of one flow mapping. */
#define SNAPSHOT(settings, types)                                                                                      \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: " settings                              \
    "\ncatalogues:\n- instanceTypes:\n" types "objects:\n" POOL

#define POOL                                                                                                           \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {template: {spec: "              \
    "{nodeClassRef: "                                                                                                  \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: []}}}, status: {conditions: "       \
    "[{type: Ready, status: 'True'}, "                                                                                 \
    "{type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"

/* An entry of 4 cpus in the zones a and b, at a price; `more` are further members, each with a comma before it. */
#define TYPE(name, price, more)                                                                                        \
    "  - {name: " name                                                                                                 \
    ", capacity: {cpu: '4', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: [" name "], "        \
    "topology.kubernetes.io/zone: [a, b], karpenter.sh/capacity-type: [on-demand]}, "                                  \
    "offerings: [{zone: a, capacityType: on-demand, price: " price                                                     \
    "}, {zone: b, capacityType: on-demand, price: " price "}]" more "}\n"

/* A pending pod; `more` are further members of its spec, each with a comma before it. */
#define POD(name, cpu, more)                                                                                           \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    "}, spec: {containers: [{name: c, "                                                                                \
    "resources: {requests: {cpu: " cpu "}}}]" more                                                                     \
    "}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n"

/* A volume claim that is bound to a volume of one zone, and a pod's use of it. */
#define USES_CLAIM ", volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]"
#define BOUND_CLAIM(zone)                                                                                              \
    "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: default, annotations: "            \
    "{pv.kubernetes.io/bind-completed: 'yes'}}, "                                                                      \
    "spec: {volumeName: v, storageClassName: s}, status: {phase: Bound}}\n"                                            \
    "- {apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {csi: {driver: d}, nodeAffinity: "          \
    "{required: {nodeSelectorTerms: "                                                                                  \
    "[{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [" zone "]}]}]}}}}\n"

#endif
