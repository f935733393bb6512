/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a Plan as text. */
#include "write_licences.h"
#include "write_topology.h"
#include "write_rows.h"
#include "write_notes.h"
#include "write_launch.h"

#include <karp/library.h>
#include <base/money.h>
#include <karp/what_if.h>

enum { MOST_POD_LINES = 4, MOST_DETAIL_LINES = 2, MOST_REFUSAL_LINES = 6, MOST_MESSAGE_LINES = 8 };

typedef struct plan_totals {
    size_t launches;
    size_t placed; /* pods */
    size_t receiving;
    double cpu_requested;
    double cpu_allocatable;
} plan_totals;

static void measure(const write_job *job, const launch_folds *folds, row_widths *widths, plan_totals *totals)
{
    const karp_decision *d = job->decision;
    totals->launches = folds->count;
    for (size_t i = 0; i < totals->launches; i++) {
        karp_launch launch;
        get_launch(job, d, i, &launch);
        if (folds->same[i] > 0) {
            char name[FOLD_TEXT], type[FOLD_TEXT];
            node_row row = folded_row(folds, job, i, name, type);
            row_measure(widths, &row);
        }
        totals->placed += launch.pod_count;
        totals->cpu_requested += resource_amount(launch.requests, launch.request_count, "cpu");
        totals->cpu_allocatable += resource_amount(launch.allocatable, launch.allocatable_count, "cpu");
    }
    totals->receiving = karp_decision_placement_count(d);
    for (size_t i = 0; i < totals->receiving; i++) {
        karp_placement placement;
        karp_node_use node;
        get_placement(job, d, i, &placement);
        (void)get_node_named(job, job->decision, placement.node, &node);
        node_row row = existing_row(&node, "~", STYLE_CHANGE);
        row_measure(widths, &row);
        totals->placed += placement.pod_count;
    }
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use node;
        get_node(job, d, i, &node);
        totals->cpu_requested += node.marked ? 0 : node.cpu_requested;
        totals->cpu_allocatable += node.marked ? 0 : node.cpu_allocatable;
    }
}

/* Writes the requested amount of a resource; false if it is not requested. */
static bool write_request(write_buffer *b, const karp_launch *launch, const char *name, const char *before)
{
    for (size_t i = 0; i < launch->request_count; i++) {
        if (str_is(launch->requests[i].name, name)) {
            buffer_text(b, before);
            buffer_text(b, name);
            buffer_char(b, ' ');
            buffer_str(b, launch->requests[i].text);
            return true;
        }
    }
    return false;
}

/* Writes ", nvidia.com/gpu 2 of 4": extended resources that the pods request, which explain a high price. */
static bool write_extended(write_buffer *b, const karp_launch *launch, bool some)
{
    for (size_t i = 0; i < launch->request_count; i++) {
        const karp_resource *r = &launch->requests[i];
        if (r->name.len == 0 || memchr(r->name.ptr, '/', r->name.len) == NULL) continue;
        buffer_text(b, some ? ", " : "; ");
        buffer_str(b, r->name);
        buffer_char(b, ' ');
        buffer_str(b, r->text);
        for (size_t k = 0; k < launch->allocatable_count; k++) {
            if (equal_str(launch->allocatable[k].name, r->name)) {
                buffer_text(b, " of ");
                buffer_str(b, launch->allocatable[k].text);
            }
        }
        some = true;
    }
    return some;
}

/* Writes "why pool default; cpu 3750m, memory 12800Mi, DaemonSets included; fits no existing node". The last part
 * holds for every launch, because the scheduler tries existing nodes before it creates a NodeClaim. */
static void add_why(write_buffer *b, const write_job *job, const karp_launch *launch)
{
    buffer_text(b, "pool ");
    buffer_str(b, launch->node_pool);
    bool some = write_request(b, launch, "cpu", "; ");
    some = write_request(b, launch, "memory", some ? ", " : "; ") || some;
    some = write_extended(b, launch, some);
    if (some && resource_amount(launch->requests, launch->request_count, "pods") > (double)launch->pod_count)
        buffer_text(b, ", DaemonSets included");
    if (!some && launch->pod_count > 0) buffer_text(b, "; nothing is requested: only the number of pods counts");
    if (launch->pod_count > 0 && karp_decision_node_count(job->decision) > 0) buffer_text(b, "; fits no existing node");
    if (launch->apart.len > 0) buffer_text(b, "; ");
    buffer_str(b, launch->apart);
}

static void add_runner_up(write_buffer *b, const karp_launch *launch)
{
    buffer_str(b, launch->runner_up.instance_type);
    text_between_money(b, " $", launch->runner_up.price, "/h");
    if (money_seen(launch->choice.price)) {
        double more = (launch->runner_up.price / launch->choice.price - 1) * 100;
        buffer_text(b, more < 0 ? " (" : " (+");
        text_fixed(b, more, 0, 1);
        buffer_text(b, "%)");
    }
}

/* Writes the types that are neither chosen nor the runner-up: "r5.large, m5.2xlarge and 12 more types". */
static void add_others(write_buffer *b, const karp_launch *launch, size_t others)
{
    size_t shown = 0;
    for (size_t i = 0; i < launch->instance_type_count && shown < 2; i++) {
        karp_str name = launch->instance_types[i];
        if (!equal_str(name, launch->choice.instance_type) && !equal_str(name, launch->runner_up.instance_type)) {
            buffer_text(b, shown == 0 ? " " : ", ");
            buffer_str(b, name);
            shown++;
        }
    }
    if (others > shown) {
        buffer_text(b, " and ");
        buffer_count(b, others - shown, "more type");
    }
}

/* Writes a title followed by wrapped text. */
static void titled_line(const text_out *t, const write_job *job, const char *title, const write_buffer *words)
{
    enum { TITLE = 11 };
    if (words->text.failed) write_refuse(job, KARP_E_NOMEM, "out of memory");
    buffer_repeat(t->out, " ", ROW_INDENT);
    text_style_begin(t, STYLE_DIM);
    text_left(t->out, str(title), TITLE);
    text_style_end(t, STYLE_DIM);
    text_flow flow;
    flow_begin(&flow, t, ROW_INDENT + TITLE, ROW_INDENT + TITLE, MOST_DETAIL_LINES);
    flow_words(&flow, buffer_content(words));
    buffer_char(t->out, '\n');
}

/* Writes why there is a launch, and the alternatives: "runner-up  m5.xlarge $0.192/h (+25%); also r5.large …". */
static void write_why(const text_out *t, const write_job *job, const karp_launch *launch)
{
    bool second = launch->runner_up.instance_type.len > 0;
    size_t known = second ? 2 : 1;
    size_t others = launch->instance_type_count > known ? launch->instance_type_count - known : 0;
    write_buffer words = buffer_on(job->context);
    add_why(&words, job, launch);
    titled_line(t, job, "why", &words);
    buffer_cut(&words, 0);
    if (launch->list_price > 0) {
        text_between_money(&words, "by a NodeOverlay; list $", launch->list_price, "/h");
        titled_line(t, job, "price", &words);
        buffer_cut(&words, 0);
    }
    if (second) add_runner_up(&words, launch);
    if (others > 0) {
        buffer_text(&words, second ? "; also" : "also");
        add_others(&words, launch, others);
    }
    if (words.text.len > 0) titled_line(t, job, second ? "runner-up" : "", &words);
    buffer_free(&words);
}

/* ---- what EC2 chooses ------------------------------------------------------------------------------------------- */

/* Whether the launch may be in several zones. */
static bool zone_is_free(const karp_launch *launch)
{
    for (size_t i = 0; i < launch->requirement_count; i++) {
        const karp_requirement *r = &launch->requirements[i];
        if (str_is(r->key, "topology.kubernetes.io/zone")) return r->op != KARP_OP_IN || r->value_count > 1;
    }
    return true;
}

/* EC2's fleets for spot have the allocation strategy price-capacity-optimized, those for on-demand lowest-price; other
 * clouds' providers choose type and zone themselves. */
static void write_choices_of_ec2(const text_out *t, bool types, bool zones)
{
    text_flow flow;
    if (!types && !zones) return;
    buffer_text(t->out, "  ");
    flow_begin(&flow, t, 2, 2, MOST_DETAIL_LINES);
    if (types)
        flow_words(&flow,
                   str("EC2 chooses among the types of a spot launch by price and spare capacity, and may launch a "
                       "dearer one."));
    if (zones)
        flow_words(&flow,
                   str("EC2 chooses the zone of launches that no rule ties to one, and balances nothing: shown is "
                       "the cheapest offering."));
    buffer_char(t->out, '\n');
}

static void write_launches(const text_out *t, const write_job *job, const launch_folds *folds, const row_widths *widths)
{
    bool types = false, ec2 = str_starts(job->options->catalogue, "aws");
    size_t zones = 0;
    if (folds->count == 0) return;
    section(t, "Launch");
    for (size_t i = 0; i < folds->count; i++) {
        if (folds->same[i] == 0) continue;
        char name[FOLD_TEXT], type[FOLD_TEXT];
        karp_launch launch;
        get_launch(job, job->decision, i, &launch);
        node_row row = folded_row(folds, job, i, name, type);
        row_write(t, widths, &row);
        folded_pods(t, folds, job, "", i);
        launch.instance_type_count = folded_type_count(folds, job, i);
        write_why(t, job, &launch);
        types = types || (str_is(launch.choice.capacity_type, "spot") && launch.instance_type_count > 1);
        if (ec2 && zone_is_free(&launch)) zones += folds->same[i];
    }
    write_choices_of_ec2(t, ec2 && types, zones > 1);
}

static void write_receiving(const text_out *t, const write_job *job, const row_widths *widths, size_t count)
{
    if (count == 0) return;
    section(t, "Existing nodes that receive pods");
    for (size_t i = 0; i < count; i++) {
        karp_placement placement;
        karp_node_use node;
        get_placement(job, job->decision, i, &placement);
        (void)get_node_named(job, job->decision, placement.node, &node);
        node_row row = existing_row(&node, "~", STYLE_CHANGE);
        row_write(t, widths, &row);
        rows_pods(t, job, job->decision, "receives ", placement.pods, placement.pod_count);
    }
}

static bool same_refusal(const karp_unschedulable *a, const karp_unschedulable *b)
{
    if (a->topologies != b->topologies || a->code != b->code || a->permanent != b->permanent ||
        a->pool_count != b->pool_count || a->target_count != b->target_count || a->relaxed_count != b->relaxed_count ||
        !equal_str(a->message, b->message)) {
        return false;
    }
    for (size_t i = 0; i < a->pool_count; i++) {
        const karp_pool_refusal *p = &a->pools[i];
        const karp_pool_refusal *q = &b->pools[i];
        if (p->code != q->code || !equal_str(p->node_pool, q->node_pool) || !equal_str(p->detail, q->detail) ||
            p->types_start != q->types_start || p->types_requirements != q->types_requirements ||
            p->types_resources != q->types_resources || p->types_offerings != q->types_offerings)
            return false;
    }
    for (size_t i = 0; i < a->target_count; i++) {
        if (a->targets[i].code != b->targets[i].code || !equal_str(a->targets[i].target, b->targets[i].target))
            return false;
    }
    return true;
}

/* Writes "(742 types -> 38 by requirements -> 0 by resources)", up to the step that leaves no types. */
static void write_funnel(text_flow *flow, const karp_pool_refusal *pool)
{
    const struct {
        uint32_t left;
        const char *before;
        const char *after;
    } steps[] = { { pool->types_start, "(", pool->types_start == 1 ? " type" : " types" },
                  { pool->types_requirements, "-> ", " by requirements" },
                  { pool->types_resources, "-> ", " by resources" },
                  { pool->types_offerings, "-> ", " with an offering" } };
    write_buffer *b = flow->t->out;
    if (pool->types_start == 0) return;
    bool last = false;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !last; i++) {
        last = i == 3 || steps[i].left == 0;
        karp_str before = str(steps[i].before);
        karp_str after = str(steps[i].after);
        size_t digits = 1;
        for (uint32_t rest = steps[i].left; rest >= 10; rest /= 10) digits++;
        if (!flow_fits(flow, 1 + before.len + digits + after.len + last)) return;
        buffer_text(b, flow->wrapped ? "" : " ");
        buffer_str(b, before);
        buffer_uint(b, steps[i].left);
        buffer_str(b, after);
        buffer_text(b, last ? ")" : "");
    }
}

void rows_refusal(const text_out *t, const karp_unschedulable *pod, size_t most_lines)
{
    write_buffer *b = t->out;
    size_t width = 0;
    text_flow flow;
    for (size_t i = 0; i < pod->pool_count; i++) {
        size_t columns = text_columns(pod->pools[i].node_pool);
        width = columns > width ? columns : width;
    }
    if (pod->pool_count == 0) {
        buffer_repeat(b, " ", ROW_INDENT);
        flow_begin(&flow, t, ROW_INDENT, ROW_INDENT, most_lines);
        flow_words(&flow, pod->message.len > 0 ? pod->message : str(karp_reason_text(pod->code)));
        buffer_char(b, '\n');
    }
    for (size_t i = 0; i < pod->pool_count; i++) {
        const karp_pool_refusal *pool = &pod->pools[i];
        buffer_text(b, "      pool ");
        text_left(b, pool->node_pool, width);
        buffer_text(b, "  ");
        flow_begin(&flow, t, ROW_INDENT + 7 + width, ROW_INDENT + 7 + width, most_lines);
        flow_words(&flow, pool->detail.len > 0 ? pool->detail : str(karp_reason_text(pool->code)));
        flow.lines_left++; /* the numbers are always written */
        write_funnel(&flow, pool);
        buffer_char(b, '\n');
    }
    for (size_t i = 0; i < pod->target_count; i++) {
        buffer_text(b, pod->targets[i].is_launch ? "      launch " : "      node ");
        text_clean(b, pod->targets[i].target);
        buffer_text(b, "  ");
        buffer_text(b, karp_reason_text(pod->targets[i].code));
        buffer_char(b, '\n');
    }
    topology_rows(t, pod);
    if (pod->relaxed_count > 0) {
        buffer_text(b, "      preferences dropped without success: ");
        for (size_t i = 0; i < pod->relaxed_count; i++) {
            buffer_text(b, i == 0 ? "" : "; ");
            text_clean(b, pod->relaxed[i]);
        }
        buffer_char(b, '\n');
    }
}

/* "  the pools refuse the pod for different reasons  SEVERAL, permanent" */
static void write_reason(text_flow *flow, const karp_unschedulable *pod)
{
    const char *code = karp_reason_name(pod->code), *permanent = pod->permanent ? ", permanent" : "";
    const char *reason = karp_reason_text(pod->code);
    write_buffer *b = flow->t->out;
    flow->lines_left = 1; /* however many lines the names needed */
    (void)flow_fits(flow, 4 + strlen(reason) + strlen(code) + strlen(permanent));
    buffer_text(b, flow->wrapped ? "" : "  ");
    buffer_text(b, reason);
    buffer_text(b, "  ");
    text_styled(flow->t, STYLE_DIM, code);
    buffer_text(b, permanent);
    buffer_char(b, '\n');
}

static void write_unschedulable(const text_out *t, const write_job *job)
{
    write_buffer *b = t->out;
    size_t count = karp_decision_unschedulable_count(job->decision);
    if (count == 0) return;
    uint32_t *pods = write_array(job, count, sizeof(*pods));
    if (pods == NULL) return;
    buffer_char(b, '\n');
    text_style_begin(t, STYLE_HEADING);
    buffer_between_u(b, "Unschedulable (", count, "");
    buffer_char(b, ')');
    text_style_end(t, STYLE_HEADING);
    buffer_char(b, '\n');
    size_t first = 0;
    while (first < count) {
        karp_unschedulable pod;
        size_t length = 1;
        get_unschedulable(job, first, &pod);
        pods[0] = pod.pod;
        while (first + length < count) {
            karp_unschedulable next;
            get_unschedulable(job, first + length, &next);
            if (!same_refusal(&pod, &next)) break;
            pods[length++] = next.pod;
        }
        buffer_text(b, "  ");
        text_styled(t, STYLE_ALERT, "!   ");
        text_flow flow;
        flow_begin(&flow, t, ROW_INDENT, ROW_INDENT, MOST_POD_LINES);
        text_pods(&flow, job, job->decision, pods, length);
        write_reason(&flow, &pod);
        rows_refusal(t, &pod, MOST_REFUSAL_LINES);
        first += length;
    }
    karp_free(job->context, pods, count * sizeof(*pods));
}

/* Karpenter's wording is used only in its log format. */
static karp_str why_ignored(const karp_ignored *pod)
{
    if (pod->code == KARP_REASON_NO_NODEPOOLS) return str("no usable NodePool in the input");
    return pod->message.len > 0 ? pod->message : str(karp_reason_text(pod->code));
}

static void write_ignored(const text_out *t, const write_job *job)
{
    size_t count = karp_decision_ignored_count(job->decision), length = 0;
    if (count == 0) return;
    uint32_t *pods = write_array(job, count, sizeof(*pods));
    if (pods == NULL) return;
    section(t, "Not considered");
    for (size_t first = 0; first < count; first += length) {
        karp_ignored pod, next;
        get_ignored(job, first, &pod);
        next = pod;
        for (length = 0; next.code == pod.code && equal_str(next.message, pod.message);) {
            pods[length++] = next.pod;
            if (first + length == count) break;
            get_ignored(job, first + length, &next);
        }
        text_flow flow;
        buffer_repeat(t->out, " ", ROW_INDENT);
        flow_begin(&flow, t, ROW_INDENT + 2, ROW_INDENT, MOST_POD_LINES);
        text_pods(&flow, job, job->decision, pods, length);
        buffer_char(t->out, ' ');
        flow.column++;
        flow.lines_left = MOST_MESSAGE_LINES;
        flow_words(&flow, why_ignored(&pod));
        buffer_char(t->out, '\n');
    }
    karp_free(job->context, pods, count * sizeof(*pods));
}

static void write_saving(const text_out *t, const karp_decision *decision)
{
    if (text_saving(t->out, decision)) buffer_char(t->out, '\n');
}

static void write_summary(const text_out *t, const write_job *job, const plan_totals *totals,
                          const command_totals *commands)
{
    write_buffer *b = t->out;
    size_t failed = karp_decision_unschedulable_count(job->decision);
    size_t ignored = karp_decision_ignored_count(job->decision);
    buffer_between_u(b, "\nPlan: ", totals->launches, " to launch, ");
    if (job->disruption != NULL) {
        buffer_uint(b, commands->deleted);
        buffer_between_u(b, " to delete, ", commands->replaced, " to replace, ");
    }
    buffer_plural(b, totals->receiving, " node receives pods. ", " nodes receive pods. ");
    bool any = totals->placed + failed > 0;
    if (any) {
        buffer_uint(b, totals->placed);
        buffer_between_u(b, " of ", totals->placed + failed, "");
        buffer_text(b, totals->placed + failed == 1 ? " pod placed, " : " pods placed, ");
        buffer_uint(b, failed);
        buffer_text(b, " unschedulable");
    } else {
        buffer_text(b, "No pod to place");
    }
    if (ignored > 0) {
        buffer_between_u(b, ", ", ignored, " not considered");
    }
    buffer_text(b, ".\n");
    double after = karp_decision_cost_after(job->decision);
    bool expired = job->disruption != NULL && commands->expired > 0;
    cost_line(t, expired ? "Cost if no node had expired" : "Cost", karp_decision_cost_before(job->decision),
              after - (job->disruption ? commands->savings : 0));
    no_saving(b, job->decision);
    if (totals->cpu_allocatable > 0) {
        buffer_text(b, "   CPU requested/allocatable: ");
        text_percent(b, totals->cpu_requested / totals->cpu_allocatable, 0);
    }
    buffer_char(b, '\n');
    settled_line(t, job);
    licences_line(b, job->options, false);
    unknown_prices_line(b, job->decision, false);
    drift_line(b, job, false);
    write_saving(t, job->decision);
}

void plan_as_text(const write_job *job)
{
    const text_out *t = &(text_out){ job->out, job->options->width, job->options->color != 0 };
    row_widths widths = { 0 };
    plan_totals totals = { 0 };
    command_totals commands = { 0 };
    launch_folds folds;
    launch_folds_find(&folds, job, job->decision, 0, karp_decision_launch_count(job->decision), t->width);
    measure(job, &folds, &widths, &totals);
    if (job->disruption != NULL) count_commands(job, job->disruption, &commands);
    header_line(t, job, karp_decision_change_count(job->decision) > 0 ? "karp whatif" : "karp plan");
    totals_as_text(t, job);
    write_launches(t, job, &folds, &widths);
    launch_folds_free(&folds, job);
    if (job->disruption != NULL && karp_decision_command_count(job->disruption) > 0) {
        section(t, "Disrupt");
        rows_commands(t, job, job->disruption);
    }
    write_receiving(t, job, &widths, totals.receiving);
    if (job->disruption != NULL && karp_decision_kept_count(job->disruption) > 0) {
        section(t, "Not disrupted in this pass");
        rows_kept(t, job, job->disruption);
    }
    write_unschedulable(t, job);
    write_ignored(t, job);
    groups_as_text(t, job);
    preferences_as_text(t, job);
    hooks_section(t, job);
    notes_section(t, job);
    write_summary(t, job, &totals, &commands);
}
