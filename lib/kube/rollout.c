/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/rollout.h>

/* ---- the spec ---------------------------------------------------------------------------------------------------- */

/* A number of pods, or "25%". */
static bool read_bound(const tree *value, kube_bound *out)
{
    int64_t number = 0;
    if (tree_is_null(value)) return true;
    karp_str text = tree_text_or_digits(value);
    *out = (kube_bound){ .percent = tree_is(value, TREE_STRING) && str_ends(text, "%") };
    if (out->percent) text.len--;
    bool digits = text.len > 0;
    for (size_t i = 0; i < text.len && number <= INT32_MAX; i++) {
        digits = digits && text.ptr[i] >= '0' && text.ptr[i] <= '9';
        number = 10 * number + (text.ptr[i] - '0');
    }
    int64_t most = out->percent ? KUBE_PERCENT_MOST : KUBE_PODS_MOST;
    if (!digits || number < 0 || number > most) return false;
    out->value = (int32_t)number;
    return true;
}

const char *kube_strategy_read(const tree *spec, kube_strategy *out)
{
    const tree *strategy = tree_get(spec, "strategy"), *rolling = tree_get(strategy, "rollingUpdate"),
               *waits = tree_get(spec, "minReadySeconds");
    karp_str type = tree_get_text(strategy, "type");
    int64_t seconds = 0;
    *out = (kube_strategy){ .surge = { true, 25 },
                            .unavailable = { true, 25 },
                            .recreate = str_is(type, "Recreate"),
                            .paused = tree_is(tree_get(spec, "paused"), TREE_TRUE) };
    if (type.len && !out->recreate && !str_is(type, "RollingUpdate")) return "spec.strategy.type";
    if (!read_bound(tree_get(rolling, "maxSurge"), &out->surge)) return "spec.strategy.rollingUpdate.maxSurge";
    if (!read_bound(tree_get(rolling, "maxUnavailable"), &out->unavailable) ||
        (out->unavailable.percent && out->unavailable.value > 100) ||
        (out->surge.value == 0 && out->unavailable.value == 0))
        return "spec.strategy.rollingUpdate.maxUnavailable";
    if (!tree_is_null(waits) && (!tree_integer(waits, &seconds) || seconds < 0 || seconds > INT32_MAX))
        return "spec.minReadySeconds";
    out->min_ready = seconds * INT64_C(1000000000);
    return NULL;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

static int32_t amount_of(kube_bound b, int32_t replicas, bool up)
{
    if (!b.percent) return b.value;
    int64_t pods = ((int64_t)b.value * replicas + (up ? 99 : 0)) / 100;
    return pods < INT32_MAX ? (int32_t)pods : INT32_MAX;
}

void kube_rollout_bounds(kube_deployment *d, kube_bound surge, kube_bound unavailable)
{
    d->surge = amount_of(surge, d->replicas, true);
    d->unavailable = amount_of(unavailable, d->replicas, false);
    if (d->surge == 0 && d->unavailable == 0) d->unavailable = 1;
    if (d->unavailable > d->replicas) d->unavailable = d->replicas;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static int64_t all_sizes(const kube_deployment *d)
{
    int64_t sum = 0;
    for (size_t i = 0; i < d->count; i++) sum += d->sets[i].size;
    return sum;
}

static int32_t most_pods(const kube_deployment *d)
{
    return d->replicas > INT32_MAX - d->surge ? INT32_MAX : d->replicas + d->surge;
}

static void note(const kube_deployment *d, kube_set *set)
{
    set->desired = d->replicas;
    set->most = most_pods(d);
}

static bool resize(const kube_deployment *d, size_t set, int32_t size)
{
    if (d->sets[set].size == size) return false;
    d->sets[set].size = size;
    note(d, &d->sets[set]);
    return true;
}

static bool is_active(const kube_deployment *d, size_t set) { return d->sets[set].size > 0; }

/* ---- a change of the replicas, and while it is paused ------------------------------------------------------------ */

static bool was_scaled(const kube_deployment *d)
{
    for (size_t i = 0; i < d->count; i++) {
        if (is_active(d, i) && d->sets[i].desired != d->replicas) return true;
    }
    return false;
}

/* The only set with pods; if there is none, the newest one, or else the one before it. SIZE_MAX = there are several. */
static size_t only_set(const kube_deployment *d)
{
    size_t found = d->newest, active = 0;
    if (!d->sets[found].made) {
        for (size_t i = 0; i < d->count; i++) {
            if (i != d->newest && d->sets[i].made) found = i;
        }
    }
    for (size_t i = 0; i < d->count; i++) {
        if (!is_active(d, i)) continue;
        found = i;
        active++;
    }
    return active > 1 ? SIZE_MAX : found;
}

/* Rounds half away from zero. */
static int32_t rounded(int64_t numerator, int64_t denominator)
{
    return (int32_t)((2 * numerator + denominator) / (2 * denominator));
}

/* The set's part of what is added or taken away. */
static int32_t share_of(const kube_deployment *d, const kube_set *set, int64_t left)
{
    if (left == 0) return 0;
    int64_t share = -(int64_t)set->size;
    if (d->replicas > 0) {
        if (set->most <= 0) return 0;
        share = (int64_t)rounded((int64_t)set->size * most_pods(d), set->most) - set->size;
    }
    return (int32_t)(left > 0 ? (share < left ? share : left) : (share > left ? share : left));
}

/* Whether set `a` comes before `b`: the larger one, and of equal ones the newer when they grow. */
static bool comes_first(const kube_deployment *d, size_t a, size_t b, bool grows)
{
    if (d->sets[a].size != d->sets[b].size) return d->sets[a].size > d->sets[b].size;
    return grows ? a > b : a < b;
}

/* The active set that comes next after `last`; SIZE_MAX: the first, and none. */
static size_t next_set(const kube_deployment *d, size_t last, bool grows)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < d->count; i++) {
        if (!is_active(d, i) || (last != SIZE_MAX && (i == last || !comes_first(d, last, i, grows)))) continue;
        if (found == SIZE_MAX || comes_first(d, i, found, grows)) found = i;
    }
    return found;
}

static void share_out(const kube_deployment *d)
{
    int64_t left = (d->replicas > 0 ? most_pods(d) : 0) - all_sizes(d);
    bool grows = left > 0;
    size_t first = next_set(d, SIZE_MAX, grows);
    for (size_t i = first; i != SIZE_MAX; i = next_set(d, i, grows)) {
        int32_t share = share_of(d, &d->sets[i], left);
        d->sets[i].share = share;
        left -= share;
    }
    if (first != SIZE_MAX) d->sets[first].share += (int32_t)left;
}

static bool scale_in_proportion(const kube_deployment *d)
{
    bool changed = false;
    for (size_t i = 0; i < d->count; i++) d->sets[i].share = 0;
    share_out(d);
    for (size_t i = 0; i < d->count; i++) {
        if (!is_active(d, i)) continue;
        kube_set *set = &d->sets[i];
        changed = changed || set->desired != d->replicas || set->share != 0;
        set->size = set->size + set->share > 0 ? set->size + set->share : 0;
        note(d, set);
    }
    return changed;
}

static bool end_old(const kube_deployment *d)
{
    bool changed = false;
    for (size_t i = 0; i < d->count; i++) changed = (i != d->newest && resize(d, i, 0)) || changed;
    return changed;
}

static bool scale(const kube_deployment *d)
{
    const kube_set *newest = &d->sets[d->newest];
    size_t only = only_set(d);
    if (only != SIZE_MAX) {
        note(d, &d->sets[only]);
        return resize(d, only, d->replicas);
    }
    if (newest->made && newest->size == d->replicas && newest->desired == d->replicas &&
        newest->available == d->replicas)
        return end_old(d);
    return !d->recreate && scale_in_proportion(d);
}

/* ---- strategies -------------------------------------------------------------------------------------------------- */

static bool recreate(kube_deployment *d)
{
    if (end_old(d)) return true;
    for (size_t i = 0; i < d->count; i++) {
        if (i != d->newest && d->sets[i].pods > 0) return false;
    }
    bool made = !d->sets[d->newest].made;
    d->sets[d->newest].made = true;
    return resize(d, d->newest, d->replicas) || made;
}

static bool grow_newest(kube_deployment *d)
{
    kube_set *newest = &d->sets[d->newest];
    bool made = !newest->made;
    int64_t room = most_pods(d) - all_sizes(d), lacks = d->replicas - newest->size;
    newest->made = true;
    if (made) note(d, newest);
    if (lacks > 0) lacks = room <= 0 ? 0 : room < lacks ? room : lacks;
    return resize(d, d->newest, newest->size + (int32_t)lacks) || made;
}

/* Takes up to `most` pods away from the old sets, oldest first: those that are not available, or any. */
static int64_t shrink_old(const kube_deployment *d, int64_t most, bool broken_only)
{
    int64_t taken = 0;
    for (size_t i = 0; i < d->count && taken < most; i++) {
        const kube_set *set = &d->sets[i];
        int64_t some = broken_only ? (int64_t)set->size - set->available : set->size;
        if (i == d->newest || set->size == 0 || some <= 0) continue;
        if (some > most - taken) some = most - taken;
        (void)resize(d, i, set->size - (int32_t)some);
        taken += some;
    }
    return taken;
}

static bool roll(kube_deployment *d)
{
    if (grow_newest(d)) return true;
    const kube_set *newest = &d->sets[d->newest];
    int64_t least = d->replicas - d->unavailable, available = 0;
    int64_t budget = all_sizes(d) - least - (newest->size - newest->available);
    if (budget <= 0) return false;
    for (size_t i = 0; i < d->count; i++) available += d->sets[i].available;
    int64_t taken = shrink_old(d, budget, true);
    return shrink_old(d, available - least, false) + taken > 0;
}

bool kube_rollout_look(kube_deployment *d)
{
    if (d->paused || was_scaled(d)) return scale(d);
    return d->recreate ? recreate(d) : roll(d);
}
