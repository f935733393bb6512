/* SPDX-License-Identifier: Apache-2.0 */
/* Caps on figures: a design beyond one of them cannot be the best. */
#include <advise/tune.h>

static double evictions(const karp_tune_design *r) { return (double)r->evictions; }
static double pending(const karp_tune_design *r) { return r->pending; }
static double exposure(const karp_tune_design *r) { return r->exposure; }
static double share(const karp_tune_design *r) { return r->spot_share; }
static double expected(const karp_tune_design *r) { return r->interruptions_per_hour; }

static const struct {
    const char *name;
    bool of_replays;
    double (*figure)(const karp_tune_design *r);
} caps[TUNE_CAPS] = { { "evictions", true, evictions },    { "pending", true, pending },
                      { "interruptions", true, exposure }, { "interruptions-per-hour", true, expected },
                      { "removed", false, evictions },     { "spot", false, exposure },
                      { "spot-share", false, share } };

static karp_status wrong(karp_str given, const karp_tune *t, karp_error *error)
{
    return fail(error, KARP_E_INVALID, "%.*s is not a cap: expected %s, as in %s", str_shown(given, 100), given.ptr,
                t->replay ? "evictions, pending (seconds), interruptions or interruptions-per-hour"
                          : "removed (nodes), spot ($/h) or spot-share (of a workload, on one offering: 0 to 1)",
                t->replay ? "evictions=100" : "removed=3");
}

/* "evictions=100" */
static karp_status read_cap(karp_tune *t, karp_str given, karp_error *error)
{
    karp_str rest = given, name = str_until(&rest, '=');
    double most = 0;
    bool number = name.len < given.len && name.len + 1 + rest.len == given.len &&
                  karp_double_parse(rest, &most) == KARP_OK && most >= 0;
    for (size_t i = 0; number && i < TUNE_CAPS; i++) {
        if (!str_is(name, caps[i].name) || caps[i].of_replays != t->replay) continue;
        t->caps[i] = most;
        t->capped[i] = true;
        return KARP_OK;
    }
    return wrong(given, t, error);
}

karp_status tune_read_caps(karp_tune *t, const karp_str *list, size_t count, karp_error *error)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (!str_given(list[i])) return fail(error, KARP_E_INVALID, "a cap has a length, but no text");
        status = read_cap(t, list[i].len ? list[i] : str(""), error);
    }
    return status;
}

bool tune_is_beyond(const karp_tune *t, const karp_tune_design *r)
{
    for (size_t i = 0; i < TUNE_CAPS; i++) {
        if (r->known && t->capped[i] && caps[i].figure(r) > t->caps[i]) return true;
    }
    return false;
}
