/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <karp/io.h>
#include <karp/karp.h>

int main(int argc, char **argv)
{
    karp_error error;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *plan = NULL;

    karp_error_init(&error, sizeof error);
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_reader_new(context, NULL, &reader, &error);
    for (int i = 1; i < argc && status == KARP_OK; i++) status = karp_reader_add_path(reader, argv[i], &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    if (status == KARP_OK) status = karp_provision(snapshot, NULL, &plan, &error);
    if (status != KARP_OK) fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);
    for (size_t i = 0; status == KARP_OK && i < karp_decision_launch_count(plan); i++) {
        karp_launch launch = { .size = sizeof launch };
        if (karp_decision_launch(plan, i, &launch) == KARP_OK)
            printf("%.*s\n", (int)launch.choice.instance_type.len, launch.choice.instance_type.ptr);
    }
    karp_decision_unref(plan);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
