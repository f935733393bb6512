/* SPDX-License-Identifier: Apache-2.0 */
/* Deprovision decisions of random worlds whose nodes can be removed: two bytes choose method and policies, the others
 * the world. */
#include "world.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <karp/passes.h>

#include <property/worlds.h>
#include <support/same_commands.h>

enum { MOST_VALIDATED = 8 };

static void allow(json_t *object, unsigned policies)
{
    static const char *const policy[4] = { "WhenEmptyOrUnderutilized", "WhenEmpty", "Balanced",
                                           "WhenEmptyOrUnderutilized" };
    static const char *const nodes[4] = { "100%", "2", "50%", "10%" };
    const char *kind = json_string_value(json_object_get(object, "kind"));
    if (strcmp(kind, "NodeClaim") == 0) {
        json_t *conditions = json_object_get(json_object_get(object, "status"), "conditions");
        json_array_append_new(conditions,
                              json_pack("{s:s, s:s, s:s}", "type", policies & 16 ? "Drifted" : "Consolidatable",
                                        "status", "True", "lastTransitionTime", "2026-11-21T11:00:00Z"));
    } else if (strcmp(kind, "NodePool") == 0) {
        json_object_set_new(json_object_get(object, "spec"), "disruption",
                            json_pack("{s:s, s:s, s:[{s:s}]}", "consolidateAfter", "0s", "consolidationPolicy",
                                      policy[policies & 3], "budgets", "nodes", nodes[policies >> 2 & 3]));
    }
}

static json_t *world(const uint8_t *data, size_t size, unsigned policies)
{
    json_t *out = world_make_from(data, size), *objects = json_object_get(out, "objects");
    for (size_t i = 0; i < json_array_size(objects); i++) allow(json_array_get(objects, i), policies);
    if (policies & 32)
        json_object_set_new(json_object_get(json_object_get(out, "settings"), "featureGates"),
                            "SpotToSpotConsolidation", json_true());
    json_object_del(json_object_get(out, "state"), "pods"); /* that list is for a solve, not for a pass */
    return out;
}

static int64_t allowed(const karp_decision *decision, karp_str pool)
{
    karp_pool_budget row = { .size = sizeof row };
    for (size_t i = 0; karp_decision_budget(decision, i, &row) == KARP_OK; i++) {
        if (row.node_pool.len == pool.len && memcmp(row.node_pool.ptr, pool.ptr, pool.len) == 0) return row.remaining;
    }
    return 0;
}

/* A command takes candidates, each once, no more of a pool than its budget allows. */
static void check_command(const karp_decision *decision, const karp_command *command)
{
    if (command->node_count == 0 || isnan(command->savings)) broken("a command takes nodes and has a price");
    for (size_t i = 0; i < command->node_count; i++) {
        karp_candidate row = { .size = sizeof row }, own = { .size = sizeof own };
        int64_t of_pool = 0;
        int known = 0;
        for (size_t j = 0; karp_decision_candidate(decision, j, &row) == KARP_OK; j++) {
            if (strcmp(row.node.ptr, command->nodes[i].ptr) == 0) {
                known++;
                own = row;
            }
        }
        if (known != 1) broken("a command takes candidates");
        for (size_t j = 0; j < command->node_count; j++) {
            for (size_t k = 0; karp_decision_candidate(decision, k, &row) == KARP_OK; k++)
                of_pool += strcmp(row.node.ptr, command->nodes[j].ptr) == 0 &&
                           strcmp(row.node_pool.ptr, own.node_pool.ptr) == 0;
            if (j != i && strcmp(command->nodes[i].ptr, command->nodes[j].ptr) == 0)
                broken("a command takes a node once");
        }
        if (of_pool > allowed(decision, own.node_pool)) broken("a command keeps to the budgets");
    }
}

/* On the same snapshot at the same instant a command still holds. */
static void validate(const fuzz_world *w, const karp_disrupt_options *options, const karp_decision *decision,
                     size_t index)
{
    karp_validation out = { .size = sizeof out };
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_disrupt_validate(w->snapshot, options, decision, index, NULL, &out, &error);
    if (status == KARP_OK && out.code != KARP_REASON_NONE) broken("a command holds where it was made");
}

static karp_text written(const fuzz_world *w, const karp_decision *decision)
{
    karp_text text = { NULL, 0, NULL };
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_write_disruption(w->context, decision, NULL, &text, &error);
    check_result(status, text.ptr, &error);
    return text;
}

static karp_decision *disrupt(const fuzz_world *w, const karp_disrupt_options *options)
{
    karp_decision *decision = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_disrupt(w->snapshot, options, &decision, &error);
    check_result(status, decision, &error);
    return decision;
}

/* ---- a pass whose result is commands only ------------------------------------------------------------------------ */

/* It leaves simulations out, and comes to the same commands. Not with a budget of simulations, which would end it
 * elsewhere. */
static void compare_told(const fuzz_world *w, uint32_t method)
{
    karp_decision *d[2];
    for (uint32_t i = 0; i < 2; i++) {
        karp_disrupt_options options;
        karp_disrupt_options_init(&options, sizeof options);
        options.method = method;
        options.commands_only = i;
        d[i] = disrupt(w, &options);
    }
    if (d[0] != NULL && d[1] != NULL && commands_differ(d[0], d[1]) != NULL)
        broken("passes come to the same commands, whatever they tell");
    for (uint32_t i = 0; i < 2; i++) karp_decision_unref(d[i]);
}

static void run(const fuzz_world *w, uint32_t method)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    options.method = method;
    options.max_simulations = MAX_SIMULATIONS;
    karp_decision *first = disrupt(w, &options), *second = disrupt(w, &options);
    if (first != NULL && second != NULL) {
        karp_text a = written(w, first), b = written(w, second);
        if (a.ptr != NULL && b.ptr != NULL && (a.len != b.len || memcmp(a.ptr, b.ptr, a.len) != 0))
            broken("the same pass has the same bytes");
        karp_text_free(&a);
        karp_text_free(&b);
        karp_command row = { .size = sizeof row };
        for (size_t i = 0; karp_decision_command(first, i, &row) == KARP_OK; i++) {
            check_command(first, &row);
            if (i < MOST_VALIDATED) validate(w, &options, first, i);
        }
    }
    bool whole = false;
    karp_disruption told = { .size = sizeof told };
    if (first != NULL && karp_decision_disruption(first, &told) == KARP_OK) whole = told.simulations < MAX_SIMULATIONS;
    karp_decision_unref(first);
    karp_decision_unref(second);
    if (whole) compare_told(w, method);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    fuzz_world w;
    fuzz_world_open(&w, world(data + 2, size - 2, data[1]));
    if (w.snapshot != NULL) run(&w, data[0] % (KARP_METHOD_SINGLE_NODE + 1));
    fuzz_world_close(&w);
    return 0;
}
