/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a document that is a json_t: printed and parsed, or as it is.
 *
 *     valgrind --tool=callgrind --toggle-collect=measured bench_jansson printed|json FILE
 */
#include <karp/inspect.h>
#include <karp/jansson.h>
#include <karp/karp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static karp_status add(karp_reader *reader, const json_t *document, int printed)
{
    const karp_str name = { "pods.json", 9 };
    if (!printed) return karp_reader_add_json(reader, name, document, NULL);
    char *text = json_dumps(document, JSON_COMPACT);
    karp_status status = text ? karp_reader_add(reader, name, (karp_str){ text, strlen(text) }, NULL) : KARP_E_NOMEM;
    free(text);
    return status;
}

karp_status measured(karp_context *context, const json_t *document, int printed, uint64_t *pods);

/* Up to the snapshot. */
__attribute__((noinline)) karp_status measured(karp_context *context, const json_t *document, int printed,
                                               uint64_t *pods)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_snapshot_counts counts = { .size = sizeof counts };
    karp_status status = karp_reader_new(context, NULL, &reader, NULL);
    if (!status) status = add(reader, document, printed);
    if (!status) status = karp_reader_finish(reader, &snapshot, NULL);
    if (!status) karp_snapshot_get_counts(snapshot, &counts);
    *pods = counts.pods;
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}

int main(int argc, char **argv)
{
    json_error_t why;
    json_t *document = argc == 3 ? json_load_file(argv[2], 0, &why) : NULL;
    karp_context *context = NULL;
    uint64_t pods = 0;
    if (!document || karp_context_new(NULL, &context, NULL)) return 2;
    karp_status status = measured(context, document, strcmp(argv[1], "printed") == 0, &pods);
    printf("%s, %llu pods\n", karp_status_name(status), (unsigned long long)pods);
    karp_context_unref(context);
    json_decref(document);
    return status != KARP_OK;
}
