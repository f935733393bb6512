/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the NodeClaims of a plan as YAML, as Karpenter would create them (without uid, owner and status, which the
 * server adds).
 */
#include "write_decision.h"
#include "write_json.h"
#include "write_launch.h"

#include <base/operators.h>
#include <json/tree.h>
#include <string.h>

static void line(write_buffer *b, size_t indent, const char *text)
{
    buffer_repeat(b, " ", indent);
    buffer_text(b, text);
}

static void scalar(write_buffer *b, karp_str text)
{
    if (yaml_is_plain(text)) buffer_str(b, text);
    else buffer_json_string(b, text);
}

static void member(write_buffer *b, size_t indent, karp_str key, karp_str value)
{
    buffer_repeat(b, " ", indent);
    scalar(b, key);
    buffer_text(b, ": ");
    scalar(b, value);
    buffer_char(b, '\n');
}

static void labels(write_buffer *b, const char *key, const karp_label *list, size_t count)
{
    if (count == 0) return;
    line(b, 2, key);
    buffer_text(b, ":\n");
    for (size_t i = 0; i < count; i++) member(b, 4, list[i].key, list[i].value);
}

static void taints(write_buffer *b, const char *key, const karp_taint *list, size_t count)
{
    if (count == 0) return;
    line(b, 2, key);
    buffer_text(b, ":\n");
    for (size_t i = 0; i < count; i++) {
        line(b, 2, "- ");
        member(b, 0, str("effect"), list[i].effect);
        member(b, 4, str("key"), list[i].key);
        if (list[i].value.len > 0) member(b, 4, str("value"), list[i].value);
    }
}

static void requirements(write_buffer *b, const karp_requirement *list, size_t count)
{
    line(b, 2, "requirements:");
    buffer_text(b, count == 0 ? " []\n" : "\n");
    for (size_t i = 0; i < count; i++) {
        line(b, 2, "- ");
        member(b, 0, str("key"), list[i].key);
        if (list[i].min_values > 0) {
            line(b, 4, "minValues: ");
            buffer_uint(b, list[i].min_values == KARP_MIN_VALUES_ZERO ? 0 : list[i].min_values);
            buffer_char(b, '\n');
        }
        member(b, 4, str("operator"), str(operator_name(list[i].op)));
        if (list[i].value_count == 0) continue;
        line(b, 4, "values:\n");
        for (size_t k = 0; k < list[i].value_count; k++) {
            line(b, 4, "- ");
            scalar(b, list[i].values[k]);
            buffer_char(b, '\n');
        }
    }
}

static void duration(write_buffer *b, const char *key, int64_t value)
{
    if (value == KARP_DURATION_UNSET) return;
    char text[KARP_VALUE_TEXT] = "Never";
    if (value != KARP_DURATION_NEVER) karp_duration_format(value, text);
    member(b, 2, str(key), str(text));
}

static void node_claim(write_buffer *b, const karp_launch *launch, uint64_t number)
{
    buffer_text(b, "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata:\n");
    labels(b, "annotations", launch->annotations, launch->annotation_count);
    labels(b, "labels", launch->labels, launch->label_count);
    char name[LAUNCH_NAME];
    member(b, 2, str("name"), launch_name(launch, number, name));
    buffer_text(b, "spec:\n");
    duration(b, "expireAfter", launch->expire_after);
    line(b, 2, "nodeClassRef:\n");
    member(b, 4, str("group"), launch->node_class.group);
    member(b, 4, str("kind"), launch->node_class.kind);
    member(b, 4, str("name"), launch->node_class.name);
    requirements(b, launch->claim_requirements, launch->claim_requirement_count);
    line(b, 2, "resources:\n");
    line(b, 4, launch->request_count == 0 ? "requests: {}\n" : "requests:\n");
    for (size_t i = 0; i < launch->request_count; i++) member(b, 6, launch->requests[i].name, launch->requests[i].text);
    taints(b, "startupTaints", launch->startup_taints, launch->startup_taint_count);
    taints(b, "taints", launch->taints, launch->taint_count);
    duration(b, "terminationGracePeriod", launch->termination_grace_period);
}

/* Writes a document for each launch from `first` on. */
static void node_claims(const write_job *job, launch_counter *counter, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        karp_launch launch;
        get_launch(job, job->decision, i, &launch);
        if (i > first) buffer_text(job->out, "---\n");
        node_claim(job->out, &launch, launch_number(counter, &launch));
    }
}

void plan_as_yaml(const write_job *job)
{
    launch_counter counter = { 0 };
    node_claims(job, &counter, 0, karp_decision_launch_count(job->decision));
}

/* Removed nodes are listed in comments, step by step, because Kubernetes has no object for them. */
void repack_as_yaml(const write_job *job)
{
    launch_counter counter = { 0 };
    size_t count = karp_decision_command_count(job->decision);
    for (size_t i = 0; i < count; i++) {
        karp_command command;
        get_command(job, job->decision, i, &command);
        buffer_text(job->out, i > 0 ? "---\n# step " : "# step ");
        buffer_uint(job->out, i + 1);
        buffer_text(job->out, command.launch_count > 0 ? ": launch these, then delete" : ": delete");
        for (size_t n = 0; n < command.node_count; n++) {
            buffer_char(job->out, ' ');
            buffer_json_string(job->out, command.nodes[n]);
        }
        buffer_char(job->out, '\n');
        node_claims(job, &counter, command.launch_first, command.launch_count);
    }
}
