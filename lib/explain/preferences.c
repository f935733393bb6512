/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/preferences.h>
#include <karp/settings.h>

#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <verify/verify.h>
#include <schedule/policy.h>
#include <schedule/options.h>
#include <schedule/result.h>
#include <string.h>

struct karp_preferences {
    karp_context *context;
    karp_snapshot *snapshot; /* one reference; it owns the names of pods */
    arena data;
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

static bool has_preferences(const karp_snapshot *s, const shape *h)
{
    bool some = h->preferred.count + h->preferred_affinity.count + h->preferred_anti.count > 0;
    const spread_list *spread = h->spread.count > 0 ? &h->spread : &s->raw.default_spread;
    for (uint32_t i = 0; i < spread->count && !some; i++) some = spread->items[i].schedule_anyway;
    return some;
}

/* Whether a pod, or the given one, has any. */
static bool some_preferences(const karp_snapshot *s, uint32_t only)
{
    if (s->raw.settings.preference_policy == KARP_PREFERENCES_IGNORE) return false;
    if (only != NO_ID) return has_preferences(s, &s->raw.shapes.items[pod_at(&s->raw, only)->shape]);
    bool some = false;
    for (size_t i = 0; i < s->raw.shapes.count && !some; i++) some = has_preferences(s, &s->raw.shapes.items[i]);
    return some;
}

/* One round; its rows if `steps` is given, and what it costs. */
static karp_status decide(karp_preferences *p, const karp_snapshot *seen, const karp_options *options, uint16_t *steps,
                          uint32_t only, double *cost, karp_error *error)
{
    const run_options how = { .options = options, .ignore_preferences = steps == NULL };
    scheduler *s = NULL;
    round_cost price;
    arena scratch;
    karp_status status = scheduler_new(seen, &how, &s, error);
    if (status != KARP_OK) return status;
    arena_init(&scratch, p->context);
    if (steps != NULL) policy_note_given_up(s, steps);
    status = scheduler_round(s, NULL, 0, NULL, 0, error);
    if (status == KARP_OK && steps != NULL && !preferences_of_round(s, steps, only, &p->data, &p->rows))
        status = fail_nomem(error);
    if (status == KARP_OK && !result_cost(s, &scratch, &price)) status = fail_nomem(error);
    if (status == KARP_OK) *cost = price.price;
    arena_free(&scratch);
    scheduler_free(s);
    return status;
}

static int by_pod(const void *a, const void *b, const void *user)
{
    const karp_preference *x = a, *y = b;
    (void)user;
    int order = compare_str(x->pod, y->pod);
    return order != 0 ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

static karp_status find_all(karp_preferences *p, const karp_snapshot *seen, const karp_options *options, uint32_t only,
                            karp_error *error)
{
    arena scratch;
    arena_init(&scratch, p->context);
    uint16_t *steps = arena_array(&scratch, seen->raw.pods.count + 1, sizeof *steps);
    karp_status status = steps != NULL ? KARP_OK : fail_nomem(error);
    if (status == KARP_OK) memset(steps, 0, seen->raw.pods.count * sizeof *steps);
    if (status == KARP_OK) status = decide(p, seen, options, steps, only, &p->cost, error);
    if (status == KARP_OK) status = decide(p, seen, options, NULL, only, &p->cost_ignored, error);
    arena_free(&scratch);
    if (status == KARP_OK &&
        !sort_stable(p->context, p->rows.items, p->rows.count, sizeof(karp_preference), by_pod, NULL))
        status = fail_nomem(error);
    return status;
}

karp_status karp_find_preferences(const karp_snapshot *snapshot, const karp_options *options, karp_str name,
                                  karp_preferences **out, karp_error *error)
{
    karp_options checked;
    karp_snapshot view;
    if (snapshot == NULL || out == NULL) return fail_null(error, "snapshot or out");
    if (!str_given(name)) return fail_null(error, "name");
    karp_status status = options_check(options, &checked, error);
    if (status != KARP_OK) return status;
    checked.keep_partial = 0;
    const karp_snapshot *seen = options_view(&checked, snapshot, &view);
    uint32_t only = name.len == 0 ? NO_ID : verify_find_pod(seen, name);
    if (name.len > 0 && only == NO_ID) return fail(error, KARP_E_NOT_FOUND, "no pod of that name");
    karp_preferences *p = mem_zalloc(snapshot->context, sizeof *p);
    if (p == NULL) return context_refusal(snapshot->context, fail_nomem(error), error);
    p->context = context_ref(snapshot->context);
    p->snapshot = snapshot_hold(snapshot);
    arena_init(&p->data, p->context);
    if (some_preferences(seen, only)) status = find_all(p, seen, &checked, only, error);
    if (status == KARP_OK) {
        *out = p;
        return KARP_OK;
    }
    karp_preferences_free(p);
    return status == KARP_E_NOMEM ? context_refusal(snapshot->context, status, error) : status;
}

void karp_preferences_free(karp_preferences *preferences)
{
    if (preferences == NULL) return;
    karp_context *context = preferences->context;
    list_free(context, &preferences->rows, sizeof(karp_preference));
    arena_free(&preferences->data);
    karp_snapshot_unref(preferences->snapshot);
    mem_free(context, preferences, sizeof *preferences);
    context_unref(context);
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
