/* SPDX-License-Identifier: Apache-2.0 */
#include "tune.h"

#include <stdio.h>
#include <string.h>

#include <karp/library.h>

/* ---- each design ------------------------------------------------------------------------------------------------- */

static void show_progress(const cli_tuning *t)
{
    uint64_t most = t->answer->options->most_designs > 0 ? t->answer->options->most_designs : 64,
             grid = karp_tune_grid(t->tune);
    progress_begin("trying designs");
    progress_part(karp_tune_design_count(t->tune), grid < most ? grid : most);
}

static void settle_all(cli_tuning *t)
{
    const karp_options common = decision_options(t->answer->options);
    karp_settle_options how;
    size_t tried = 1;
    karp_settle_options_init(&how, sizeof how);
    how.common = &common;
    how.disrupt = t->answer->options->no_disrupt ? KARP_SETTLE_LAUNCHES : KARP_SETTLE_ALL;
    while (t->status == KARP_OK && tried > 0) {
        show_progress(t);
        t->status = karp_tune_settle(t->tune, &how, &tried, &t->answer->error);
    }
    progress_end();
    if (t->status == KARP_OK) t->status = karp_tune_floor(t->tune, &common, &t->floor, &t->answer->error);
}

static int replay_all(karp_replay_options *replay, void *own)
{
    cli_tuning *t = own;
    const cli_options *options = t->answer->options;
    size_t tried = 1;
    karp_str policy = str(options->profiles.count > 0 ? options->profiles.items[options->profiles.count - 1] : NULL);
    replay->policies = &policy;
    replay->policy_count = policy.len > 0;
    while (t->status == KARP_OK && tried > 0) {
        show_progress(t);
        t->status = karp_tune_replay(t->tune, replay, &tried, &t->answer->error);
    }
    progress_end();
    return t->status == KARP_OK ? EXIT_OK : EXIT_ERROR;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* The best design of those that were tried. */
static size_t find_best(const cli_tuning *t)
{
    for (size_t i = 0; i < karp_tune_design_count(t->tune); i++) {
        karp_tune_design d = { .size = sizeof d };
        if (karp_tune_get_design(t->tune, i, &d) == KARP_OK && d.best) return i;
    }
    return 0;
}

static void fill(karp_str *out, const cli_list *given)
{
    for (size_t i = 0; i < given->count; i++) out[i] = str(given->items[i]);
}

static karp_status begin_search(cli_tuning *t)
{
    const cli_options *options = t->answer->options;
    karp_tune_options o;
    karp_tune_options_init(&o, sizeof o);
    size_t bytes = (options->axes.count + options->caps.count + 1) * sizeof(karp_str);
    karp_str *texts = karp_alloc(options->context, bytes);
    if (texts == NULL) return fail(&t->answer->error, KARP_E_NOMEM, "out of memory");
    fill(texts, &options->axes);
    fill(texts + options->axes.count, &options->caps);
    o.axes = texts;
    o.axis_count = options->axes.count;
    o.caps = texts + options->axes.count;
    o.cap_count = options->caps.count;
    o.most_designs = options->most_designs;
    o.seed = t->seed;
    o.restart_loss = t->restart_loss;
    o.replay = t->replayed;
    o.peer_version = options->peer_version;
    o.loads = t->loads;
    o.load_count = t->load_count;
    if (options->image_architectures != NULL)
        o.image_architectures = (karp_str){ t->images.ptr != NULL ? t->images.ptr : "", t->images.len };
    karp_status status = karp_tune_new(options->context, t->answer->input.reader, &o, &t->tune, &t->answer->error);
    karp_free(options->context, texts, bytes);
    return status;
}

static void print_tuning(cli_tuning *t, int *result)
{
    const cli_options *options = t->answer->options;
    strbuf out = { .context = options->context };
    if (!tuning_write(t, &out)) t->status = fail(&t->answer->error, KARP_E_NOMEM, "out of memory");
    else if (!print_folded(options, (karp_str){ out.ptr, out.len })) *result = EXIT_ERROR;
    strbuf_free(&out);
}

static karp_status write_answer(cli_tuning *t, int *result)
{
    const cli_options *options = t->answer->options;
    t->best = find_best(t);
    *result = options->detailed_exitcode && t->best != 0 ? EXIT_CHANGES : EXIT_OK;
    if (options->pick > 0 && options->pick >= karp_tune_design_count(t->tune)) {
        *result = EXIT_ERROR;
        print_problem("--pick", "no design of that number was tried");
    } else if (options->format == KARP_FORMAT_JSON || options->format == KARP_FORMAT_HTML) {
        t->status = karp_write_tune(options->context, t->tune, &t->answer->write, &t->answer->text, &t->answer->error);
    } else {
        print_tuning(t, result);
    }
    return t->status;
}

static karp_status answer_tune(cli_answer *answer, void *own, int *result)
{
    cli_tuning *t = own;
    const cli_options *options = answer->options;
    t->answer = answer;
    t->status = begin_search(t);
    if (t->status == KARP_OK && t->replayed) {
        bool tried = replay_of(options, &options->traces, &options->files, replay_all, t) == EXIT_OK;
        if (!tried && t->status == KARP_OK) { /* the reason has been printed */
            karp_tune_free(t->tune);
            *result = EXIT_ERROR;
            return KARP_OK;
        }
    } else if (t->status == KARP_OK) {
        settle_all(t);
    }
    if (t->status == KARP_OK) t->status = write_answer(t, result);
    karp_tune_free(t->tune);
    return t->status;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Options that have no effect; NULL = there is none. A replay reads the objects as they are in the files. */
static const char *useless(const cli_options *o)
{
    const struct {
        bool given, replayed; /* which search ignores it */
        const char *name;
    } rows[] = { { o->deleted.count > 0, true, "--delete" },
                 { o->scaled.count > 0, true, "--scale" },
                 { o->prices.count > 0, true, "--prices" },
                 { o->hooks != NULL, true, "--hooks" },
                 { o->loads != NULL, true, "--load" },
                 { o->now != 0 || o->now_later != 0, true, "--now" },
                 { o->cluster, true, "a cluster" },
                 { o->replay[REPLAY_UNTIL] != NULL, false, "--until" },
                 { o->replay[REPLAY_BOOT] != NULL, false, "--boot" },
                 { o->replay[REPLAY_BOOT_JITTER] != NULL, false, "--boot-jitter" },
                 { o->replay[REPLAY_DISRUPTION_INTERVAL] != NULL, false, "--disruption-interval" },
                 { o->replay[REPLAY_INTERRUPTIONS] != NULL, false, "--interruptions" },
                 { o->replay[REPLAY_INTERRUPTION_RATES] != NULL, false, "--interruption-rates" },
                 { o->replay[REPLAY_RESTART_LOSS] != NULL, false, "--restart-loss" },
                 { o->replay[REPLAY_SCHEDULER] != NULL, false, "--scheduler" },
                 { o->replay[REPLAY_SCHEDULER_VERSION] != NULL, false, "--scheduler-version" },
                 { o->replay[REPLAY_SCHEDULER_CONFIG] != NULL, false, "--scheduler-config" },
                 { o->most_allocated, false, "--most-allocated" } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].given && rows[i].replayed == (o->traces.count > 0)) return rows[i].name;
    }
    return NULL;
}

/* Each design reads the files of a replay again. */
static bool is_stream(const cli_list *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        if (text_file_is_stream(paths->items[i])) return true;
    }
    return false;
}

/* "0.8,1,1.2" */
static bool read_loads(karp_str given, cli_tuning *t)
{
    while (given.len > 0) {
        karp_str one = str_until(&given, ',');
        if (t->load_count == sizeof t->loads / sizeof t->loads[0] ||
            karp_double_parse(one, &t->loads[t->load_count]) != KARP_OK || !(t->loads[t->load_count] > 0))
            return false;
        t->load_count++;
    }
    return t->load_count > 0;
}

static int run_tune(const cli_options *options)
{
    cli_tuning t = { .replayed = options->traces.count > 0 };
    const char *seed = options->replay[REPLAY_SEED], *loss = options->replay[REPLAY_RESTART_LOSS];
    const char *given = useless(options);
    if (given != NULL)
        return wrong_option(&verb_tune, given, t.replayed ? "has no effect with --trace" : "is for --trace FILE");
    if (options->pick > 0 && options->format != KARP_FORMAT_YAML)
        return wrong_option(&verb_tune, "--pick", "is for -o yaml");
    if (loss != NULL && (karp_duration_parse(str(loss), &t.restart_loss) != KARP_OK || t.restart_loss < 0))
        return wrong_option(&verb_tune, "--restart-loss", "not a duration like 10m");
    if (seed != NULL && !parse_count(seed, &t.seed)) return wrong_option(&verb_tune, "--seed", "not a number");
    if (t.replayed && (is_stream(&options->files) || is_stream(&options->traces)))
        return wrong_option(&verb_tune, "--trace", "what is replayed is read several times: save it as a file");
    if (options->loads != NULL && !read_loads(str(options->loads), &t))
        return wrong_option(&verb_tune, "--load", "expected at most 16 factors above 0, as in 0.8,1,1.2");
    if (options->image_architectures != NULL && !text_file_read(options, options->image_architectures, &t.images))
        return EXIT_ERROR;
    int result = answer_input(options, true, options->format != KARP_FORMAT_JSON && options->format != KARP_FORMAT_HTML,
                              answer_tune, &t);
    strbuf_free(&t.images);
    return result;
}

const cli_verb verb_tune = {
    .name = "tune",
    .arguments = "[FILE...]",
    .summary = "NodePools that would cost less: a search over their designs",
    .details =
        "Tries designs of the NodePools: other requirements, consolidation, budgets, weights, limits. Each design is\n"
        "settled as karp plan --settle does, or with --trace replayed as karp replay does. Shows which designs no "
        "other\n"
        "is better than in cost, evictions, waiting and spot use, what each change does by itself, and what no design\n"
        "can be below. -o yaml writes the NodePools of the cheapest one.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT | CLI_OPTION_EXIT |
               CLI_OPTION_TUNE,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_YAML | 1u << KARP_FORMAT_HTML,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_tune,
};
