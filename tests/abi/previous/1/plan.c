/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the plan for the files and directories named on the command line. */
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
    karp_text text = { 0 };

    karp_error_init(&error, sizeof(error));
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_reader_new(context, NULL, &reader, &error);
    for (int i = 1; i < argc && status == KARP_OK; i++) status = karp_reader_add_path(reader, argv[i], &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    if (status == KARP_OK) status = karp_provision(snapshot, NULL, &plan, &error);
    if (status == KARP_OK) status = karp_write_plan(context, plan, NULL, NULL, &text, &error);
    if (status == KARP_OK) fputs(text.ptr, stdout);
    else fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);

    karp_text_free(&text);
    karp_decision_unref(plan);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
