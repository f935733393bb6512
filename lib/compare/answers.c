/* SPDX-License-Identifier: Apache-2.0 */
#include <compare/answers.h>

#include <base/bisect.h>
#include <base/error.h>
#include <base/money.h>
#include <base/operators.h>
#include <base/sort.h>
#include <io/write_decision.h>

#include <karp/library.h>

/* A list under construction. The first failure is recorded, so that one check at the end is enough. */
typedef struct listing {
    diff_answers *side;
    strbuf *text; /* the side's */
    const karp_decision *decision;
    karp_status status;
} listing;

static void put_price(listing *l, double price)
{
    char text[MONEY_TEXT];
    (void)money_rate(price, false, text);
    strbuf_adds(l->text, text);
}

/* Ends a text and returns where the next begins. */
static size_t end_text(listing *l)
{
    strbuf_add(l->text, "", 1);
    return l->text->len;
}

static void add_row(listing *l, uint32_t kind, size_t subject, size_t text)
{
    diff_answers *s = l->side;
    if (!grow(s->context, (void **)&s->rows, &s->room, s->count + 1, sizeof *s->rows)) l->text->failed = true;
    else s->rows[s->count++] = (diff_answer){ kind, subject, text };
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void put_pods(listing *l, const uint32_t *pods, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0) strbuf_adds(l->text, " ");
        strbuf_addstr(l->text, karp_decision_pod_name(l->decision, pods[i]));
    }
}

static void put_requirements(listing *l, const karp_requirement *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        strbuf_put(l->text, "; ", list[i].key, " ");
        strbuf_adds(l->text, operator_name(list[i].op));
        for (size_t v = 0; v < list[i].value_count; v++) {
            strbuf_adds(l->text, v == 0 ? " " : ",");
            strbuf_addstr(l->text, list[i].values[v]);
        }
        if (list[i].min_values == 0) continue;
        strbuf_putu(l->text, " minValues ", list[i].min_values, "");
    }
}

/* The offering that determines its price, then all types and the requirements of the NodeClaim. */
static void put_launch(listing *l, const karp_launch *launch)
{
    if (launch->choice.instance_type.len > 0) {
        strbuf_addstr(l->text, launch->choice.instance_type);
        strbuf_put(l->text, " ", launch->choice.zone, " ");
        strbuf_addstr(l->text, launch->choice.capacity_type);
        strbuf_adds(l->text, " ");
        put_price(l, launch->choice.price);
    } else {
        strbuf_adds(l->text, "nothing launchable");
    }
    strbuf_putu(l->text, ", of ", launch->instance_type_count, "");
    strbuf_adds(l->text, launch->instance_type_count == 1 ? " type" : " types");
    for (size_t i = 0; i < launch->instance_type_count; i++) {
        strbuf_adds(l->text, i == 0 ? ": " : " ");
        strbuf_addstr(l->text, launch->instance_types[i]);
    }
    put_requirements(l, launch->claim_requirements, launch->claim_requirement_count);
}

static void list_launches(listing *l)
{
    for (size_t i = 0; i < karp_decision_launch_count(l->decision); i++) {
        karp_launch launch = { .size = sizeof launch };
        keep_failure(&l->status, karp_decision_launch(l->decision, i, &launch));
        size_t subject = l->text->len;
        strbuf_addstr(l->text, launch.node_pool);
        strbuf_adds(l->text, ": ");
        put_pods(l, launch.pods, launch.pod_count);
        size_t text = end_text(l);
        put_launch(l, &launch);
        end_text(l);
        add_row(l, KARP_DIFFERENCE_LAUNCH, subject, text);
    }
}

static void list_placements(listing *l)
{
    for (size_t i = 0; i < karp_decision_placement_count(l->decision); i++) {
        karp_placement p = { .size = sizeof p };
        keep_failure(&l->status, karp_decision_placement(l->decision, i, &p));
        for (size_t k = 0; k < p.pod_count; k++) {
            size_t subject = l->text->len;
            strbuf_addstr(l->text, karp_decision_pod_name(l->decision, p.pods[k]));
            size_t text = end_text(l);
            strbuf_addstr(l->text, p.node);
            end_text(l);
            add_row(l, KARP_DIFFERENCE_PLACEMENT, subject, text);
        }
    }
}

static void add_refusal(listing *l, uint32_t kind, karp_str who, const char *before, uint32_t code, karp_str detail)
{
    size_t subject = l->text->len;
    strbuf_addstr(l->text, who);
    size_t text = end_text(l);
    strbuf_adds(l->text, before);
    strbuf_adds(l->text, karp_reason_name(code));
    if (detail.len > 0) {
        strbuf_put(l->text, ": ", detail, "");
    }
    end_text(l);
    add_row(l, kind, subject, text);
}

static void list_refusals(listing *l)
{
    karp_str none = { "", 0 };
    for (size_t i = 0; i < karp_decision_unschedulable_count(l->decision); i++) {
        karp_unschedulable u = { .size = sizeof u };
        keep_failure(&l->status, karp_decision_unschedulable(l->decision, i, &u));
        add_refusal(l, KARP_DIFFERENCE_REFUSAL, karp_decision_pod_name(l->decision, u.pod), "", u.code, none);
    }
    for (size_t i = 0; i < karp_decision_ignored_count(l->decision); i++) {
        karp_ignored g = { .size = sizeof g };
        keep_failure(&l->status, karp_decision_ignored(l->decision, i, &g));
        add_refusal(l, KARP_DIFFERENCE_REFUSAL, karp_decision_pod_name(l->decision, g.pod), "not considered, ", g.code,
                    none);
    }
}

static void list_commands(listing *l)
{
    for (size_t i = 0; i < karp_decision_command_count(l->decision); i++) {
        karp_command c = { .size = sizeof c };
        keep_failure(&l->status, karp_decision_command(l->decision, i, &c));
        size_t subject = l->text->len;
        for (size_t n = 0; n < c.node_count; n++) {
            if (n > 0) strbuf_adds(l->text, " ");
            strbuf_addstr(l->text, c.nodes[n]);
        }
        size_t text = end_text(l);
        strbuf_adds(l->text, command_word(&c));
        strbuf_adds(l->text, ", ");
        strbuf_adds(l->text, karp_method_reason(c.method));
        strbuf_adds(l->text, " (");
        strbuf_adds(l->text, karp_method_name(c.method));
        strbuf_adds(l->text, ")");
        for (size_t k = 0; k < c.launch_count; k++) {
            karp_launch launch = { .size = sizeof launch };
            keep_failure(&l->status, karp_decision_launch(l->decision, c.launch_first + k, &launch));
            strbuf_adds(l->text, k == 0 ? " by " : " and ");
            put_launch(l, &launch);
        }
        end_text(l);
        add_row(l, KARP_DIFFERENCE_COMMAND, subject, text);
    }
}

static void list_kept(listing *l)
{
    for (size_t i = 0; i < karp_decision_kept_count(l->decision); i++) {
        karp_kept kept = { .size = sizeof kept };
        keep_failure(&l->status, karp_decision_kept(l->decision, i, &kept));
        add_refusal(l, KARP_DIFFERENCE_NODE, kept.node, "", kept.code, kept.detail);
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

int diff_answers_compare(const diff_answers *a, const diff_answer *x, const diff_answers *b, const diff_answer *y,
                         bool *same_subject)
{
    *same_subject = false;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    int order = strcmp(diff_answers_text(a, x->subject), diff_answers_text(b, y->subject));
    if (order != 0) return order;
    *same_subject = true;
    return strcmp(diff_answers_text(a, x->text), diff_answers_text(b, y->text));
}

static int by_row(const void *a, const void *b, const void *side)
{
    bool same;
    return diff_answers_compare(side, a, side, b, &same);
}

bool diff_answers_have(const diff_answers *side, uint32_t kind, const char *subject, const char *text)
{
    bisection b = bisect(side->count);
    while (bisecting(&b)) {
        const diff_answer *row = &side->rows[b.at];
        int order = row->kind < kind   ? -1
                    : row->kind > kind ? 1
                                       : strcmp(diff_answers_text(side, row->subject), subject);
        if (order == 0) order = strcmp(diff_answers_text(side, row->text), text);
        if (order == 0) return true;
        bisect_step(&b, order < 0);
    }
    return false;
}

/* ---- the side ---------------------------------------------------------------------------------------------------- */

static karp_status decide_launches(listing *l, karp_error *error)
{
    karp_decision *decision = NULL;
    karp_status status = karp_provision(l->side->snapshot, &l->side->options, &decision, error);
    if (status != KARP_OK) return status;
    l->decision = decision;
    list_launches(l);
    list_placements(l);
    list_refusals(l);
    karp_decision_unref(decision);
    return l->status;
}

static karp_status decide_disruption(listing *l, karp_error *error)
{
    karp_disrupt_options options;
    karp_decision *decision = NULL;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &l->side->options;
    options.method = l->side->method;
    karp_status status;
    if (options.method == KARP_METHOD_REPACK) {
        karp_repack_options repack;
        karp_repack_options_init(&repack, sizeof repack);
        repack.common = &l->side->options;
        status = karp_repack(l->side->snapshot, &repack, &decision, error);
    } else {
        status = karp_disrupt(l->side->snapshot, &options, &decision, error);
    }
    if (status != KARP_OK) return status;
    l->decision = decision;
    list_commands(l);
    list_kept(l);
    karp_decision_unref(decision);
    return l->status;
}

karp_status diff_answers_decide(diff_answers *side, karp_error *error)
{
    listing l = { .side = side, .text = &side->text };
    strbuf_init(&side->text, side->context);
    karp_status status = decide_launches(&l, error);
    if (status == KARP_OK) status = decide_disruption(&l, error);
    bool sorted = status == KARP_OK && !side->text.failed &&
                  sort_stable(side->context, side->rows, side->count, sizeof *side->rows, by_row, side);
    return status == KARP_OK && !sorted ? fail_nomem(error) : status;
}

void diff_answers_free(diff_answers *side)
{
    strbuf_free(&side->text);
    karp_free(side->context, side->rows, side->room * sizeof *side->rows);
    side->rows = NULL;
    side->count = side->room = 0;
}
