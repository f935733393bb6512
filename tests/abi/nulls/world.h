/* SPDX-License-Identifier: Apache-2.0 */
/* One valid object of every opaque type, for tests/abi/test_nulls.py, which generates the calls. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <karp/admit.h>
#include <karp/base.h>
#include <karp/blockers.h>
#include <karp/preferences.h>
#include <karp/nodes.h>
#include <karp/requests.h>
#include <karp/builder.h>
#include <karp/catalogue.h>
#include <karp/certificate.h>
#include <karp/columns.h>
#include <karp/compare.h>
#include <karp/command.h>
#include <karp/decision.h>
#include <karp/devices.h>
#include <karp/groups.h>
#include <karp/disrupt.h>
#include <karp/explain.h>
#include <karp/fit.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/library.h>
#include <karp/lifecycle.h>
#include <karp/lint.h>
#include <karp/objective.h>
#include <karp/objects.h>
#include <karp/passes.h>
#include <karp/peer.h>
#include <karp/prices.h>
#include <karp/provider.h>
#include <karp/reasons.h>
#include <karp/recording.h>
#include <karp/repack.h>
#include <karp/replay.h>
#include <karp/schedule.h>
#include <karp/settle.h>
#include <karp/snapshot.h>
#include <karp/tune.h>
#include <karp/values.h>
#include <karp/what_if.h>

#define S(literal) ((karp_str){ literal, sizeof(literal) - 1 })

static const char cluster[] =
    "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, resources: {requests: {cpu: "
    "5}}}]}}\n---\n"
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: {spec: {nodeClassRef: {group: "
    "karpenter.k8s.aws, kind: EC2NodeClass, name: d}}}}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: node}, spec: {providerID: 'x://n'}, "
    "status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}, capacity: {cpu: 4, memory: 8Gi, pods: 10}}}\n";

static struct world {
    karp_error error;
    karp_context *context;
    karp_builder *builder;
    karp_reader *reader;
    karp_recorder *recorder;
    karp_reader_difference *reader_difference;
    karp_snapshot *snapshot;
    karp_decision *decision;
    karp_catalogue *catalogue;
    karp_table *table;
    karp_fitting *fitting;
    karp_verification *verification;
    karp_pod_explanation *pod_explanation;
    karp_node_explanation *node_explanation;
    karp_blockers *blockers;
    karp_admission *admission;
    karp_preferences *preferences;
    karp_node_list *node_list;
    karp_settlement *settlement;
    karp_diff *diff;
    karp_comparison *comparison;
    karp_lint *lint;
    karp_advice *advice;
    karp_step *step;
    karp_plan_document *plan_document;
    karp_memory_document *memory_document;
    karp_command_document *command_document;
    karp_provider *provider;
    karp_provider_class *provider_class;
    karp_provider_memory *provider_memory;
    karp_provider_registry *provider_registry;
    karp_tune *tune;
    karp_text text;
} w;

static void must(karp_status status, const char *what)
{
    if (status == KARP_OK) return;
    printf("%s: %s\n", what, w.error.message);
    exit(1);
}

#define MUST(call) must(call, #call)

/* Zeroed room for any struct; `size` is its first member where `sized`. */
static void *room(size_t size, int sized)
{
    char *piece = calloc(1, 8192);
    if (piece && sized) memcpy(piece, &size, sizeof size);
    return piece;
}

static void no_difference(karp_str object, karp_str field, karp_str before, karp_str after, void *user)
{
    (void)object, (void)field, (void)before, (void)after, (void)user;
}

static void make_tune(void)
{
    karp_reader_options options;
    karp_reader *reader;
    karp_snapshot *snapshot;
    size_t design;
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    MUST(karp_reader_new(w.context, &options, &reader, &w.error));
    MUST(karp_reader_add(reader, S("cluster"), S(cluster), &w.error));
    MUST(karp_reader_finish(reader, &snapshot, &w.error));
    MUST(karp_tune_new(w.context, reader, NULL, &w.tune, &w.error));
    MUST(karp_tune_next(w.tune, &design));
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
}

static void make_world(void)
{
    const karp_plan plan = { .size = sizeof plan };
    const karp_fit_request request = { .size = sizeof request };
    const karp_memory memory = { .size = sizeof memory };
    const karp_command_node node = { .node = S("node"), .claim = S("claim") };
    const karp_command_state command = { .size = sizeof command,
                                         .method = KARP_METHOD_DRIFT,
                                         .phase = KARP_COMMAND_PHASE_DELETING,
                                         .decided = 1,
                                         .validate_at = KARP_NO_TIME,
                                         .started = 1,
                                         .nodes = &node,
                                         .node_count = 1 };
    karp_error_init(&w.error, sizeof w.error);
    w.reader_difference = no_difference;
    MUST(karp_context_new(NULL, &w.context, &w.error));
    MUST(karp_reader_new(w.context, NULL, &w.reader, &w.error));
    MUST(karp_reader_add(w.reader, S("cluster"), S(cluster), &w.error));
    MUST(karp_reader_finish(w.reader, &w.snapshot, &w.error));
    make_tune();
    MUST(karp_builder_new(w.context, &w.builder, &w.error));
    MUST(karp_recorder_new(w.context, &w.recorder, &w.error));
    MUST(karp_provision(w.snapshot, NULL, &w.decision, &w.error));
    MUST(karp_catalogue_new(w.context, NULL, 0, &w.catalogue, &w.error));
    MUST(karp_decision_table(w.decision, KARP_TABLE_PODS, &w.table, &w.error));
    MUST(karp_fit(w.context, &request, &w.fitting, &w.error));
    MUST(karp_verify(w.snapshot, &plan, &w.verification, &w.error));
    MUST(karp_explain_pod(w.snapshot, NULL, S("default/a"), &w.pod_explanation, &w.error));
    MUST(karp_find_blockers(w.snapshot, NULL, &w.blockers, &w.error));
    MUST(karp_admit(w.snapshot, NULL, &w.admission, &w.error));
    MUST(karp_find_preferences(w.snapshot, NULL, S(""), &w.preferences, &w.error));
    MUST(karp_settle(w.snapshot, NULL, &w.settlement, &w.error));
    const karp_diff_side side = { .size = sizeof side, .snapshot = w.snapshot };
    MUST(karp_compare_decisions(w.context, &side, &side, &w.diff, &w.error));
    MUST(karp_compare_settlement(w.context, w.settlement, &w.comparison, &w.error));
    MUST(karp_list_nodes(w.snapshot, NULL, &w.node_list, &w.error));
    MUST(karp_lint_snapshot(w.snapshot, &w.lint, &w.error));
    MUST(karp_explain_node(w.snapshot, NULL, S("node"), &w.node_explanation, &w.error));
    MUST(karp_advise_hashes(w.snapshot, &w.advice, &w.error));
    MUST(karp_write_plan(w.context, w.decision, NULL, NULL, &w.text, &w.error));
    MUST(karp_write_memory(w.context, &memory, NULL, &w.text, &w.error));
    MUST(karp_memory_read(w.context, S("memory"), (karp_str){ w.text.ptr, w.text.len }, &w.memory_document, &w.error));
    MUST(karp_plan_read(w.context, S("plan"), S("{\"launches\": [], \"placements\": []}"), &w.plan_document, &w.error));
    MUST(karp_command_step(w.snapshot, &command, NULL, NULL, 0, &w.step, &w.error));
    MUST(karp_write_command(w.context, &command, NULL, &w.text, &w.error));
    MUST(karp_command_read(w.context, S("command"), (karp_str){ w.text.ptr, w.text.len }, &w.command_document,
                           &w.error));
    MUST(karp_provider_open(w.context, S("aws"), NULL, &w.provider, &w.error));
    MUST(karp_provider_class_new(w.provider, S("class"),
                                 S("{\"apiVersion\": \"karpenter.k8s.aws/v1\", \"kind\": \"EC2NodeClass\", "
                                   "\"metadata\": {\"name\": \"d\"}, \"spec\": {}}"),
                                 &w.provider_class, &w.error));
    MUST(karp_provider_memory_new(w.context, &w.provider_memory, &w.error));
    MUST(karp_provider_registry_new(w.context, &w.provider_registry, &w.error));
}

/* In a child: what a call does to the process is its own. 0 = it returned; else the signal, or 256 + the exit status.
 */
static int apart(int (*call)(void), int *answer)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0) exit(1);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) exit(1);
    if (child == 0) {
        const struct rlimit none = { 0, 0 };
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)alarm(20);
        int result = call();
        if (write(ends[1], &result, sizeof result) != sizeof result) _exit(9);
        exit(0); /* not _exit(): what counts the calls writes at the end */
    }
    close(ends[1]);
    *answer = 1;
    if (read(ends[0], answer, sizeof *answer) != (ssize_t)sizeof *answer) *answer = 1;
    close(ends[0]);
    if (waitpid(child, &status, 0) != child) exit(1);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? 256 + WEXITSTATUS(status) : 0;
}
