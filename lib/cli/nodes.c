/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <time.h>
#include <unistd.h>

enum { WATCH_SECONDS = 5 };
static const char clear_screen[] = "\033[H\033[2J";

typedef karp_status (*writer_of_list)(karp_context *context, const karp_node_list *list,
                                      const karp_write_options *options, karp_text *out, karp_error *error);

/* Lists the nodes and writes them in one of two ways. */
static karp_status list_nodes(cli_answer *answer, const char *verb, bool losses, writer_of_list write)
{
    karp_node_list *list = NULL;
    karp_options common = decision_options(answer->options);
    karp_node_list_options options;
    karp_node_list_options_init(&options, sizeof(options));
    options.common = &common;
    options.losses = losses;
    options.price = input_price;
    options.price_user = answer->input.reader;
    progress_begin("looking at the nodes");
    karp_status status = karp_list_nodes(answer->input.snapshot, &options, &list, &answer->error);
    progress_end();
    if (status == KARP_OK && karp_node_list_count(list) == 0)
        print_note(str("the input has no nodes; kubectl get nodes,nodeclaims,pods -A -o yaml prints them"));
    if (status == KARP_OK)
        status = write(answer->options->context, list, &answer->write, &answer->text, &answer->error);
    karp_node_list_free(list);
    if (status == KARP_OK && answer->options->format == KARP_FORMAT_TEXT && !print_made_by(answer, verb))
        status = answer->error.status = KARP_E_NOMEM;
    /* only now: reading a cluster takes seconds, in which the last answer stays */
    if (status == KARP_OK && answer->options->watch && isatty(STDOUT_FILENO)) (void)print_output(str(clear_screen));
    return status;
}

static karp_status answer_nodes(cli_answer *answer, void *own, int *result)
{
    (void)own;
    (void)result;
    return list_nodes(answer, "nodes", !answer->options->no_losses, karp_write_nodes);
}

static karp_status answer_top(cli_answer *answer, void *own, int *result)
{
    (void)own;
    (void)result;
    return list_nodes(answer, "top", false, karp_write_top);
}

typedef karp_status (*answer_of_list)(cli_answer *answer, void *own, int *result);

/* Answers once, or again and again until an answer fails or the program is interrupted. */
static int answer_list(const cli_options *options, answer_of_list make)
{
    static const struct timespec pause = { .tv_sec = WATCH_SECONDS };
    bool from_input = false;
    for (size_t i = 0; i < options->files.count; i++)
        from_input = from_input || strcmp(options->files.items[i], "-") == 0;
    if (options->watch && from_input) return problem_of_use("--watch", "standard input can be read once only");
    for (;;) {
        int result = answer_input(options, false, true, make, NULL);
        if (!options->watch || result != EXIT_OK || fflush(stdout) != 0) return result;
        (void)nanosleep(&pause, NULL);
    }
}

static int nodes(const cli_options *options) { return answer_list(options, answer_nodes); }
static int top(const cli_options *options) { return answer_list(options, answer_top); }

enum {
    LIST_FORMATS = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_MARKDOWN | 1u << KARP_FORMAT_CSV
};

const cli_verb verb_nodes = {
    .name = "nodes",
    .arguments = "[FILE...]",
    .summary = "the nodes by NodePool: use, age, price, and what losing each would cost",
    .details =
        "Lists the nodes of each NodePool with type, zone, capacity type, age, requested shares of cpu and memory, "
        "pods\n"
        "and price. \"idle\" is the part of the price that no pod requests; the nodes with the most of it come first.\n"
        "\"if lost\" is the price of the nodes that would be launched without it, and the pods that would stay "
        "pending.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT | CLI_OPTION_NODES |
               CLI_OPTION_WATCH,
    .formats = LIST_FORMATS,
    .default_format = KARP_FORMAT_TEXT,
    .run = nodes,
};

const cli_verb verb_top = {
    .name = "top",
    .arguments = "[FILE...]",
    .summary = "the workloads by cost, each with its share of what is idle",
    .details = "Divides the price of each node among its pods by what they request: the mean of the shares of cpu, "
               "memory and\n"
               "extended resources. What no pod requests is idle, and is divided in the same proportion.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT | CLI_OPTION_WATCH,
    .formats = LIST_FORMATS,
    .default_format = KARP_FORMAT_TEXT,
    .run = top,
};
