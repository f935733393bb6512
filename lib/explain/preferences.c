/* SPDX-License-Identifier: Apache-2.0 */

#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <verify/verify.h>
#include <schedule/policy.h>
#include <schedule/options.h>
#include <schedule/result.h>

struct karp_preferences {
    karp_context *context;
    arena data;
    karp_snapshot *snapshot; /* one reference; it owns the names of pods */
    preference_rows rows;
    double cost, cost_ignored;
};

const char *karp_preference_name(uint32_t kind)
{
    static const char *const names[] = { [KARP_PREFERENCE_NODE_AFFINITY] = "nodeAffinity",
                                         [KARP_PREFERENCE_POD_AFFINITY] = "podAffinity",
                                         [KARP_PREFERENCE_POD_ANTI_AFFINITY] = "podAntiAffinity",
                                         [KARP_PREFERENCE_SPREAD] = "topologySpread" };
    return kind > 0 && kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

static karp_status copy_rows(karp_preferences *p, const karp_decision *plan)
{
    for (size_t i = 0; i < plan->preferences.count; i++) {
        karp_preference *row = list_push(p->context, &p->rows, sizeof *row);
        if (row == NULL) return KARP_E_NOMEM;
        *row = plan->preferences.items[i];
        const char *copy = arena_string(&p->data, row->text.ptr, row->text.len);
        if (copy == NULL) return KARP_E_NOMEM;
        row->text.ptr = copy;
    }
    return KARP_OK;
}

static bool is_placed(const karp_decision *plan, uint32_t pod_number)
{
    bool placed = false;
    for (size_t i = 0; i < plan->placements.count && !placed; i++)
        placed = ids_have(plan->placements.items[i].pods, plan->placements.items[i].pod_count, pod_number);
    for (size_t i = 0; i < plan->launches.count && !placed; i++)
        placed = ids_have(plan->launches.items[i].pods, plan->launches.items[i].pod_count, pod_number);
    return placed;
}

/* The rows of one pod at the relaxation step at which the plan placed it. */
static karp_status rows_of_pod(karp_preferences *p, const karp_snapshot *seen, const karp_options *options,
                               const karp_decision *plan, uint32_t pod_number, karp_error *error)
{
    const run_options how = { .options = options };
    scheduler *s = NULL;
    if (!is_placed(plan, pod_number)) return KARP_OK;
    karp_status status = scheduler_new(seen, &how, &s, error);
    if (status == KARP_OK && !preferences_of_pod(s, pod_number, plan->steps[pod_number], &p->data, &p->rows))
        status = KARP_E_NOMEM;
    scheduler_free(s);
    return status;
}

/* What a round without preferences costs. */
static karp_status ignore_all(karp_preferences *p, const karp_snapshot *seen, const karp_options *options,
                              karp_error *error)
{
    const run_options how = { .options = options, .ignore_preferences = true };
    scheduler *s = NULL;
    round_cost price = { .price = 0 };
    arena scratch = arena_on(p->context);
    karp_status status = scheduler_new(seen, &how, &s, error);
    if (status == KARP_OK) status = scheduler_round(s, NULL, 0, NULL, 0, error);
    if (status == KARP_OK && !result_cost(s, &scratch, &price)) status = KARP_E_NOMEM;
    if (status == KARP_OK) p->cost_ignored = policy_stopped(s) ? -1 : price.price;
    arena_free(&scratch);
    scheduler_free(s);
    return status;
}

static karp_status find_all(karp_preferences *p, const karp_snapshot *seen, const karp_options *options,
                            const karp_decision *plan, uint32_t only, karp_error *error)
{
    karp_status status = only == NO_ID ? copy_rows(p, plan) : rows_of_pod(p, seen, options, plan, only, error);
    if (status != KARP_OK || p->rows.count == 0) return status;
    for (size_t i = 0; i < plan->launches.count; i++) p->cost += plan->launches.items[i].choice.price;
    status = ignore_all(p, seen, options, error);
    if (status != KARP_E_CANCELED || !options->keep_partial) return status;
    p->cost_ignored = -1;
    return KARP_OK;
}

karp_status karp_preferences_of(const karp_decision *plan, const karp_options *options, karp_str name,
                                karp_preferences **out, karp_error *error)
{
    karp_options checked;
    karp_snapshot view;
    if (plan == NULL || out == NULL) return fail_null(error, "plan or out");
    if (!str_given(name)) return fail_null(error, "name");
    karp_status status = options_check(options, &checked, error);
    if (status != KARP_OK) return status;
    const karp_snapshot *seen = options_view(&checked, plan->snapshot, &view);
    uint32_t only = name.len == 0 ? NO_ID : verify_find_pod(seen, name);
    if (name.len > 0 && only == NO_ID) return fail(error, KARP_E_NOT_FOUND, "no pod of that name");
    karp_preferences *p = made_new(plan->context, sizeof *p);
    if (p == NULL) return context_nomem(plan->context, error);
    p->snapshot = snapshot_hold(plan->snapshot);
    if (plan->steps != NULL) status = find_all(p, seen, &checked, plan, only, error);
    if (status == KARP_OK) {
        *out = p;
        return KARP_OK;
    }
    karp_preferences_free(p);
    return status == KARP_E_NOMEM ? context_nomem(plan->context, error) : status;
}

karp_status karp_find_preferences(const karp_snapshot *snapshot, const karp_options *options, karp_str name,
                                  karp_preferences **out, karp_error *error)
{
    karp_options checked;
    karp_decision *plan = NULL;
    if (snapshot == NULL || out == NULL) return fail_null(error, "snapshot or out");
    if (!str_given(name)) return fail_null(error, "name");
    karp_status status = options_check(options, &checked, error);
    if (status != KARP_OK) return status;
    checked.keep_partial = 0;
    checked.objective = NULL;
    status = karp_provision(snapshot, &checked, &plan, error);
    if (status == KARP_OK) status = karp_preferences_of(plan, &checked, name, out, error);
    karp_decision_unref(plan);
    return status;
}

void karp_preferences_free(karp_preferences *preferences)
{
    if (preferences == NULL) return;
    list_free(preferences->context, &preferences->rows, sizeof(karp_preference));
    karp_snapshot_unref(preferences->snapshot);
    made_free(preferences, sizeof *preferences);
}

size_t karp_preferences_count(const karp_preferences *preferences)
{
    return preferences == NULL ? 0 : preferences->rows.count;
}

karp_status karp_preferences_at(const karp_preferences *preferences, size_t index, karp_preference *out)
{
    if (preferences == NULL || index >= preferences->rows.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &preferences->rows.items[index], sizeof *out, SIZE_THROUGH(karp_preference, dropped));
}

double karp_preferences_cost(const karp_preferences *preferences)
{
    return preferences == NULL ? 0 : preferences->cost;
}

double karp_preferences_cost_ignored(const karp_preferences *preferences)
{
    return preferences == NULL ? 0 : preferences->cost_ignored;
}
