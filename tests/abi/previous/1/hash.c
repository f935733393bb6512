/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash of the decision on documents: equal hashes, equal decisions, in any language (docs/decision-hash.md).
 *     example-hash FILE...
 */
#include <stdio.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>

int main(int argc, char **argv)
{
    karp_error error;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *plan = NULL;

    karp_error_init(&error, sizeof(error));
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_reader_new(context, NULL, &reader, &error);
    for (int i = 1; i < argc && status == KARP_OK; i++) status = karp_reader_add_path(reader, argv[i], &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    if (status == KARP_OK) status = karp_provision(snapshot, NULL, &plan, &error);
    if (status == KARP_OK) {
        char hash[KARP_DIGEST_TEXT];
        karp_decision_hash(plan, hash);
        puts(hash);
    } else {
        fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);
    }
    karp_decision_unref(plan);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
