/* SPDX-License-Identifier: Apache-2.0 */
/* A launch decision on documents, as one text that a test can state. */
#ifndef UNIT_DECIDING_H
#define UNIT_DECIDING_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/io.h>
#include <karp/schedule.h>

/* A pool and pods in one line of YAML each; `more` continues the spec, or is "". */
#define DOCUMENT "\n---\n"
#define POOL(name, more)                                                                                               \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name                                             \
    "}, spec: {template: {spec: {nodeClassRef: "                                                                       \
    "{group: karpenter.test, kind: TestNodeClass, name: default}" more "}}}}" DOCUMENT
#define REQUESTS(amounts) "containers: [{name: c, resources: {requests: {" amounts "}}}]"
#define POD(name, labels, spec)                                                                                        \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {" labels "}}, spec: {" spec "}}" DOCUMENT
#define BOUND(name, labels, node, spec)                                                                                \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {" labels "}}, spec: {nodeName: " node ", " spec   \
    "}, status: {phase: Running}}" DOCUMENT
/* A node that Karpenter did not start. */
#define NODE(name, labels, cpu, more)                                                                                  \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {kubernetes.io/hostname: " name ", " labels       \
    "}}, spec: {providerID: \"test://" name "\"" more "}, status: {capacity: {cpu: " cpu ", memory: 8Gi, pods: 10}, "  \
    "allocatable: {cpu: " cpu ", memory: 8Gi, pods: 10}}}" DOCUMENT

/* A folder of the text cases, whose files can serve here. */
#define CASES "tests/cases/scheduling/"

typedef struct deciding {
    karp_context *context;
    karp_snapshot *snapshot;
} deciding;

/* Reads documents (NULL ends them): paths below the source folder when they end in ".yaml" or ".json", texts otherwise.
 * The same holds for the catalogue; NULL = that of the text cases. */
deciding decide_on(const char *catalogue, const char *document, ...);
/* In a context of the caller's making, which becomes the result's. */
deciding decide_in(karp_context *context, const char *catalogue, const char *document, ...);
void deciding_free(deciding *d);

/* A decision; options may be NULL. To be given back with karp_decision_unref(). */
karp_decision *decide(const deciding *d, const karp_options *options);

/*
 * "default z1 spot: a b | n1 <- c | !d TOPOLOGY | ?e INVALID_VOLUME": launches with what they say of zone and capacity
 * type (listed values only), placements, unschedulable and ignored pods, each in the decision's order. Valid until the
 * next call.
 */
const char *decision_words(const karp_decision *decision);

/* The same of a decision made for the purpose. */
const char *words_of(const deciding *d, uint32_t profile, uint64_t flip_quirks);

#endif
