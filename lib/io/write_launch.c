/* SPDX-License-Identifier: Apache-2.0 */
#include "write_launch.h"

#include <base/labels.h>

#include <karp/library.h>
#include <providers/builtin.h>
#include <records/tables.h>

uint64_t launch_number(launch_counter *counter, const karp_launch *launch)
{
    if (counter->number == 0 || !equal_str(counter->node_pool, launch->node_pool)) {
        counter->node_pool = launch->node_pool;
        counter->number = 0;
    }
    return ++counter->number;
}

karp_str launch_name(const karp_launch *launch, uint64_t number, char room[LAUNCH_NAME])
{
    char digits[20];
    size_t count = write_digits(digits, number);
    size_t most = LAUNCH_NAME - 1 - sizeof(digits);
    size_t length = launch->node_pool.len < most ? launch->node_pool.len : most;
    if (length > 0) memcpy(room, launch->node_pool.ptr, length);
    room[length++] = '-';
    memcpy(room + length, digits, count);
    return (karp_str){ room, length + count };
}

/* Adds a label unless its key exists; the list stays sorted by key. */
static void add_label(karp_label *labels, size_t *count, karp_str key, karp_str value)
{
    size_t at = *count;
    while (at > 0) {
        int order = compare_str(labels[at - 1].key, key);
        if (order == 0) return;
        if (order < 0) break;
        at--;
    }
    memmove(labels + at + 1, labels + at, (*count - at) * sizeof(*labels));
    labels[at] = (karp_label){ key, value };
    (*count)++;
}

static const struct {
    const char *old;
    const char *stable;
} legacy_labels[] = {
    { "beta.kubernetes.io/arch", LABEL_ARCH },
    { "beta.kubernetes.io/instance-type", LABEL_TYPE },
    { "beta.kubernetes.io/os", LABEL_OS },
    { "failure-domain.beta.kubernetes.io/region", LABEL_REGION },
    { "failure-domain.beta.kubernetes.io/zone", LABEL_ZONE },
};

enum { LEGACY_COUNT = sizeof(legacy_labels) / sizeof(legacy_labels[0]) };

karp_status launch_node_labels(karp_context *context, const karp_launch *launch, node_labels *out, karp_error *error)
{
    size_t most = launch->label_count + launch->choice_label_count;
    if (most < launch->label_count || most > SIZE_MAX / 4 / sizeof(karp_label))
        return fail(error, KARP_E_LIMIT, "too many labels");
    most += LEGACY_COUNT + 1;
    out->items = out->room; /* which is not cleared */
    out->count = out->bytes = 0;
    if (most > NODE_LABELS_ROOM) {
        out->items = array_alloc(context, most, sizeof *out->items);
        out->bytes = most * sizeof *out->items;
    }
    karp_label *list = out->items;
    if (list == NULL) return fail_nomem(error);
    size_t used = 0;
    for (size_t i = 0; i < launch->label_count; i++)
        add_label(list, &used, launch->labels[i].key, launch->labels[i].value);
    for (size_t i = 0; i < launch->choice_label_count; i++) {
        if (!record_transient_key(launch->choice_labels[i].key))
            add_label(list, &used, launch->choice_labels[i].key, launch->choice_labels[i].value);
    }
    for (size_t i = 0; i < LEGACY_COUNT; i++) {
        for (size_t k = 0; k < used; k++) {
            if (str_is(list[k].key, legacy_labels[i].stable)) {
                add_label(list, &used, str(legacy_labels[i].old), list[k].value);
                break;
            }
        }
    }
    out->count = used;
    return KARP_OK;
}

void node_labels_free(karp_context *context, node_labels *labels)
{
    if (labels->items != labels->room) karp_free(context, labels->items, labels->bytes);
}

/* FNV-1a, with the length after each part, so that the boundaries of the parts count. */
static uint64_t mix(uint64_t hash, karp_str text)
{
    for (size_t i = 0; i < text.len; i++) hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t spread(uint64_t x)
{
    x = (x ^ (x >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ (x >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

void launch_instance_id(const karp_decision *decision, const karp_launch *launch, uint64_t number, char out[18])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), launch->node_pool);
    hash = (hash ^ number) * UINT64_C(0x100000001b3);
    hash = mix(hash, launch->choice.instance_type);
    hash = mix(hash, launch->choice.zone);
    hash = mix(hash, launch->choice.capacity_type);
    for (size_t i = 0; i < launch->pod_count; i++) hash = mix(hash, karp_decision_pod_name(decision, launch->pods[i]));
    out[0] = '0'; /* real ids with 17 digits begin with it */
    hash = spread(hash);
    for (size_t i = 0; i < 16; i++) out[1 + i] = digits[(hash >> (60 - 4 * i)) & 15];
    out[17] = '\0';
}

karp_str launch_provider_id(const karp_launch *launch, const char *id, char room[LAUNCH_PROVIDER_ID])
{
    const builtin_plugin *builtin = plugin_builtin_for_class(launch->node_class.group, launch->node_class.kind);
    bool made = builtin && plugin_make_id(builtin, launch->choice.zone, str(id), room, LAUNCH_PROVIDER_ID);
    return str(made ? room : "");
}

double resource_amount(const karp_resource *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        double amount = 0;
        if (str_is(list[i].name, name) && karp_quantity_double(list[i].text, &amount) == KARP_OK) return amount;
    }
    return 0;
}
