/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one line per launch, with the fields of Karpenter's log entries. */
#include "write_decision.h"
#include "write_launch.h"
#include "write_json.h"

#include <providers/builtin.h>

/* Clouds whose providerIDs have parts that no plan contains, such as a subscription, get none. */
static void write_provider_id(json_out *j, const karp_launch *launch, const char *id)
{
    char text[512];
    const builtin_plugin *builtin = plugin_builtin_for_class(launch->node_class.group, launch->node_class.kind);
    if (builtin && plugin_make_id(builtin, launch->choice.zone, str(id), text, sizeof(text)))
        json_member_text(j, "provider-id", text);
}

static void write_record(const write_job *job, const karp_launch *launch, uint64_t number, const char *now)
{
    char name[LAUNCH_NAME];
    char id[18];
    json_out json, *j = &json;
    launch_instance_id(job->decision, launch, number, id);
    json_init(j, job->out, true);
    json_open_object(j);
    json_member_text(j, "level", "INFO");
    json_member_text(j, "time", now);
    json_member_text(j, "logger", "controller.nodeclaim.lifecycle");
    json_member_text(j, "message", "launched nodeclaim");
    json_member_str(j, "nodeclaim", launch_name(launch, number, name));
    json_member_str(j, "nodepool", launch->node_pool);
    write_provider_id(j, launch, id);
    json_member_str(j, "instance-type", launch->choice.instance_type);
    json_member_str(j, "zone", launch->choice.zone);
    json_member_str(j, "capacity-type", launch->choice.capacity_type);
    json_member_resources(j, "allocatable", launch->allocatable, launch->allocatable_count);
    json_close(j);
}

void plan_as_log(const write_job *job)
{
    char now[KARP_VALUE_TEXT];
    karp_time_format(karp_decision_now(job->decision), now);
    launch_counter counter = { 0 };
    size_t count = karp_decision_launch_count(job->decision);
    for (size_t i = 0; i < count; i++) {
        karp_launch launch;
        get_launch(job, job->decision, i, &launch);
        uint64_t number = launch_number(&counter, &launch);
        if (launch.choice.instance_type.len > 0) write_record(job, &launch, number, now);
    }
}
