/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the explanation of a decision for one pod or one node. */
#include <base/error.h>
#include "write_explain.h"
#include "write_notes.h"
#include "write_plan_json.h"

enum { MOST_LINES = 30 };

typedef enum pod_fate { FATE_NONE, FATE_LAUNCH, FATE_NODE, FATE_UNSCHEDULABLE, FATE_IGNORED } pod_fate;

typedef struct pod_answer {
    pod_fate fate;
    size_t index; /* index of the launch, placement, unschedulable or ignored pod */
} pod_answer;

static bool has_pod(const write_job *job, const uint32_t *pods, size_t count, karp_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (equal_str(karp_decision_pod_name(job->decision, pods[i]), name)) return true;
    }
    return false;
}

static void find_placed(const write_job *job, karp_str name, pod_answer *answer)
{
    for (size_t i = 0; i < karp_decision_launch_count(job->decision); i++) {
        karp_launch launch;
        get_launch(job, job->decision, i, &launch);
        if (has_pod(job, launch.pods, launch.pod_count, name)) {
            *answer = (pod_answer){ FATE_LAUNCH, i };
            return;
        }
    }
    for (size_t i = 0; i < karp_decision_placement_count(job->decision); i++) {
        karp_placement placement;
        get_placement(job, job->decision, i, &placement);
        if (has_pod(job, placement.pods, placement.pod_count, name)) {
            *answer = (pod_answer){ FATE_NODE, i };
            return;
        }
    }
}

static void find_refused(const write_job *job, karp_str name, pod_answer *answer)
{
    for (size_t i = 0; i < karp_decision_unschedulable_count(job->decision); i++) {
        karp_unschedulable pod;
        get_unschedulable(job, i, &pod);
        if (has_pod(job, &pod.pod, 1, name)) {
            *answer = (pod_answer){ FATE_UNSCHEDULABLE, i };
            return;
        }
    }
    for (size_t i = 0; i < karp_decision_ignored_count(job->decision); i++) {
        karp_ignored pod;
        get_ignored(job, i, &pod);
        if (has_pod(job, &pod.pod, 1, name)) {
            *answer = (pod_answer){ FATE_IGNORED, i };
            return;
        }
    }
}

static void pod_as_json(const write_job *job, const pod_addition *addition, karp_str name, pod_answer answer)
{
    static const char *const outcomes[] = { "none", "launch", "node", "unschedulable", "ignored" };
    json_out json, *j = &json;
    encoder e = plan_header(j, job, "PodExplanation");
    json_member_str(j, "pod", name);
    json_member_text(j, "outcome", outcomes[answer.fate]);
    if (answer.fate == FATE_LAUNCH) {
        json_key(j, "launch");
        encode_row(&e, &source_launches, job->decision, answer.index);
    } else if (answer.fate == FATE_NODE) {
        karp_placement placement;
        get_placement(job, job->decision, answer.index, &placement);
        json_member_str(j, "node", placement.node);
    } else if (answer.fate == FATE_UNSCHEDULABLE) {
        json_key(j, "unschedulable");
        encode_row(&e, &source_unschedulable, job->decision, answer.index);
    } else if (answer.fate == FATE_IGNORED) {
        karp_ignored pod;
        get_ignored(job, answer.index, &pod);
        json_member_text(j, "code", karp_reason_name(pod.code));
        json_member_str(j, "message", pod.message);
    }
    if (addition != NULL) addition->json(&e, addition->explanation, answer.fate == FATE_LAUNCH);
    notes_as_json(j, job);
    json_close(j);
}

void text_no_place(const text_out *t, const karp_unschedulable *pod, bool running)
{
    buffer_text(t->out, running ? " would have no place" : " cannot be placed");
    buffer_text(t->out, pod->permanent ? " (permanent: no new node will take it).\n" : " now.\n");
}

static void text_refused(const text_out *t, const write_job *job, size_t index)
{
    karp_unschedulable pod;
    get_unschedulable(job, index, &pod);
    text_no_place(t, &pod, false);
    buffer_repeat(t->out, " ", ROW_INDENT);
    buffer_text(t->out, karp_reason_text(pod.code));
    buffer_text(t->out, "  ");
    text_styled(t, STYLE_DIM, karp_reason_name(pod.code));
    buffer_char(t->out, '\n');
    rows_refusal(t, &pod, MOST_LINES);
}

static void text_placed(const text_out *t, const write_job *job, pod_answer answer, bool running)
{
    row_widths widths = { 0 };
    karp_launch launch;
    karp_placement placement;
    if (answer.fate == FATE_NODE) {
        get_placement(job, job->decision, answer.index, &placement);
        buffer_text(t->out, running ? " would go to the node " : " goes to the node ");
        text_clean(t->out, placement.node);
        buffer_text(t->out, ".\n");
        rows_pods(t, job, job->decision, "with all that go there: ", placement.pods, placement.pod_count);
        return;
    }
    get_launch(job, job->decision, answer.index, &launch);
    /* kube-scheduler comes first, and counts domains otherwise than Karpenter does. */
    buffer_text(t->out, running ? " would get a new node, unless kube-scheduler finds it a place on one that exists.\n"
                                : " goes to a new node.\n");
    node_row row = launch_row(&launch);
    row_measure(&widths, &row);
    row_write(t, &widths, &row);
    rows_pods(t, job, job->decision, "", launch.pods, launch.pod_count);
}

static void text_ignored(const text_out *t, const write_job *job, size_t index, bool running)
{
    karp_ignored pod;
    get_ignored(job, index, &pod);
    buffer_text(t->out, running ? " would not be considered.\n      " : " was not considered.\n      ");
    rows_reason(t, ROW_INDENT, MOST_LINES, pod.message, pod.code);
}

static void pod_as_text(const write_job *job, const pod_addition *addition, karp_str name, pod_answer answer)
{
    const text_out *t = &(text_out){ job->out, job->options->width, job->options->color != 0 };
    header_line(t, job, "karp explain");
    buffer_char(job->out, '\n');
    text_subject(t, name);
    bool running = addition != NULL && addition->running;
    if (running)
        buffer_text(t->out, answer.fate == FATE_NONE ? " runs, and Karpenter places no pods like it.\n"
                                                     : " runs. If it were evicted now, it");
    if (answer.fate == FATE_UNSCHEDULABLE) text_refused(t, job, answer.index);
    else if (answer.fate == FATE_IGNORED) text_ignored(t, job, answer.index, running);
    else if (answer.fate != FATE_NONE) text_placed(t, job, answer, running);
    if (addition != NULL) addition->text(t, job, addition->explanation);
    notes_section(t, job);
}

/* The checks of both public functions. */
static karp_status begin_explanation(write_call *call, const karp_decision *decision, const karp_write_options *given)
{
    return write_begin(call, given, decision, "a decision", WRITE_JSON_TEXT);
}

karp_status write_pod_with(karp_context *context, const karp_decision *decision, const pod_addition *addition,
                           karp_str pod, const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = begin_explanation(&call, decision, options);
    if (status != KARP_OK) return status;
    call.job.decision = decision;
    pod_answer answer = { FATE_NONE, 0 };
    find_placed(&call.job, pod, &answer);
    if (answer.fate == FATE_NONE) find_refused(&call.job, pod, &answer);
    if (answer.fate == FATE_NONE && !(addition != NULL && addition->running))
        write_refuse(&call.job, KARP_E_NOT_FOUND, "no pod of that name waits for a node (NAMESPACE/NAME)");
    else if (call.options.format == KARP_FORMAT_JSON) pod_as_json(&call.job, addition, pod, answer);
    else pod_as_text(&call.job, addition, pod, answer);
    return write_end(&call);
}

karp_status karp_write_pod(karp_context *context, const karp_decision *decision, karp_str pod,
                           const karp_write_options *options, karp_text *out, karp_error *error)
{
    if (!str_given(pod)) return fail_null(error, "pod");
    return write_pod_with(context, decision, NULL, pod, options, out, error);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

typedef struct node_answer {
    bool known;
    bool has_command;
    bool is_candidate;
    size_t command;
    size_t candidate;
} node_answer;

static void find_node(const write_job *job, karp_str name, node_answer *answer)
{
    const karp_decision *d = job->decision;
    karp_node_use node;
    answer->known = get_node_named(job, d, name, &node) != SIZE_MAX;
    for (size_t i = 0; i < karp_decision_command_count(d) && !answer->has_command; i++) {
        karp_command command;
        get_command(job, d, i, &command);
        for (size_t k = 0; k < command.node_count; k++) {
            if (equal_str(command.nodes[k], name)) {
                answer->has_command = true;
                answer->command = i;
            }
        }
    }
    for (size_t i = 0; i < karp_decision_candidate_count(d) && !answer->is_candidate; i++) {
        karp_candidate candidate;
        get_candidate(job, d, i, &candidate);
        if (equal_str(candidate.node, name)) {
            answer->is_candidate = true;
            answer->candidate = i;
        }
    }
}

/* Finds the next entry of the node among the kept nodes; *next is where to continue. */
static bool next_kept(const write_job *job, karp_str name, size_t *next, karp_kept *kept)
{
    while (*next < karp_decision_kept_count(job->decision)) {
        get_kept(job, job->decision, (*next)++, kept);
        if (equal_str(kept->node, name)) return true;
    }
    return false;
}

static void node_as_json(const write_job *job, karp_str name, const node_answer *answer, bool expired)
{
    json_out json, *j = &json;
    encoder e = plan_header(j, job, "NodeExplanation");
    json_member_str(j, "node", name);
    json_member_text(j, "outcome", answer->has_command ? "disrupted" : "kept");
    if (expired) json_member_bool(j, "expired", true);
    json_member_bool(j, "candidate", answer->is_candidate);
    if (answer->has_command) {
        json_key(j, "command");
        encode_row(&e, &source_commands, job->decision, answer->command);
    }
    json_member_array(j, "kept");
    e.document = IN_EXPLANATION;
    size_t next = 0;
    karp_kept kept;
    while (next_kept(job, name, &next, &kept)) {
        encode_object(&e, &record_kept, &kept);
    }
    json_end(j);
    drift_as_json(j, job->options->drift, IN_PLAN);
    notes_as_json(j, job);
    json_close(j);
}

/* A node of a NodePool whose budgets are all for other reasons, or for other times. */
static void no_budget(const text_out *t, const write_job *job, karp_str name)
{
    karp_node_use node;
    karp_disruption header;
    (void)get_node_named(job, job->decision, name, &node);
    get_disruption(job, job->decision, &header);
    for (size_t i = 0; i < karp_decision_budget_count(job->decision); i++) {
        karp_pool_budget budget;
        get_budget(job, job->decision, i, &budget);
        if (!equal_str(budget.node_pool, node.node_pool) || budget.tightest != KARP_NO_BUDGET ||
            budget.allowed != KARP_UNLIMITED)
            continue;
        buffer_repeat(t->out, " ", ROW_INDENT);
        buffer_text(t->out, "no disruption budget of ");
        text_clean(t->out, budget.node_pool);
        buffer_text(t->out, " limits ");
        buffer_text(t->out, karp_method_reason(header.method));
        if (budget.next_change == KARP_NO_TIME || budget.next_change == 0) {
            buffer_text(t->out, ": its budgets are for other reasons\n");
            continue;
        }
        char when[KARP_VALUE_TEXT];
        karp_time_format(budget.next_change, when);
        buffer_text(t->out, " before ");
        buffer_text(t->out, when);
        buffer_char(t->out, '\n');
    }
}

static void node_as_text(const write_job *job, karp_str name, const node_answer *answer, bool expired)
{
    const text_out *t = &(text_out){ job->out, job->options->width, job->options->color != 0 };
    header_line(t, job, "karp explain");
    buffer_char(job->out, '\n');
    text_subject(t, name);
    if (expired) { /* what the pass decides does not matter then */
        buffer_text(job->out, " is expired: Karpenter deletes it, whatever a disruption pass decides.\n");
    } else if (answer->has_command) {
        karp_command command;
        get_command(job, job->decision, answer->command, &command);
        buffer_text(job->out, command.replaces != 0 ? " is replaced.\n" : " is removed.\n");
        rows_command(t, job, job->decision, answer->command);
        no_budget(t, job, name);
    } else {
        buffer_text(job->out, answer->is_candidate ? " stays, although it was a candidate.\n" : " stays.\n");
        size_t next = 0;
        karp_kept kept;
        while (next_kept(job, name, &next, &kept)) {
            buffer_repeat(job->out, " ", ROW_INDENT);
            rows_kept_reason(t, ROW_INDENT, MOST_LINES, &kept);
        }
    }
    drift_line(t->out, job, false);
    notes_section(t, job);
}

karp_status write_node_of(karp_context *context, const karp_decision *decision, karp_str node, bool expired,
                          const karp_write_options *options, karp_text *out, karp_error *error)
{
    if (!str_given(node)) return fail_null(error, "node");
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = begin_explanation(&call, decision, options);
    if (status != KARP_OK) return status;
    call.job.decision = decision;
    node_answer answer = { 0 };
    find_node(&call.job, node, &answer);
    if (!answer.known && !answer.has_command && !answer.is_candidate)
        write_refuse(&call.job, KARP_E_NOT_FOUND, "no node of that name");
    else if (call.options.format == KARP_FORMAT_JSON) node_as_json(&call.job, node, &answer, expired);
    else node_as_text(&call.job, node, &answer, expired);
    return write_end(&call);
}

karp_status karp_write_node(karp_context *context, const karp_decision *decision, karp_str node,
                            const karp_write_options *options, karp_text *out, karp_error *error)
{
    return write_node_of(context, decision, node, false, options, out, error);
}
