/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the decisions of two sides, and finds which rules of Karpenter make each difference. */
#include <compare/answers.h>

#include <base/error.h>

#include <karp/library.h>
#include <karp/peer.h>

/* ---- the list of differences ------------------------------------------------------------------------------------- */

static karp_str text_of(const diff_answers *side, const diff_answer *row)
{
    return row == NULL ? (karp_str){ NULL, 0 } : str(diff_answers_text(side, row->text));
}

static bool add(karp_diff *d, const diff_answer *before, const diff_answer *after)
{
    if (!grow(d->context, (void **)&d->rows, &d->room, d->count + 1, sizeof *d->rows)) return false;
    const diff_answers *of = &d->sides[before == NULL];
    const diff_answer *row = before != NULL ? before : after;
    d->rows[d->count++] = (karp_difference){ .size = sizeof *d->rows,
                                             .kind = row->kind,
                                             .subject = str(diff_answers_text(of, row->subject)),
                                             .before = text_of(&d->sides[0], before),
                                             .after = text_of(&d->sides[1], after) };
    return true;
}

/* Merges the two sides. false = out of memory. */
static bool merge(karp_diff *d)
{
    const diff_answers *a = &d->sides[0], *b = &d->sides[1];
    size_t i = 0, k = 0;
    bool ok = true;
    while (ok && (i < a->count || k < b->count)) {
        bool same_subject = false;
        int order = i == a->count   ? 1
                    : k == b->count ? -1
                                    : diff_answers_compare(a, &a->rows[i], b, &b->rows[k], &same_subject);
        bool first = order <= 0 || same_subject, second = order >= 0 || same_subject;
        if (order != 0) ok = add(d, first ? &a->rows[i] : NULL, second ? &b->rows[k] : NULL);
        i += first;
        k += second;
    }
    return ok;
}

/* ---- the rules that changed between Karpenter versions and make differences -------------------------------------- */

static uint64_t rules_of(const karp_options *options)
{
    uint64_t rules = 0;
    uint32_t version = options->peer_version, newest = 0;
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        if (karp_peer_rule_at(i, &rule) == KARP_OK && rule.since > newest && rule.since != KARP_PEER_PREVIEW)
            newest = rule.since;
    }
    if (version == KARP_PEER_NEWEST) version = newest;
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        if (karp_peer_rule_at(i, &rule) != KARP_OK) continue;
        bool on = options->profile == KARP_PROFILE_KARP ? rule.in_karp != 0 : rule.since <= version;
        if (on) rules |= UINT64_C(1) << i;
    }
    return rules ^ options->flip_rules;
}

static bool have(const diff_answers *side, const karp_difference *d, karp_str text)
{
    return diff_answers_have(side, d->kind, d->subject.ptr, text.ptr);
}

/* Whether the rule makes the answer that only one side gives: it disappears when the rule is switched on that side, or
 * appears when it is switched on the other. */
static bool makes(const karp_difference *d, karp_str text, const diff_answers *switched,
                  const diff_answers *other_switched)
{
    return text.ptr != NULL && (!have(switched, d, text) || have(other_switched, d, text));
}

static karp_status try_rule(karp_diff *d, uint64_t rule, karp_error *error)
{
    diff_answers sides[2];
    karp_status status = KARP_OK;
    for (size_t i = 0; i < 2; i++) {
        const diff_answers *of = &d->sides[i];
        sides[i] = (diff_answers){ .context = of->context, .snapshot = of->snapshot, .options = of->options };
        sides[i].method = of->method;
        sides[i].options.flip_rules ^= rule;
        if (status == KARP_OK) status = diff_answers_decide(&sides[i], error);
    }
    for (size_t i = 0; i < d->count && status == KARP_OK; i++) {
        karp_difference *row = &d->rows[i];
        if (makes(row, row->before, &sides[0], &sides[1]) || makes(row, row->after, &sides[1], &sides[0]))
            row->rules |= rule;
    }
    for (size_t i = 0; i < 2; i++) diff_answers_free(&sides[i]);
    return status;
}

/* Switches one rule at a time on both sides. Errors: those of the decisions. */
static karp_status blame(karp_diff *d, karp_error *error)
{
    karp_status status = KARP_OK;
    d->rules = rules_of(&d->sides[0].options) ^ rules_of(&d->sides[1].options);
    for (size_t i = 0; i < karp_peer_rule_count() && status == KARP_OK && d->count > 0; i++) {
        uint64_t rule = UINT64_C(1) << i;
        if (d->rules & rule) status = try_rule(d, rule, error);
    }
    return status;
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

static karp_status take_side(karp_diff *d, size_t number, const karp_diff_side *given, karp_error *error)
{
    karp_diff_side side;
    diff_answers *own = &d->sides[number];
    if (given == NULL) return fail_null(error, "a side");
    karp_status status = struct_check(given, sizeof side, SIZE_THROUGH(karp_diff_side, reserved), &side,
                                      "karp_diff_side", error);
    if (status == KARP_OK) status = STRUCT_CHECK_TEXTS("a side", error, &side.name);
    if (status != KARP_OK) return status;
    if (side.reserved != 0) return fail_reserved(error, "karp_diff_side.reserved");
    if (side.snapshot == NULL) return fail_null(error, "the snapshot of a side");
    status = struct_check(side.options, sizeof own->options, SIZE_THROUGH(karp_options, flip_quirks), &own->options,
                          "karp_options", error);
    char *name = arena_string(&d->data, side.name.ptr, side.name.len);
    if (status == KARP_OK && name == NULL) status = fail_nomem(error);
    d->names[number] = (karp_str){ name, side.name.len };
    own->context = d->context;
    own->snapshot = side.snapshot;
    own->method = side.method;
    own->options.explain = KARP_EXPLAIN_NONE;
    return status;
}

karp_status karp_compare_decisions(karp_context *context, const karp_diff_side *before, const karp_diff_side *after,
                                   karp_diff **out, karp_error *error)
{
    if (context == NULL || out == NULL) return fail_null(error, "context or out");
    *out = NULL;
    karp_diff *d = mem_zalloc(context, sizeof *d);
    if (d == NULL) return karp_context_refusal(context, fail_nomem(error), error);
    d->context = karp_context_ref(context);
    arena_init(&d->data, context);
    karp_status status = take_side(d, 0, before, error);
    if (status == KARP_OK) status = take_side(d, 1, after, error);
    for (size_t i = 0; i < 2 && status == KARP_OK; i++) status = diff_answers_decide(&d->sides[i], error);
    if (status == KARP_OK && !merge(d)) status = fail_nomem(error);
    if (status == KARP_OK) status = blame(d, error);
    if (status == KARP_OK) *out = d;
    else karp_diff_free(d);
    return karp_context_refusal(context, status, error);
}

void karp_diff_free(karp_diff *diff)
{
    if (diff == NULL) return;
    karp_context *context = diff->context;
    for (size_t i = 0; i < 2; i++) {
        if (diff->sides[i].context != NULL) diff_answers_free(&diff->sides[i]);
    }
    karp_free(context, diff->rows, diff->room * sizeof *diff->rows);
    arena_free(&diff->data);
    karp_free(context, diff, sizeof *diff);
    karp_context_unref(context);
}

size_t karp_diff_count(const karp_diff *diff) { return diff != NULL ? diff->count : 0; }

karp_status karp_diff_at(const karp_diff *diff, size_t index, karp_difference *out)
{
    if (diff == NULL || out == NULL) return KARP_E_INVALID;
    if (index >= diff->count) return KARP_E_NOT_FOUND;
    return struct_give(out, &diff->rows[index], sizeof *diff->rows, SIZE_THROUGH(karp_difference, rules));
}

uint64_t karp_diff_rules(const karp_diff *diff) { return diff != NULL ? diff->rules : 0; }
