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
    karp_str name = subject(answer);
    progress_begin("simulating");
    karp_status status = karp_explain_node(answer->input.snapshot, &disrupt, name, &explanation, &answer->error);
    progress_end();
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
