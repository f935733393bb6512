/* SPDX-License-Identifier: Apache-2.0 */
/* Small clusters as Snapshot texts, and short questions to a disruption decision. */
#ifndef SUPPORT_DISRUPTING_H
#define SUPPORT_DISRUPTING_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <karp/disrupt.h>
#include <karp/io.h>
#include <support/fault.h>

enum { CLUSTER_ROOM = 1 << 20 };

typedef struct cluster {
    fault fault;
    karp_context *context;
    karp_snapshot *snapshot;
    karp_decision *decision;
    karp_options common; /* of `options` */
    karp_disrupt_options options;
    karp_error error;
    size_t length;
    char text[CLUSTER_ROOM];
} cluster;

/* More of the text; afterwards cluster_ready(). */
static inline void __attribute__((format(printf, 2, 3))) add(cluster *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(c->text + c->length, CLUSTER_ROOM - c->length, format, list);
    va_end(list);
    assert_true(n >= 0 && (size_t)n < CLUSTER_ROOM - c->length);
    c->length += (size_t)n;
}

/* A Snapshot at noon of 2026-01-05 with `types` instance types of 2, 4, 6 … cores; type N costs N on demand and N/2 as
 * spot, in two zones. Settings are JSON members. */
static inline void cluster_begin(cluster *c, int types, const char *settings)
{
    static const fault unarmed;
    karp_decision_unref(c->decision);
    karp_snapshot_unref(c->snapshot);
    karp_context_unref(c->context);
    c->decision = NULL;
    c->snapshot = NULL;
    c->fault = unarmed;
    c->context = fault_context(&c->fault);
    assert_non_null(c->context);
    karp_error_init(&c->error, sizeof c->error);
    karp_options_init(&c->common, sizeof c->common);
    karp_disrupt_options_init(&c->options, sizeof c->options);
    c->options.common = &c->common;
    c->length = 0;
    add(c,
        "{\"apiVersion\":\"karp/"
        "v1\",\"kind\":\"Snapshot\",\"now\":\"2026-01-05T12:00:00Z\",\"settings\":{%s},\"catalogues\":[{"
        "\"instanceTypes\":[",
        settings);
    for (int i = 1; i <= types; i++) {
        add(c,
            "%s{\"name\":\"t%02d\",\"labels\":{\"node.kubernetes.io/instance-type\":[\"t%02d\"],\"kubernetes.io/"
            "arch\":[\"amd64\"],"
            "\"kubernetes.io/"
            "os\":[\"linux\"]},\"capacity\":{\"cpu\":\"%d\",\"memory\":\"64Gi\",\"pods\":\"110\"},\"offerings\":[",
            i == 1 ? "" : ",", i, i, 2 * i);
        for (int zone = 1; zone <= 2; zone++) {
            add(c,
                "%s{\"zone\":\"z%d\",\"capacityType\":\"on-demand\",\"price\":%d,\"available\":true},"
                "{\"zone\":\"z%d\",\"capacityType\":\"spot\",\"price\":%d.%d,\"available\":true}",
                zone == 1 ? "" : ",", zone, i, zone, i / 2, i % 2 * 5);
        }
        add(c, "]}");
    }
    add(c, "]}],\"objects\":[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"default\"}}");
}

/* A ready NodePool; `spec` and `disruption` are JSON members with a comma in front, or "". */
static inline void add_pool(cluster *c, const char *name, const char *spec, const char *disruption)
{
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"%s\"},\"spec\":{\"template\":{\"spec\":{\"nodeClassRef\":"
        "{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\",\"name\":\"default\"},\"requirements\":[],"
        "\"expireAfter\":\"Never\"}},"
        "\"disruption\":{\"consolidateAfter\":\"0s\"%s}%s},\"status\":{\"conditions\":[{\"type\":"
        "\"ValidationSucceeded\",\"status\":\"True\"},{\"type\":\"NodeClassReady\",\"status\":\"True\"},{\"type\":"
        "\"Ready\",\"status\":\"True\",\"reason\":\"Ready\","
        "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}",
        name, disruption, spec);
}

/* A registered, initialised node with its claim. `conditions` of the claim, `claim_spec` and `annotations` of the Node
 * are JSON with a comma in front, or "". `capacity_type` "" leaves the label out. */
static inline void add_node_with(cluster *c, const char *name, const char *pool, int type, const char *capacity_type,
                                 const char *conditions, const char *claim_spec, const char *annotations)
{
    char labels[600];
    int n = snprintf(labels, sizeof labels,
                     "\"karpenter.sh/nodepool\":\"%s\",\"node.kubernetes.io/"
                     "instance-type\":\"t%02d\",\"topology.kubernetes.io/zone\":\"z1\","
                     "\"kubernetes.io/arch\":\"amd64\",\"kubernetes.io/os\":\"linux\"",
                     pool, type);
    if (capacity_type[0] != '\0')
        (void)snprintf(labels + n, sizeof labels - (size_t)n, ",\"karpenter.sh/capacity-type\":\"%s\"", capacity_type);
    char status[300];
    (void)snprintf(status, sizeof status,
                   "\"capacity\":{\"cpu\":\"%d\",\"memory\":\"64Gi\",\"pods\":\"110\"},\"allocatable\":{\"cpu\":\"%d\","
                   "\"memory\":\"64Gi\",\"pods\":\"110\"}",
                   2 * type, 2 * type);
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"claim-%s\",\"creationTimestamp\":\"2026-01-01T00:00:"
        "00Z\","
        "\"labels\":{%s}},\"spec\":{\"nodeClassRef\":{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\","
        "\"name\":\"default\"},\"requirements\":[]%s},"
        "\"status\":{\"providerID\":\"p-%s\",%s,\"conditions\":[{\"type\":\"Initialized\",\"status\":\"True\","
        "\"reason\":\"x\",\"lastTransitionTime\":\"2026-01-02T00:00:00Z\"}%s]}}",
        name, labels, claim_spec, name, status, conditions);
    add(c,
        ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"creationTimestamp\":\"2026-01-01T00:"
        "00:00Z\",\"annotations\":{\"a\":\"b\"%s},\"labels\":{%s,"
        "\"kubernetes.io/hostname\":\"%s\",\"karpenter.sh/registered\":\"true\",\"karpenter.sh/"
        "initialized\":\"true\"}},\"spec\":{\"providerID\":\"p-%s\"},\"status\":{%s,"
        "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"x\",\"lastTransitionTime\":\"2026-01-"
        "02T00:00:00Z\"}]}}",
        name, annotations, labels, name, name, status);
}

#define CONSOLIDATABLE                                                                                                 \
    ",{\"type\":\"Consolidatable\",\"status\":\"True\",\"reason\":\"x\",\"lastTransitionTime\":\"2026-01-03T00:00:"    \
    "00Z\"}"
#define DRIFTED(day)                                                                                                   \
    ",{\"type\":\"Drifted\",\"status\":\"True\",\"reason\":\"x\",\"lastTransitionTime\":\"2026-01-" day "T00:00:"      \
    "00Z\"}"

static inline void add_node(cluster *c, const char *name, int type, const char *capacity_type, const char *conditions)
{
    add_node_with(c, name, "pool", type, capacity_type, conditions, "", "");
}

/* A running pod. `metadata` and `spec` are JSON with a comma in front, or "". */
static inline void add_pod_with(cluster *c, const char *name, const char *node, const char *cpu, const char *metadata,
                                const char *spec)
{
    add(c,
        ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\","
        "\"creationTimestamp\":\"2026-01-03T00:00:00Z\"%s},"
        "\"spec\":{\"nodeName\":\"%s\",\"containers\":[{\"name\":\"m\",\"resources\":{\"requests\":{\"cpu\":\"%s\"}}}]%"
        "s},"
        "\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\"}]}}",
        name, metadata, node, cpu, spec);
}

static inline void add_pod(cluster *c, const char *name, const char *node, const char *cpu)
{
    add_pod_with(c, name, node, cpu, "", "");
}

/* A big node that nobody manages. */
static inline void add_refuge(cluster *c)
{
    add(c, ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"refuge\",\"labels\":{\"kubernetes.io/"
           "hostname\":\"refuge\",\"kubernetes.io/os\":\"linux\"}},"
           "\"spec\":{\"providerID\":\"p-refuge\"},\"status\":{\"allocatable\":{\"cpu\":\"4000\",\"memory\":\"4Ti\","
           "\"pods\":\"10000\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
}

static inline void cluster_ready(cluster *c)
{
    karp_reader *reader = NULL;
    add(c, "]}");
    karp_status status = karp_reader_new(c->context, NULL, &reader, &c->error);
    if (status == KARP_OK)
        status = karp_reader_add(reader, (karp_str){ "cluster", 7 }, (karp_str){ c->text, c->length }, &c->error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &c->snapshot, &c->error);
    if (status != KARP_OK) print_message("%s %s: %s\n", c->error.object, c->error.field, c->error.message);
    assert_int_equal(status, KARP_OK);
    karp_reader_free(reader);
}

static inline void decide(cluster *c, uint32_t method)
{
    karp_decision_unref(c->decision);
    c->decision = NULL;
    c->options.method = method;
    karp_status status = karp_disrupt(c->snapshot, &c->options, &c->decision, &c->error);
    if (status != KARP_OK) print_message("%s\n", c->error.message);
    assert_int_equal(status, KARP_OK);
}

static inline karp_disruption header(const cluster *c)
{
    karp_disruption d = { .size = sizeof d };
    assert_int_equal(karp_decision_disruption(c->decision, &d), KARP_OK);
    return d;
}

static inline karp_command command_at(const cluster *c, size_t index)
{
    karp_command k = { .size = sizeof k };
    assert_int_equal(karp_decision_command(c->decision, index, &k), KARP_OK);
    return k;
}

/* The nodes of all commands, in order: "a b | c". */
static inline void expect_commands(const cluster *c, const char *expected)
{
    char got[8192];
    size_t n = 0;
    got[0] = '\0';
    for (size_t i = 0; i < karp_decision_command_count(c->decision); i++) {
        karp_command k = command_at(c, i);
        for (size_t x = 0; x < k.node_count; x++) {
            n += (size_t)snprintf(got + n, sizeof got - n, "%s%.*s",
                                  x > 0   ? " "
                                  : i > 0 ? " | "
                                          : "",
                                  (int)k.nodes[x].len, k.nodes[x].ptr);
        }
    }
    assert_string_equal(got, expected);
}

/* Why a node stays; NULL = it does not. */
static inline const char *kept(const cluster *c, const char *node, char detail[128])
{
    for (size_t i = 0; i < karp_decision_kept_count(c->decision); i++) {
        karp_kept k = { .size = sizeof k };
        assert_int_equal(karp_decision_kept(c->decision, i, &k), KARP_OK);
        if (k.node.len != strlen(node) || memcmp(k.node.ptr, node, k.node.len) != 0) continue;
        if (detail != NULL) (void)snprintf(detail, 128, "%.*s", (int)k.detail.len, k.detail.ptr);
        return karp_reason_name(k.code);
    }
    return NULL;
}

static inline void expect_kept(const cluster *c, const char *node, const char *code)
{
    const char *got = kept(c, node, NULL);
    if (got == NULL || strcmp(got, code) != 0) fail_msg("%s: %s instead of %s", node, got != NULL ? got : "goes", code);
}

static inline karp_launch launch_at(const cluster *c, size_t index)
{
    karp_launch l = { .size = sizeof l };
    assert_int_equal(karp_decision_launch(c->decision, index, &l), KARP_OK);
    return l;
}

static inline int cluster_set_up(void **state)
{
    static cluster c;
    memset(&c, 0, sizeof c);
    *state = &c;
    return 0;
}

static inline int cluster_tear_down(void **state)
{
    cluster *c = *state;
    karp_decision_unref(c->decision);
    karp_snapshot_unref(c->snapshot);
    karp_context_unref(c->context);
    return c->fault.live_blocks == 0 && c->fault.live_bytes == 0 && c->fault.wrong_sizes == 0 ? 0 : -1;
}

#endif
