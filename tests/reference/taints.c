/* SPDX-License-Identifier: Apache-2.0 */
#include "taints.h"

#include <string.h>

#include "memory.h"

struct taints ref_taints_read(const json_t *array)
{
    struct taints out = { ref_alloc((json_array_size(array) + 1) * sizeof(struct taint)), 0 };
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *t = json_array_get(array, i);
        out.items[out.count++] = (struct taint){ ref_text(t, "key"), ref_text(t, "value"), ref_text(t, "effect") };
    }
    return out;
}

struct tolerations ref_tolerations_read(const json_t *array)
{
    struct tolerations out = { ref_alloc((json_array_size(array) + 1) * sizeof(struct toleration)), 0 };
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *t = json_array_get(array, i);
        out.items[out.count++] = (struct toleration){
            .key = ref_text(t, "key"),
            .op = ref_text(t, "operator"),
            .value = ref_text(t, "value"),
            .effect = ref_text(t, "effect"),
            .has_seconds = ref_at(t, "tolerationSeconds") != NULL,
            .seconds = ref_int(t, "tolerationSeconds", 0),
        };
    }
    return out;
}

/** Optional '-', no '+', no leading zeros, 64 bits. */
static bool canonical(const char *text, int64_t *out)
{
    const char *digits = text + (*text == '-');
    if (*text == '+' || (*digits == '0' && (digits[1] != '\0' || *text == '-'))) {
        return false;
    }
    return ref_atoi(text, out);
}

static bool tolerates(const struct toleration *t, const struct taint *taint)
{
    int64_t mine, theirs;
    if ((*t->effect != '\0' && strcmp(t->effect, taint->effect) != 0) ||
        (*t->key != '\0' && strcmp(t->key, taint->key) != 0)) {
        return false;
    }
    if (*t->op == '\0' || strcmp(t->op, "Equal") == 0) {
        return strcmp(t->value, taint->value) == 0;
    }
    if (strcmp(t->op, "Exists") == 0) {
        return true;
    }
    if ((strcmp(t->op, "Lt") != 0 && strcmp(t->op, "Gt") != 0) || !canonical(t->value, &mine) ||
        !canonical(taint->value, &theirs)) {
        return false;
    }
    return *t->op == 'L' ? theirs < mine : theirs > mine;
}

bool ref_tolerates(struct tolerations tolerations, struct taints taints)
{
    for (size_t i = 0; i < taints.count; i++) {
        bool ok = false;
        for (size_t j = 0; j < tolerations.count && !ok; j++) {
            ok = tolerates(&tolerations.items[j], &taints.items[i]);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

bool ref_tolerate_prefer_no_schedule(struct tolerations *tolerations)
{
    struct toleration *items = ref_alloc((tolerations->count + 1) * sizeof *items);
    for (size_t i = 0; i < tolerations->count; i++) {
        const struct toleration *t = &tolerations->items[i];
        if (*t->key == '\0' && strcmp(t->op, "Exists") == 0 && *t->value == '\0' &&
            strcmp(t->effect, "PreferNoSchedule") == 0 && !t->has_seconds) {
            return false;
        }
        items[i] = *t;
    }
    items[tolerations->count] = (struct toleration){
        .key = "", .op = "Exists", .value = "", .effect = "PreferNoSchedule"
    };
    *tolerations = (struct tolerations){ items, tolerations->count + 1 };
    return true;
}

static bool is_ephemeral(const struct taint *t)
{
    static const struct {
        const char *key, *effect;
    } table[] = {
        { "node.kubernetes.io/not-ready", "NoSchedule" },
        { "node.kubernetes.io/not-ready", "NoExecute" },
        { "node.kubernetes.io/unreachable", "NoSchedule" },
        { "node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule" },
        { "karpenter.sh/unregistered", "NoExecute" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(t->key, table[i].key) == 0 && strcmp(t->effect, table[i].effect) == 0) {
            return true;
        }
    }
    return strncmp(t->key, "readiness.k8s.io/", strlen("readiness.k8s.io/")) == 0;
}

struct taints ref_taints_lasting(struct taints taints, struct taints startup)
{
    struct taints out = { ref_alloc((taints.count + 1) * sizeof(struct taint)), 0 };
    for (size_t i = 0; i < taints.count; i++) {
        bool goes = is_ephemeral(&taints.items[i]);
        for (size_t j = 0; j < startup.count && !goes; j++) {
            goes = strcmp(taints.items[i].key, startup.items[j].key) == 0 &&
                   strcmp(taints.items[i].effect, startup.items[j].effect) == 0;
        }
        if (!goes) {
            out.items[out.count++] = taints.items[i];
        }
    }
    return out;
}
