/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would happen if …: one snapshot, several questions. Each is applied to a view of it, which leaves it as it is.
 *     example-whatif NODE ZONE FILE...
 */
#include <stdio.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/what_if.h>

static karp_str text(const char *s) { return (karp_str){ s, strlen(s) }; }

static karp_status ask(const karp_snapshot *snapshot, const char *question, const karp_change *change,
                       karp_error *error)
{
    karp_decision *plan = NULL;
    karp_status status = karp_what_if(snapshot, change, change == NULL ? 0 : 1, NULL, &plan, error);
    if (status == KARP_OK) {
        printf("%-24s %zu to start, %zu pods fit nowhere, $%.4f/h\n", question, karp_decision_launch_count(plan),
               karp_decision_unschedulable_count(plan), karp_decision_cost_after(plan));
    }
    karp_decision_unref(plan);
    return status;
}

int main(int argc, char **argv)
{
    karp_error error;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    if (argc < 4) {
        fprintf(stderr, "%s NODE ZONE FILE...\n", argv[0]);
        return 1;
    }
    const karp_change lose_node = { .kind = KARP_CHANGE_REMOVE_NODE, .name = text(argv[1]) };
    const karp_change lose_zone = { .kind = KARP_CHANGE_LOSE_ZONE, .name = text(argv[2]) };
    const karp_change half_price = { .kind = KARP_CHANGE_SCALE_PRICE, .name = text("on-demand"), .factor = 0.5 };

    karp_error_init(&error, sizeof error);
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_reader_new(context, NULL, &reader, &error);
    for (int i = 3; i < argc && status == KARP_OK; i++) status = karp_reader_add_path(reader, argv[i], &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    if (status == KARP_OK) status = ask(snapshot, "as it is", NULL, &error);
    if (status == KARP_OK) status = ask(snapshot, "without the node", &lose_node, &error);
    if (status == KARP_OK) status = ask(snapshot, "without the zone", &lose_zone, &error);
    if (status == KARP_OK) status = ask(snapshot, "on-demand at half price", &half_price, &error);
    if (status != KARP_OK) fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
