/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in PersistentVolumeClaims and the status of PodDisruptionBudgets. */
#include <io/fill.h>

#include <string.h>

/* ---- PersistentVolumeClaim --------------------------------------------------------------------------------------- */

void io_fill_claim_volume(io_filler *f, tree *root)
{
    trees *t = f->t;
    tree *spec = tree_get_or_make(t, root, "spec"), *status = tree_get_or_make(t, root, "status");
    bool bound = tree_get_text(spec, "volumeName").len > 0;
    if (f->default_class.len) tree_default_text(t, spec, "storageClassName", f->default_class);
    if (bound && !tree_get(status, "phase")) {
        tree *annotations = tree_get_or_make(t, tree_get(root, "metadata"), "annotations");
        tree_default_text(t, annotations, "pv.kubernetes.io/bind-completed", str("yes"));
    }
    tree_default_text(t, status, "phase", str(bound ? "Bound" : "Pending"));
}

/* ---- PodDisruptionBudget ----------------------------------------------------------------------------------------- */

static bool in_list(const tree *values, const tree *value)
{
    for (size_t i = 0; i < tree_count(values); i++) {
        const tree *one = tree_item(values, i);
        if (tree_is(one, TREE_STRING) && equal_str(tree_text(one), tree_text(value))) return true;
    }
    return false;
}

static bool expression_matches(const tree *expression, const tree *labels)
{
    karp_str op = tree_get_text(expression, "operator");
    const tree *label = tree_find_str(labels, tree_get_text(expression, "key"));
    bool listed = tree_is(label, TREE_STRING) && in_list(tree_get(expression, "values"), label);
    if (str_is(op, "In")) return listed;
    if (str_is(op, "NotIn")) return !listed;
    if (str_is(op, "Exists")) return label != NULL;
    if (str_is(op, "DoesNotExist")) return label == NULL;
    return false;
}

/* A missing selector selects nothing; an empty one selects everything. */
static bool selects(const tree *selector, const tree *labels)
{
    if (!selector) return false;
    const tree *match = tree_get(selector, "matchLabels"), *expressions = tree_get(selector, "matchExpressions");
    for (size_t i = 0; tree_is(match, TREE_MAP) && i < tree_count(match); i++) {
        const tree_member *wanted = tree_member_at(match, i);
        const tree *label = tree_find_str(labels, tree_member_name(wanted));
        if (!label || !tree_equal(label, wanted->value)) return false;
    }
    for (size_t i = 0; i < tree_count(expressions); i++) {
        if (!expression_matches(tree_item(expressions, i), labels)) return false;
    }
    return true;
}

void io_count_pod(io_filler *f, const tree *pod)
{
    if (f->budget_count == 0) return;
    const tree *metadata = tree_get(pod, "metadata"), *status = tree_get(pod, "status");
    karp_str phase = tree_get_text(status, "phase");
    if (tree_get(metadata, "deletionTimestamp") || str_is(phase, "Succeeded") || str_is(phase, "Failed")) return;
    bool ready = str_is(io_condition_status(tree_get(status, "conditions"), "Ready"), "True");
    for (size_t i = 0; i < f->budget_count; i++) {
        io_open_budget *b = &f->budgets[i];
        if (!equal_str(b->waiting->namespace_, tree_get_text(metadata, "namespace"))) continue;
        if (!selects(tree_get(tree_get(b->waiting->root, "spec"), "selector"), tree_get(metadata, "labels"))) continue;
        b->expected++;
        b->healthy += ready;
    }
}

/* A number, or a percentage of `expected`, rounded up. */
static uint64_t scaled(const tree *value, uint64_t expected)
{
    int64_t number = 0;
    if (tree_integer(value, &number)) return number > 0 ? (uint64_t)number : 0;
    karp_str text = tree_text(value);
    uint64_t percent = 0;
    for (size_t i = 0; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9' && percent < 100000; i++)
        percent = percent * 10 + (uint64_t)(text.ptr[i] - '0');
    return (expected * percent + 99) / 100;
}

static void settle(trees *t, const io_open_budget *b)
{
    const tree *spec = tree_get(b->waiting->root, "spec");
    const tree *most = tree_get(spec, "maxUnavailable"), *least = tree_get(spec, "minAvailable");
    uint64_t desired = INT32_MAX;
    if (most) {
        uint64_t may = scaled(most, b->expected);
        desired = may < b->expected ? b->expected - may : 0;
    } else if (least) {
        desired = scaled(least, b->expected);
    }
    uint64_t allowed = b->expected && b->healthy > desired ? b->healthy - desired : 0;
    const struct {
        const char *name;
        uint64_t count;
    } members[] = { { "expectedPods", b->expected },
                    { "currentHealthy", b->healthy },
                    { "desiredHealthy", desired > INT32_MAX ? INT32_MAX : desired },
                    { "disruptionsAllowed", allowed > INT32_MAX ? INT32_MAX : allowed } };
    tree *status = tree_get_or_make(t, b->waiting->root, "status");
    for (size_t i = 0; i < 4; i++) tree_set(t, status, members[i].name, tree_new_integer(t, (int64_t)members[i].count));
}

karp_status io_settle_budgets(io_filler *f)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < f->budget_count && status == KARP_OK; i++) {
        io_place place = io_waiting_place(f->budgets[i].waiting);
        settle(f->t, &f->budgets[i]);
        status = io_add_filled(f, f->budgets[i].waiting->info, f->budgets[i].waiting->root, &place);
    }
    return status;
}
