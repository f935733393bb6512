/* SPDX-License-Identifier: Apache-2.0 */
/* Volume claims, and the status of PodDisruptionBudgets. */
#include <io/fill.h>

#include <string.h>

/* ---- PersistentVolumeClaim --------------------------------------------------------------------------------------- */

bool io_fill_claim_volume(io_filler *f, json_t *tree)
{
    json_t *metadata = io_get(tree, "metadata"), *spec = io_get_or_make(tree, "spec"),
           *status = io_get_or_make(tree, "status");
    if (!spec || !status) return false;
    bool bound = io_get_text(spec, "volumeName").len > 0;
    if (f->default_class.len && !io_default_str(spec, "storageClassName", f->default_class)) return false;
    if (bound && !io_get(status, "phase")) {
        json_t *annotations = io_get_or_make(metadata, "annotations");
        if (!annotations || !io_default_text(annotations, "pv.kubernetes.io/bind-completed", "yes")) return false;
    }
    return io_default_text(status, "phase", bound ? "Bound" : "Pending");
}

/* ---- PodDisruptionBudget ----------------------------------------------------------------------------------------- */

static bool in_list(const json_t *values, karp_str value)
{
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *one = json_array_get(values, i);
        if (json_is_string(one) && io_str_equal((karp_str){ json_string_value(one), json_string_length(one) }, value))
            return true;
    }
    return false;
}

static bool expression_matches(const json_t *expression, const json_t *labels)
{
    karp_str key = io_get_text(expression, "key"), op = io_get_text(expression, "operator");
    const json_t *label = json_object_get(labels, key.ptr);
    const json_t *values = io_get(expression, "values");
    bool listed = json_is_string(label) &&
                  in_list(values, (karp_str){ json_string_value(label), json_string_length(label) });
    if (io_str_is(op, "In")) return listed;
    if (io_str_is(op, "NotIn")) return !listed;
    if (io_str_is(op, "Exists")) return label != NULL;
    if (io_str_is(op, "DoesNotExist")) return label == NULL;
    return false;
}

/* No selector selects nothing; an empty one selects all. */
static bool selects(const json_t *selector, const json_t *labels)
{
    if (!selector) return false;
    json_t *match = io_get(selector, "matchLabels");
    for (void *at = json_object_iter(match); at; at = json_object_iter_next(match, at)) {
        const json_t *label = json_object_get(labels, json_object_iter_key(at));
        if (!label || !json_equal(label, json_object_iter_value(at))) return false;
    }
    const json_t *expressions = io_get(selector, "matchExpressions");
    for (size_t i = 0; i < json_array_size(expressions); i++) {
        if (!expression_matches(json_array_get(expressions, i), labels)) return false;
    }
    return true;
}

bool io_count_pod(io_filler *f, const json_t *pod)
{
    if (f->budget_count == 0) return true;
    const json_t *metadata = io_get(pod, "metadata"), *status = io_get(pod, "status");
    karp_str phase = io_get_text(status, "phase");
    if (io_get(metadata, "deletionTimestamp") || io_str_is(phase, "Succeeded") || io_str_is(phase, "Failed"))
        return true;
    bool ready = io_str_is(io_condition_status(io_get(status, "conditions"), "Ready"), "True");
    for (size_t i = 0; i < f->budget_count; i++) {
        io_open_budget *b = &f->budgets[i];
        if (!io_str_equal(b->waiting->namespace_, io_get_text(metadata, "namespace"))) continue;
        if (!selects(io_get(io_get(b->tree, "spec"), "selector"), io_get(metadata, "labels"))) continue;
        b->expected++;
        b->healthy += ready;
    }
    return true;
}

/* A number, or a percentage of `expected`, rounded up. */
static uint64_t scaled(const json_t *value, uint64_t expected)
{
    if (json_is_integer(value)) return json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    uint64_t percent = 0;
    for (; *text >= '0' && *text <= '9' && percent < 100000; text++) percent = percent * 10 + (uint64_t)(*text - '0');
    return (expected * percent + 99) / 100;
}

static bool settle(io_open_budget *b)
{
    const json_t *spec = io_get(b->tree, "spec");
    const json_t *most = io_get(spec, "maxUnavailable"), *least = io_get(spec, "minAvailable");
    uint64_t desired = INT32_MAX;
    if (most) {
        uint64_t may = scaled(most, b->expected);
        desired = may < b->expected ? b->expected - may : 0;
    } else if (least) {
        desired = scaled(least, b->expected);
    }
    uint64_t allowed = b->expected && b->healthy > desired ? b->healthy - desired : 0;
    json_t *status = io_get_or_make(b->tree, "status");
    return status && io_set(status, "expectedPods", json_integer((json_int_t)b->expected)) &&
           io_set(status, "currentHealthy", json_integer((json_int_t)b->healthy)) &&
           io_set(status, "desiredHealthy", json_integer((json_int_t)(desired > INT32_MAX ? INT32_MAX : desired))) &&
           io_set(status, "disruptionsAllowed", json_integer((json_int_t)(allowed > INT32_MAX ? INT32_MAX : allowed)));
}

karp_status io_settle_budgets(io_filler *f)
{
    for (size_t i = 0; i < f->budget_count; i++) {
        io_open_budget *b = &f->budgets[i];
        io_place place = io_waiting_place(b->waiting);
        if (!settle(b)) return io_reader_nomem(f->reader);
        karp_status status = io_add_filled(f->reader, b->waiting->info, b->tree, &place);
        if (status) return status;
    }
    return KARP_OK;
}
