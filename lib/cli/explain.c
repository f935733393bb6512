/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <string.h>

/* The name of what is explained. */
static karp_str subject(cli_answer *answer)
{
    answer->subject = answer->options->words.items[1];
    return (karp_str){ answer->subject, strlen(answer->subject) };
}

/* NAMESPACE/NAME; a name alone is one in the namespace of -n, or in "default", as it is to kubectl. To be freed; NULL = no
 * memory. */
static char *full_name(const cli_options *options, const char *given, size_t *room)
{
    const char *space = options->pod_namespace != NULL ? options->pod_namespace : "default";
    size_t before = strchr(given, '/') == NULL ? strlen(space) + 1 : 0;
    *room = before + strlen(given) + 1;
    char *name = karp_alloc(options->context, *room);
    if (name != NULL) {
        if (before > 0) {
            memcpy(name, space, before - 1);
            name[before - 1] = '/';
        }
        memcpy(name + before, given, strlen(given) + 1);
    }
    return name;
}

static karp_status explain_pod(cli_answer *answer, void *own, int *result)
{
    (void)own;
    (void)result;
    karp_options common = decision_options(answer->options);
    karp_pod_explanation *explanation = NULL;
    karp_str given = subject(answer);
    size_t room;
    char *name = full_name(answer->options, given.ptr, &room);
    if (name == NULL) {
        answer->error.status = KARP_E_NOMEM;
        return KARP_E_NOMEM;
    }
    progress_begin("trying changes");
    karp_status status = karp_explain_pod(answer->input.snapshot, &common, (karp_str){ name, room - 1 }, &explanation,
                                          &answer->error);
    progress_end();
    karp_free(answer->options->context, name, room);
    if (status == KARP_OK) {
        status = karp_write_pod_explanation(answer->options->context, explanation, &answer->write, &answer->text,
                                            &answer->error);
    }
    karp_pod_explanation_free(explanation);
    return status;
}

/* The node of that name, else the only one whose name has it as a part; what was given when there is none, or several. */
static karp_str full_node_name(karp_table *nodes, karp_str given)
{
    karp_column names = { .size = sizeof(names) };
    karp_str found = given;
    size_t count = 0;
    if (karp_table_find(nodes, (karp_str){ "name", 4 }, &names) != KARP_OK || names.type != KARP_COLUMN_TEXT) {
        return given;
    }
    for (size_t i = 0; i < names.row_count; i++) {
        karp_str name = { (const char *)names.values + names.offsets[i],
                          (size_t)(names.offsets[i + 1] - names.offsets[i]) };
        bool part = false;
        for (size_t k = 0; k + given.len <= name.len && !part; k++) {
            part = memcmp(name.ptr + k, given.ptr, given.len) == 0;
        }
        if (part && name.len == given.len) {
            return given;
        }
        if (part) {
            found = name;
            count++;
        }
    }
    return count == 1 ? found : given;
}

static karp_status explain_node(cli_answer *answer, void *own, int *result)
{
    (void)own;
    (void)result;
    karp_options common = decision_options(answer->options);
    karp_disrupt_options disrupt;
    karp_node_explanation *explanation = NULL;
    common.explain = KARP_EXPLAIN_FULL;
    karp_disrupt_options_init(&disrupt, sizeof(disrupt));
    disrupt.common = &common;
    disrupt.method = karp_reader_method(answer->input.reader);
    karp_table *nodes = NULL;
    karp_str given = subject(answer);
    karp_status status = karp_snapshot_table(answer->input.snapshot, KARP_TABLE_SNAPSHOT_NODES, &nodes, &answer->error);
    if (status != KARP_OK) {
        return status;
    }
    karp_str name = given.len > 0 ? full_node_name(nodes, given) : given;
    progress_begin("simulating");
    status = karp_explain_node(answer->input.snapshot, &disrupt, name, &explanation, &answer->error);
    progress_end();
    karp_table_free(nodes);
    if (status == KARP_OK) {
        status = karp_write_node_explanation(answer->options->context, explanation, &answer->write, &answer->text,
                                             &answer->error);
    }
    karp_node_explanation_free(explanation);
    return status;
}

static int run(const cli_options *options)
{
    const char *kind = options->words.items[0];
    bool is_pod = strcmp(kind, "pod") == 0;
    if (!is_pod && strcmp(kind, "node") != 0) {
        print_problem(kind, "only a pod or a node can be explained");
        return EXIT_ERROR;
    }
    return answer_input(options, true, false, is_pod ? explain_pod : explain_node, NULL);
}

const cli_verb verb_explain = {
    .name = "explain",
    .arguments = "pod [NAMESPACE/]NAME | node NAME [FILE...]",
    .summary = "why a pod goes where it goes or nowhere; why a node stays",
    .details = "For a pod: the node it goes to, or what each NodePool says to it, with the number of instance types\n"
               "left after each step, and the smallest change that places it. For a node: the command that takes it\n"
               "away, or everything that keeps it, and what would become of its pods.",
    .word_count = 2,
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT | CLI_OPTION_NAMESPACE,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_TEXT,
    .run = run,
};
