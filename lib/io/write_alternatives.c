/* SPDX-License-Identifier: Apache-2.0 */
/* Writes why the other NodePools were not used for a placed pod. */
#include "write_alternatives.h"

enum { ALTERNATIVE_INDENT = 6, ALTERNATIVE_LINES = 6 };

static karp_status get_alternative(const write_job *job, const karp_pod_explanation *explanation, size_t index,
                                   karp_alternative *out)
{
    *out = (karp_alternative){ .size = sizeof(*out) };
    karp_status status = karp_pod_explanation_alternative(explanation, index, out);
    return status == KARP_OK ? KARP_OK : write_fail(job->error, status, "a NodePool's answer cannot be read");
}

karp_status alternatives_as_json(json_out *j, const write_job *job, const karp_pod_explanation *explanation)
{
    json_key(j, "alternatives");
    json_open_array(j);
    for (size_t i = 0; i < karp_pod_explanation_alternative_count(explanation); i++) {
        karp_alternative a;
        karp_status status = get_alternative(job, explanation, i, &a);
        if (status != KARP_OK) {
            return status;
        }
        json_open_object(j);
        json_member_str(j, "nodePool", a.node_pool);
        json_key(j, "weight");
        json_uint(j, (uint64_t)(a.weight < 0 ? 0 : a.weight));
        if (a.code != 0) {
            json_member_text(j, "code", karp_reason_name(a.code));
            json_member_str(j, "detail", a.detail);
        } else if (a.choice.instance_type.len > 0) {
            json_key(j, "choice");
            json_flat_object(j);
            json_choice_members(j, &a.choice);
            json_end(j);
        }
        if (a.cost_known) {
            json_key(j, "costChange");
            json_money(j, a.cost_change);
        }
        json_end(j);
    }
    json_end(j);
    return KARP_OK;
}

static void write_change(const text_out *t, text_flow *flow, double change)
{
    double month = change * HOURS_A_MONTH;
    flow_words(flow, str(month < 0 ? "saves" : "costs"));
    buffer_char(t->out, ' ');
    text_dollars(t->out, month < 0 ? -month : month, false);
    buffer_text(t->out, month < 0 ? "/month" : "/month more");
}

static bool launches_named(const text_out *t, const write_job *job, karp_str pool)
{
    size_t count = 0;
    for (size_t i = 0; i < karp_decision_launch_count(job->decision); i++) {
        karp_launch l = { .size = sizeof(l) };
        if (karp_decision_launch(job->decision, i, &l) != KARP_OK || !equal_str(l.node_pool, pool)) {
            continue;
        }
        if (count < 3) {
            buffer_text(t->out, count == 0 ? "\n      reached in this round by " : ", ");
            text_clean(t->out, l.id);
        }
        count++;
    }
    if (count > 3) {
        buffer_text(t->out, " and others");
    }
    return count > 0;
}

karp_status alternatives_as_text(const text_out *t, const write_job *job, const karp_pod_explanation *explanation)
{
    size_t count = karp_pod_explanation_alternative_count(explanation);
    for (size_t i = 0; i < count; i++) {
        karp_alternative a;
        karp_status status = get_alternative(job, explanation, i, &a);
        if (status != KARP_OK) {
            return status;
        }
        if (i == 0) {
            text_styled(t, STYLE_HEADING, "\nOther NodePools");
            buffer_text(t->out, " (this one has weight ");
            buffer_uint(t->out, (uint64_t)(karp_pod_explanation_weight(explanation)));
            buffer_text(t->out, "; the highest weight that takes the pod wins)\n");
        }
        buffer_text(t->out, "  ");
        text_clean(t->out, a.node_pool);
        buffer_text(t->out, " (weight ");
        buffer_uint(t->out, (uint64_t)(a.weight < 0 ? 0 : a.weight));
        buffer_text(t->out, ")\n      ");
        text_flow flow;
        flow_begin(&flow, t, ALTERNATIVE_INDENT, ALTERNATIVE_INDENT, ALTERNATIVE_LINES);
        if (a.code != 0) {
            flow_words(&flow, a.detail.len > 0 ? a.detail : str(karp_reason_text(a.code)));
            if (a.code == KARP_REASON_LIMITS) {
                (void)launches_named(t, job, a.node_pool);
            }
        } else {
            flow_words(&flow, str(a.weight > karp_pod_explanation_weight(explanation)
                                      ? "would launch for it if it were the only NodePool"
                                      : "would take it, but is tried later"));
            if (a.choice.instance_type.len > 0) {
                buffer_text(t->out, ": ");
                text_clean(t->out, a.choice.instance_type);
                buffer_text(t->out, " $");
                text_money(t->out, a.choice.price);
                buffer_text(t->out, "/h");
            }
        }
        if (a.cost_known && a.code == KARP_REASON_LIMITS) {
            buffer_text(t->out, "\n      without the limit: ");
            text_per_month(t->out, a.cost_change, true);
            buffer_text(t->out, a.choice.instance_type.len > 0 ? "" : ", for other pods: this one stays");
        } else if (a.cost_known) {
            buffer_text(t->out, ";\n      the plan");
            flow_begin(&flow, t, ALTERNATIVE_INDENT, ALTERNATIVE_INDENT + 20, ALTERNATIVE_LINES);
            write_change(t, &flow, a.cost_change);
        }
        buffer_char(t->out, '\n');
    }
    return KARP_OK;
}
