/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers.h"

#include <kube/autoscaler.h>
#include <kube/eviction.h>
#include <kube/replicas.h>

#include <base/admit.h>
#include <io/decode_fields.h>
#include <stdio.h>
#include <stdlib.h>

static void must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "kube_answers: %s\n", what);
    exit(1);
}

static void print(karp_str text) { printf("\"%.*s\"", (int)text.len, text.ptr); }
static const char *comma(size_t i) { return i ? ", " : ""; }
static bool is_true(const tree *object, const char *name) { return tree_is(tree_get(object, name), TREE_TRUE); }

/* ---- ReplicaSets ------------------------------------------------------------------------------------------------- */

static int64_t age(const tree *pod, const char *name)
{
    double seconds = 0;
    return tree_double(tree_get(pod, name), &seconds) ? -(int64_t)(seconds * 1e9) : KARP_NO_TIME;
}

static bool on_node_of(const tree *pod, const tree *other)
{
    return !tree_is(tree_get(other, "deleting"), TREE_TRUE) &&
           equal_str(tree_get_text(pod, "node"), tree_get_text(other, "node"));
}

static uint32_t phase_of(karp_str phase)
{
    if (str_is(phase, "Pending")) return KARP_PHASE_PENDING;
    return str_is(phase, "Unknown") ? KARP_PHASE_UNKNOWN : KARP_PHASE_RUNNING;
}

static kube_replica replica_of(const tree *in, size_t i)
{
    const tree *pods = tree_get(in, "pods"), *related = tree_get(in, "related"), *pod = tree_item(pods, i);
    int64_t restarts = 0, most = 0;
    kube_replica r = { .number = (uint32_t)i,
                       .assigned = tree_get_text(pod, "node").len > 0,
                       .ready = tree_is(tree_get(pod, "ready"), TREE_TRUE),
                       .phase = phase_of(tree_get_text(pod, "phase")),
                       .cost = kube_deletion_cost(tree_get_text(pod, "cost")),
                       .ready_since = age(pod, "readyAge"),
                       .created = age(pod, "age"),
                       .uid = tree_get_text(pod, "uid") };
    for (size_t k = 0; k < tree_count(pods); k++) r.rank += on_node_of(pod, tree_item(pods, k));
    for (size_t k = 0; k < tree_count(related); k++) r.rank += on_node_of(pod, tree_item(related, k));
    for (size_t k = 0; k < tree_count(tree_get(pod, "restarts")); k++) {
        if (tree_integer(tree_item(tree_get(pod, "restarts"), k), &restarts) && restarts > most) most = restarts;
    }
    r.restarts = (uint32_t)most;
    if (tree_integer(tree_get(pod, "sidecarRestarts"), &restarts)) r.sidecar_restarts = (uint32_t)restarts;
    return r;
}

/* The names of the pods in the order in which they would be deleted. */
static void rank(karp_context *context, arena *memory, const tree *in)
{
    const tree *pods = tree_get(in, "pods");
    kube_replica *list = arena_alloc(memory, (tree_count(pods) + 1) * sizeof *list);
    for (size_t i = 0; i < tree_count(pods); i++) list[i] = replica_of(in, i);
    must(kube_sort_replicas(context, list, tree_count(pods), 0), "memory");
    printf("[");
    for (size_t i = 0; i < tree_count(pods); i++) {
        printf("%s", comma(i));
        print(tree_get_text(tree_item(pods, list[i].number), "name"));
    }
    printf("]\n");
}

/* ---- PodDisruptionBudgets ---------------------------------------------------------------------------------------- */

enum { THERE, TERMINATES, GONE };

typedef struct budget_case {
    const tree *in, *pods, *budgets, *owners;
    uint8_t *state; /* by pod */
    karp_pod_disruption_budget *list;
} budget_case;

static karp_int_or_string amount(const tree *budget, const char *name)
{
    karp_str text = tree_get_text(budget, name);
    karp_int_or_string out = { .is_set = text.len > 0, .is_text = str_ends(text, "%"), .text = text };
    if (out.is_set && !out.is_text) out.value = (int32_t)strtol(text.ptr, NULL, 10);
    return out;
}

static bool selects(const tree *budget, const tree *pod)
{
    const tree *select = tree_get(budget, "select"), *labels = tree_get(pod, "labels");
    for (size_t i = 0; i < tree_count(select); i++) {
        const tree_member *m = tree_member_at(select, i);
        if (!equal_str(tree_text(tree_find_str(labels, tree_member_name(m))), tree_text(m->value))) return false;
    }
    return select != NULL;
}

static kube_covered covered_by(const budget_case *c, size_t budget)
{
    kube_covered out = { 0 };
    for (size_t i = 0; i < tree_count(c->pods); i++) {
        const tree *pod = tree_item(c->pods, i);
        if (c->state[i] == GONE || !selects(tree_item(c->budgets, budget), pod)) continue;
        out.pods++;
        out.healthy += c->state[i] == THERE && is_true(pod, "ready");
    }
    for (size_t k = 0; k < tree_count(c->owners); k++) {
        const tree *owner = tree_item(c->owners, k);
        int64_t replicas = 0, pods = 0;
        (void)tree_integer(tree_get(owner, "replicas"), &replicas);
        for (size_t i = 0; i < tree_count(c->pods); i++) {
            const tree *pod = tree_item(c->pods, i);
            bool owns = equal_str(tree_get_text(pod, "owner"), tree_get_text(owner, "name"));
            pods += owns && c->state[i] != GONE && selects(tree_item(c->budgets, budget), pod);
        }
        if (pods == 0) continue;
        out.replicas += (uint64_t)replicas;
        out.unscaled += is_true(owner, "missing") || str_is(tree_get_text(owner, "kind"), "Job");
    }
    return out;
}

static void print_budgets(const budget_case *c)
{
    printf("{");
    for (size_t i = 0; i < tree_count(c->budgets); i++) {
        kube_covered covered = covered_by(c, i);
        kube_allowance a = kube_budget_allows(&c->list[i], &covered);
        printf("%s", comma(i));
        print(tree_get_text(tree_item(c->budgets, i), "name"));
        printf(": [%s, %llu, %llu, %llu, %d]", a.failed ? "true" : "false", (unsigned long long)a.expected,
               (unsigned long long)a.desired, (unsigned long long)(a.failed ? 0 : covered.healthy), (int)a.allowed);
    }
    printf("}");
}

static int evict(budget_case *c, karp_str name)
{
    size_t i = 0;
    int64_t seconds = 0;
    while (!equal_str(tree_get_text(tree_item(c->pods, i), "name"), name)) i++;
    const tree *pod = tree_item(c->pods, i);
    karp_str phase = tree_get_text(pod, "phase");
    kube_eviction e = { .idle = !str_is(phase, "Running") || c->state[i] == TERMINATES,
                        .ready = is_true(pod, "ready") };
    for (size_t k = 0; k < tree_count(c->budgets); k++) {
        if (!selects(tree_item(c->budgets, k), pod)) continue;
        kube_covered covered = covered_by(c, k);
        e.budgets++;
        e.allowance = kube_budget_allows(&c->list[k], &covered);
        e.healthy = e.allowance.failed ? 0 : covered.healthy;
        e.always = c->list[k].always_allow;
    }
    int answer = kube_evict(&e);
    (void)tree_integer(tree_get(c->in, "terminationSeconds"), &seconds);
    bool leaves = answer == KUBE_EVICTS || answer == KUBE_EVICTS_FREELY;
    if (leaves && c->state[i] == THERE) c->state[i] = seconds ? TERMINATES : GONE;
    return answer == KUBE_CANNOT_EVICT ? 500 : answer == KUBE_REFUSES ? 429 : 201;
}

/* The budgets before, after each eviction, and its code. */
static void judge_evictions(arena *memory, const tree *in)
{
    budget_case c = { in, tree_get(in, "pods"), tree_get(in, "budgets"), tree_get(in, "owners"), NULL, NULL };
    const tree *names = tree_get(in, "evict");
    c.state = arena_zalloc(memory, tree_count(c.pods) + 1);
    c.list = arena_zalloc(memory, (tree_count(c.budgets) + 1) * sizeof *c.list);
    for (size_t i = 0; i < tree_count(c.budgets); i++) {
        const tree *budget = tree_item(c.budgets, i);
        c.list[i] = (karp_pod_disruption_budget){
            .size = sizeof *c.list,
            .min_available = amount(budget, "minAvailable"),
            .max_unavailable = amount(budget, "maxUnavailable"),
            .always_allow = str_is(tree_get_text(budget, "unhealthyPodEvictionPolicy"), "AlwaysAllow")
        };
    }
    for (size_t i = 0; i < tree_count(c.pods); i++) c.state[i] = is_true(tree_item(c.pods, i), "deleting");
    printf("{\"before\": ");
    print_budgets(&c);
    printf(", \"evictions\": [");
    for (size_t i = 0; i < tree_count(names); i++) {
        printf("%s[%d, ", comma(i), evict(&c, tree_text(tree_item(names, i))));
        print_budgets(&c);
        printf("]");
    }
    printf("]}\n");
}

/* ---- HorizontalPodAutoscalers ------------------------------------------------------------------------------------ */

static int64_t number(const tree *object, const char *name, int64_t absent)
{
    int64_t out = absent;
    return tree_integer(tree_get(object, name), &out) ? out : absent;
}

/* The object that a case is about. */
static void read_autoscaler(arena *memory, const tree *in, kube_autoscaler *a)
{
    io_decoder d;
    trees t;
    io_decoder_init(&d, memory);
    trees_init(&t, memory->context);
    tree *object = tree_new(&t, TREE_MAP), *spec = tree_new(&t, TREE_MAP), *target = tree_new(&t, TREE_MAP);
    tree_set_text(&t, target, "name", str("a"));
    tree_set(&t, spec, "scaleTargetRef", target);
    tree_set(&t, spec, "minReplicas", tree_get(in, "min"));
    tree_set(&t, spec, "maxReplicas", tree_get(in, "max"));
    tree_set(&t, spec, "behavior", tree_get(in, "behavior"));
    tree_set(&t, object, "spec", spec);
    kube_autoscaler_read(&d, object, a);
    must(d.status == KARP_OK, d.error.message);
    kube_metric *m = arena_zalloc(memory, sizeof *m);
    m->resource = str_is(tree_get_text(in, "resource"), "cpu") ? KUBE_METRIC_CPU : KUBE_METRIC_MEMORY;
    m->utilization = (int32_t)number(in, "utilization", 0);
    m->average = number(in, "averageValue", 0);
    a->metrics = m;
    trees_free(&t);
}

static int64_t ago(const tree *pod, const char *name, int64_t now)
{
    int64_t seconds = number(pod, name, -1);
    return seconds < 0 ? KARP_NO_TIME : now - seconds * 1000000000;
}

static kube_scaled_pod scaled_pod(const tree *pod, int64_t now)
{
    karp_str phase = tree_get_text(pod, "phase");
    kube_scaled_pod p = { .phase = str_is(phase, "Failed") ? KARP_PHASE_FAILED : phase_of(phase),
                          .ready = tree_get(pod, "ready") ? is_true(pod, "ready") : KUBE_READINESS_UNKNOWN,
                          .started = ago(pod, "started", now),
                          .changed = ago(pod, "changed", now),
                          .sampled = ago(pod, "sampled", now),
                          .window = number(pod, "window", 0) * 1000000000,
                          .terminating = is_true(pod, "deleting") };
    for (size_t i = 0; i < KUBE_METRICS; i++) {
        p.requests[i] = number(pod, "request", -1);
        p.usage[i] = number(pod, "usage", -1);
    }
    return p;
}

static kube_scaled_pod loaded_pod(int64_t usage, int64_t now)
{
    const int64_t second = 1000000000;
    return (kube_scaled_pod){ .requests = { 1000, 1000 },
                              .usage = { usage, usage },
                              .phase = KARP_PHASE_RUNNING,
                              .ready = KUBE_READY,
                              .started = now - 7200 * second,
                              .changed = now - 7100 * second,
                              .sampled = now - 5 * second,
                              .window = 15 * second };
}

/* The replicas, the utilization and the average after each look. */
static void autoscale(karp_context *context, arena *memory, const tree *in)
{
    const tree *steps = tree_get(in, "steps");
    int64_t replicas = number(in, "replicas", 0);
    kube_autoscaler a;
    read_autoscaler(memory, in, &a);
    printf("[");
    for (size_t i = 0; i < tree_count(steps); i++) {
        const tree *step = tree_item(steps, i), *given = tree_get(step, "pods"), *load = tree_get(step, "load");
        int64_t now = KUBE_AUTOSCALER_PERIOD * (int64_t)(i + 1) + INT64_C(1000000000000000), all = 0;
        kube_scaling_verdict verdict;
        replicas = number(step, "replicas", replicas);
        size_t count = load ? (size_t)replicas : tree_count(given);
        kube_scaled_pod *pods = arena_zalloc(memory, (count + 1) * sizeof *pods);
        (void)tree_integer(load, &all);
        for (size_t k = 0; k < count; k++) {
            int64_t share = load ? all / replicas + ((int64_t)k < all % replicas) : 0;
            pods[k] = load ? loaded_pod(share, now) : scaled_pod(tree_item(given, k), now);
            if (is_true(step, "noMetric")) pods[k].usage[0] = pods[k].usage[1] = -1;
        }
        must(kube_autoscaler_look(context, &a, now, (int32_t)replicas, pods, count, &verdict), "memory");
        printf("%s[%d, %d, %d, %lld]", comma(i), (int)replicas, (int)verdict.replicas, (int)verdict.utilization,
               (long long)verdict.average);
        replicas = verdict.replicas;
    }
    printf("]\n");
    kube_autoscaler_free(context, &a);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

void answer_cases(karp_context *context, arena *memory, const tree *cases)
{
    for (size_t n = 0; n < tree_count(cases); n++) {
        const tree *one = tree_item(cases, n), *in = tree_get(one, "in");
        karp_str kind = tree_get_text(one, "kind");
        if (str_is(kind, "replicaset")) rank(context, memory, in);
        else if (str_is(kind, "pdb")) judge_evictions(memory, in);
        else if (str_is(kind, "hpa")) autoscale(context, memory, in);
        else if (str_is(kind, "deployment")) answer_deployment(context, in);
        else if (str_is(kind, "statefulset")) answer_stateful(in);
        else if (str_is(kind, "job")) answer_job(context, in);
        else if (str_is(kind, "podgarbage")) answer_nodes(in);
        else must(false, "a kind of controller that is not known");
    }
}
