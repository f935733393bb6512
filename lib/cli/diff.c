/* SPDX-License-Identifier: Apache-2.0 */
/* karp diff: compares the decisions of two profiles for one input. */
#include "designs.h"
#include "diff.h"

#include <base/memory.h>
#include <stdio.h>
#include <string.h>

#include <karp/library.h>
#include <karp/peer.h>

/* ---- the list of differences ------------------------------------------------------------------------------------- */

static bool add(const cli_options *options, diff_list *list, const diff_row *before, const diff_row *after)
{
    if (!grow(options->context, (void **)&list->items, &list->room, list->count + 1, sizeof *list->items)) return false;
    list->items[list->count++] = (difference){ .before = before, .after = after };
    return true;
}

/* Merges two sides. Errors: NOMEM. */
static karp_status diff_find(const cli_options *options, const diff_side *a, const diff_side *b, diff_list *out)
{
    size_t i = 0, j = 0;
    bool ok = true;
    *out = (diff_list){ .a = a, .b = b };
    while (ok && (i < a->row_count || j < b->row_count)) {
        bool same_subject = false;
        int order = i == a->row_count   ? 1
                    : j == b->row_count ? -1
                                        : diff_compare(a, &a->rows[i], b, &b->rows[j], &same_subject);
        if (order == 0) {
            i++;
            j++;
        } else if (same_subject) {
            ok = add(options, out, &a->rows[i++], &b->rows[j++]);
        } else if (order < 0) {
            ok = add(options, out, &a->rows[i++], NULL);
        } else {
            ok = add(options, out, NULL, &b->rows[j++]);
        }
    }
    return ok ? KARP_OK : KARP_E_NOMEM;
}

static void diff_list_free(const cli_options *options, diff_list *list)
{
    karp_free(options->context, list->items, list->room * sizeof *list->items);
    *list = (diff_list){ 0 };
}

/* ---- the rules that changed between Karpenter versions and cause differences ------------------------------------- */

static uint64_t rules_of(const karp_options *options)
{
    uint64_t rules = 0;
    uint32_t version = options->peer_version, newest = 0;
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        if (karp_peer_rule_at(i, &rule) == KARP_OK && rule.since > newest && rule.since != KARP_PEER_PREVIEW)
            newest = rule.since;
    }
    if (version == KARP_PEER_NEWEST) version = newest;
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        if (karp_peer_rule_at(i, &rule) != KARP_OK) continue;
        bool on = options->profile == KARP_PROFILE_KARP ? rule.in_karp != 0 : rule.since <= version;
        if (on) rules |= UINT64_C(1) << i;
    }
    return rules ^ options->flip_rules;
}

/* Whether the rule causes the row that only `side` has: the row disappears when the rule is switched on that side, or
 * appears when it is switched on the other. */
static bool makes(const diff_side *side, const diff_row *row, const diff_side *switched,
                  const diff_side *other_switched)
{
    return row != NULL && (!diff_side_has(switched, side, row) || diff_side_has(other_switched, side, row));
}

static karp_status try_rule(const cli_options *options, diff_list *list, uint64_t rule, karp_error *error)
{
    diff_side a = { .snapshot = list->a->snapshot, .options = list->a->options, .method = list->a->method };
    diff_side b = { .snapshot = list->b->snapshot, .options = list->b->options, .method = list->b->method };
    a.options.flip_rules ^= rule;
    b.options.flip_rules ^= rule;
    karp_status status = diff_side_decide(options, &a, error);
    if (status == KARP_OK) status = diff_side_decide(options, &b, error);
    for (size_t i = 0; i < list->count && status == KARP_OK; i++) {
        difference *d = &list->items[i];
        if (makes(list->a, d->before, &a, &b) || makes(list->b, d->after, &b, &a)) d->rules |= rule;
    }
    diff_side_free(options, &a);
    diff_side_free(options, &b);
    return status;
}

/* Switches one rule at a time on both sides. Errors: those of the decisions. */
static karp_status diff_blame(const cli_options *options, diff_list *list, karp_error *error)
{
    karp_status status = KARP_OK;
    list->rules = rules_of(&list->a->options) ^ rules_of(&list->b->options);
    for (size_t i = 0; i < karp_peer_rule_count() && status == KARP_OK && list->count > 0; i++) {
        uint64_t rule = UINT64_C(1) << i;
        if (list->rules & rule) status = try_rule(options, list, rule, error);
    }
    return status;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool make_side(const cli_options *options, const cli_input *input, const char *profile, diff_side *side)
{
    *side = (diff_side){ .name = profile,
                         .snapshot = input->snapshot,
                         .options = decision_options(options),
                         .method = options->method != KARP_METHOD_ANY ? options->method
                                                                      : karp_reader_method(input->reader) };
    karp_str name = str(profile);
    side->options.explain = KARP_EXPLAIN_NONE;
    bool known = karp_profile_parse(name, &side->options.profile, &side->options.peer_version) == KARP_OK;
    if (side->method == KARP_METHOD_REPACK && side->options.profile != KARP_PROFILE_KARP)
        side->method =
            KARP_METHOD_ANY; /* Karpenter has no such method: its pass is compared with the other side's steps */
    return known;
}

/* Whether no side repacks, so that the requested method would apply to none. */
static bool repacks_nowhere(const cli_options *options, const cli_input *input, const diff_side *a, const diff_side *b)
{
    uint32_t method = options->method != KARP_METHOD_ANY ? options->method : karp_reader_method(input->reader);
    return method == KARP_METHOD_REPACK && a->method != method && b->method != method;
}

static karp_status compare(const cli_options *options, diff_side *a, diff_side *b, diff_list *list, karp_error *error)
{
    progress_begin("comparing");
    karp_status status = diff_side_decide(options, a, error);
    if (status == KARP_OK) status = diff_side_decide(options, b, error);
    if (status == KARP_OK) status = diff_find(options, a, b, list);
    if (status == KARP_OK) status = diff_blame(options, list, error);
    progress_end();
    return status;
}

static bool print(const cli_options *options, const diff_list *list)
{
    strbuf out = { .context = options->context };
    bool ok = diff_write(options, list, &out);
    if (!ok) print_problem(NULL, "out of memory");
    ok = ok && print_folded(options, (karp_str){ out.ptr, out.len });
    strbuf_free(&out);
    return ok;
}

static int answer(const cli_options *options, const cli_input *input, const cli_input *other)
{
    diff_side a, b;
    diff_list list = { 0 };
    karp_error error;
    int result = EXIT_ERROR;
    karp_error_init(&error, sizeof(error));
    if (!make_side(options, input, options->profiles.items[0], &a) ||
        !make_side(options, other, options->profiles.items[1], &b)) {
        return EXIT_ERROR; /* parsing the options has shown that they are profiles */
    }
    if (repacks_nowhere(options, input, &a, &b)) {
        print_problem("--method Repack", "one side must be --profile karp: Karpenter has no such method");
        return EXIT_ERROR;
    }
    karp_status status = compare(options, &a, &b, &list, &error);
    if (status == KARP_E_NOMEM) print_problem(NULL, "out of memory");
    else if (status != KARP_OK) print_error(&error);
    else if (print(options, &list)) result = options->detailed_exitcode && list.count > 0 ? EXIT_CHANGES : EXIT_OK;
    diff_list_free(options, &list);
    diff_side_free(options, &a);
    diff_side_free(options, &b);
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

static int run_diff(const cli_options *options)
{
    if (options->sides != NULL) {
        cli_verb own = verb_diff;
        own.program = options->program;
        return designs_of_sides(&own, options);
    }
    if (options->settle) {
        print_problem("--settle", "it applies to A -- B only");
        return EXIT_ERROR;
    }
    if (gates_are_set(options)) {
        print_problem("--fail-on", "it applies to A -- B only");
        return EXIT_ERROR;
    }
    if (options->format == KARP_FORMAT_HTML || options->format == KARP_FORMAT_PATCH) {
        print_problem(options->format == KARP_FORMAT_HTML ? "-o html" : "-o patch", "this format is for A -- B only");
        return EXIT_ERROR;
    }
    if (options->profiles.count == 0 && options->files.count == 2 && options->format != KARP_FORMAT_MARKDOWN)
        return answer_replays(options);
    if (options->profiles.count != 2) {
        char names[256], message[384];
        name_profiles(names, sizeof names);
        (void)snprintf(message, sizeof message, "nothing to compare: give --profile twice (%s), A -- B, or two replays",
                       names);
        print_problem("diff", message);
        return EXIT_ERROR;
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
