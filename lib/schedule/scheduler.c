/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up a scheduler and frees it. */
#include <schedule/scheduler.h>

#include <base/sort.h>
#include <model/extended_resources.h>
#include <schedule/devices.h>
#include <schedule/gang_loop.h>
#include <schedule/options.h>
#include <schedule/solve.h>
#include <schedule/views.h>

static const karp_options default_options = { .size = sizeof(karp_options) };

static void apply_options(scheduler *s, const run_options *how)
{
    const karp_settings *set = &s->snapshot->raw.settings;
    s->settings.options = how->options != NULL ? how->options : &default_options;
    s->settings.now = s->settings.options->now != 0 ? s->settings.options->now : s->snapshot->raw.now;
    s->settings.quirks = options_quirks(s->settings.options);
    s->settings.rules = options_rules(s->settings.options);
    /* Places of groups are taken back, which Karpenter's order does not allow. */
    s->settings.peer_order = options_peer_order(s->settings.options) && !gang_loop_applies(s);
    s->settings.simulation = how->simulation;
    s->settings.exact_budgets = how->simulation ? how->exact_budgets
                                                : s->settings.options->profile == KARP_PROFILE_KARP;
    s->settings.shield = how->shield || (!how->simulation && set->consolidation_simulation);
    if (rule_of(s->settings.rules, RULE_TERMINATE_FIRST)) {
        s->reservations.credits = how->simulation ? &how->credit : s->snapshot->raw.credits;
        s->reservations.credit_count = how->simulation ? how->credit.slots > 0 : s->snapshot->raw.credit_count;
    }
    s->settings.reserved_fallback = (how->simulation && !how->strict_reservations) ||
                                    (!how->simulation && set->reserved_mode == KARP_RESERVED_FALLBACK);
    s->settings.best_effort_min_values = set->min_values_policy == KARP_MIN_VALUES_BEST_EFFORT;
    split_init(s);
    volumes_init(s);
    s->settings.ignore_preferences = how->ignore_preferences || set->preference_policy == KARP_PREFERENCES_IGNORE;
}

bool scheduler_work(scheduler *s, size_t units)
{
    if (!mem_work(s->context, units)) s->failed = true;
    return !s->failed;
}

/* Vectors longer than this are mostly zero. */
enum { LONG_VECTOR = 8 };

static int by_resource_name(uint32_t a, uint32_t b, const void *user)
{
    const karp_snapshot *s = user;
    return compare_str(strings_get(&s->raw.resources, s->resource_of[a]),
                       strings_get(&s->raw.resources, s->resource_of[b]));
}

/* The columns of a snapshot in an order that is independent of its objects: the fixed ones, followed by the others by
 * name. */
static uint32_t *order_columns(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint32_t *order = arena_array(&s->data, snapshot->dims + (size_t)1, sizeof *order), fixed = RESOURCE_PODS + 1;
    for (uint32_t k = 0; order != NULL && k < snapshot->dims; k++) order[k] = k;
    bool ok = order != NULL && (snapshot->dims <= fixed || sort_ids(s->context, order + fixed, snapshot->dims - fixed,
                                                                    by_resource_name, snapshot));
    return ok ? order : NULL;
}

/* Resources that devices serve where a node has none of them. */
static bool find_served(scheduler *s)
{
    if (s->settings.options->profile != KARP_PROFILE_KARP) return true;
    for (uint32_t d = 0; d < s->vectors.dims; d++) {
        if (!column_served(s->snapshot, s->vectors.columns[d])) continue;
        if (s->vectors.device_class == NULL) {
            s->vectors.device_class = arena_alloc(&s->data, s->vectors.dims * sizeof *s->vectors.device_class);
            if (s->vectors.device_class == NULL) return false;
            for (uint32_t k = 0; k < s->vectors.dims; k++) s->vectors.device_class[k] = NO_ID;
        }
        s->vectors.device_class[d] = extended_class(s->snapshot, s->vectors.resources[d]);
    }
    return true;
}

/* Selects the resources that some pod requests. No other resource can decide whether a pod fits. */
static bool choose_dims(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    s->vectors.columns = arena_array(&s->data, snapshot->dims + (size_t)1, sizeof *s->vectors.columns);
    s->vectors.resources = arena_array(&s->data, snapshot->dims + (size_t)1, sizeof *s->vectors.resources);
    s->vectors.index_of = arena_array(&s->data, snapshot->raw.resources.count + (size_t)1, sizeof *s->vectors.index_of);
    const uint32_t *order = order_columns(s);
    if (s->vectors.columns == NULL || s->vectors.resources == NULL || s->vectors.index_of == NULL || order == NULL)
        return false;
    for (uint32_t i = 0; i < snapshot->dims; i++) {
        uint32_t k = order[i];
        bool used = k <= RESOURCE_PODS;
        for (uint32_t c = 0; c < snapshot->class_count && !used; c++) used = snapshot->classes[c].requests[k] != 0;
        s->vectors.index_of[snapshot->resource_of[k]] = used ? s->vectors.dims : NO_ID;
        if (!used) continue;
        s->vectors.columns[s->vectors.dims] = k;
        s->vectors.resources[s->vectors.dims++] = snapshot->resource_of[k];
    }
    for (uint32_t r = 0; r < snapshot->raw.resources.count; r++)
        s->vectors.index_of[r] = s->vectors.index_of[snapshot->resource_of[snapshot->column_of[r]]];
    s->vectors.zero = arena_array(&s->data, s->vectors.dims, sizeof *s->vectors.zero);
    return s->vectors.zero != NULL && find_served(s);
}

static bool list_requested(scheduler *s, class_state *k)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < s->vectors.dims; d++) count += k->requests[d] > 0;
    k->requested = arena_array(&s->data, count + (size_t)1, sizeof *k->requested);
    for (uint32_t d = 0; k->requested != NULL && d < s->vectors.dims; d++) {
        if (k->requests[d] > 0) k->requested[k->requested_count++] = d;
    }
    return k->requested != NULL;
}

static bool make_classes(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    s->pods.classes = arena_array(&s->data, snapshot->class_count + (size_t)1, sizeof *s->pods.classes);
    int64_t *vectors = arena_array(&s->data, (snapshot->class_count + (size_t)1) * s->vectors.dims, sizeof *vectors);
    s->pods.entered = arena_array(&s->data, snapshot->class_count + (size_t)1, sizeof *s->pods.entered);
    if (s->pods.classes == NULL || vectors == NULL || s->pods.entered == NULL) return false;
    for (uint32_t c = 0; c < snapshot->class_count; c++) {
        class_state *k = &s->pods.classes[c];
        k->first_view = NO_ID;
        k->tracked = snapshot->classes[c].volumes_found || !quirk(s, 2);
        k->requests = vectors + (size_t)c * s->vectors.dims;
        for (uint32_t d = 0; d < s->vectors.dims; d++)
            k->requests[d] = snapshot->classes[c].requests[s->vectors.columns[d]];
        for (uint32_t d = 0; d < s->vectors.dims; d++) k->served_count += is_served(s, d) && k->requests[d] > 0;
        k->needs_devices = shape_of(snapshot, c)->has_claims || k->served_count > 0;
        if (s->vectors.dims > LONG_VECTOR && !list_requested(s, k)) return false;
    }
    return true;
}

static bool set_up(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    if (!algebra_init(&s->algebra, s->context, &snapshot->facts, &snapshot->algebra)) return false;
    return choose_dims(s) && make_classes(s) && types_init(s) && hosts_init(s) && admission_init(s) &&
           templates_init(s) && hosts_reserve(s) && limits_init(s) && reservations_init(s) && launch_volumes_init(s) &&
           claims_init(s) && default_spread_init(s) && topology_init(s) && devices_init(s) && rounds_init(s) &&
           !s->failed && !s->algebra.failed;
}

/* Each step also allows some work of the set-up. A small cluster is always set up, whatever the step limit. */
void scheduler_limit_work(scheduler *s)
{
    const uint64_t always = UINT64_C(16) << 20, each = 4096, steps = s->settings.options->max_steps;
    if (steps != 0)
        context_limit_run(&s->own_context, steps > (UINT64_MAX - always) / each ? 0 : always + steps * each);
}

karp_status scheduler_new(const karp_snapshot *snapshot, const run_options *how, scheduler **out, karp_error *error)
{
    scheduler *s = mem_zalloc(snapshot->context, sizeof *s);
    if (s == NULL) return context_nomem(snapshot->context, error);
    s->snapshot = snapshot;
    s->context = &s->own_context;
    context_begin_run(&s->own_context, snapshot->context, how->options->should_stop, how->options->stop_user);
    s->algebra.context = s->context;
    arena_init(&s->data, s->context);
    arena_init(&s->round.data, s->context);
    words_init(&s->launches.keys, s->context);
    apply_options(s, how);
    scheduler_limit_work(s);
    bool ready = set_up(s);
    context_limit_run(&s->own_context, 0); /* the loop counts its own steps */
    if (s->settings.options->keep_partial) context_stop_gently(&s->own_context);
    if (!ready) {
        scheduler_free(s);
        return context_nomem(snapshot->context, error);
    }
    *out = s;
    return KARP_OK;
}

void scheduler_free(scheduler *s)
{
    if (s == NULL) return;
    hosts_free(s);
    claims_free(s);
    reservations_free(s);
    topology_free(s);
    types_free(s);
    words_free(&s->templates.taint_lists);
    words_free(&s->launches.keys);
    list_free(s->context, &s->launches.firsts, sizeof(uint32_t));
    list_free(s->context, &s->pods.views, sizeof(view));
    list_free(s->context, &s->placement.failures, sizeof(failure));
    list_free(s->context, &s->placement.runs, sizeof(pod_run));
    list_free(s->context, &s->pods.ignored, sizeof *s->pods.ignored.items);
    algebra_free(&s->algebra);
    rounds_free(s);
    savepoints_free(s);
    split_free(s);
    devices_free(s);
    arena_free(&s->round.data);
    arena_free(&s->data);
    mem_free(s->snapshot->context, s, sizeof *s);
}
