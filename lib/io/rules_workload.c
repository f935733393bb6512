/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Kubernetes' pkg/apis/apps/validation, pkg/apis/batch/validation and pkg/apis/policy/validation of 1.36. */
#include <io/rules_pod.h>

/* ---- rules about several fields ---------------------------------------------------------------------------------- */

static bool is_zero(const tree *value)
{
    karp_str text = tree_text_or_digits(value);
    return str_is(text, "0") || str_is(text, "0%");
}

static void check_strategy(io_reason *r, const tree *strategy, const char *argument)
{
    const tree *rolling = tree_get(strategy, "rollingUpdate");
    karp_str type = tree_get_text(strategy, "type");
    (void)argument;
    if (rolling && type.len && !str_is(type, "RollingUpdate"))
        io_wrong(r, "has rollingUpdate, although its type is %.*s", str_shown(type, 40), type.ptr);
    if (is_zero(tree_get(rolling, "maxUnavailable")) && is_zero(tree_get(rolling, "maxSurge")))
        io_wrong(r, "has the maxUnavailable 0 and the maxSurge 0");
}

/* A DaemonSet has a surge instead of unavailable pods, of which it has one by default; OnDelete asks nothing.
 * Source: ValidateDaemonSetUpdateStrategy, SetDefaults_DaemonSet. */
static void check_daemon_strategy(io_reason *r, const tree *strategy, const char *argument)
{
    const tree *rolling = tree_get(strategy, "rollingUpdate"), *unavailable = tree_get(rolling, "maxUnavailable");
    const tree *surge = tree_get(rolling, "maxSurge");
    bool surges = !tree_is_null(surge) && !is_zero(surge), stops = tree_is_null(unavailable) || !is_zero(unavailable);
    (void)argument;
    if (!rolling || str_is(tree_get_text(strategy, "type"), "OnDelete")) return;
    if (surges && stops) io_wrong(r, "has a maxSurge, which needs the maxUnavailable 0");
    if (!surges && !stops) io_wrong(r, "has the maxUnavailable 0 and the maxSurge 0");
}

static void check_not_0(io_reason *r, const tree *value, const char *argument)
{
    io_is_amount_or_percent(r, value, argument);
    if (is_zero(value)) io_wrong(r, "is 0");
}

/* Source: pkg/apis/batch/validation, validateJobSpec. */
static void check_job(io_reason *r, const tree *spec, const char *argument)
{
    static const char *const of_indexed[] = { "backoffLimitPerIndex", "successPolicy" };
    const tree *pod = tree_get(tree_get(spec, "template"), "spec");
    bool indexed = str_is(tree_get_text(spec, "completionMode"), "Indexed");
    bool manual = tree_is(tree_get(spec, "manualSelector"), TREE_TRUE);
    (void)argument;
    if (indexed && !tree_get(spec, "completions"))
        io_wrong(r, "has the completionMode Indexed, which needs completions");
    for (size_t i = 0; i < sizeof of_indexed / sizeof *of_indexed && !indexed; i++) {
        if (tree_get(spec, of_indexed[i])) io_wrong(r, "has %s, which needs the completionMode Indexed", of_indexed[i]);
    }
    if (tree_get(spec, "maxFailedIndexes") && !tree_get(spec, "backoffLimitPerIndex"))
        io_wrong(r, "has maxFailedIndexes without backoffLimitPerIndex");
    if (tree_get(spec, "podFailurePolicy") && !str_is(tree_get_text(pod, "restartPolicy"), "Never"))
        io_wrong(r, "has a podFailurePolicy, which needs the restartPolicy Never");
    if (manual && !tree_get(spec, "selector")) io_wrong(r, "has manualSelector without a selector");
    if (tree_get(spec, "podFailurePolicy") &&
        str_is(tree_get_text(spec, "podReplacementPolicy"), "TerminatingOrFailed"))
        io_wrong(r, "has a podFailurePolicy, which needs the podReplacementPolicy Failed");
    if (!manual && io_count_of(tree_get(spec, "selector"), "matchLabels matchExpressions"))
        io_wrong(r, "has a selector, which needs manualSelector: true");
}

static void check_claim(io_reason *r, const tree *list, const char *argument)
{
    (void)argument;
    if (tree_count(list) == 0) io_wrong(r, "is empty");
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

#define ONLY(check_) check_, NULL
#define PLACE NULL, NULL
#define ONE_OF io_is_one_of

static const io_rule of_all[] = {
    { 0, false, "metadata", PLACE },
    { 1, false, "labels", ONLY(io_are_labels) },
    { 1, false, "annotations", ONLY(io_are_annotations) },
    { 0, false, "spec", PLACE },
    { 1, false, "selector", ONLY(io_is_selector) },
};

/* The pods of these kinds run until they are deleted. */
static const io_rule of_apps[] = {
    { 0, false, "spec", PLACE },
    { 1, false, "minReadySeconds|revisionHistoryLimit", ONLY(io_is_0_or_more) },
    { 1, false, "template", PLACE },
    { 2, false, "spec", PLACE },
    { 3, false, "activeDeadlineSeconds", io_is_not_allowed, " in pods that run on" },
};

static const io_rule of_deployments[] = {
    { 0, false, "spec", PLACE },
    { 1, false, "progressDeadlineSeconds", ONLY(io_is_1_or_more) },
    { 1, false, "strategy", ONLY(check_strategy) },
    { 2, false, "type", ONE_OF, "Recreate RollingUpdate" },
    { 2, false, "rollingUpdate", PLACE },
    { 3, false, "maxSurge|maxUnavailable", ONLY(io_is_amount_or_percent) },
};

static const io_rule of_daemon_sets[] = {
    { 0, false, "spec", PLACE },
    { 1, false, "updateStrategy", ONLY(check_daemon_strategy) },
    { 2, false, "type", ONE_OF, "OnDelete RollingUpdate" },
    { 2, false, "rollingUpdate", PLACE },
    { 3, false, "maxSurge|maxUnavailable", ONLY(io_is_amount_or_percent) },
};

/* Claims without an accessMode are refused when the controller creates them, and then there is no pod. */
static const io_rule of_stateful_sets[] = {
    { 0, false, "metadata", PLACE },
    { 1, false, "name", ONLY(io_is_label) },
    { 0, false, "spec", PLACE },
    { 1, false, "podManagementPolicy", ONE_OF, "OrderedReady Parallel" },
    { 1, false, "updateStrategy", ONLY(check_strategy) },
    { 2, false, "type", ONE_OF, "OnDelete RollingUpdate" },
    { 2, false, "rollingUpdate", PLACE },
    { 3, false, "maxUnavailable", ONLY(check_not_0) },
    { 1, false, "persistentVolumeClaimRetentionPolicy", PLACE },
    { 2, false, "whenDeleted|whenScaled", ONE_OF, "Retain Delete" },
    { 1, false, "volumeClaimTemplates[]", PLACE },
    { 2, false, "spec", PLACE },
    { 3, true, "accessModes", ONLY(check_claim) },
    { 3, false, "accessModes[]", ONE_OF, "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod" },
    { 3, false, "volumeMode", ONE_OF, "Filesystem Block" },
};

static const io_rule of_jobs[] = {
    { 0, false, "spec", ONLY(check_job) },
    { 1, false, "completionMode", ONE_OF, "NonIndexed Indexed" },
    { 1, false, "activeDeadlineSeconds|backoffLimit|backoffLimitPerIndex|ttlSecondsAfterFinished|maxFailedIndexes",
      ONLY(io_is_0_or_more) },
    { 1, false, "podReplacementPolicy", ONE_OF, "TerminatingOrFailed Failed" },
};

static const io_rule of_budgets[] = {
    { 0, false, "spec", PLACE },
    { 1, false, "minAvailable|maxUnavailable", ONLY(io_is_amount_or_percent) },
    { 1, false, "unhealthyPodEvictionPolicy", ONE_OF, "IfHealthyBudget AlwaysAllow" },
};

#define TABLE(rules) rules, sizeof(rules) / sizeof *(rules)

static const struct {
    const char *kinds; /* separated by spaces; NULL = all */
    const io_rule *rules;
    size_t count;
} tables[] = {
    { NULL, TABLE(of_all) },
    { "Deployment ReplicaSet StatefulSet DaemonSet", TABLE(of_apps) },
    { "Deployment", TABLE(of_deployments) },
    { "DaemonSet", TABLE(of_daemon_sets) },
    { "StatefulSet", TABLE(of_stateful_sets) },
    { "Job", TABLE(of_jobs) },
    { "PodDisruptionBudget", TABLE(of_budgets) },
};

/* The longest names whose pods have labels with at most 63 characters: the name of a Job, and that of a StatefulSet
 * with "-" and a hash of at least eight digits. */
static void check_length(io_reason *r, const tree *root)
{
    karp_str kind = tree_get_text(root, "kind"), name = tree_get_text(tree_get(root, "metadata"), "name");
    size_t most = str_is(kind, "Job") ? 63 : str_is(kind, "StatefulSet") ? 54 : SIZE_MAX;
    if (name.len <= most || r->text[0]) return;
    str_append(r->text, r->room,
               "its name has %zu characters, and a label of its pods gets too long with more than %zu", name.len, most);
}

void io_check_workload_rules(io_reason *r, const tree *root)
{
    karp_str kind = tree_get_text(root, "kind");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (!tables[i].kinds || str_in_list(kind, tables[i].kinds))
            io_rules_check(r, tables[i].rules, tables[i].count, root);
    }
    check_length(r, root);
}
