/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, classes and claims as documents of a Snapshot, for planning.h. */
#ifndef UNIT_DEVICE_DOCUMENTS_H
#define UNIT_DEVICE_DOCUMENTS_H

#include "planning.h"

#define ON "{ignoreDRARequests: false}"
#define API "apiVersion: resource.k8s.io/v1, "

#define CLASS                                                                                                          \
    "- {" API "kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: {expression: \"device.driver == "    \
    "'gpu.example.com'\"}}]}}\n"
#define CLASS_OF(name, expression)                                                                                     \
    "- {" API "kind: DeviceClass, metadata: {name: " name "}, spec: {selectors: [{cel: {expression: \"" expression     \
    "\"}}]}}\n"

/* A claim; `requests` are entries of spec.devices.requests, `more` further members of spec.devices, each with a comma
 * before it. */
#define CLAIM(name, requests, more)                                                                                    \
    "- {" API "kind: ResourceClaim, metadata: {name: " name                                                            \
    ", namespace: default}, spec: {devices: {requests: [" requests "]" more "}}}\n"
#define ONE "{name: r, exactly: {deviceClassName: gpu}}"
#define EXACTLY(name, more) "{name: " name ", exactly: {deviceClassName: gpu" more "}}"
#define SELECT(expression) ", selectors: [{cel: {expression: \"" expression "\"}}]"
#define SAME ", constraints: [{matchAttribute: gpu.example.com/numa}]"
#define SHARE(amount) EXACTLY("r", ", capacity: {requests: {memory: " amount "}}")

/* A claim that has a device; `more` goes on in status.allocation. */
#define HELD(name, device, more)                                                                                       \
    "- {" API "kind: ResourceClaim, metadata: {name: " name ", namespace: default}, spec: {devices: {requests: [" ONE  \
    "]}}, status: {allocation: {devices: {results: [{request: r, "                                                     \
    "driver: gpu.example.com, pool: pool, device: " device "}]}" more "}}\n"

/* A slice; `where` says allNodes, nodeName or nodeSelector. */
#define SLICE_OF(name, pool, generation, count, where, rest)                                                           \
    "- {" API "kind: ResourceSlice, metadata: {name: " name "}, spec: {driver: gpu.example.com, pool: {name: " pool    \
    ", generation: " generation ", resourceSliceCount: " count "}, " where ", " rest "}}\n"
#define SLICE(name, where, devices) SLICE_OF(name, "pool", "1", "1", where, "devices: [" devices "]")
#define ALL "allNodes: true"
#define IN_ZONE(zone)                                                                                                  \
    "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: " \
    "[" zone "]}]}]}"

/* A pod that uses a claim. */
#define CLAIMS(name) ", resourceClaims: [{name: x, resourceClaimName: " name "}]"

/* Devices. */
#define SMALL(name) "{name: " name ", attributes: {model: {string: small}}}"
#define BIG(name) "{name: " name ", attributes: {model: {string: big}}}"
#define NUMA(name, node) "{name: " name ", attributes: {gpu.example.com/numa: {int: " node "}}}"
#define COUNTERS(value) "sharedCounters: [{name: set, counters: {memory: {value: " value "}}}]"
#define PART(name, value)                                                                                              \
    "{name: " name ", consumesCounters: [{counterSet: set, counters: {memory: {value: " value "}}}]}"
#define SHARED(policy) "{name: d0, allowMultipleAllocations: true, capacity: {memory: {value: 10Gi" policy "}}}"
#define STEPS SHARED(", requestPolicy: {default: 2Gi, validRange: {min: 2Gi, max: 8Gi, step: 4Gi}}")
#define VALUES SHARED(", requestPolicy: {default: 1Gi, validValues: [1Gi, 5Gi]}")

/* What a type brings. */
#define BRINGS(devices)                                                                                                \
    ", dynamicResources: {resourceSlices: [{driver: gpu.example.com, pool: own, devices: [" devices "]}]}"
#define PLAIN TYPE("plain", "1", "")
#define GPU TYPE("gpu-1", "5", BRINGS("{name: g0}"))
#define ID(device) "{driver: gpu.example.com, pool: own, device: " device "}"
#define BOUND(groups)                                                                                                  \
    ", dynamicResources: {resourceSlices: [{driver: gpu.example.com, pool: own, devices: [{name: g0}, {name: g1}, "    \
    "{name: g2}]}], attributeBindings: [" groups "]}"
#define GROUP(ids) "{attribute: gpu.example.com/numa, devices: [" ids "]}"
#define PARTS                                                                                                          \
    ", dynamicResources: {resourceSlices: [{driver: gpu.example.com, pool: own, " COUNTERS(                            \
        "80Gi") "}, {driver: gpu.example.com, pool: own, devices: [" PART("a",                                         \
                                                                          "40Gi") "," PART("b",                        \
                                                                                           "40Gi") "," PART("c",       \
                                                                                                            "40Gi") "]}]}"

#endif
