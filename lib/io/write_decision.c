/* SPDX-License-Identifier: Apache-2.0 */
#include "write_decision.h"

#include <base/bisect.h>
#include <karp/library.h>

/* A struct that begins with its size: zeroes but for it. */
static void *fresh(void *out, size_t size)
{
    memset(out, 0, size);
    memcpy(out, &size, sizeof size);
    return out;
}

static void checked(const write_job *job, karp_status status)
{
    write_refuse(job, status, "the decision does not show what it counts");
}

void write_refuse(const write_job *job, karp_status status, const char *message)
{
    if (status != KARP_OK && job->out->status == KARP_OK) job->out->status = fail(job->error, status, "%s", message);
}

void *write_array(const write_job *job, size_t count, size_t size)
{
    void *array = array_alloc(job->context, count, size);
    if (array == NULL) write_refuse(job, KARP_E_NOMEM, "out of memory");
    return array;
}

void get_launch(const write_job *job, const karp_decision *decision, size_t index, karp_launch *out)
{
    checked(job, karp_decision_launch(decision, index, fresh(out, sizeof *out)));
}

void get_placement(const write_job *job, const karp_decision *decision, size_t index, karp_placement *out)
{
    checked(job, karp_decision_placement(decision, index, fresh(out, sizeof *out)));
}

void get_unschedulable(const write_job *job, size_t index, karp_unschedulable *out)
{
    checked(job, karp_decision_unschedulable(job->decision, index, fresh(out, sizeof *out)));
}

void get_group(const write_job *job, size_t index, karp_group_outcome *out)
{
    checked(job, karp_decision_group(job->decision, index, fresh(out, sizeof *out)));
}

void get_ignored(const write_job *job, size_t index, karp_ignored *out)
{
    checked(job, karp_decision_ignored(job->decision, index, fresh(out, sizeof *out)));
}

enum { ROW_WORK = 512 }; /* about what a node's row costs, in units of karp_context_work() */

void get_node(const write_job *job, const karp_decision *decision, size_t index, karp_node_use *out)
{
    if (!karp_context_work(job->context, ROW_WORK)) job->out->text.failed = true;
    checked(job, karp_decision_node(decision, index, fresh(out, sizeof *out)));
}

size_t get_node_named(const write_job *job, const karp_decision *decision, karp_str name, karp_node_use *out)
{
    bisection b = bisect(karp_decision_node_count(decision));
    while (bisecting(&b)) { /* nodes are sorted by name */
        get_node(job, decision, b.at, out);
        int order = compare_str(out->node, name);
        if (order == 0) return b.at;
        bisect_step(&b, order < 0);
    }
    *out = (karp_node_use){ .size = sizeof(*out), .node = name };
    return SIZE_MAX;
}

void get_candidate(const write_job *job, const karp_decision *decision, size_t index, karp_candidate *out)
{
    checked(job, karp_decision_candidate(decision, index, fresh(out, sizeof *out)));
}

void get_budget(const write_job *job, const karp_decision *decision, size_t index, karp_pool_budget *out)
{
    checked(job, karp_decision_budget(decision, index, fresh(out, sizeof *out)));
}

const char *command_word(const karp_command *command)
{
    static const char *const words[] = { [KARP_COMMAND_DELETE] = "delete",
                                         [KARP_COMMAND_REPLACE] = "replace",
                                         [KARP_COMMAND_TERMINATE_FIRST] = "terminate-first",
                                         [KARP_COMMAND_REBOOT] = "reboot" };
    return command->decision < sizeof words / sizeof words[0] ? words[command->decision] : "";
}

void get_command(const write_job *job, const karp_decision *decision, size_t index, karp_command *out)
{
    checked(job, karp_decision_command(decision, index, fresh(out, sizeof *out)));
}

void get_kept(const write_job *job, const karp_decision *decision, size_t index, karp_kept *out)
{
    checked(job, karp_decision_kept(decision, index, fresh(out, sizeof *out)));
}

void get_disruption(const write_job *job, const karp_decision *decision, karp_disruption *out)
{
    checked(job, karp_decision_disruption(decision, fresh(out, sizeof *out)));
}

/* These fail if the decision is no repack plan. */
static void repacked(const write_job *job, karp_status status)
{
    write_refuse(job, status, "the decision is no repack plan");
}

void get_repack_cost(const write_job *job, karp_repack_cost *out)
{
    repacked(job, karp_decision_repack(job->decision, fresh(out, sizeof *out)));
}

void get_repack_step(const write_job *job, size_t index, karp_repack_step *out)
{
    repacked(job, karp_decision_repack_step(job->decision, index, fresh(out, sizeof *out)));
}

void get_repack_point(const write_job *job, size_t index, karp_repack_point *out)
{
    repacked(job, karp_decision_repack_point(job->decision, index, fresh(out, sizeof *out)));
}

typedef void write_function(const write_job *job);

enum { FORMATS = KARP_FORMAT_PROMETHEUS + 1 };

/* Writes in the requested format, if the document has it. */
static karp_status write_decisions(write_call *call, const karp_decision *decision, const karp_decision *disruption,
                                   const karp_write_options *options, write_function *const formats[FORMATS])
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < FORMATS; i++) known |= (uint32_t)(formats[i] != NULL) << i;
    karp_status status = write_begin(call, options, decision, "a decision", known);
    if (status != KARP_OK) return status;
    call->job.decision = decision;
    call->job.disruption = disruption;
    formats[call->options.format](&call->job);
    return write_end(call);
}

karp_status karp_write_plan(karp_context *context, const karp_decision *decision, const karp_decision *disruption,
                            const karp_write_options *options, karp_text *out, karp_error *error)
{
    static write_function *const formats[FORMATS] = {
        [KARP_FORMAT_JSON] = plan_as_json, [KARP_FORMAT_TEXT] = plan_as_text,
        [KARP_FORMAT_YAML] = plan_as_yaml, [KARP_FORMAT_JSON_LOG] = plan_as_log,
        [KARP_FORMAT_HTML] = plan_as_html, [KARP_FORMAT_MARKDOWN] = plan_as_markdown,
        [KARP_FORMAT_CSV] = plan_as_csv,   [KARP_FORMAT_PROMETHEUS] = plan_as_prometheus,
    };
    write_call call = { .context = context, .out = out, .error = error };
    return write_decisions(&call, decision, disruption, options, formats);
}

karp_status karp_write_disruption(karp_context *context, const karp_decision *decision,
                                  const karp_write_options *options, karp_text *out, karp_error *error)
{
    static write_function *const formats[FORMATS] = {
        [KARP_FORMAT_JSON] = disruption_as_json, [KARP_FORMAT_TEXT] = disruption_as_text,
        [KARP_FORMAT_HTML] = disruption_as_html, [KARP_FORMAT_MARKDOWN] = disruption_as_markdown,
        [KARP_FORMAT_CSV] = disruption_as_csv,   [KARP_FORMAT_PROMETHEUS] = disruption_as_prometheus,
    };
    write_call call = { .context = context, .out = out, .error = error };
    return write_decisions(&call, decision, decision, options, formats);
}

karp_status karp_write_repack(karp_context *context, const karp_decision *decision, const karp_write_options *options,
                              karp_text *out, karp_error *error)
{
    static write_function *const formats[FORMATS] = {
        [KARP_FORMAT_JSON] = repack_as_json,
        [KARP_FORMAT_TEXT] = repack_as_text,
        [KARP_FORMAT_YAML] = repack_as_yaml,
        [KARP_FORMAT_HTML] = repack_as_html,
    };
    write_call call = { .context = context, .out = out, .error = error };
    return write_decisions(&call, decision, decision, options, formats);
}
