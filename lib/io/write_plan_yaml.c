/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the NodeClaims of a plan as YAML, as Karpenter would create them (without uid, owner and status, which the
 * server adds).
 */
#include "encode.h"
#include "write_launch.h"

#include <base/operators.h>
#include <json/tree.h>
#include <records/rows.h>

static const record metadata = { OPEN({ LABELS("annotations", karp_launch, annotations, annotation_count), GIVEN },
                                      { LABELS("labels", karp_launch, labels, label_count), GIVEN }) };

static const record resources = { OPEN({ AMOUNTS("requests", karp_launch, requests, request_count) }) };

/* Members are in the order of their names. */
static const record_names operators = { operator_name, KARP_OP_IN, KARP_OP_LTE, true };
static const record requirement = {
    OF(karp_requirement), OPEN({ TEXT("key", karp_requirement, key) },
                               { FIELD_ROW("minValues", FIELD_LEAST, karp_requirement, min_values, uint32_t), GIVEN },
                               { NAMED("operator", karp_requirement, op, operators) },
                               { TEXTS("values", karp_requirement, values, value_count), GIVEN })
};
static const record taint = { OF(karp_taint),
                              OPEN({ TEXT("effect", karp_taint, effect) }, { TEXT("key", karp_taint, key) },
                                   { TEXT("value", karp_taint, value), GIVEN }) };

static const record spec = { OPEN(
    { DURATION_OR_NEVER("expireAfter", karp_launch, expire_after) },
    { STRUCT("nodeClassRef", karp_launch, node_class, record_node_class_ref) },
    { LIST("requirements", karp_launch, claim_requirements, claim_requirement_count, requirement) },
    { OBJECT("resources", resources) },
    { LIST("startupTaints", karp_launch, startup_taints, startup_taint_count, taint), GIVEN },
    { LIST("taints", karp_launch, taints, taint_count, taint), GIVEN },
    { DURATION("terminationGracePeriod", karp_launch, termination_grace_period) }) };

static void node_claim(const write_job *job, const karp_launch *launch, uint64_t number)
{
    char name[LAUNCH_NAME];
    write_buffer text = buffer_on(job->context);
    trees t = trees_on(job->context);
    tree *root = NULL;
    json_out json;
    const encoder e = { .json = &json, .job = job, .document = IN_COMMAND };
    json_init(&json, &text, true);
    json_open_object(&json);
    json_member_text(&json, "apiVersion", "karpenter.sh/v1");
    json_member_text(&json, "kind", "NodeClaim");
    json_member_object(&json, "metadata");
    encode_members(&e, &metadata, launch);
    json_member_str(&json, "name", launch_name(launch, number, name));
    json_end(&json);
    json_key(&json, "spec");
    encode_object(&e, &spec, launch);
    json_close(&json);
    keep_failure(&job->out->status, text.text.failed
                                        ? fail_nomem(job->error)
                                        : tree_read(&t, str(""), buffer_content(&text), &root, job->error));
    if (root != NULL) tree_write_yaml(&job->out->text, root);
    trees_free(&t);
    buffer_free(&text);
}

/* Writes a document for each launch from `first` on. */
static void node_claims(const write_job *job, launch_counter *counter, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        karp_launch launch;
        get_launch(job, job->decision, i, &launch);
        if (i > first) buffer_text(job->out, "---\n");
        node_claim(job, &launch, launch_number(counter, &launch));
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
