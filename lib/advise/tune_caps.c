/* SPDX-License-Identifier: Apache-2.0 */
/* Caps on figures: a design beyond one of them cannot be the best. */
#include <advise/tune.h>

#include <karp/values.h>

static const struct {
    const char *name;
    bool of_replays;
    tune_figure figure;
} caps[] = { { "evictions", true, TUNE_EVICTIONS },
             { "pending", true, TUNE_PENDING },
             { "interruptions", true, TUNE_EXPOSURE },
             { "removed", false, TUNE_EVICTIONS },
             { "spot", false, TUNE_EXPOSURE } };

static karp_status wrong(karp_str given, const karp_tune *t, karp_error *error)
{
    return fail(error, KARP_E_INVALID, "%.*s is not a cap: expected %s, as in %s", str_shown(given, 100), given.ptr,
                t->replay ? "evictions, pending (seconds) or interruptions" : "removed (nodes) or spot ($/h)",
                t->replay ? "evictions=100" : "removed=3");
}

/* "evictions=100" */
static karp_status read_cap(karp_tune *t, karp_str given, karp_error *error)
{
    karp_str rest = given, name = str_until(&rest, '=');
    double most = 0;
    bool number = name.len < given.len && name.len + 1 + rest.len == given.len &&
                  karp_double_parse(rest, &most) == KARP_OK && most >= 0;
    for (size_t i = 0; number && i < sizeof caps / sizeof caps[0]; i++) {
        if (!str_is(name, caps[i].name) || caps[i].of_replays != t->replay) continue;
        t->caps[caps[i].figure] = most;
        t->capped[caps[i].figure] = true;
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
    double figures[TUNE_FIGURES];
    tune_figures_of(r, figures);
    for (size_t i = 0; i < TUNE_FIGURES; i++) {
        if (r->known && t->capped[i] && figures[i] > t->caps[i]) return true;
    }
    return false;
}
