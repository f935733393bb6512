/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/autoscaler.h>

#include <io/sizes.h>

#define SECOND INT64_C(1000000000)

enum { USUAL_UTILIZATION = 80, MOST_SECONDS = 1800 };

/* ---- metrics ----------------------------------------------------------------------------------------------------- */

bool kube_thousandths(karp_str text, int64_t *out)
{
    enum { NANO_UNITS = 1000000 }; /* in a thousandth */
    amount a;
    return io_exact(text, &a) && io_exact_up(&a, NANO_UNITS) && amount_scale(a, amount_from(NANO_UNITS), out) &&
           *out <= KUBE_THOUSANDTHS_MOST;
}

static int64_t read_average(io_decoder *d, const tree *target)
{
    int64_t value = 0;
    karp_str text = io_quantity(d, tree_get(target, "averageValue"));
    if (!d->status && (!kube_thousandths(text, &value) || value == 0))
        io_bad_member(d, "averageValue", KARP_E_INVALID, "not a positive quantity of at most 1P");
    return value;
}

static void read_metric(io_decoder *d, const tree *object, void *into)
{
    kube_metric *m = into;
    static const record_word resources[] = { { "cpu", KUBE_METRIC_CPU }, { "memory", KUBE_METRIC_MEMORY } };
    if (!str_is(io_string(d, object, "type"), "Resource"))
        io_bad_member(d, "type", KARP_E_UNSUPPORTED, "only metrics of type Resource are modelled");
    const tree *resource = io_enter(d, object, "resource");
    m->resource = io_enum(d, resource, "name", resources, 2, KUBE_METRICS);
    if (m->resource == KUBE_METRICS) io_bad_member(d, "name", KARP_E_INVALID, "cpu or memory");
    const tree *target = io_enter(d, resource, "target");
    m->utilization = (int32_t)io_integer(d, target, "averageUtilization", 1, INT32_MAX, 0);
    if (m->utilization == 0 && !tree_get(target, "averageValue"))
        io_bad(d, KARP_E_INVALID, "an averageUtilization or an averageValue is needed");
    else if (m->utilization == 0) m->average = read_average(d, target);
    io_pop(d);
    io_pop(d);
}

static void read_metrics(io_decoder *d, const tree *spec, kube_autoscaler *a)
{
    static const kube_metric usual = { KUBE_METRIC_CPU, USUAL_UTILIZATION, 0 };
    a->metrics = io_elements(d, spec, "metrics", sizeof usual, read_metric, &a->metric_count);
    if (a->metric_count > 0) return;
    a->metrics = &usual;
    a->metric_count = 1;
}

/* autoscaling/v1 has one target. Its annotations keep what only v2 can say. */
static void read_v1(io_decoder *d, const tree *object, const tree *spec, kube_autoscaler *a)
{
    static const char *const kept[] = { "autoscaling.alpha.kubernetes.io/metrics",
                                        "autoscaling.alpha.kubernetes.io/behavior" };
    static const char *const later[] = { "metrics", "behavior" };
    const tree *annotations = tree_get(tree_get(object, "metadata"), "annotations");
    kube_metric *out = io_make(d, 1, sizeof *out);
    for (size_t i = 0; i < 2; i++) {
        if (tree_get(spec, later[i]))
            io_bad_member(d, later[i], KARP_E_INVALID, "autoscaling/v1 has no such member: use autoscaling/v2");
        if (tree_get(annotations, kept[i]))
            io_bad(d, KARP_E_UNSUPPORTED, "the annotation %s is not read: use autoscaling/v2", kept[i]);
    }
    int64_t percent = io_integer(d, spec, "targetCPUUtilizationPercentage", 1, INT32_MAX, USUAL_UTILIZATION);
    if (out) *out = (kube_metric){ KUBE_METRIC_CPU, (int32_t)percent, 0 };
    a->metrics = out;
    a->metric_count = 1;
}

/* ---- behavior ---------------------------------------------------------------------------------------------------- */

static void read_policy(io_decoder *d, const tree *object, void *into)
{
    static const record_word types[] = { { "Pods", 0 }, { "Percent", 1 } };
    kube_scaling_policy *p = into;
    p->percent = io_enum(d, object, "type", types, 2, 0) == 1;
    p->value = (int32_t)io_integer(d, object, "value", 1, INT32_MAX, 0);
    p->period = SECOND * io_integer(d, object, "periodSeconds", 1, MOST_SECONDS, 0);
    if (p->value == 0 || p->period == 0) io_bad(d, KARP_E_INVALID, "a value and periodSeconds are needed");
}

/* A double, as in Kubernetes. */
static double read_tolerance(io_decoder *d, const tree *rules, double usual)
{
    const tree *given = tree_get(rules, "tolerance");
    double value = usual;
    karp_str text = given ? io_quantity(d, given) : str("");
    if (given && !d->status && (karp_quantity_double(text, &value) || !(value >= 0)))
        io_bad_member(d, "tolerance", KARP_E_INVALID, "not a quantity from 0 on");
    return value;
}

static void read_rules(io_decoder *d, const tree *behavior, const char *name, kube_scaling_rules *r)
{
    static const record_word choices[] = { { "Max", KUBE_SELECT_MAX },
                                           { "Min", KUBE_SELECT_MIN },
                                           { "Disabled", KUBE_SELECT_DISABLED } };
    size_t count; /* policies that are no list are the first mistake */
    const tree *rules = io_enter(d, behavior, name), *policies = io_array(d, rules, "policies", &count);
    r->select = io_enum(d, rules, "selectPolicy", choices, 3, r->select);
    r->window = SECOND * io_integer(d, rules, "stabilizationWindowSeconds", 0, 3600, r->window / SECOND);
    if (policies) r->policies = io_elements(d, rules, "policies", sizeof *r->policies, read_policy, &r->policy_count);
    r->tolerance = read_tolerance(d, rules, r->tolerance);
    io_pop(d);
}

void kube_autoscaler_read(io_decoder *d, const tree *object, kube_autoscaler *a)
{
    static const kube_scaling_policy faster[] = { { false, 4, 15 * SECOND }, { true, 100, 15 * SECOND } };
    const tree *metadata = tree_get(object, "metadata"), *spec = io_enter(d, object, "spec");
    const tree *target = io_enter(d, spec, "scaleTargetRef");
    *a = (kube_autoscaler){ .namespace_ = tree_get_text(metadata, "namespace"),
                            .name = tree_get_text(metadata, "name"),
                            .target_kind = io_string(d, target, "kind"),
                            .target = io_required_string(d, target, "name"),
                            .up = { 0, KUBE_SELECT_MAX, faster, 2, 0.1 },
                            .down = { 300 * SECOND, KUBE_SELECT_MAX, faster + 1, 1, 0.1 } };
    io_pop(d);
    if (a->namespace_.len == 0) a->namespace_ = str("default");
    a->least = (int32_t)io_integer(d, spec, "minReplicas", 1, INT32_MAX, 1);
    a->most = (int32_t)io_integer(d, spec, "maxReplicas", 1, INT32_MAX, 0);
    if (a->most < a->least) io_bad_member(d, "maxReplicas", KARP_E_INVALID, "is less than minReplicas");
    if (str_is(tree_get_text(object, "apiVersion"), "autoscaling/v1")) read_v1(d, object, spec, a);
    else if (tree_get(spec, "targetCPUUtilizationPercentage"))
        io_bad_member(d, "targetCPUUtilizationPercentage", KARP_E_INVALID,
                      "is a member of autoscaling/v1: state metrics");
    else read_metrics(d, spec, a);
    const tree *behavior = io_enter(d, spec, "behavior");
    a->behaves = behavior != NULL;
    if (behavior) read_rules(d, behavior, "scaleUp", &a->up);
    if (behavior) read_rules(d, behavior, "scaleDown", &a->down);
    io_pop(d);
    io_pop(d);
}
