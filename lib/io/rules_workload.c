/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Kubernetes' pkg/apis/apps/validation, pkg/apis/batch/validation and pkg/apis/policy/validation of 1.36;
 * karpenter-provider-aws 1.15, pkg/apis/v1/ec2nodeclass.go. */
#include <io/rules.h>

#include <karp/values.h>

/* ---- rules about several fields ---------------------------------------------------------------------------------- */

static bool is_zero(const tree *value)
{
    karp_str text = tree_text_or_digits(value);
    return str_is(text, "0") || str_is(text, "0%");
}

static void check_strategy(io_reason *r, const tree *strategy)
{
    const tree *rolling = tree_get(strategy, "rollingUpdate");
    karp_str type = tree_get_text(strategy, "type");
    if (rolling && type.len && !str_is(type, "RollingUpdate"))
        io_wrong(r, "has rollingUpdate, although its type is %.*s", IO_SHOWN(type));
    if (is_zero(tree_get(rolling, "maxUnavailable")) && is_zero(tree_get(rolling, "maxSurge")))
        io_wrong(r, "has the maxUnavailable 0 and the maxSurge 0");
}

/* A DaemonSet has a surge instead of unavailable pods, of which it has one by default; OnDelete asks nothing.
 * Source: ValidateDaemonSetUpdateStrategy, SetDefaults_DaemonSet. */
static void check_daemon_strategy(io_reason *r, const tree *strategy)
{
    const tree *rolling = tree_get(strategy, "rollingUpdate"), *unavailable = tree_get(rolling, "maxUnavailable");
    const tree *surge = tree_get(rolling, "maxSurge");
    bool surges = !tree_is_null(surge) && !is_zero(surge), stops = tree_is_null(unavailable) || !is_zero(unavailable);
    if (!rolling || str_is(tree_get_text(strategy, "type"), "OnDelete")) return;
    if (surges && stops) io_wrong(r, "has a maxSurge, which needs the maxUnavailable 0");
    if (!surges && !stops) io_wrong(r, "has the maxUnavailable 0 and the maxSurge 0");
}

static void check_not_0(io_reason *r, const tree *value)
{
    io_is_amount_or_percent(r, value);
    if (is_zero(value)) io_wrong(r, "is 0");
}

/* Source: pkg/apis/batch/validation, validateJobSpec. */
static void check_job(io_reason *r, const tree *spec)
{
    static const char *const of_indexed[] = { "backoffLimitPerIndex", "successPolicy" };
    const tree *pod = tree_get(tree_get(spec, "template"), "spec");
    bool indexed = str_is(tree_get_text(spec, "completionMode"), "Indexed");
    bool manual = tree_is(tree_get(spec, "manualSelector"), TREE_TRUE);
    /* Without either number both are 1. */
    if (indexed && !tree_get(spec, "completions") && tree_get(spec, "parallelism"))
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

/* Source: ValidateLimitRange. */
static void check_limit(io_reason *r, const tree *limit)
{
    static const char *const order[][2] = { { "min", "max" },
                                            { "min", "defaultRequest" },
                                            { "min", "default" },
                                            { "defaultRequest", "default" },
                                            { "defaultRequest", "max" },
                                            { "default", "max" } };
    karp_str type = tree_get_text(limit, "type");
    if (!str_in_list(type, "Container Pod PersistentVolumeClaim") && !memchr(type.ptr, '/', type.len))
        io_wrong(r, "has the type \"%.*s\", which is not Container, Pod or PersistentVolumeClaim", IO_SHOWN(type));
    if (str_is(type, "Pod") && io_count_of(limit, "default defaultRequest"))
        io_wrong(r, "has a default, although its type is Pod");
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        const tree *least = tree_get(limit, order[k][0]), *most = tree_get(limit, order[k][1]);
        for (size_t i = 0; tree_is(least, TREE_MAP) && i < tree_count(least); i++) {
            const tree_member *m = tree_member_at(least, i);
            karp_str name = tree_member_name(m), low = tree_text_or_digits(m->value),
                     high = tree_text_or_digits(tree_find_str(most, name));
            int32_t compared = 0;
            if (high.len && karp_quantity_compare(low, high, &compared) == KARP_OK && compared > 0)
                io_wrong(r, "has %s %.*s %.*s, more than %s %.*s %.*s", order[k][0], IO_SHOWN(name), IO_SHOWN(low),
                         order[k][1], IO_SHOWN(name), IO_SHOWN(high));
        }
    }
    const tree *ratios = tree_get(limit, "maxLimitRequestRatio");
    for (size_t i = 0; tree_is(ratios, TREE_MAP) && i < tree_count(ratios); i++) {
        karp_str ratio = tree_text_or_digits(tree_member_at(ratios, i)->value);
        int32_t compared = 0;
        if (karp_quantity_compare(ratio, str("1"), &compared) == KARP_OK && compared < 0)
            io_wrong(r, "has the maxLimitRequestRatio %.*s, less than 1", IO_SHOWN(ratio));
    }
}

/* A number in quotes is a text, which no kind takes for a count. Below other fields there are texts of their own. */
static void check_counts(io_reason *r, const tree *value)
{
    static const char counts[] = "completions cores instances maxReplicaCount maxReplicas minAvailable minReplicaCount "
                                 "minReplicas numNodes numOfHosts parallelism replicas";
    static const char others[] = "annotations args command env labels limits matchLabels nodeSelector requests";
    size_t own = r->depth - 1;
    for (size_t i = 0; i < tree_count(value) && r->text[0] == '\0' && r->depth < IO_RULES_DEEPEST; i++) {
        const tree_member *m = tree_is(value, TREE_MAP) ? tree_member_at(value, i) : NULL;
        const tree *part = m ? m->value : tree_item(value, i);
        if (m && str_in_list(tree_member_name(m), others)) continue;
        if (m) r->path[r->depth++] = (struct io_rule_step){ tree_member_name(m), SIZE_MAX };
        else r->path[own].index = i;
        if (m && tree_is(part, TREE_STRING) && str_in_list(tree_member_name(m), counts))
            io_wrong(r, "is \"%.*s\", which is no whole number", IO_SHOWN(tree_text(part)));
        if (tree_count(part) > 0) check_counts(r, part);
        if (m) r->depth--;
        else r->path[own].index = SIZE_MAX;
    }
}

/* Of one term that selects objects of EC2, `argument` are the fields of which it needs one. */
static void check_term(io_reason *r, const tree *term)
{
    if (io_count_of(term, r->argument) == 0) io_wrong(r, "has none of the fields %s", r->argument);
    if (tree_get(term, "id") && io_count_of(term, "alias name owner tags") > 0)
        io_wrong(r, "has an id and other fields besides");
}

static void check_ec2_class(io_reason *r, const tree *spec)
{
    const tree *images = tree_get(spec, "amiSelectorTerms");
    bool alias = tree_is_null(images);
    for (size_t i = 0; i < tree_count(images); i++) alias = alias || tree_get(tree_item(images, i), "alias");
    if (io_count_of(spec, "role instanceProfile") != 1)
        io_wrong(r, "has %s",
                 tree_get(spec, "role") ? "both role and instanceProfile" : "neither role nor instanceProfile");
    if (!alias && !tree_get(spec, "amiFamily")) io_wrong(r, "has neither an amiFamily nor an alias of one");
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static const io_rule of_all[] = {
    { 0, false, "metadata", IO_PLACE },
    { 1, false, "labels", IO_ONLY(io_are_labels) },
    { 1, false, "annotations", IO_ONLY(io_are_annotations) },
    { 0, false, "spec", IO_PLACE },
    { 1, false, "selector", IO_ONLY(io_is_selector) },
};

/* The pods of these kinds run until they are deleted. */
static const io_rule of_apps[] = {
    { 0, false, "spec", IO_PLACE },
    { 1, false, "minReadySeconds|revisionHistoryLimit", IO_ONLY(io_is_0_or_more) },
    { 1, false, "template", IO_PLACE },
    { 2, false, "spec", IO_PLACE },
    { 3, false, "activeDeadlineSeconds", io_is_not_allowed, " in pods that run on" },
};

static const io_rule of_deployments[] = {
    { 0, false, "spec", IO_PLACE },
    { 1, false, "progressDeadlineSeconds", IO_ONLY(io_is_1_or_more) },
    { 1, false, "strategy", IO_ONLY(check_strategy) },
    { 2, false, "type", io_is_one_of, "Recreate RollingUpdate" },
    { 2, false, "rollingUpdate", IO_PLACE },
    { 3, false, "maxSurge|maxUnavailable", IO_ONLY(io_is_amount_or_percent) },
};

static const io_rule of_daemon_sets[] = {
    { 0, false, "spec", IO_PLACE },
    { 1, false, "updateStrategy", IO_ONLY(check_daemon_strategy) },
    { 2, false, "type", io_is_one_of, "OnDelete RollingUpdate" },
    { 2, false, "rollingUpdate", IO_PLACE },
    { 3, false, "maxSurge|maxUnavailable", IO_ONLY(io_is_amount_or_percent) },
};

/* Claims without an accessMode are refused when the controller creates them, and then there is no pod. */
static const io_rule of_stateful_sets[] = {
    { 0, false, "metadata", IO_PLACE },
    { 1, false, "name", IO_ONLY(io_is_label) },
    { 0, false, "spec", IO_PLACE },
    { 1, false, "podManagementPolicy", io_is_one_of, "OrderedReady Parallel" },
    { 1, false, "updateStrategy", IO_ONLY(check_strategy) },
    { 2, false, "type", io_is_one_of, "OnDelete RollingUpdate" },
    { 2, false, "rollingUpdate", IO_PLACE },
    { 3, false, "maxUnavailable", IO_ONLY(check_not_0) },
    { 1, false, "persistentVolumeClaimRetentionPolicy", IO_PLACE },
    { 2, false, "whenDeleted|whenScaled", io_is_one_of, "Retain Delete" },
    { 1, false, "volumeClaimTemplates[]", IO_PLACE },
    { 2, false, "spec", IO_PLACE },
    { 3, true, "accessModes", IO_ONLY(io_is_filled) },
    { 3, false, "accessModes[]", io_is_one_of, "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod" },
    { 3, false, "volumeMode", io_is_one_of, "Filesystem Block" },
};

static const io_rule of_jobs[] = {
    { 0, false, "spec", IO_ONLY(check_job) },
    { 1, false, "completionMode", io_is_one_of, "NonIndexed Indexed" },
    { 1, false, "activeDeadlineSeconds|backoffLimit|backoffLimitPerIndex|ttlSecondsAfterFinished|maxFailedIndexes",
      IO_ONLY(io_is_0_or_more) },
    { 1, false, "podReplacementPolicy", io_is_one_of, "TerminatingOrFailed Failed" },
};

static const io_rule of_budgets[] = {
    { 0, false, "spec", IO_PLACE },
    { 1, false, "minAvailable|maxUnavailable", IO_ONLY(io_is_amount_or_percent) },
    { 1, false, "unhealthyPodEvictionPolicy", io_is_one_of, "IfHealthyBudget AlwaysAllow" },
};

static const io_rule of_limit_ranges[] = {
    { 0, false, "spec", IO_PLACE },
    { 1, false, "limits[]", IO_ONLY(check_limit) },
    { 2, false, "min|max|default|defaultRequest|maxLimitRequestRatio", IO_ONLY(io_are_amounts) },
};

static const io_rule of_runtime_classes[] = {
    { 0, false, "overhead", IO_PLACE },
    { 1, false, "podFixed", IO_ONLY(io_are_amounts) },
};

static const io_rule of_quotas[] = {
    { 0, false, "spec", IO_PLACE },
    { 1, false, "hard", IO_ONLY(io_are_amounts) },
};

static const io_rule of_claims[] = {
    { 0, false, "spec", IO_PLACE },
    { 1, false, "resources", IO_PLACE },
    { 2, false, "requests|limits", IO_ONLY(io_are_amounts) },
};

static const io_rule of_ec2_classes[] = {
    { 0, true, "spec", IO_ONLY(check_ec2_class) },
    { 1, true, "subnetSelectorTerms|securityGroupSelectorTerms", IO_ONLY(io_is_filled) },
    { 1, false, "subnetSelectorTerms[]", check_term, "id tags" },
    { 1, false, "securityGroupSelectorTerms[]", check_term, "id name tags" },
    { 1, false, "amiSelectorTerms[]", check_term, "alias id name ssmParameter tags" },
};

/* Before v1 there were images for every amiFamily. */
static const io_rule of_ec2_classes_v1[] = {
    { 0, false, "spec", IO_PLACE },
    { 1, true, "amiSelectorTerms", IO_ONLY(io_is_filled) },
};

static const io_rule of_operated[] = {
    { 0, false, "spec", IO_ONLY(check_counts) },
};

static const struct {
    const char *kinds; /* separated by spaces; NULL = all */
    const char *versions; /* likewise */
    const io_rule *rules;
    size_t count;
} tables[] = {
    { NULL, NULL, IO_RULES(of_all) },
    { "Deployment ReplicaSet StatefulSet DaemonSet", NULL, IO_RULES(of_apps) },
    { "Deployment", NULL, IO_RULES(of_deployments) },
    { "DaemonSet", NULL, IO_RULES(of_daemon_sets) },
    { "StatefulSet", NULL, IO_RULES(of_stateful_sets) },
    { "Job", NULL, IO_RULES(of_jobs) },
    { "PodDisruptionBudget", NULL, IO_RULES(of_budgets) },
    { "LimitRange", NULL, IO_RULES(of_limit_ranges) },
    { "RuntimeClass", NULL, IO_RULES(of_runtime_classes) },
    { "ResourceQuota", NULL, IO_RULES(of_quotas) },
    { "PersistentVolumeClaim", NULL, IO_RULES(of_claims) },
    { "EC2NodeClass", "karpenter.k8s.aws/v1 karpenter.k8s.aws/v1beta1", IO_RULES(of_ec2_classes) },
    { "EC2NodeClass", "karpenter.k8s.aws/v1", IO_RULES(of_ec2_classes_v1) },
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
    karp_str kind = tree_get_text(root, "kind"), version = tree_get_text(root, "apiVersion");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (tables[i].versions && !str_in_list(version, tables[i].versions)) continue;
        if (!tables[i].kinds || str_in_list(kind, tables[i].kinds))
            io_rules_check(r, tables[i].rules, tables[i].count, root);
    }
    check_length(r, root);
}

void io_check_operated_rules(io_reason *r, const tree *root) { io_rules_check(r, IO_RULES(of_operated), root); }
