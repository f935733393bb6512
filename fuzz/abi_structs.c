/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs of callers that know fewer or more fields: one byte chooses the struct, one its size, the others what stands
 * behind the fields that this library knows. The struct lies in exactly as many bytes as it says it has.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include <karp/builder.h>
#include <karp/inspect.h>
#include <karp/settings.h>

typedef struct subject {
    karp_context *context;
    karp_builder *builder;
    karp_snapshot *snapshot;
    karp_decision *decision;
    karp_error error;
} subject;

typedef karp_status call(subject *s, void *given);

typedef struct case_ {
    size_t known;
    void (*init)(void *given, size_t size);
    call *use;
    int result; /* filled by the library: what lies beyond is zeroed, not refused */
} case_;

/* ---- what callers give ------------------------------------------------------------------------------------------- */

static void init_context(void *given, size_t size) { karp_context_options_init(given, size); }
static void init_settings(void *given, size_t size) { karp_settings_init(given, size); }
static void init_options(void *given, size_t size) { karp_options_init(given, size); }
static void init_disrupt(void *given, size_t size) { karp_disrupt_options_init(given, size); }
static void init_reader(void *given, size_t size) { karp_reader_options_init(given, size); }
static void init_write(void *given, size_t size) { karp_write_options_init(given, size); }
static void init_size(void *given, size_t size)
{
    memset(given, 0, size);
    memcpy(given, &size, sizeof size);
}
static void init_name(void *given, size_t size)
{
    karp_namespace object = { .size = size, .meta.name = { "a", 1 } };
    memset(given, 0, size);
    memcpy(given, &object, size < sizeof object ? size : sizeof object);
}

static karp_status use_context(subject *s, void *given)
{
    karp_context *made = NULL;
    karp_status status = karp_context_new(given, &made, &s->error);
    karp_context_unref(made);
    return status;
}

static karp_status use_settings(subject *s, void *given)
{
    return karp_builder_set_settings(s->builder, given, &s->error);
}

static karp_status use_options(subject *s, void *given)
{
    karp_decision *made = NULL;
    karp_status status = karp_provision(s->snapshot, given, &made, &s->error);
    karp_decision_unref(made);
    return status;
}

static karp_status use_disrupt(subject *s, void *given)
{
    karp_decision *made = NULL;
    karp_status status = karp_disrupt(s->snapshot, given, &made, &s->error);
    karp_decision_unref(made);
    return status;
}

static karp_status use_reader(subject *s, void *given)
{
    karp_reader *made = NULL;
    karp_status status = karp_reader_new(s->context, given, &made, &s->error);
    karp_reader_free(made);
    return status;
}

static karp_status use_write(subject *s, void *given)
{
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_write_plan(s->context, s->decision, NULL, given, &text, &s->error);
    karp_text_free(&text);
    return status;
}

/* Every object starts with its size and its name. */
#define ADDS(kind, type)                                                                                               \
    static karp_status add_##kind(subject *s, void *given)                                                             \
    {                                                                                                                  \
        return karp_builder_add_##kind(s->builder, (type *)given, &s->error);                                          \
    }
ADDS(pod, karp_pod)
ADDS(node, karp_node)
ADDS(node_claim, karp_node_claim)
ADDS(node_pool, karp_node_pool)
ADDS(node_class, karp_node_class)
ADDS(persistent_volume_claim, karp_persistent_volume_claim)
ADDS(persistent_volume, karp_persistent_volume)
ADDS(storage_class, karp_storage_class)
ADDS(csi_node, karp_csi_node)
ADDS(pod_disruption_budget, karp_pod_disruption_budget)
ADDS(namespace, karp_namespace)
ADDS(selecting, karp_selecting)
ADDS(node_overlay, karp_node_overlay)
ADDS(capacity_buffer, karp_capacity_buffer)

static karp_status add_template(subject *s, void *given)
{
    uint32_t number = 0;
    return karp_builder_add_pod_template(s->builder, given, &number, &s->error);
}

static karp_status add_templated(subject *s, void *given)
{
    uint32_t number = 0;
    karp_status status = karp_builder_add_pod_template(s->builder, NULL, &number, &s->error);
    return status == KARP_OK ? karp_builder_add_templated_pod(s->builder, number, given, &s->error) : status;
}

static karp_status set_claim_status(subject *s, void *given)
{
    const karp_node_claim claim = { .size = sizeof claim, .meta.name = fuzz_str("c") };
    karp_status status = karp_builder_add_node_claim(s->builder, &claim, &s->error);
    return status == KARP_OK ? karp_builder_set_node_claim_status(s->builder, claim.meta.name, given, &s->error)
                             : status;
}

/* ---- what callers receive ---------------------------------------------------------------------------------------- */

static void init_result(void *given, size_t size)
{
    memset(given, 0x5a, size);
    if (size >= sizeof size) memcpy(given, &size, sizeof size);
}

static karp_status get_counts(subject *s, void *given)
{
    karp_snapshot_get_counts(s->snapshot, given);
    return KARP_OK;
}

static karp_status get_node(subject *s, void *given) { return karp_decision_node(s->decision, 0, given); }
static karp_status get_unschedulable(subject *s, void *given)
{
    return karp_decision_unschedulable(s->decision, 0, given);
}

static const case_ cases[] = {
    { sizeof(karp_context_options), init_context, use_context, 0 },
    { sizeof(karp_settings), init_settings, use_settings, 0 },
    { sizeof(karp_options), init_options, use_options, 0 },
    { sizeof(karp_disrupt_options), init_disrupt, use_disrupt, 0 },
    { sizeof(karp_reader_options), init_reader, use_reader, 0 },
    { sizeof(karp_write_options), init_write, use_write, 0 },
    { sizeof(karp_pod), init_name, add_pod, 0 },
    { sizeof(karp_node), init_name, add_node, 0 },
    { sizeof(karp_node_claim), init_name, add_node_claim, 0 },
    { sizeof(karp_node_pool), init_name, add_node_pool, 0 },
    { sizeof(karp_node_class), init_name, add_node_class, 0 },
    { sizeof(karp_persistent_volume_claim), init_name, add_persistent_volume_claim, 0 },
    { sizeof(karp_persistent_volume), init_name, add_persistent_volume, 0 },
    { sizeof(karp_storage_class), init_name, add_storage_class, 0 },
    { sizeof(karp_csi_node), init_name, add_csi_node, 0 },
    { sizeof(karp_pod_disruption_budget), init_name, add_pod_disruption_budget, 0 },
    { sizeof(karp_namespace), init_name, add_namespace, 0 },
    { sizeof(karp_selecting), init_name, add_selecting, 0 },
    { sizeof(karp_node_overlay), init_name, add_node_overlay, 0 },
    { sizeof(karp_capacity_buffer), init_name, add_capacity_buffer, 0 },
    { sizeof(karp_pod), init_name, add_template, 0 },
    { sizeof(karp_templated_pod), init_name, add_templated, 0 },
    { sizeof(karp_snapshot_counts), init_result, get_counts, 1 },
    { sizeof(karp_node_use), init_result, get_node, 1 },
    { sizeof(karp_unschedulable), init_result, get_unschedulable, 1 },
    { sizeof(karp_node_claim_status), init_size, set_claim_status, 0 },
};

static void must(karp_status status, const char *what)
{
    if (status != KARP_OK) broken(what);
}

/* One node and one pod that no pool serves. */
static void open_subject(subject *s, meter *m)
{
    memset(s, 0, sizeof *s);
    karp_error_init(&s->error, sizeof s->error);
    s->context = metered_context(m);
    karp_node node = { .size = sizeof node, .meta.name = fuzz_str("n") };
    karp_pod pod = { .size = sizeof pod, .meta.name = fuzz_str("p"), .phase = KARP_PHASE_PENDING };
    must(karp_builder_new(s->context, &s->builder, &s->error), "a builder can be made");
    must(karp_builder_add_node(s->builder, &node, &s->error), "a node can be added");
    must(karp_builder_add_pod(s->builder, &pod, &s->error), "a pod can be added");
    must(karp_builder_finish(s->builder, &s->snapshot, &s->error), "a snapshot can be made");
    must(karp_provision(s->snapshot, NULL, &s->decision, &s->error), "a decision can be made");
}

static void close_subject(subject *s)
{
    karp_decision_unref(s->decision);
    karp_snapshot_unref(s->snapshot);
    karp_builder_free(s->builder);
    karp_context_unref(s->context);
}

static void check(const case_ *c, karp_status status, const uint8_t *given, size_t size)
{
    int tail = 0;
    for (size_t i = c->known; i < size; i++) tail |= given[i] != 0;
    if (status == KARP_E_INTERNAL || status > 0) broken("no internal error");
    if (size < sizeof size && status != KARP_E_ABI_SIZE) broken("a struct without its size is refused");
    if (!c->result && size > c->known && tail && status != KARP_E_ABI_NEW)
        broken("fields that the library does not know are refused");
    if (!c->result && size >= c->known && !tail && status != KARP_OK)
        broken("zeroed fields that the library does not know are let pass");
    if (c->result && status == KARP_OK && tail) broken("fields that the library does not know are zeroed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const case_ *c = &cases[data[0] % (sizeof cases / sizeof cases[0])];
    size_t bytes = sizeof(size_t) + (size_t)data[1] * 8 % (c->known + 64),
           behind = bytes > c->known ? bytes - c->known : 0;
    uint8_t *given = malloc(bytes);
    if (given == NULL) return 0;
    meter m = { 0, 0 };
    subject s;
    open_subject(&s, &m);
    /* The _init functions check nothing: a caller gives its own sizeof. */
    uint8_t *whole = calloc(1, bytes > c->known ? bytes : c->known);
    if (whole != NULL) {
        c->init(whole, bytes > c->known ? bytes : c->known);
        memcpy(given, whole, bytes);
        memcpy(given, &bytes, sizeof bytes);
        if (!c->result) memcpy(given + bytes - behind, data + 2, behind < size - 2 ? behind : size - 2);
        check(c, c->use(&s, given), given, bytes);
    }
    free(whole);
    free(given);
    close_subject(&s);
    check_meter(&m);
    return 0;
}
