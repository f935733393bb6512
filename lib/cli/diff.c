/* SPDX-License-Identifier: Apache-2.0 */
/* karp diff: compares the decisions of two profiles for one input. */
#include "designs.h"

#include <stdio.h>

#include <karp/peer.h>

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* The sides, and the options that they refer to. */
typedef struct profile_sides {
    karp_options options[2];
    karp_diff_side side[2];
} profile_sides;

static bool make_side(const cli_options *options, const cli_input *input, size_t number, profile_sides *out)
{
    karp_options *own = &out->options[number];
    karp_diff_side *side = &out->side[number];
    *own = decision_options(options);
    *side = (karp_diff_side){ .size = sizeof *side,
                              .name = str(options->profiles.items[number]),
                              .snapshot = input->snapshot,
                              .options = own,
                              .method = options->method != KARP_METHOD_ANY ? options->method
                                                                           : karp_reader_method(input->reader) };
    if (karp_profile_parse(side->name, &own->profile, &own->peer_version) != KARP_OK)
        return false; /* parsing the options has shown that they are profiles */
    if (side->method == KARP_METHOD_REPACK && own->profile != KARP_PROFILE_KARP)
        side->method =
            KARP_METHOD_ANY; /* Karpenter has no such method: its pass is compared with the other side's steps */
    return true;
}

/* Whether no side repacks, so that the requested method would apply to none. */
static bool repacks_nowhere(const cli_options *options, const cli_input *input, const profile_sides *both)
{
    uint32_t method = options->method != KARP_METHOD_ANY ? options->method : karp_reader_method(input->reader);
    return method == KARP_METHOD_REPACK && both->side[0].method != method && both->side[1].method != method;
}

static int answer(const cli_options *options, const cli_input *input, const cli_input *other)
{
    profile_sides both;
    karp_diff *diff = NULL;
    karp_text text = { 0 };
    karp_error error = { .size = sizeof error };
    if (!make_side(options, input, 0, &both) || !make_side(options, other, 1, &both)) return EXIT_ERROR;
    if (repacks_nowhere(options, input, &both))
        return problem_of_use("--method Repack", "one side must be --profile karp: Karpenter has no such method");
    karp_write_options write = write_options_of(options, NULL);
    progress_begin("comparing");
    karp_status status = karp_compare_decisions(options->context, &both.side[0], &both.side[1], &diff, &error);
    progress_end();
    if (status == KARP_OK) status = karp_write_diff(options->context, diff, &write, &text, &error);
    int result = EXIT_ERROR;
    if (status != KARP_OK) print_error(&error);
    else if (print_output((karp_str){ text.ptr, text.len }))
        result = options->detailed_exitcode && karp_diff_count(diff) > 0 ? EXIT_CHANGES : EXIT_OK;
    karp_text_free(&text);
    karp_diff_free(diff);
    return result;
}

static karp_status compare_replays(cli_answer *answer, void *own, int *result)
{
    const cli_options *options = answer->options;
    size_t differences = 0;
    karp_replay_document sides[2];
    for (size_t i = 0; i < 2; i++) sides[i] = (karp_replay_document){ .name = str(options->files.items[i]) };
    karp_status status = karp_replay_compare(options->context, &sides[0], &sides[1], &answer->write, &answer->text,
                                             &differences, &answer->error);
    if (options->detailed_exitcode && differences > 0) *result = EXIT_CHANGES;
    *(bool *)own = status != KARP_OK && status != KARP_E_NOMEM;
    return status;
}

static int answer_replays(const cli_options *options)
{
    bool unreadable = false;
    int result = answer_without_input(options, compare_replays, &unreadable);
    if (unreadable)
        print_problem("hint", "two files are taken for results of karp replay -o json; inputs are compared as A -- B");
    return result;
}

/* Each version has its release of the provider. What can be read only once has that of the first. */
static int answer_profiles(const cli_options *options)
{
    cli_options own[2] = { *options, *options };
    cli_input inputs[2] = { { 0 }, { 0 } };
    bool once = false;
    for (size_t i = 0; i < 2; i++)
        (void)karp_profile_parse(str(options->profiles.items[i]), &own[i].profile, &own[i].peer_version);
    for (size_t i = 0; i < options->files.count; i++) once = once || text_file_is_stream(options->files.items[i]);
    once = once || options->cluster || own[0].peer_version == own[1].peer_version;
    if (!input_read(&own[0], false, &inputs[0])) return EXIT_ERROR;
    print_warnings(&inputs[0]);
    int result = EXIT_ERROR;
    if (once || input_read(&own[1], false, &inputs[1])) result = answer(options, &inputs[0], &inputs[once ? 0 : 1]);
    if (!once) input_free(options, &inputs[1]);
    input_free(options, &inputs[0]);
    return result;
}

static int answer_sides(const cli_options *options)
{
    cli_verb own = verb_diff;
    own.program = options->program;
    return designs_of_sides(&own, options);
}

/* FILE --preview NAME stands for FILE -- --preview NAME. */
static int answer_previews(const cli_options *options)
{
    enum { MOST = 64, NAME = 64 };
    char text[MOST][NAME], option[] = "--preview", mark[] = "--", *sides[2 * MOST + 1] = { mark };
    cli_options own = *options;
    own.preview = 0;
    own.sides = sides;
    own.side_count = 1;
    for (size_t i = 0; i < MOST; i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        if ((options->preview >> i & 1) == 0 || karp_peer_rule_at(i, &rule) != KARP_OK) continue;
        str_shorten(text[i], NAME, rule.name);
        sides[own.side_count++] = option;
        sides[own.side_count++] = text[i];
    }
    return answer_sides(&own);
}

static int run_diff(const cli_options *options)
{
    if (options->sides != NULL) return answer_sides(options);
    if (options->preview != 0 && options->profiles.count == 0) return answer_previews(options);
    if (options->settle) return problem_of_use("--settle", "it applies to A -- B only");
    if (gates_are_set(options)) return problem_of_use("--fail-on", "it applies to A -- B only");
    if (options->format == KARP_FORMAT_HTML || options->format == KARP_FORMAT_PATCH)
        return problem_of_use(options->format == KARP_FORMAT_HTML ? "-o html" : "-o patch",
                              "this format is for A -- B only");
    if (options->profiles.count == 0 && options->files.count == 2 && options->format != KARP_FORMAT_MARKDOWN)
        return answer_replays(options);
    if (options->profiles.count != 2) {
        char names[256], message[384];
        name_profiles(names, sizeof names);
        (void)snprintf(message, sizeof message, "nothing to compare: give --profile twice (%s), A -- B, or two replays",
                       names);
        return problem_of_use("diff", message);
    }
    return answer_profiles(options);
}

const cli_verb verb_diff = {
    .name = "diff",
    .arguments = "[FILE...] [-- [FILE...]]...",
    .summary = "designs side by side; or what two versions of Karpenter decide differently",
    .details =
        "A -- B compares inputs, each with its own options, by the plans for them: nodes, cost, use, pods that move,\n"
        "and the fields that differ. A side without files is the first side with changes, as in:\n"
        "karp diff cluster.json -- --replace nodepools.yaml -- --scale shop/api=40\n\n"
        "If only a few fields differ, each is also planned by itself. --fail-on judges every side but the first,\n"
        "which cost=+ compares with.\n"
        "--settle plays all rounds of each side, with consolidation: what running nodes come to.\n"
        "karp diff --settle cluster.json -- --requests recommended shows what right sizes save; -o patch writes them.\n"
        "karp diff cluster.json --preview NAME compares it without and with the proposal.\n"
        "With two profiles (--profile is given twice), it decides the input under both and lists what differs:\n"
        "launches, placements, refusals, and one disruption pass. For each difference it names\n"
        "the rules of the newer version that make it, found by switching them one at a time. With --method Repack,\n"
        "the side of profile karp has the steps of karp repack instead of the pass.\n"
        "With two files of karp replay -o json and no profile, it lists the figures of their policies that differ.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OBJECTIVE |
               CLI_OPTION_OUTPUT | CLI_OPTION_EXIT | CLI_OPTION_FAIL_ON | CLI_OPTION_METHOD | CLI_OPTION_SIDES |
               CLI_OPTION_ROUNDS,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_MARKDOWN | 1u << KARP_FORMAT_HTML |
               1u << KARP_FORMAT_PATCH,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_diff,
};
