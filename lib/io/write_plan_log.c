/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one line per launch, with the fields of Karpenter's log entries. */
#include "encode.h"
#include "write_launch.h"

#include <records/rows.h>

typedef struct log_entry {
    karp_str time, node_claim, provider_id;
    karp_launch launch;
} log_entry;

static const record entry_rows = { OPEN(
    { CONSTANT("level", "INFO") }, { TEXT("time", log_entry, time) },
    { CONSTANT("logger", "controller.nodeclaim.lifecycle") }, { CONSTANT("message", "launched nodeclaim") },
    { TEXT("nodeclaim", log_entry, node_claim) }, { TEXT("nodepool", log_entry, launch.node_pool) },
    { TEXT("provider-id", log_entry, provider_id), GIVEN },
    { TEXT("instance-type", log_entry, launch.choice.instance_type) }, { TEXT("zone", log_entry, launch.choice.zone) },
    { TEXT("capacity-type", log_entry, launch.choice.capacity_type) },
    { AMOUNTS("allocatable", log_entry, launch.allocatable, launch.allocatable_count) }) };

static void write_entry(const write_job *job, log_entry *entry, uint64_t number)
{
    char name[LAUNCH_NAME], id[18], provider_id[LAUNCH_PROVIDER_ID];
    const karp_launch *launch = &entry->launch;
    json_out json;
    const encoder e = { .json = &json, .job = job };
    launch_instance_id(job->decision, launch, number, id);
    entry->node_claim = launch_name(launch, number, name);
    entry->provider_id = launch_provider_id(launch, id, provider_id);
    json_init(&json, job->out, true);
    json_open_object(&json);
    encode_members(&e, &entry_rows, entry);
    json_close(&json);
}

void plan_as_log(const write_job *job)
{
    char now[KARP_VALUE_TEXT];
    karp_time_format(karp_decision_now(job->decision), now);
    launch_counter counter = { 0 };
    size_t count = karp_decision_launch_count(job->decision);
    for (size_t i = 0; i < count; i++) {
        log_entry entry = { .time = str(now) };
        get_launch(job, job->decision, i, &entry.launch);
        uint64_t number = launch_number(&counter, &entry.launch);
        if (entry.launch.choice.instance_type.len > 0) write_entry(job, &entry, number);
    }
}
