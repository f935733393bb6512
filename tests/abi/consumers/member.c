/* SPDX-License-Identifier: Apache-2.0 */
/* Prints where the member one_more of karp_launch arrives (member.py): in the plan, in the table of launches, and in a
 * Command that is written, read and written again. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <karp-io.h>

static void show(const char *title, const karp_text *text)
{
    const char *found = strstr(text->ptr, "\"oneMore\": ");
    printf("%s: %.9s\n", title, found ? found + strlen("\"oneMore\": ") : "-");
}

static karp_status command(karp_context *context, const karp_launch *launch, karp_error *error)
{
    const karp_command_node node = { .node = { "old", 3 } };
    const karp_replacement replacement = { .launch = launch, .progress = KARP_REPLACEMENT_WANTED };
    const karp_command_state state = { .size = sizeof state,
                                       .method = KARP_METHOD_EMPTINESS,
                                       .phase = KARP_COMMAND_PHASE_VALIDATING,
                                       .validate_at = KARP_NO_TIME,
                                       .started = KARP_NO_TIME,
                                       .nodes = &node,
                                       .node_count = 1,
                                       .replacements = &replacement,
                                       .replacement_count = 1 };
    karp_text first = { 0 }, second = { 0 };
    karp_command_document *document = NULL;
    karp_status status = karp_write_command(context, &state, NULL, &first, error);
    if (!status)
        status = karp_command_read(context, (karp_str){ "-", 1 }, (karp_str){ first.ptr, first.len }, &document, error);
    if (!status) status = karp_write_command(context, karp_command_document_state(document), NULL, &second, error);
    if (!status) show("command", &second);
    karp_command_document_free(document);
    karp_text_free(&first);
    karp_text_free(&second);
    return status;
}

static karp_status table(const karp_decision *plan, karp_error *error)
{
    karp_table *launches = NULL;
    karp_column column = { .size = sizeof column };
    karp_status status = karp_decision_table(plan, KARP_TABLE_LAUNCHES, &launches, error);
    bool found = !status && karp_table_find(launches, (karp_str){ "one_more", 8 }, &column) == KARP_OK;
    if (!status) printf("table: %s\n", found ? "one_more" : "-");
    karp_table_free(launches);
    return status;
}

int main(int argc, char **argv)
{
    karp_error error;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *plan = NULL;
    karp_text text = { 0 };
    karp_launch launch = { .size = sizeof launch };

    karp_error_init(&error, sizeof error);
    karp_status status = karp_context_new(NULL, &context, &error);
    if (!status) status = karp_reader_new(context, NULL, &reader, &error);
    for (int i = 1; i < argc && !status; i++) status = karp_reader_add_path(reader, argv[i], &error);
    if (!status) status = karp_reader_finish(reader, &snapshot, &error);
    if (!status) status = karp_provision(snapshot, NULL, &plan, &error);
    if (!status) status = karp_write_plan(context, plan, NULL, NULL, &text, &error);
    if (!status) show("plan", &text);
    if (!status) status = table(plan, &error);
    if (!status) status = karp_decision_launch(plan, 0, &launch);
    if (!status) status = command(context, &launch, &error);
    if (status) printf("%s: %s\n", error.object, error.message);
    karp_text_free(&text);
    karp_decision_unref(plan);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return status ? 1 : 0;
}
