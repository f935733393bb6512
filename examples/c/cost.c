/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cheapest plan for the files and directories named on the command line: what it launches, what it saves beside
 * Karpenter's own, and a proof of how much less any plan could cost, checked in exact arithmetic as somebody who doubts
 * it would.
 */
#include <inttypes.h>
#include <stdio.h>

#include <karp/certificate.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/objective.h>

static void show_launches(const karp_decision *plan)
{
    for (size_t i = 0; i < karp_decision_launch_count(plan); i++) {
        karp_launch launch = { .size = sizeof launch };
        if (karp_decision_launch(plan, i, &launch) != KARP_OK) return;
        printf("launch %.*s in %.*s, %.*s: $%.4f/h for %zu pods, listed types: %zu\n",
               (int)launch.choice.instance_type.len, launch.choice.instance_type.ptr, (int)launch.choice.zone.len,
               launch.choice.zone.ptr, (int)launch.choice.capacity_type.len, launch.choice.capacity_type.ptr,
               launch.choice.price, launch.pod_count, launch.instance_type_count);
    }
}

static void show_figures(const karp_cost *cost)
{
    printf("$%.4f/h, Karpenter's own plan $%.4f/h, no plan below $%.4f/h", cost->cost, cost->compatible_cost,
           cost->bound);
    if (cost->gap >= 0) printf("; it is at most %.1f%% above that", cost->gap * 100);
    printf("; %" PRIu64 " steps\n", cost->steps);
}

/* The proof as it is, and one that claims a dollar more. */
static void check_proof(const karp_snapshot *snapshot, const karp_options *options, const karp_certificate *proof)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    if (proof == NULL) {
        printf("there is no proof\n");
        return;
    }
    printf("the proof %s\n",
           karp_certificate_check(snapshot, options, proof, &error) == KARP_OK ? "holds" : error.message);
    karp_certificate more = *proof;
    more.value += (int64_t)KARP_MONEY_PER_DOLLAR;
    if (karp_certificate_check(snapshot, options, &more, &error) != KARP_OK)
        printf("a dollar more is refused: %s\n", error.message);
}

int main(int argc, char **argv)
{
    karp_error error;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *plan = NULL;
    karp_options options;
    karp_objective objective;
    karp_cost cost = { .size = sizeof cost };

    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    karp_objective_init(&objective, sizeof objective);
    objective.kind = KARP_OBJECTIVE_COST;
    objective.effort = KARP_EFFORT_10MS;
    options.objective = &objective;
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_reader_new(context, NULL, &reader, &error);
    for (int i = 1; i < argc && status == KARP_OK; i++) status = karp_reader_add_path(reader, argv[i], &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    if (status == KARP_OK) status = karp_provision(snapshot, &options, &plan, &error);
    if (status == KARP_OK) status = karp_decision_cost(plan, &cost);
    if (status == KARP_OK) {
        show_launches(plan);
        show_figures(&cost);
        check_proof(snapshot, &options, karp_decision_certificate(plan));
    } else {
        fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);
    }

    karp_decision_unref(plan);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
