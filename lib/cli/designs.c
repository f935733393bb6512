/* SPDX-License-Identifier: Apache-2.0 */
#include "designs.h"

#include <stdio.h>
#include <string.h>

#include <karp/library.h>

/* designs.c: plans a design whose input has been read. */
static karp_status decide(design *d, const karp_change *changes, size_t change_count, karp_error *error)
{
    karp_options common = decision_options(&d->options);
    karp_status status = change_count > 0
                             ? what_if(&d->options, d->input.snapshot, changes, change_count, &common, &d->plan, error)
                             : karp_provision(d->input.snapshot, &common, &d->plan, error);
    if (status == KARP_OK)
        status = what_if_drift(&d->options, d->input.snapshot, changes, change_count, &d->drift, &d->settlement, error);
    if (change_count > 0 || d->settlement != NULL) return status;
    return status == KARP_OK ? settle_launches(&d->options, d->input.snapshot, d->plan, &d->settlement, error) : status;
}

/* Compares the designs with the first, and fills in their totals. Errors: those of karp_compare_designs(). */
static karp_status compare(design *list, size_t count, karp_comparison **out, karp_error *error)
{
    const cli_options *options = &list[0].options;
    karp_design *given = karp_alloc(options->context, count * sizeof *given);
    if (given == NULL) return fail(error, KARP_E_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const design *d = &list[i];
        given[i] = (karp_design){ .size = sizeof given[i],
                                  .name = str(d->name),
                                  .reader = d->input.reader,
                                  .snapshot = d->input.snapshot,
                                  .plan = d->plan,
                                  .settlement = d->settlement,
                                  .drift = &d->drift,
                                  .warnings = d->input.warnings,
                                  .warning_count = d->input.warning_count,
                                  .alone = d->alone,
                                  .alone_count = d->alone_count,
                                  .saved = d->saved,
                                  .saved_count = d->saved_count };
    }
    karp_status status = karp_compare_designs(options->context, given, count, out, error);
    for (size_t i = 0; i < count && status == KARP_OK; i++) {
        list[i].totals.size = sizeof list[i].totals;
        status = karp_comparison_totals(*out, i, &list[i].totals);
    }
    karp_free(options->context, given, count * sizeof *given);
    return status;
}

static void design_free(design *d)
{
    karp_context *context = d->options.context;
    karp_free(context, d->alone, d->alone_count * sizeof *d->alone);
    karp_free(context, d->saved, d->saved_count * sizeof *d->saved);
    karp_settlement_free(d->settlement);
    karp_decision_unref(d->plan);
    hook_rounds_free(&d->options, &d->hooks);
    input_free(&d->options, &d->input);
}

/* ---- the effect of each difference alone ------------------------------------------------------------------------- */

enum { MOST_ALONE = 12 };

static void count_field(karp_str object, karp_str field, karp_str before, karp_str after, void *user)
{
    (void)object;
    (void)field;
    (void)before;
    (void)after;
    ++*(size_t *)user;
}

/* A difference that cannot be applied alone (e.g. a NodePool without its new node class) is left out. */
static karp_status plan_alone(const design *first, design *d, size_t number, const karp_change *changes,
                              size_t change_count)
{
    design one = { .name = d->name, .options = first->options };
    cli_difference laid = { first->input.reader, d->input.reader, number };
    karp_error error = { .size = sizeof error };
    one.options.laid = &laid;
    karp_status status = KARP_OK;
    if (input_read(&one.options, true, &one.input)) {
        karp_comparison *sum = NULL;
        status = decide(&one, changes, change_count, &error);
        if (status == KARP_OK) status = compare(&one, 1, &sum, &error);
        if (status == KARP_OK)
            d->alone[number] = (karp_design_alone){ one.totals.price, one.totals.pods_left, .known = 1 };
        karp_comparison_free(sum);
    } else if (one.input.out_of_memory) {
        status = KARP_E_NOMEM;
    }
    design_free(&one);
    return status == KARP_E_NOMEM || status == KARP_E_CANCELED ? status : KARP_OK;
}

/* Plans the first design with each difference of `d` alone, if there are only a few. Errors: NOMEM, CANCELED. */
static karp_status design_plan_alone(const design *first, design *d, const karp_change *changes, size_t change_count)
{
    size_t fields = 0;
    karp_error error = { .size = sizeof error };
    karp_status status = karp_reader_compare(first->input.reader, d->input.reader, count_field, &fields, &error);
    if (status != KARP_OK || fields < 2 || fields > MOST_ALONE) return status;
    d->alone = karp_alloc(d->options.context, fields * sizeof *d->alone);
    if (d->alone == NULL) return KARP_E_NOMEM;
    memset(d->alone, 0, fields * sizeof *d->alone);
    d->alone_count = fields;
    output_suppress(true);
    for (size_t i = 0; i < fields && status == KARP_OK; i++) status = plan_alone(first, d, i, changes, change_count);
    output_suppress(false);
    return status;
}

/* ---- all designs ------------------------------------------------------------------------------------------------- */

static bool prepare(design *list, size_t number, size_t count, const karp_change *changes, size_t change_count)
{
    design *d = &list[number];
    karp_error error = { .size = sizeof error };
    if (!input_read(&d->options, true, &d->input)) return false;
    progress_begin("planning");
    progress_part(number, count);
    karp_status status = decide(d, changes, change_count, &error);
    progress_end();
    if (status == KARP_OK) status = hook_rounds_plan(&d->options, &d->input, changes, change_count, &d->hooks, &error);
    if (status == KARP_OK && !input_add_notes(&d->options, &d->input, d->plan)) status = KARP_E_NOMEM;
    print_warnings_of_side(&d->input, d->name, &list[0].input);
    hook_rounds_note(d->name, &d->hooks);
    if (status == KARP_E_NOMEM) print_problem(NULL, "out of memory");
    else if (status != KARP_OK) print_error(&error);
    return status == KARP_OK;
}

/* Whether pods, fields or requests of a design differ from the first. */
static bool some_differ(const karp_comparison *c, const design *list, size_t count)
{
    bool some = false;
    for (size_t i = 1; i < count; i++)
        some = some || karp_comparison_move_count(c, i) + karp_comparison_field_count(c, i) + list[i].saved_count > 0;
    return some;
}

static bool print_json(const cli_options *options, const karp_comparison *comparison)
{
    karp_text text = { 0 };
    karp_error error = { .size = sizeof error };
    karp_write_options write = write_options_of(options, NULL);
    karp_status status = karp_write_comparison(options->context, comparison, &write, &text, &error);
    if (status != KARP_OK) print_error(&error);
    bool ok = status == KARP_OK && print_output((karp_str){ text.ptr, text.len });
    karp_text_free(&text);
    return ok;
}

static bool price(const design *first, design *d)
{
    karp_error error = { .size = sizeof error };
    karp_status status = design_price_requests(first, d, &error);
    if (status == KARP_E_NOMEM) print_problem(NULL, "out of memory");
    else if (status != KARP_OK) print_error(&error);
    return status == KARP_OK;
}

/* -o patch: of the only design whose requests are recommended. */
static bool print_patches(const cli_options *options, const design *list, size_t count)
{
    const design *found = NULL;
    size_t all = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].options.requests.recommended == 0) continue;
        found = &list[i];
        all++;
    }
    if (all == 1) return design_print_patches(options, found) == EXIT_OK;
    return print_problem("-o patch", "exactly one of the sides must have --requests recommended");
}

static bool print(const cli_options *options, const karp_comparison *comparison, design *list, size_t count,
                  bool *differs)
{
    if (options->format == KARP_FORMAT_PATCH) return print_patches(options, list, count);
    if (options->format == KARP_FORMAT_JSON) {
        *differs = some_differ(comparison, list, count);
        return print_json(options, comparison);
    }
    strbuf out = { .context = options->context };
    bool ok = designs_write(options, comparison, list, count, &out, differs);
    if (!ok) print_problem(NULL, "out of memory");
    ok = ok && print_folded(options, (karp_str){ out.ptr, out.len });
    strbuf_free(&out);
    return ok;
}

/* designs.c: reads and plans every design, with `changes` applied to each, and prints the comparison. Returns the exit
 * status. */
static int answer(const cli_options *options, design *list, size_t count, const karp_change *changes,
                  size_t change_count)
{
    bool ok = true, differs = false;
    karp_comparison *comparison = NULL;
    karp_error error = { .size = sizeof error };
    for (size_t i = 0; i < count && ok; i++) ok = prepare(list, i, count, changes, change_count);
    for (size_t i = 1; i < count && ok; i++) {
        progress_begin("planning each difference by itself");
        progress_part(i - 1, count - 1);
        ok = design_plan_alone(&list[0], &list[i], changes, change_count) == KARP_OK;
        progress_end();
        if (!ok) print_problem(NULL, "out of memory");
    }
    for (size_t i = 1; i < count && ok; i++) ok = price(&list[0], &list[i]);
    if (ok && compare(list, count, &comparison, &error) != KARP_OK) {
        print_error(&error);
        ok = false;
    }
    ok = ok && print(options, comparison, list, count, &differs);
    int failed = EXIT_OK;
    for (size_t i = 1; i < count && ok && failed != EXIT_ERROR; i++) {
        int status = exit_status_of_design(options, &list[0], &list[i]);
        if (status != EXIT_ERROR && options->fail_on_unschedulable && hook_rounds_fail(&list[i].hooks))
            status = EXIT_UNSCHEDULABLE;
        failed = status == EXIT_OK ? failed : status;
    }
    karp_comparison_free(comparison);
    for (size_t i = 0; i < count; i++) design_free(&list[i]);
    if (!ok || failed != EXIT_OK) return ok ? failed : EXIT_ERROR;
    return options->detailed_exitcode && differs ? EXIT_CHANGES : EXIT_OK;
}

/* ---- sides of a command line ------------------------------------------------------------------------------------- */

/* Options of a side apply to it. Options that it does not state are those of the first side, except changes, which
 * each side has its own. */
static void inherit(cli_options *side, const cli_options *first)
{
    const cli_options own = *side;
    *side = *first;
    side->replaced = own.replaced;
    side->deleted = own.deleted;
    side->scaled = own.scaled;
    if (own.files.count > 0) side->files = own.files;
    if (own.catalogues.count > 0) side->catalogues = own.catalogues;
    if (own.prices.count > 0) side->prices = own.prices;
    if (own.facts.count > 0) side->facts = own.facts;
    if (own.settings.count > 0) side->settings = own.settings;
    if (own.region != NULL) side->region = own.region;
    if (own.provider != NULL) side->provider = own.provider;
    if (own.feature_gates != NULL) side->feature_gates = own.feature_gates;
    if (own.preferences != 0) side->preferences = own.preferences;
    if (own.now != 0) side->now = own.now;
    if (own.now_later != 0) side->now_later = own.now_later;
    if (own.recursive) side->recursive = true;
    if (own.strict) side->strict = true;
    if (own.strict_storage) side->strict_storage = true;
    if (own.skip_unknown) side->skip_unknown = true;
    if (own.first_round) side->first_round = true;
    if (own.replicas_from != 0) side->replicas_from = own.replicas_from;
    if (own.claim_order != 0) side->claim_order = own.claim_order;
    if (own.preview != 0) side->preview = own.preview;
    if (own.explain != 0) side->explain = own.explain;
    if (own.max_steps != 0) side->max_steps = own.max_steps;
    if (own.lenient) side->lenient = true;
    if (own.hooks != NULL) side->hooks = own.hooks;
    requests_inherit(&side->requests, &own.requests);
    if (own.pods_from.count > 0) side->pods_from = own.pods_from;
    if (own.ignored_kinds != NULL) side->ignored_kinds = own.ignored_kinds;
    objective_inherit(side, &own);
    if (own.profiles.count > 0) {
        side->profile = own.profile;
        side->peer_version = own.peer_version;
    }
}

static int count_sides(const cli_options *options)
{
    int count = 1;
    for (int i = 0; i < options->side_count; i++) count += strcmp(options->sides[i], "--") == 0;
    return count;
}

/* `sides` begins with the first "--". In each parsing the command's name takes the place of the "--" before the
 * side. */
static int read_sides(const cli_verb *verb, const cli_options *options, design *list, cli_options *own, int *read)
{
    static char verb_name[] = "diff";
    int at = 0;
    for (*read = 0; at < options->side_count; ++*read) {
        int end = at + 1;
        while (end < options->side_count && strcmp(options->sides[end], "--") != 0) end++;
        char *mark = options->sides[at];
        cli_options *side = &own[*read];
        *side = (cli_options){ .context = options->context, .log_notes = options->log_notes };
        options->sides[at] = verb_name;
        int status = options_read(verb, end - at, options->sides + at, side);
        options->sides[at] = mark;
        if (status < 0 && side->of_answer != NULL) { /* it would belong to a side, and would have no effect */
            char name[64];
            (void)snprintf(name, sizeof name, "diff: --%s", side->of_answer);
            print_problem(name, "applies to all sides: put it before the first --");
            status = EXIT_ERROR;
        }
        if (status >= 0) {
            ++*read;
            return status;
        }
        list[*read + 1].options = *side;
        inherit(&list[*read + 1].options, options);
        status = requests_together(verb, &list[*read + 1].options.requests);
        if (status >= 0) {
            ++*read;
            return status;
        }
        at = end;
    }
    return -1;
}

enum { MOST_SIDES = 8 };

static const char *const names[MOST_SIDES] = { "A", "B", "C", "D", "E", "F", "G", "H" };

int designs_of_sides(const cli_verb *verb, const cli_options *options)
{
    int count = count_sides(options), read = 0, status = EXIT_ERROR;
    size_t list_bytes = (size_t)count * sizeof(design), own_bytes = (size_t)count * sizeof(cli_options);
    design *list = karp_alloc(options->context, list_bytes);
    cli_options *own = karp_alloc(options->context, own_bytes);
    if (count > MOST_SIDES) {
        print_problem("diff", "at most 8 designs can be compared");
    } else if (list == NULL || own == NULL) {
        print_problem(NULL, "out of memory");
    } else {
        memset(list, 0, list_bytes);
        memset(own, 0, own_bytes);
        list[0].options = *options;
        status = read_sides(verb, options, list, own, &read);
        for (int i = 0; i < count && i < MOST_SIDES; i++) list[i].name = names[i];
        list[0].verb = "diff";
        if (status < 0) status = answer(options, list, (size_t)count, NULL, 0);
        for (int i = 0; i < read; i++) options_free(&own[i]);
    }
    karp_free(options->context, own, own_bytes);
    karp_free(options->context, list, list_bytes);
    return status;
}

/* ---- files applied to one input ---------------------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void fill_files(const cli_options *options, design *list, const char **replaced, size_t change_count)
{
    const char *first = change_count == 0 ? "as it is" : "no design";
    size_t before = options->replaced.count;
    for (size_t i = 0; i <= options->designs.count; i++) {
        list[i].name = i == 0 ? first : last_part(options->designs.items[i - 1]);
        list[i].options = *options;
        if (i == 0) continue;
        const char **words = replaced + (i - 1) * (before + 1);
        if (before > 0) memcpy(words, options->replaced.items, before * sizeof *words);
        words[before] = options->designs.items[i - 1];
        list[i].options.replaced = (cli_list){ words, before + 1 };
    }
}

int designs_of_files(const cli_options *options, const karp_change *changes, size_t change_count)
{
    size_t count = options->designs.count, list_bytes = (count + 1) * sizeof(design);
    size_t word_bytes = count * (options->replaced.count + 1) * sizeof(const char *);
    design *list = karp_alloc(options->context, list_bytes);
    const char **replaced = karp_alloc(options->context, word_bytes);
    int status = EXIT_ERROR;
    if (list == NULL || replaced == NULL) {
        print_problem(NULL, "out of memory");
    } else {
        memset(list, 0, list_bytes);
        fill_files(options, list, replaced, change_count);
        list[0].verb = "whatif";
        status = answer(options, list, count + 1, changes, change_count);
    }
    karp_free(options->context, replaced, word_bytes);
    karp_free(options->context, list, list_bytes);
    return status;
}
