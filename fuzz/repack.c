/* SPDX-License-Identifier: Apache-2.0 */
/* Repack plans on random worlds: every step saves, limits hold, the curve falls and stays above its bound, the same
 * every time. */
#include "world.h"

#include <math.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/repack.h>
#include <property/worlds.h>

enum { EFFORT = 1000 };

static karp_decision *decide(const fuzz_world *w, uint64_t most)
{
    karp_options common;
    karp_objective objective;
    karp_repack_options options;
    karp_decision *decision = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_options_init(&common, sizeof common);
    karp_objective_init(&objective, sizeof objective);
    karp_repack_options_init(&options, sizeof options);
    objective.effort = EFFORT;
    common.objective = &objective;
    options.common = &common;
    options.max_evictions = most;
    karp_status status = karp_repack(w->snapshot, &options, &decision, &error);
    check_result(status, decision, &error);
    return decision;
}

static void check_curve(const karp_decision *d, double before)
{
    karp_repack_point p = { .size = sizeof p };
    double last = HUGE_VAL;
    uint64_t evictions = 0;
    for (size_t i = 0; i < karp_decision_repack_point_count(d); i++) {
        if (karp_decision_repack_point(d, i, &p) != KARP_OK) broken("each point can be read");
        if (i == 0 && (p.evictions > 0 ? p.cost >= before : p.cost > before))
            broken("the curve begins at the cost before");
        if (!(p.cost < last) || (i > 0 && p.evictions <= evictions)) broken("the curve falls");
        if (p.bound > p.cost * (1 + 1e-6)) broken("no point is below its bound");
        last = p.cost;
        evictions = p.evictions;
    }
}

static void check_plan(const karp_decision *d, uint64_t most)
{
    karp_repack_cost cost = { .size = sizeof cost };
    karp_repack_step step = { .size = sizeof step };
    karp_command command = { .size = sizeof command };
    if (karp_decision_repack(d, &cost) != KARP_OK) broken("a repack plan has figures");
    double now = cost.before;
    uint64_t evictions = 0;
    for (size_t i = 0; i < karp_decision_command_count(d); i++) {
        if (karp_decision_repack_step(d, i, &step) != KARP_OK || karp_decision_command(d, i, &command) != KARP_OK)
            broken("each step can be read");
        if (!(step.saving > 0) || !(step.cost_after < now)) broken("each step saves");
        if (command.node_count == 0) broken("each step removes a node");
        now = step.cost_after;
        evictions += step.evictions;
    }
    if (fabs(now - cost.after) > 1e-6 || evictions != cost.evictions) broken("the steps lead to what the plan says");
    if (evictions > most) broken("no more pods move than may");
    if (cost.bound > cost.after * (1 + 1e-6)) broken("no plan is below its bound");
    check_curve(d, cost.before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_world w;
    fuzz_world_open(&w, world_make_from(data, size));
    for (int turn = 0; turn < 2 && w.snapshot != NULL; turn++) {
        char one[KARP_DIGEST_TEXT], other[KARP_DIGEST_TEXT];
        uint64_t most = turn == 0 ? KARP_REPACK_ANY : 3;
        karp_decision *d = decide(&w, most), *again = decide(&w, most);
        if (d != NULL && again != NULL) {
            check_plan(d, most);
            karp_decision_hash(d, one);
            karp_decision_hash(again, other);
            if (strcmp(one, other) != 0) broken("the same plan every time");
        }
        karp_decision_unref(again);
        karp_decision_unref(d);
    }
    fuzz_world_close(&w);
    return 0;
}
