/* SPDX-License-Identifier: Apache-2.0 */
#include "write_decision.h"

static karp_status checked(const write_job *job, karp_status status)
{
    if (status != KARP_OK) {
        return write_fail(job->error, status, "the decision does not show what it counts");
    }
    return KARP_OK;
}

karp_status get_launch(const write_job *job, const karp_decision *decision, size_t index, karp_launch *out)
{
    *out = (karp_launch){.size = sizeof(*out)};
    return checked(job, karp_decision_launch(decision, index, out));
}

karp_status get_placement(const write_job *job, const karp_decision *decision, size_t index, karp_placement *out)
{
    *out = (karp_placement){.size = sizeof(*out)};
    return checked(job, karp_decision_placement(decision, index, out));
}

karp_status get_unschedulable(const write_job *job, size_t index, karp_unschedulable *out)
{
    *out = (karp_unschedulable){.size = sizeof(*out)};
    return checked(job, karp_decision_unschedulable(job->decision, index, out));
}

karp_status get_ignored(const write_job *job, size_t index, karp_ignored *out)
{
    *out = (karp_ignored){.size = sizeof(*out)};
    return checked(job, karp_decision_ignored(job->decision, index, out));
}

karp_status get_node(const write_job *job, const karp_decision *decision, size_t index, karp_node_use *out)
{
    *out = (karp_node_use){.size = sizeof(*out)};
    return checked(job, karp_decision_node(decision, index, out));
}

karp_status get_candidate(const write_job *job, const karp_decision *decision, size_t index, karp_candidate *out)
{
    *out = (karp_candidate){.size = sizeof(*out)};
    return checked(job, karp_decision_candidate(decision, index, out));
}

karp_status get_budget(const write_job *job, const karp_decision *decision, size_t index, karp_pool_budget *out)
{
    *out = (karp_pool_budget){.size = sizeof(*out)};
    return checked(job, karp_decision_budget(decision, index, out));
}

karp_status get_command(const write_job *job, const karp_decision *decision, size_t index, karp_command *out)
{
    *out = (karp_command){.size = sizeof(*out)};
    return checked(job, karp_decision_command(decision, index, out));
}

karp_status get_kept(const write_job *job, const karp_decision *decision, size_t index, karp_kept *out)
{
    *out = (karp_kept){.size = sizeof(*out)};
    return checked(job, karp_decision_kept(decision, index, out));
}

karp_status get_disruption(const write_job *job, const karp_decision *decision, karp_disruption *out)
{
    *out = (karp_disruption){.size = sizeof(*out)};
    return checked(job, karp_decision_disruption(decision, out));
}

typedef karp_status write_function(const write_job *job);

static karp_status run(karp_context *context, const karp_decision *decision, const karp_decision *disruption,
                       const karp_write_options *options, write_function *const *formats, size_t format_count,
                       karp_text *out, karp_error *error)
{
    if (context == NULL || decision == NULL || out == NULL) {
        return write_fail(error, KARP_E_INVALID, "a context, a decision and a place for the text are needed");
    }
    if (options->format >= format_count || formats[options->format] == NULL) {
        return write_fail(error, KARP_E_UNSUPPORTED, "this document is not written in that format");
    }
    write_buffer buffer;
    buffer_init(&buffer, context);
    write_job job = {context, decision, disruption, options, &buffer, error};
    karp_status status = formats[options->format](&job);
    if (status != KARP_OK) {
        buffer_free(&buffer);
        return status;
    }
    return buffer_finish(&buffer, out, error);
}

karp_status karp_write_plan(karp_context *context, const karp_decision *decision, const karp_decision *disruption,
                            const karp_write_options *options, karp_text *out, karp_error *error)
{
    static write_function *const formats[] = {
        [KARP_FORMAT_JSON] = plan_as_json,
        [KARP_FORMAT_TEXT] = plan_as_text,
        [KARP_FORMAT_YAML] = plan_as_yaml,
        [KARP_FORMAT_JSON_LOG] = plan_as_log,
    };
    karp_write_options copy;
    karp_status status = check_write_options(options, &copy, error);
    if (status != KARP_OK) {
        return status;
    }
    return run(context, decision, disruption, &copy, formats, sizeof(formats) / sizeof(formats[0]), out, error);
}

karp_status karp_write_disruption(karp_context *context, const karp_decision *decision,
                                  const karp_write_options *options, karp_text *out, karp_error *error)
{
    static write_function *const formats[] = {
        [KARP_FORMAT_JSON] = disruption_as_json,
        [KARP_FORMAT_TEXT] = disruption_as_text,
    };
    karp_write_options copy;
    karp_status status = check_write_options(options, &copy, error);
    if (status != KARP_OK) {
        return status;
    }
    return run(context, decision, decision, &copy, formats, sizeof(formats) / sizeof(formats[0]), out, error);
}
