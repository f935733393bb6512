/* SPDX-License-Identifier: Apache-2.0 */
#include "option_table.h"

#include <string.h>
#include <time.h>

int set_objective(const cli_verb *verb, cli_options *options, const char *text)
{
    uint64_t kind = 0;
    int status = read_word(verb, WORDS_OBJECTIVE, text, &kind);
    options->objective.kind = (uint32_t)kind;
    options->objective_given |= OBJECTIVE_KIND;
    return status;
}

int set_effort(const cli_verb *verb, cli_options *options, const char *text)
{
    if (!parse_word(WORDS_EFFORT, text, &options->objective.effort) && !parse_count(text, &options->objective.effort))
        return wrong_option(verb, "--effort", "a number of steps, or 10ms, 100ms, 1s or 10s");
    options->objective_given |= OBJECTIVE_EFFORT;
    return -1;
}

/* A finite number from 0 to a million. */
static bool parse_amount(const char *text, double *out)
{
    double value = 0;
    if (karp_double_parse(str(text), &value) != KARP_OK || !(value >= 0 && value <= 1e6)) return false;
    *out = value;
    return true;
}

int set_node_cost(const cli_verb *verb, cli_options *options, const char *text)
{
    if (!parse_amount(text, &options->objective.node_cost))
        return wrong_option(verb, "--node-cost", "dollars an hour, from 0 to a million");
    options->objective_given |= OBJECTIVE_NODE_COST;
    return -1;
}

int set_spot_factor(const cli_verb *verb, cli_options *options, const char *text)
{
    if (!parse_amount(text, &options->objective.spot_factor) || !(options->objective.spot_factor > 0))
        return wrong_option(verb, "--spot-factor", "a number like 1.2: above 0, at most a million");
    options->objective_given |= OBJECTIVE_SPOT_FACTOR;
    return -1;
}

int set_price_slack(const cli_verb *verb, cli_options *options, const char *text)
{
    if (!parse_amount(text, &options->objective.price_slack))
        return wrong_option(verb, "--price-slack", "a part of the price, like 0.1: at least 0, at most a million");
    options->objective.flags |= KARP_COST_PRICE_SLACK;
    options->objective_given |= OBJECTIVE_PRICE_SLACK;
    return -1;
}

int set_preferences(const cli_verb *verb, cli_options *options, const char *text)
{
    uint64_t flag = 0;
    int status = read_word(verb, WORDS_PREFERENCES, text, &flag);
    options->objective.flags &= ~(uint32_t)KARP_COST_IGNORE_PREFERENCES;
    options->objective.flags |= (uint32_t)flag;
    options->preferences = flag != 0 ? KARP_READ_PREFERENCES_IGNORE : KARP_READ_PREFERENCES_RESPECT;
    options->objective_given |= OBJECTIVE_PREFERENCES;
    return status;
}

int set_ignore_weights(const cli_verb *verb, cli_options *options, const char *text)
{
    (void)verb, (void)text;
    options->objective.flags |= KARP_COST_IGNORE_WEIGHTS;
    return -1;
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

static int64_t clock_now(void)
{
    struct timespec t = { 0 };
    return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

int set_deadline(const cli_verb *verb, cli_options *options, const char *text)
{
    int64_t after = 0, now = clock_now();
    if (karp_duration_parse(str(text), &after) != KARP_OK || after < 0 || after > INT64_MAX - now)
        return wrong_option(verb, "--deadline", "a time like 500ms or 2s");
    options->deadline = now + after;
    options->deadline_from = now;
    return -1;
}

int32_t deadline_is_over(void *user)
{
    const cli_options *options = user;
    return clock_now() >= options->deadline;
}

static int32_t deadline_with_progress(void *user)
{
    const cli_options *options = user;
    int64_t now = clock_now();
    progress_part((uint64_t)(now - options->deadline_from), (uint64_t)(options->deadline - options->deadline_from));
    return now >= options->deadline;
}

void show_deadline(karp_options *common)
{
    if (common->should_stop == deadline_is_over) common->should_stop = deadline_with_progress;
}

void objective_inherit(cli_options *side, const cli_options *own)
{
    karp_objective *to = &side->objective;
    const karp_objective *from = &own->objective;
    uint32_t given = own->objective_given;
    if ((given & OBJECTIVE_KIND) != 0) to->kind = from->kind;
    if ((given & OBJECTIVE_EFFORT) != 0) to->effort = from->effort;
    if ((given & OBJECTIVE_NODE_COST) != 0) to->node_cost = from->node_cost;
    if ((given & OBJECTIVE_SPOT_FACTOR) != 0) to->spot_factor = from->spot_factor;
    if ((given & OBJECTIVE_PRICE_SLACK) != 0) to->price_slack = from->price_slack;
    if ((given & OBJECTIVE_PREFERENCES) != 0) to->flags &= ~(uint32_t)KARP_COST_IGNORE_PREFERENCES;
    to->flags |= from->flags;
}
