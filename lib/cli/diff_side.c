/* SPDX-License-Identifier: Apache-2.0 */
#include "diff.h"
#include "writer.h"

#include <base/memory.h>
#include <base/sort.h>
#include <string.h>

#include <karp/library.h>

/* A list under construction. Out of memory is recorded, so that one check at the end is enough. */
typedef struct listing {
    const cli_options *options;
    diff_side *side;
    const karp_decision *decision;
    bool refused;
} listing;

static void put(listing *l, const char *bytes, size_t length)
{
    l->refused = l->refused || !text_add(l->options, &l->side->text, bytes, length);
}

static void put_text(listing *l, const char *text) { put(l, text, strlen(text)); }
static void put_str(listing *l, karp_str text) { put(l, text.ptr, text.len); }

static void put_price(listing *l, double price)
{
    char text[MONEY_TEXT];
    (void)money_rate(price, false, text);
    put_text(l, text);
}

/* Ends a text and returns where the next begins. */
static size_t end_text(listing *l)
{
    put(l, "", 1);
    return l->side->text.len;
}

static void add_row(listing *l, uint32_t kind, size_t subject, size_t answer)
{
    diff_side *s = l->side;
    if (!grow(l->options->context, (void **)&s->rows, &s->row_room, s->row_count + 1, sizeof *s->rows))
        l->refused = true;
    else s->rows[s->row_count++] = (diff_row){ kind, subject, answer };
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void put_pods(listing *l, const uint32_t *pods, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0) put_text(l, " ");
        put_str(l, karp_decision_pod_name(l->decision, pods[i]));
    }
}

static void put_requirements(listing *l, const karp_requirement *list, size_t count)
{
    static const char *const operators[] = {
        [KARP_OP_IN] = "In",         [KARP_OP_NOT_IN] = "NotIn",
        [KARP_OP_EXISTS] = "Exists", [KARP_OP_DOES_NOT_EXIST] = "DoesNotExist",
        [KARP_OP_GT] = "Gt",         [KARP_OP_LT] = "Lt",
        [KARP_OP_GTE] = "Gte",       [KARP_OP_LTE] = "Lte",
    };
    for (size_t i = 0; i < count; i++) {
        char number[KARP_VALUE_TEXT];
        put_text(l, "; ");
        put_str(l, list[i].key);
        put_text(l, " ");
        put_text(l, list[i].op < sizeof operators / sizeof operators[0] && operators[list[i].op] != NULL
                        ? operators[list[i].op]
                        : "?");
        for (size_t v = 0; v < list[i].value_count; v++) {
            put_text(l, v == 0 ? " " : ",");
            put_str(l, list[i].values[v]);
        }
        if (list[i].min_values == 0) continue;
        put_text(l, " minValues ");
        karp_double_format((double)list[i].min_values, number);
        put_text(l, number);
    }
}

/* The offering that determines its price, then all types and the requirements of the NodeClaim. */
static void put_launch(listing *l, const karp_launch *launch)
{
    char number[KARP_VALUE_TEXT];
    if (launch->choice.instance_type.len > 0) {
        put_str(l, launch->choice.instance_type);
        put_text(l, " ");
        put_str(l, launch->choice.zone);
        put_text(l, " ");
        put_str(l, launch->choice.capacity_type);
        put_text(l, " ");
        put_price(l, launch->choice.price);
    } else {
        put_text(l, "nothing launchable");
    }
    karp_double_format((double)launch->instance_type_count, number);
    put_text(l, ", of ");
    put_text(l, number);
    put_text(l, launch->instance_type_count == 1 ? " type" : " types");
    for (size_t i = 0; i < launch->instance_type_count; i++) {
        put_text(l, i == 0 ? ": " : " ");
        put_str(l, launch->instance_types[i]);
    }
    put_requirements(l, launch->claim_requirements, launch->claim_requirement_count);
}

static karp_status list_launches(listing *l)
{
    for (size_t i = 0; i < karp_decision_launch_count(l->decision); i++) {
        karp_launch launch = { .size = sizeof launch };
        karp_status status = karp_decision_launch(l->decision, i, &launch);
        if (status != KARP_OK) return status;
        size_t subject = l->side->text.len;
        put_str(l, launch.node_pool);
        put_text(l, ": ");
        put_pods(l, launch.pods, launch.pod_count);
        size_t answer = end_text(l);
        put_launch(l, &launch);
        end_text(l);
        add_row(l, DIFF_LAUNCH, subject, answer);
    }
    return KARP_OK;
}

static karp_status list_placements(listing *l)
{
    for (size_t i = 0; i < karp_decision_placement_count(l->decision); i++) {
        karp_placement p = { .size = sizeof p };
        karp_status status = karp_decision_placement(l->decision, i, &p);
        for (size_t k = 0; status == KARP_OK && k < p.pod_count; k++) {
            size_t subject = l->side->text.len;
            put_str(l, karp_decision_pod_name(l->decision, p.pods[k]));
            size_t answer = end_text(l);
            put_str(l, p.node);
            end_text(l);
            add_row(l, DIFF_PLACEMENT, subject, answer);
        }
        if (status != KARP_OK) return status;
    }
    return KARP_OK;
}

static void add_refusal(listing *l, uint32_t kind, karp_str who, const char *before, uint32_t code, karp_str detail)
{
    size_t subject = l->side->text.len;
    put_str(l, who);
    size_t answer = end_text(l);
    put_text(l, before);
    put_text(l, karp_reason_name(code));
    if (detail.len > 0) {
        put_text(l, ": ");
        put_str(l, detail);
    }
    end_text(l);
    add_row(l, kind, subject, answer);
}

static karp_status list_refusals(listing *l)
{
    karp_status status = KARP_OK;
    karp_str none = { "", 0 };
    for (size_t i = 0; status == KARP_OK && i < karp_decision_unschedulable_count(l->decision); i++) {
        karp_unschedulable u = { .size = sizeof u };
        status = karp_decision_unschedulable(l->decision, i, &u);
        if (status == KARP_OK)
            add_refusal(l, DIFF_REFUSAL, karp_decision_pod_name(l->decision, u.pod), "", u.code, none);
    }
    for (size_t i = 0; status == KARP_OK && i < karp_decision_ignored_count(l->decision); i++) {
        karp_ignored g = { .size = sizeof g };
        status = karp_decision_ignored(l->decision, i, &g);
        if (status == KARP_OK)
            add_refusal(l, DIFF_REFUSAL, karp_decision_pod_name(l->decision, g.pod), "not considered, ", g.code, none);
    }
    return status;
}

static const char *command_word(uint32_t decision)
{
    static const char *const words[] = { [KARP_COMMAND_DELETE] = "delete",
                                         [KARP_COMMAND_REPLACE] = "replace",
                                         [KARP_COMMAND_TERMINATE_FIRST] = "terminate first",
                                         [KARP_COMMAND_REBOOT] = "reboot" };
    return decision < sizeof words / sizeof words[0] ? words[decision] : "?";
}

static karp_status list_commands(listing *l)
{
    for (size_t i = 0; i < karp_decision_command_count(l->decision); i++) {
        karp_command c = { .size = sizeof c };
        karp_status status = karp_decision_command(l->decision, i, &c);
        if (status != KARP_OK) return status;
        size_t subject = l->side->text.len;
        for (size_t n = 0; n < c.node_count; n++) {
            if (n > 0) put_text(l, " ");
            put_str(l, c.nodes[n]);
        }
        size_t answer = end_text(l);
        put_text(l, command_word(c.decision));
        put_text(l, ", ");
        put_text(l, karp_method_reason(c.method));
        put_text(l, " (");
        put_text(l, karp_method_name(c.method));
        put_text(l, ")");
        for (size_t k = 0; k < c.launch_count && status == KARP_OK; k++) {
            karp_launch launch = { .size = sizeof launch };
            status = karp_decision_launch(l->decision, c.launch_first + k, &launch);
            put_text(l, k == 0 ? " by " : " and ");
            if (status == KARP_OK) put_launch(l, &launch);
        }
        if (status != KARP_OK) return status;
        end_text(l);
        add_row(l, DIFF_COMMAND, subject, answer);
    }
    return KARP_OK;
}

static karp_status list_kept(listing *l)
{
    for (size_t i = 0; i < karp_decision_kept_count(l->decision); i++) {
        karp_kept kept = { .size = sizeof kept };
        karp_status status = karp_decision_kept(l->decision, i, &kept);
        if (status != KARP_OK) return status;
        add_refusal(l, DIFF_NODE, kept.node, "", kept.code, kept.detail);
    }
    return KARP_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

int diff_compare(const diff_side *a, const diff_row *x, const diff_side *b, const diff_row *y, bool *same_subject)
{
    *same_subject = false;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    int order = strcmp(diff_text(a, x->subject), diff_text(b, y->subject));
    if (order != 0) return order;
    *same_subject = true;
    return strcmp(diff_text(a, x->answer), diff_text(b, y->answer));
}

static int by_row(const void *a, const void *b, const void *side)
{
    bool same;
    return diff_compare(side, a, side, b, &same);
}

bool diff_side_has(const diff_side *side, const diff_side *of, const diff_row *row)
{
    size_t low = 0, high = side->row_count;
    bool same;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = diff_compare(side, &side->rows[middle], of, row, &same);
        if (order == 0) return true;
        if (order < 0) low = middle + 1;
        else high = middle;
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
    status = list_launches(l);
    if (status == KARP_OK) status = list_placements(l);
    if (status == KARP_OK) status = list_refusals(l);
    karp_decision_unref(decision);
    return status;
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
    status = list_commands(l);
    if (status == KARP_OK) status = list_kept(l);
    karp_decision_unref(decision);
    return status;
}

karp_status diff_side_decide(const cli_options *options, diff_side *side, karp_error *error)
{
    listing l = { .options = options, .side = side };
    karp_status status = decide_launches(&l, error);
    if (status == KARP_OK) status = decide_disruption(&l, error);
    if (status == KARP_OK &&
        (l.refused || !sort_stable(options->context, side->rows, side->row_count, sizeof *side->rows, by_row, side)))
        status = KARP_E_NOMEM;
    return status;
}

void diff_side_free(const cli_options *options, diff_side *side)
{
    text_file_free(options, &side->text);
    karp_free(options->context, side->rows, side->row_room * sizeof *side->rows);
    side->rows = NULL;
    side->row_count = side->row_room = 0;
}
