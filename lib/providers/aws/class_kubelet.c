/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/class_kubelet.h>

#include <stdio.h>
#include <string.h>

#include <karp/values.h>
#include <providers/aws/capacity.h>

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const reservable[] = { "cpu", "memory", "ephemeral-storage", "pid", NULL };
static const char *const signals[] = { "memory.available",
                                       "nodefs.available",
                                       "nodefs.inodesFree",
                                       "imagefs.available",
                                       "imagefs.inodesFree",
                                       "pid.available",
                                       NULL };

static bool among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

/* At spec.kubelet.MAP["KEY"]. */
static void bad_entry(decoder *d, const char *map, const char *key, const char *message)
{
    (void)snprintf(d->part, sizeof d->part, "spec.kubelet.%s[\"%.40s\"]", map, key);
    decode_bad(d, "", message);
    decode_at(d, "spec.kubelet");
}

/* ---- what is reserved ------------------------------------------------------------------------ */

static karp_str reserved_text(decoder *d, const json_t *value)
{
    karp_str none = TEXT("");
    if (json_is_integer(value) && json_integer_value(value) >= 0)
        return scratch_uint(d->s, (uint64_t)json_integer_value(value));
    if (!json_is_string(value) || json_string_value(value)[0] == '-') return none;
    return (karp_str){ json_string_value(value), json_string_length(value) };
}

static const karp_resource *reserved_at(decoder *d, const json_t *kubelet, const char *name, size_t *count)
{
    *count = 0;
    const json_t *map = decode_object(d, kubelet, name);
    karp_resource *list = scratch_array(d->s, json_object_size(map), sizeof *list);
    for (void *at = map && list ? first_member(map) : NULL; at; at = next_member(map, at)) {
        const char *key = json_object_iter_key(at);
        karp_str text = reserved_text(d, json_object_iter_value(at));
        if (!among(reservable, key)) bad_entry(d, name, key, "must be of cpu, memory, ephemeral-storage or pid");
        if (text.len == 0 && !d->s->failed) bad_entry(d, name, key, "must be a quantity that is not negative");
        if (karp_quantity_check(text) != KARP_OK) continue; /* an expression */
        list[*count].name = scratch_text(d->s, (karp_str){ key, strlen(key) });
        list[(*count)++].text = scratch_text(d->s, text);
    }
    return list;
}

/* ---- thresholds ------------------------------------------------------------------------------ */

static void check_thresholds(decoder *d, const json_t *kubelet, const char *name)
{
    const json_t *map = decode_object(d, kubelet, name);
    for (void *at = map ? first_member(map) : NULL; at; at = next_member(map, at)) {
        const json_t *value = json_object_iter_value(at);
        const char *key = json_object_iter_key(at);
        karp_str text = { json_string_value(value), json_string_length(value) };
        if (!among(signals, key)) bad_entry(d, name, key, "is no signal of the kubelet");
        if (!json_is_string(value) || !aws_threshold_valid(text)) {
            bad_entry(d, name, key, "must be a quantity or a percentage that is not negative");
        }
    }
}

/* Each soft threshold has a grace period, and each grace period a threshold. */
static void check_soft(decoder *d, const json_t *kubelet)
{
    static const char *const names[] = { "evictionSoft", "evictionSoftGracePeriod" };
    check_thresholds(d, kubelet, names[0]);
    const json_t *soft = decode_object(d, kubelet, names[0]), *grace = decode_object(d, kubelet, names[1]);
    for (void *at = soft ? first_member(soft) : NULL; at; at = next_member(soft, at)) {
        if (!json_object_get(grace, json_object_iter_key(at)))
            decode_bad(d, names[0], "has a threshold without a grace period");
    }
    for (void *at = grace ? first_member(grace) : NULL; at; at = next_member(grace, at)) {
        const json_t *value = json_object_iter_value(at);
        int64_t nanoseconds = -1;
        if (!json_object_get(soft, json_object_iter_key(at)))
            decode_bad(d, names[1], "has a grace period without a threshold");
        (void)karp_duration_parse((karp_str){ json_string_value(value), json_string_length(value) }, &nanoseconds);
        if (nanoseconds < 0) bad_entry(d, names[1], json_object_iter_key(at), "must be a duration");
    }
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void check_images(decoder *d, const json_t *kubelet)
{
    int64_t high = decode_count(d, kubelet, "imageGCHighThresholdPercent"),
            low = decode_count(d, kubelet, "imageGCLowThresholdPercent");
    if (high > 100) decode_bad(d, "imageGCHighThresholdPercent", "must be at most 100");
    if (low > 100) decode_bad(d, "imageGCLowThresholdPercent", "must be at most 100");
    if (decode_member(kubelet, "imageGCHighThresholdPercent") && decode_member(kubelet, "imageGCLowThresholdPercent") &&
        high <= low) {
        decode_bad(d, "imageGCHighThresholdPercent", "must be more than imageGCLowThresholdPercent");
    }
}

void aws_read_kubelet(decoder *d, const json_t *spec, aws_node_class *out)
{
    const json_t *kubelet = decode_object(d, spec, "kubelet");
    decode_at(d, "spec.kubelet");
    const json_t *max_pods = decode_member(kubelet, "maxPods");
    out->has_max_pods = max_pods && !json_is_string(max_pods);
    if (out->has_max_pods) out->max_pods = decode_count(d, kubelet, "maxPods");
    out->pods_per_core = decode_count(d, kubelet, "podsPerCore");
    out->kube_reserved = reserved_at(d, kubelet, "kubeReserved", &out->kube_reserved_count);
    out->system_reserved = reserved_at(d, kubelet, "systemReserved", &out->system_reserved_count);
    check_thresholds(d, kubelet, "evictionHard");
    const json_t *thresholds = decode_object(d, kubelet, "evictionHard");
    out->evict_memory = decode_text(d, thresholds, "memory.available");
    out->evict_nodefs = decode_text(d, thresholds, "nodefs.available");
    check_soft(d, kubelet);
    check_images(d, kubelet);
    decode_at(d, "spec");
}
