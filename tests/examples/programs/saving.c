/* SPDX-License-Identifier: Apache-2.0 */
/* What the pending pods of some files need, what the cheapest nodes would cost, and what would be removed. */
#include <stdio.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/objective.h>

int main(int argc, char **argv)
{
    karp_error error;
    karp_options options;
    karp_objective objective;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *plan = NULL, *cheapest = NULL, *removals = NULL;
    karp_cost cost = { .size = sizeof cost };

    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    karp_objective_init(&objective, sizeof objective);
    objective.kind = KARP_OBJECTIVE_COST;
    options.objective = &objective;

    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_reader_new(context, NULL, &reader, &error);
    for (int i = 1; i < argc && status == KARP_OK; i++) status = karp_reader_add_path(reader, argv[i], &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    if (status == KARP_OK) status = karp_provision(snapshot, NULL, &plan, &error);
    if (status == KARP_OK) status = karp_provision(snapshot, &options, &cheapest, &error);
    if (status == KARP_OK) status = karp_disrupt(snapshot, NULL, &removals, &error);
    if (status == KARP_OK) status = karp_decision_cost(cheapest, &cost);
    if (status != KARP_OK) {
        fprintf(stderr, "%s: %s:%u: %s %s: %s\n", karp_status_name(status), error.document, (unsigned)error.line,
                error.object, error.field, error.message);
    } else {
        printf("%zu nodes to launch\n", karp_decision_launch_count(plan));
        for (size_t i = 0; i < karp_decision_unschedulable_count(plan); i++) {
            karp_unschedulable pod = { .size = sizeof pod };
            if (karp_decision_unschedulable(plan, i, &pod) != KARP_OK) break;
            const karp_str name = karp_snapshot_pod_name(snapshot, pod.pod);
            printf("pending %.*s %s\n", (int)name.len, name.ptr, karp_reason_name(pod.code));
        }
        printf("$%.4f/h, the cheapest $%.4f/h\n", cost.compatible_cost, cost.cost);
        printf("%zu commands\n", karp_decision_command_count(removals));
        char hash[KARP_DIGEST_TEXT];
        karp_decision_hash(plan, hash);
        puts(hash);
    }

    karp_decision_unref(removals);
    karp_decision_unref(cheapest);
    karp_decision_unref(plan);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
