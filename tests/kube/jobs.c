/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: a plain kubelet around the model of their controller, in virtual time. */
#include "controllers.h"

#include <kube/job.h>

#include <stdio.h>
#include <stdlib.h>

enum { PODS = 256, INDEXES = 16, RULES = 4, VALUES = 8 };
#define SECOND INT64_C(1000000000)

typedef struct made {
    int64_t after, gone_at; /* seconds; gone_at -1 = it does not terminate */
    int64_t exit;
    karp_str condition;
    bool gone;
} made;

typedef struct job_case {
    const tree *in, *spec;
    kube_job j;
    kube_job_pod pods[PODS];
    made made[PODS];
    size_t count, tries[INDEXES + 1];
    uint8_t indexes[INDEXES];
    kube_failure_rule rules[RULES];
    int32_t codes[RULES][VALUES];
    karp_str conditions[RULES][VALUES];
    size_t rule_count;
    kube_success_rule success;
    int32_t ranges[2];
    int64_t now, looks_at, termination; /* seconds */
} job_case;

static int64_t number_of(const tree *object, const char *name, int64_t absent)
{
    int64_t out = absent;
    return tree_integer(tree_get(object, name), &out) ? out : absent;
}

static bool is_true(const tree *object, const char *name) { return tree_is(tree_get(object, name), TREE_TRUE); }

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static uint32_t action_of(karp_str text)
{
    if (str_is(text, "Ignore")) return KUBE_POD_IGNORED;
    if (str_is(text, "FailJob")) return KUBE_POD_FAILS_JOB;
    return str_is(text, "FailIndex") ? KUBE_POD_FAILS_INDEX : KUBE_POD_COUNTS;
}

static void read_rules(job_case *c)
{
    const tree *rules = tree_get(tree_get(c->spec, "podFailurePolicy"), "rules");
    for (size_t i = 0; i < tree_count(rules) && i < RULES; i++) {
        const tree *rule = tree_item(rules, i), *codes = tree_get(rule, "onExitCodes"),
                   *conditions = tree_get(rule, "onPodConditions");
        kube_failure_rule *r = &c->rules[c->rule_count++];
        *r = (kube_failure_rule){ .action = action_of(tree_get_text(rule, "action")),
                                  .exit_codes = c->codes[i],
                                  .other_codes = str_is(tree_get_text(codes, "operator"), "NotIn"),
                                  .conditions = c->conditions[i] };
        for (size_t k = 0; k < tree_count(tree_get(codes, "values")) && k < VALUES; k++) {
            int64_t code = 0;
            (void)tree_integer(tree_item(tree_get(codes, "values"), k), &code);
            c->codes[i][r->exit_code_count++] = (int32_t)code;
        }
        for (size_t k = 0; k < tree_count(conditions) && k < VALUES; k++)
            c->conditions[i][r->condition_count++] = tree_get_text(tree_item(conditions, k), "type");
    }
}

/* One rule, with one range of indexes. */
static void read_success(job_case *c)
{
    const tree *rule = tree_item(tree_get(tree_get(c->spec, "successPolicy"), "rules"), 0);
    karp_str text = tree_get_text(rule, "succeededIndexes");
    if (!rule) return;
    char *end = NULL;
    if (text.len) {
        c->ranges[0] = (int32_t)strtol(text.ptr, &end, 10);
        c->ranges[1] = *end == '-' ? (int32_t)strtol(end + 1, NULL, 10) : c->ranges[0];
    }
    c->success = (kube_success_rule){ .ranges = text.len ? c->ranges : NULL,
                                      .range_count = 1,
                                      .count = (int32_t)number_of(rule, "succeededCount", 0) };
    c->j.successes = &c->success;
    c->j.success_count = 1;
}

static void read_job(job_case *c)
{
    karp_str replaces = tree_get_text(c->spec, "podReplacementPolicy");
    int64_t deadline = number_of(c->spec, "activeDeadlineSeconds", -1);
    c->j = (kube_job){ .parallelism = (int32_t)number_of(c->spec, "parallelism", 1),
                       .completions = (int32_t)number_of(c->spec, "completions", -1),
                       .backoff_limit = (int32_t)number_of(c->spec, "backoffLimit", 6),
                       .index_backoff = (int32_t)number_of(c->spec, "backoffLimitPerIndex", -1),
                       .failed_indexes = (int32_t)number_of(c->spec, "maxFailedIndexes", -1),
                       .deadline = deadline < 0 ? -1 : deadline * SECOND,
                       .indexed = str_is(tree_get_text(c->spec, "completionMode"), "Indexed"),
                       .suspended = is_true(c->spec, "suspend"),
                       .replaces_failed = str_is(replaces, "Failed") || tree_get(c->spec, "podFailurePolicy"),
                       .indexes = c->indexes,
                       .started = KARP_NO_TIME };
    read_rules(c);
    read_success(c);
}

/* ---- the kubelet ------------------------------------------------------------------------------------------------- */

static void create_pod(void *user, int32_t index, int32_t failures)
{
    job_case *c = user;
    char name[16] = "";
    if (c->count == PODS || index >= INDEXES) exit(1);
    if (index >= 0) (void)snprintf(name, sizeof name, "%d", (int)index);
    const tree *all = tree_get(c->in, "outcomes"), *list = tree_get(all, name);
    if (!list) list = tree_get(all, "");
    size_t at = c->tries[index + 1]++;
    const tree *outcome = tree_item(list, at < tree_count(list) ? at : tree_count(list) - 1);
    c->pods[c->count] = (kube_job_pod){ .index = index,
                                        .phase = KARP_PHASE_RUNNING,
                                        .ready = true,
                                        .failures = failures,
                                        .created = c->now * SECOND,
                                        .ready_since = c->now * SECOND };
    c->made[c->count++] = (made){ .after = number_of(outcome, "after", 0),
                                  .exit = number_of(outcome, "exit", 0),
                                  .condition = tree_get_text(outcome, "condition"),
                                  .gone_at = -1 };
}

static void look_by(job_case *c, int64_t at)
{
    if (c->looks_at < 0 || at < c->looks_at) c->looks_at = at;
}

/* In the cases a pod that somebody deletes states an end of its grace period, and no grace period: the controller takes
 * the one for the other. */
static void delete_pod(job_case *c, size_t i)
{
    enum { GRACE = 30 };
    made *m = &c->made[i];
    if (m->gone || m->gone_at >= 0) return;
    c->pods[i].terminating = true;
    c->pods[i].finished = (c->now + GRACE) * SECOND;
    m->gone_at = c->now + c->termination;
    m->gone = c->termination == 0 && c->pods[i].counted;
    look_by(c, c->now + 1);
}

static void end_pod(job_case *c, size_t i, bool failed)
{
    kube_job_pod *p = &c->pods[i];
    karp_str condition = c->made[i].condition;
    p->phase = failed ? KARP_PHASE_FAILED : KARP_PHASE_SUCCEEDED;
    p->ready = false;
    p->verdict = failed ? kube_judge_failure(c->rules, c->rule_count, (int32_t)c->made[i].exit, &condition,
                                             condition.len > 0)
                        : KUBE_POD_COUNTS;
    look_by(c, c->now + 1);
}

static void reap(job_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        made *m = &c->made[i];
        if (m->gone || m->gone_at < 0 || m->gone_at > c->now) continue;
        if (c->pods[i].counted) m->gone = true;
        else if (c->pods[i].phase == KARP_PHASE_RUNNING) end_pod(c, i, true);
        look_by(c, c->now + 1);
    }
}

static void run_pods(job_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        kube_job_pod *p = &c->pods[i];
        if (p->terminating || p->phase != KARP_PHASE_RUNNING) continue;
        if (p->created / SECOND + c->made[i].after > c->now) continue;
        p->finished = c->now * SECOND;
        end_pod(c, i, c->made[i].exit != 0);
    }
}

/* ---- the controller ---------------------------------------------------------------------------------------------- */

static void look(job_case *c, karp_context *context)
{
    kube_job_pod there[PODS];
    size_t rows[PODS], n = 0, had = c->count;
    int64_t again = KARP_NO_TIME;
    kube_job before = c->j;
    bool acted = false;
    c->looks_at = -1;
    for (size_t i = 0; i < c->count; i++) {
        if (c->made[i].gone) continue;
        rows[n] = i;
        there[n++] = c->pods[i];
    }
    if (!kube_job_look(context, &c->j, there, n, c->now * SECOND, create_pod, c, &again)) exit(1);
    for (size_t i = 0; i < n; i++) {
        acted = acted || there[i].counted != c->pods[rows[i]].counted;
        c->pods[rows[i]].counted = there[i].counted;
        if (there[i].deleted) delete_pod(c, rows[i]);
    }
    acted = acted || c->count > had || before.active != c->j.active || before.ready != c->j.ready ||
            before.terminating != c->j.terminating || before.ends != c->j.ends;
    if (acted) look_by(c, c->now + 1);
    if (again != KARP_NO_TIME) look_by(c, again / SECOND);
}

static void change(job_case *c, karp_context *context)
{
    const tree *changes = tree_get(c->in, "changes");
    for (size_t i = 0; i < tree_count(changes); i++) {
        const tree *one = tree_item(changes, i);
        if (number_of(one, "t", -1) != c->now) continue;
        if (tree_get(one, "suspend")) c->j.suspended = is_true(one, "suspend");
        if (tree_get(one, "parallelism")) c->j.parallelism = (int32_t)number_of(one, "parallelism", 0);
        if (tree_get(one, "completions"))
            c->j.parallelism = c->j.completions = (int32_t)number_of(one, "completions", 0);
        if (tree_get(one, "delete")) {
            if ((size_t)number_of(one, "delete", 0) < c->count) delete_pod(c, (size_t)number_of(one, "delete", 0));
        } else {
            look(c, context);
        }
    }
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void print_conditions(const kube_job *j)
{
    static const char *const reasons[] = { "",
                                           "CompletionsReached",
                                           "SuccessPolicy",
                                           "PodFailurePolicy",
                                           "BackoffLimitExceeded",
                                           "DeadlineExceeded",
                                           "MaxFailedIndexesExceeded",
                                           "FailedIndexes" };
    bool good = j->ends < KUBE_JOB_POLICY;
    const char *comma = j->suspends ? ", " : "";
    if (j->suspends) printf("\"%s\"", j->was_suspended ? "Suspended True JobSuspended" : "Suspended False JobResumed");
    if (j->ends) printf("%s\"%s True %s\"", comma, good ? "SuccessCriteriaMet" : "FailureTarget", reasons[j->ends]);
    if (j->finished) printf(", \"%s True %s\"", good ? "Complete" : "Failed", reasons[j->ends]);
}

/* Ranges, as Kubernetes writes them. */
static void print_indexes(const kube_job *j, uint8_t state)
{
    bool first = true;
    for (int32_t i = 0; i < j->completions; i++) {
        int32_t end = i;
        if (j->indexes[i] != state) continue;
        while (end + 1 < j->completions && j->indexes[end + 1] == state) end++;
        printf("%s%d", first ? "" : ",", (int)i);
        if (end > i) printf("%s%d", end > i + 1 ? "-" : ",", (int)end);
        first = false;
        i = end;
    }
}

static void print_frame(const job_case *c)
{
    const kube_job *j = &c->j;
    printf("%s[%d, {\"active\": %d, \"ready\": %d, \"terminating\": %d, \"succeeded\": %d, \"failed\": %d, ",
           c->now ? ", " : "", (int)c->now, (int)j->active, (int)j->ready, (int)j->terminating, (int)j->succeeded,
           (int)j->failed);
    printf("\"created\": %zu, \"conditions\": [", c->count);
    print_conditions(j);
    printf("], \"completedIndexes\": \"");
    if (j->indexed) print_indexes(j, KUBE_INDEX_DONE);
    printf("\", \"failedIndexes\": \"");
    if (j->indexed) print_indexes(j, KUBE_INDEX_FAILED);
    printf("\"}]");
}

/* The state at each second. */
void answer_job(karp_context *context, const tree *in)
{
    static job_case c;
    c = (job_case){ .in = in, .spec = tree_get(in, "spec") };
    read_job(&c);
    c.termination = number_of(in, "terminationSeconds", 0);
    printf("[");
    for (c.now = 0; c.now <= number_of(in, "until", 0); c.now++) {
        while (c.looks_at >= 0 && c.looks_at <= c.now) look(&c, context);
        change(&c, context);
        reap(&c);
        run_pods(&c);
        print_frame(&c);
    }
    printf("]\n");
}
