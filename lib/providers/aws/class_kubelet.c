/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/node_class.h>

#include <providers/decode.h>

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

static bool among(const char *const *names, karp_str name)
{
    while (*names && !str_is(name, *names)) names++;
    return *names != NULL;
}

/* Reports an error at spec.kubelet.MAP["KEY"]. */
static void bad_entry(decoder *d, const char *map, karp_str key, const char *message)
{
    (void)snprintf(d->part, sizeof d->part, "spec.kubelet.%s[\"%.*s\"]", map, (int)(key.len < 40 ? key.len : 40),
                   key.ptr);
    decode_bad(d, "", message);
    decode_at(d, "spec.kubelet");
}

/* ---- reserved resources ---------------------------------------------------------------------- */

static karp_str reserved_text(decoder *d, const tree *value)
{
    karp_str none = TEXT("");
    int64_t number;
    if (tree_integer(value, &number) && number >= 0) return scratch_uint(d->s, (uint64_t)number);
    if (!is_string(value) || str_starts(tree_text(value), "-")) return none;
    return tree_text(value);
}

static const karp_resource *reserved_at(decoder *d, const tree *kubelet, const char *name, size_t *count)
{
    *count = 0;
    const tree *map = decode_object(d, kubelet, name);
    karp_resource *list = scratch_array(d->s, members_of(map), sizeof *list);
    for (size_t i = 0; list && i < members_of(map); i++) {
        const tree_member *at = tree_member_at(map, i);
        karp_str key = tree_member_name(at), text = reserved_text(d, at->value);
        if (!among(reservable, key)) bad_entry(d, name, key, "must be of cpu, memory, ephemeral-storage or pid");
        if (text.len == 0 && !d->s->failed) bad_entry(d, name, key, "must be a quantity that is not negative");
        if (karp_quantity_check(text) != KARP_OK) continue; /* an expression */
        list[*count].name = scratch_text(d->s, key);
        list[(*count)++].text = scratch_text(d->s, text);
    }
    return list;
}

/* ---- thresholds ------------------------------------------------------------------------------ */

static void check_thresholds(decoder *d, const tree *kubelet, const char *name)
{
    const tree *map = decode_object(d, kubelet, name);
    for (size_t i = 0; i < members_of(map); i++) {
        const tree *value = tree_member_at(map, i)->value;
        karp_str key = tree_member_name(tree_member_at(map, i)), text = tree_text(value);
        if (!among(signals, key)) bad_entry(d, name, key, "is no signal of the kubelet");
        if (!is_string(value) || !aws_threshold_valid(text)) {
            bad_entry(d, name, key, "must be a quantity or a percentage that is not negative");
        }
    }
}

/* Each soft threshold needs a grace period, and each grace period a threshold. */
static void check_soft(decoder *d, const tree *kubelet)
{
    static const char *const names[] = { "evictionSoft", "evictionSoftGracePeriod" };
    check_thresholds(d, kubelet, names[0]);
    const tree *soft = decode_object(d, kubelet, names[0]), *grace = decode_object(d, kubelet, names[1]);
    for (size_t i = 0; i < members_of(soft); i++) {
        if (!tree_find_str(grace, tree_member_name(tree_member_at(soft, i))))
            decode_bad(d, names[0], "has a threshold without a grace period");
    }
    for (size_t i = 0; i < members_of(grace); i++) {
        karp_str key = tree_member_name(tree_member_at(grace, i));
        int64_t nanoseconds = -1;
        if (!tree_find_str(soft, key)) decode_bad(d, names[1], "has a grace period without a threshold");
        (void)karp_duration_parse(tree_text(tree_member_at(grace, i)->value), &nanoseconds);
        if (nanoseconds < 0) bad_entry(d, names[1], key, "must be a duration");
    }
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void check_images(decoder *d, const tree *kubelet)
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

void aws_read_kubelet(decoder *d, const tree *spec, aws_node_class *out)
{
    const tree *kubelet = decode_object(d, spec, "kubelet");
    decode_at(d, "spec.kubelet");
    const tree *max_pods = decode_member(kubelet, "maxPods");
    out->has_max_pods = max_pods && !is_string(max_pods);
    if (out->has_max_pods) out->max_pods = decode_count(d, kubelet, "maxPods");
    out->pods_per_core = decode_count(d, kubelet, "podsPerCore");
    out->kube_reserved = reserved_at(d, kubelet, "kubeReserved", &out->kube_reserved_count);
    out->system_reserved = reserved_at(d, kubelet, "systemReserved", &out->system_reserved_count);
    check_thresholds(d, kubelet, "evictionHard");
    const tree *thresholds = decode_object(d, kubelet, "evictionHard");
    out->evict_memory = decode_text(d, thresholds, "memory.available");
    out->evict_nodefs = decode_text(d, thresholds, "nodefs.available");
    check_soft(d, kubelet);
    check_images(d, kubelet);
    decode_at(d, "spec");
}
