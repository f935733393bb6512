/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which design comes next: the input as it is, those with one change, then the whole grid, or where it is too large
 * the neighbours of the best. Each design is handed out once.
 */
#include <advise/tune.h>

#include <karp/library.h>

enum { DRAWS = 64 };

uint64_t karp_tune_grid(const karp_tune *tune)
{
    uint64_t all = 1;
    for (size_t a = 0; tune && a < tune->axis_count; a++) {
        uint64_t count = tune->axes[a].shown.value_count;
        if (all > UINT64_MAX / count) return UINT64_MAX;
        all *= count;
    }
    return tune ? all : 0;
}

static bool is_there(const karp_tune *t, const size_t *values)
{
    for (size_t i = 0; i < t->design_count; i++) {
        if (memcmp(t->designs[i].values, values, t->axis_count * sizeof *values) == 0) return true;
    }
    return false;
}

/* Hands the design out unless it was before: *found. */
static karp_status hand_out(karp_tune *t, const size_t *values, bool *found)
{
    if (is_there(t, values)) return KARP_OK;
    tune_design design = { .result = { .size = sizeof design.result } };
    design.values = arena_array(&t->data, t->axis_count + 1, sizeof *values);
    if (!design.values ||
        !grow(t->context, (void **)&t->designs, &t->design_room, t->design_count + 1, sizeof *t->designs))
        return KARP_E_NOMEM;
    if (t->axis_count > 0) memcpy(design.values, values, t->axis_count * sizeof *values);
    for (size_t a = 0; a < t->axis_count; a++) design.result.changes += values[a] != 0;
    t->designs[t->design_count++] = design;
    *found = true;
    return KARP_OK;
}

/* The next design that differs from `center` on one axis, beginning at the cursor. */
static karp_status neighbour(karp_tune *t, const size_t *center, size_t *axis, size_t *value, bool *found)
{
    karp_status status = KARP_OK;
    for (; *axis < t->axis_count && !*found && !status; ++*axis, *value = 0) {
        for (; *value < t->axes[*axis].shown.value_count && !*found && !status; ++*value) {
            if (*value == center[*axis]) continue;
            memcpy(t->odometer, center, t->axis_count * sizeof *center);
            t->odometer[*axis] = *value;
            status = hand_out(t, t->odometer, found);
        }
        if (*found) break;
    }
    return status;
}

/* The next one of the whole grid; the last axis turns first. */
static karp_status turn(karp_tune *t, bool *found)
{
    size_t at = t->axis_count;
    karp_status status = KARP_OK;
    while (!*found && !status) {
        for (at = t->axis_count; at > 0; at--) {
            if (++t->odometer[at - 1] < t->axes[at - 1].shown.value_count) break;
            t->odometer[at - 1] = 0;
        }
        if (at == 0) return KARP_OK;
        status = hand_out(t, t->odometer, found);
    }
    return status;
}

/* ---- too large a grid -------------------------------------------------------------------------------------------- */

/* Steele, Lea and Flood's SplitMix64. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A design at random; its neighbours come next. */
static karp_status jump(karp_tune *t, bool *found)
{
    karp_status status = KARP_OK;
    for (int i = 0; i < DRAWS && !*found && !status; i++) {
        for (size_t a = 0; a < t->axis_count; a++)
            t->odometer[a] = (size_t)(draw(&t->random) % t->axes[a].shown.value_count);
        status = hand_out(t, t->odometer, found);
    }
    if (!*found && !status) { /* most of them were handed out */
        memset(t->odometer, 0, t->axis_count * sizeof *t->odometer);
        status = turn(t, found);
    }
    if (*found) t->center = t->design_count - 1;
    t->single_axis = t->single_value = 0;
    return status;
}

/* The best design that differs from the center on one axis at most. */
static size_t best_nearby(const karp_tune *t)
{
    size_t best = t->center;
    const size_t *center = t->designs[best].values;
    for (size_t i = 0; i < t->design_count; i++) {
        size_t differs = 0;
        for (size_t a = 0; a < t->axis_count; a++) differs += t->designs[i].values[a] != center[a];
        if (differs == 1 && tune_is_better(t, i, best)) best = i;
    }
    return best;
}

static bool some_unknown(const karp_tune *t)
{
    for (size_t i = 0; i < t->design_count; i++) {
        if (!t->designs[i].result.known) return true;
    }
    return false;
}

/* Moves to a better design near the center, or else away from it. */
static karp_status climb(karp_tune *t, bool *found)
{
    karp_status status = neighbour(t, t->designs[t->center].values, &t->single_axis, &t->single_value, found);
    while (!*found && !status) {
        if (t->together && some_unknown(t)) return KARP_OK;
        size_t best = best_nearby(t);
        if (best == t->center) return jump(t, found);
        t->center = best;
        t->single_axis = t->single_value = 0;
        status = neighbour(t, t->designs[best].values, &t->single_axis, &t->single_value, found);
    }
    return status;
}

/* Those with one change, then the others. */
static karp_status exhaust(karp_tune *t, bool *found)
{
    karp_status status = KARP_OK;
    if (t->single_axis < t->axis_count)
        status = neighbour(t, t->designs[0].values, &t->single_axis, &t->single_value, found);
    if (*found || status) return status;
    if (t->single_axis == t->axis_count) {
        memset(t->odometer, 0, t->axis_count * sizeof *t->odometer);
        t->single_axis++;
    }
    return turn(t, found);
}

karp_status karp_tune_next(karp_tune *tune, size_t *design)
{
    bool found = false;
    if (!tune || !design) return KARP_E_INVALID;
    if (tune->design_count >= tune->most || tune->design_count >= karp_tune_grid(tune)) return KARP_E_NOT_FOUND;
    karp_status status = KARP_OK;
    if (tune->design_count == 0) status = hand_out(tune, tune->odometer, &found);
    else if (karp_tune_grid(tune) > tune->most) status = climb(tune, &found);
    else status = exhaust(tune, &found);
    if (status) return karp_context_refusal(tune->context, status, NULL);
    *design = tune->design_count - 1;
    return found ? KARP_OK : KARP_E_NOT_FOUND;
}

karp_status karp_tune_next_ready(karp_tune *tune, size_t *design)
{
    if (!tune) return KARP_E_INVALID;
    tune->together = true;
    karp_status status = karp_tune_next(tune, design);
    tune->together = false;
    bool more = tune->design_count < tune->most && tune->design_count < karp_tune_grid(tune);
    return status == KARP_E_NOT_FOUND && more && some_unknown(tune) ? KARP_E_STATE : status;
}
