/* SPDX-License-Identifier: Apache-2.0 */
#include <io/write_notes.h>

#include "write_rows.h"

#include "html.h"
#include "write_plan_json.h"

#include <base/money.h>

enum { ROUND_TEXT = 900, TYPES_MOST = 6 };

typedef struct type_count {
    karp_str type;
    size_t nodes;
} type_count;

/* " on 2 × c6a.large, 1 × m6a.large and existing nodes" */
static void add_nodes(const karp_decision *d, bool existing, char *text)
{
    type_count types[TYPES_MOST];
    size_t count = 0, others = 0;
    for (size_t i = 0; i < karp_decision_launch_count(d); i++) {
        karp_launch l = { .size = sizeof l };
        if (karp_decision_launch(d, i, &l)) continue;
        size_t k = 0;
        while (k < count && !equal_str(types[k].type, l.choice.instance_type)) k++;
        if (k == TYPES_MOST) others++;
        else if (k < count) types[k].nodes++;
        else types[count++] = (type_count){ l.choice.instance_type, 1 };
    }
    for (size_t k = 0; k < count; k++)
        str_append(text, ROUND_TEXT, "%s%zu \xc3\x97 %.*s", k == 0 ? " on " : ", ", types[k].nodes,
                   str_shown(types[k].type, 60), types[k].type.len ? types[k].type.ptr : "");
    if (others > 0) str_append(text, ROUND_TEXT, ", %zu of other types", others);
    if (existing) str_append(text, ROUND_TEXT, "%s existing nodes", count == 0 ? " on" : " and");
}

/* "pre-install: 1 pod on 1 × c6a.large, $0.0765/h until they have ended" */
static void round_text(const karp_hook_round *round, char text[ROUND_TEXT])
{
    const karp_decision *d = round->plan;
    size_t pods = 0, placed = 0, left = karp_decision_unschedulable_count(d);
    char hourly[MONEY_TEXT];
    for (size_t i = 0; i < karp_decision_launch_count(d); i++) {
        karp_launch l = { .size = sizeof l };
        if (karp_decision_launch(d, i, &l) == KARP_OK) pods += l.pod_count;
    }
    for (size_t i = 0; i < karp_decision_placement_count(d); i++) {
        karp_placement p = { .size = sizeof p };
        if (karp_decision_placement(d, i, &p) == KARP_OK) placed += p.pod_count;
    }
    text[0] = '\0';
    str_append(text, ROUND_TEXT, "%.*s: %zu %s", str_shown(round->phases, 60), round->phases.ptr, pods + placed,
               pods + placed == 1 ? "pod" : "pods");
    if (pods + placed > 0) add_nodes(d, placed > 0, text);
    (void)money_rate(karp_decision_cost_after(d) - karp_decision_cost_before(d), false, hourly);
    if (karp_decision_launch_count(d) > 0) str_append(text, ROUND_TEXT, ", %s until they have ended", hourly);
    karp_unschedulable first = { .size = sizeof first };
    if (left == 0 || karp_decision_unschedulable(d, 0, &first)) return;
    karp_str name = karp_decision_pod_name(d, first.pod);
    str_append(text, ROUND_TEXT, "; %zu cannot be placed, first %.*s: %.*s", left, str_shown(name, 200), name.ptr,
               str_shown(first.message, 300), first.message.len ? first.message.ptr : "");
}

void hooks_section(const text_out *t, const write_job *job)
{
    const karp_write_options *options = job->options;
    char text[ROUND_TEXT];
    if (options->hook_round_count > 0) section(t, "Before the release, Helm's hooks");
    for (size_t i = 0; i < options->hook_round_count; i++) {
        text_flow flow;
        round_text(&options->hook_rounds[i], text);
        buffer_text(t->out, "  +   ");
        flow_begin(&flow, t, ROW_INDENT, ROW_INDENT, 6);
        flow_words(&flow, str(text));
        buffer_char(t->out, '\n');
    }
}

void hooks_as_markdown(const write_job *job)
{
    char text[ROUND_TEXT];
    for (size_t i = 0; i < job->options->hook_round_count; i++) {
        round_text(&job->options->hook_rounds[i], text);
        buffer_text(job->out, i == 0 ? "\n**Before the release, Helm's hooks**\n\n- " : "- ");
        text_markdown(job->out, str(text));
        buffer_char(job->out, '\n');
    }
}

void hooks_as_html(const write_job *job)
{
    char text[ROUND_TEXT];
    for (size_t i = 0; i < job->options->hook_round_count; i++) {
        round_text(&job->options->hook_rounds[i], text);
        buffer_text(job->out, "<div>before the release, Helm's hooks: ");
        html_text(job->out, str(text));
        buffer_text(job->out, "</div>\n");
    }
}

void hooks_as_json(const encoder *e, const write_job *job)
{
    const karp_write_options *options = job->options;
    if (options->hook_round_count == 0) return;
    json_member_array(e->json, "hookRounds");
    for (size_t i = 0; i < options->hook_round_count; i++) {
        const karp_hook_round *round = &options->hook_rounds[i];
        write_job one = *job;
        one.decision = round->plan;
        json_open_object(e->json);
        json_member_str(e->json, "phases", round->phases);
        plan_round_as_json(e, &one);
        json_end(e->json);
    }
    json_end(e->json);
}
