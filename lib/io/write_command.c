/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a command that is being executed: docs/formats.md. */
#include "write_call.h"
#include "write_members.h"
#include "write_plan_json.h"

static void member_duration(json_out *j, const char *key, int64_t value)
{
    char text[KARP_VALUE_TEXT] = "Never";
    if (value == KARP_DURATION_UNSET) {
        return;
    }
    if (value != KARP_DURATION_NEVER) {
        karp_duration_format(value, text);
    }
    json_member_text(j, key, text);
}

static void write_nodes(json_out *j, const karp_command_state *state)
{
    json_key(j, "nodes");
    json_open_array(j);
    for (size_t i = 0; i < state->node_count; i++) {
        json_flat_object(j);
        json_member_str(j, "node", state->nodes[i].node);
        json_member_str(j, "nodeClaim", state->nodes[i].claim);
        json_end(j);
    }
    json_end(j);
}

static void write_launch(json_out *j, const karp_launch *l)
{
    json_member_str(j, "id", l->id);
    json_member_str(j, "nodePool", l->node_pool);
    json_key(j, "nodeClassRef");
    json_flat_object(j);
    json_member_str(j, "group", l->node_class.group);
    json_member_str(j, "kind", l->node_class.kind);
    json_member_str(j, "name", l->node_class.name);
    json_end(j);
    json_member_resources(j, "requests", l->requests, l->request_count);
    plan_requirements(j, l->claim_requirements, l->claim_requirement_count);
    json_member_labels(j, "labels", l->labels, l->label_count);
    json_member_labels(j, "annotations", l->annotations, l->annotation_count);
    plan_taints(j, "taints", l->taints, l->taint_count);
    plan_taints(j, "startupTaints", l->startup_taints, l->startup_taint_count);
    json_member_strings(j, "instanceTypes", l->instance_types, l->instance_type_count);
    member_duration(j, "expireAfter", l->expire_after);
    member_duration(j, "terminationGracePeriod", l->termination_grace_period);
    if (l->choice.instance_type.len > 0) {
        json_key(j, "choice");
        json_flat_object(j);
        json_choice_members(j, &l->choice);
        json_end(j);
    }
}

static void write_replacements(json_out *j, const karp_command_state *state)
{
    static const char *const progress[] = { "Wanted", "Created", "Seen", "Initialized" };
    json_key(j, "replacements");
    json_open_array(j);
    for (size_t i = 0; i < state->replacement_count; i++) {
        const karp_replacement *r = &state->replacements[i];
        json_open_object(j);
        json_member_text(j, "progress", r->progress < 4 ? progress[r->progress] : "?");
        if (r->claim.len > 0) {
            json_member_str(j, "nodeClaim", r->claim);
        }
        write_launch(j, r->launch);
        json_end(j);
    }
    json_end(j);
}

karp_status karp_write_command(karp_context *context, const karp_command_state *state,
                               const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, state != NULL,
                                     "a context, a command's state and a place for the text are needed",
                                     1u << KARP_FORMAT_JSON);
    if (status != KARP_OK) {
        return status;
    }
    json_out json;
    json_out *j = &json;
    json_init(j, &call.buffer, call.options.compact != 0);
    json_open_object(j);
    json_member_text(j, "apiVersion", "karp/v1");
    json_member_text(j, "kind", "Command");
    json_member_text(j, "method", karp_method_name(state->method));
    json_member_text(j, "reason", karp_method_reason(state->method));
    json_member_text(j, "phase", karp_phase_name(state->phase));
    if (state->reason != KARP_REASON_NONE) {
        json_member_text(j, "code", karp_reason_name(state->reason));
    }
    json_member_time(j, "decided", state->decided);
    json_member_time(j, "validateAt", state->validate_at);
    json_member_time(j, "started", state->started);
    json_key(j, "savings");
    json_price(j, state->savings);
    write_nodes(j, state);
    write_replacements(j, state);
    json_member_strings(j, "receivers", state->receivers, state->receiver_count);
    json_close(j);
    return write_end(&call, KARP_OK);
}
