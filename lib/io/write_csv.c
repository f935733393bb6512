/* SPDX-License-Identifier: Apache-2.0 */
/* Writes decisions as CSV: a plan has one row per pod, a disruption one per node. */
#include "write_text.h"

#include "write_decision.h"

#include <string.h>

void csv_field(write_buffer *b, karp_str text)
{
    bool quote = false, formula = text.len > 0 && strchr("=+-@", text.ptr[0]);
    for (size_t i = 0; i < text.len; i++) quote = quote || text.ptr[i] == ',' || text.ptr[i] == '"';
    buffer_repeat(b, "\"", quote);
    buffer_repeat(b, "'", formula);
    while (text.len > 0) {
        const char *mark = memchr(text.ptr, '"', text.len);
        size_t plain = mark == NULL ? text.len : (size_t)(mark - text.ptr) + 1;
        text_clean(b, (karp_str){ text.ptr, plain });
        buffer_repeat(b, "\"", mark != NULL);
        text.ptr += plain;
        text.len -= plain;
    }
    buffer_repeat(b, "\"", quote);
}

static void next_field(write_buffer *b, karp_str text)
{
    buffer_char(b, ',');
    csv_field(b, text);
}

static void next_word(write_buffer *b, const char *text) { next_field(b, str(text)); }

/* Writes ",pool,type,zone,capacity type,price". A price of 0 is unknown. */
static void put_node(write_buffer *b, karp_str pool, karp_str type, karp_str zone, karp_str capacity_type, double price)
{
    const karp_str fields[] = { pool, type, zone, capacity_type };
    for (size_t i = 0; i < 4; i++) next_field(b, fields[i]);
    buffer_char(b, ',');
    if (price > 0) buffer_double(b, price);
}

static void put_existing(const write_job *job, karp_str name)
{
    karp_node_use node;
    (void)get_node_named(job, job->decision, name, &node);
    put_node(job->out, node.node_pool, node.instance_type, node.zone, node.capacity_type, node.price);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static void put_pod(const write_job *job, uint32_t pod, const char *outcome, karp_str target)
{
    csv_field(job->out, karp_decision_pod_name(job->decision, pod));
    next_word(job->out, outcome);
    next_field(job->out, target);
}

static void write_launched(const write_job *job)
{
    for (size_t i = 0; i < karp_decision_launch_count(job->decision); i++) {
        karp_launch l;
        get_launch(job, job->decision, i, &l);
        for (size_t k = 0; k < l.pod_count; k++) {
            put_pod(job, l.pods[k], "launch", l.id);
            put_node(job->out, l.node_pool, l.choice.instance_type, l.choice.zone, l.choice.capacity_type,
                     l.choice.price);
            buffer_text(job->out, ",,\n");
        }
    }
}

static void write_placed(const write_job *job)
{
    for (size_t i = 0; i < karp_decision_placement_count(job->decision); i++) {
        karp_placement p;
        get_placement(job, job->decision, i, &p);
        for (size_t k = 0; k < p.pod_count; k++) {
            put_pod(job, p.pods[k], "node", p.node);
            put_existing(job, p.node);
            buffer_text(job->out, ",,\n");
        }
    }
}

static void write_left(const write_job *job, uint32_t pod, const char *outcome, uint32_t code, karp_str message)
{
    put_pod(job, pod, outcome, str(""));
    buffer_text(job->out, ",,,,,");
    next_word(job->out, karp_reason_name(code));
    next_field(job->out, message);
    buffer_char(job->out, '\n');
}

void plan_as_csv(const write_job *job)
{
    if (job->disruption != NULL)
        write_refuse(job, KARP_E_UNSUPPORTED,
                     "CSV of a plan has a row for each pod and cannot have a disruption beside it");
    buffer_text(job->out, "pod,outcome,target,node_pool,instance_type,zone,capacity_type,price,code,message\n");
    write_launched(job);
    write_placed(job);
    for (size_t i = 0; i < karp_decision_unschedulable_count(job->decision); i++) {
        karp_unschedulable row;
        get_unschedulable(job, i, &row);
        write_left(job, row.pod, "unschedulable", row.code, row.message);
    }
    for (size_t i = 0; i < karp_decision_ignored_count(job->decision); i++) {
        karp_ignored row;
        get_ignored(job, i, &row);
        write_left(job, row.pod, "ignored", row.code, row.message);
    }
}

/* ---- disruptions ------------------------------------------------------------------------------------------------- */

/* Writes a row for each node that is removed. The first row contains the command's savings. */
static void write_command(const write_job *job, size_t index)
{
    write_buffer *b = job->out;
    karp_command c;
    get_command(job, job->decision, index, &c);
    for (size_t i = 0; i < c.node_count; i++) {
        csv_field(b, c.nodes[i]);
        next_word(b, command_word(&c));
        put_existing(job, c.nodes[i]);
        buffer_char(b, ',');
        buffer_uint(b, index + 1);
        next_word(b, karp_method_name(c.method));
        buffer_char(b, ',');
        for (size_t k = 0; k < c.launch_count; k++) {
            karp_launch l;
            get_launch(job, job->decision, c.launch_first + k, &l);
            if (k > 0) buffer_char(b, ' ');
            text_clean(b, l.id);
        }
        buffer_char(b, ',');
        if (i == 0) buffer_double(b, c.savings);
        buffer_text(b, ",,\n");
    }
}

static void write_kept_node(const write_job *job, size_t index)
{
    write_buffer *b = job->out;
    karp_kept kept;
    get_kept(job, job->decision, index, &kept);
    csv_field(b, kept.node);
    next_word(b, "keep");
    put_existing(job, kept.node);
    buffer_text(b, ",,,,");
    next_word(b, karp_reason_name(kept.code));
    next_field(b, kept.detail);
    buffer_char(b, '\n');
}

static void write_replacement(const write_job *job, size_t index)
{
    karp_launch l;
    get_launch(job, job->decision, index, &l);
    csv_field(job->out, l.id);
    next_word(job->out, "launch");
    put_node(job->out, l.node_pool, l.choice.instance_type, l.choice.zone, l.choice.capacity_type, l.choice.price);
    buffer_text(job->out, ",,,,,,\n");
}

void disruption_as_csv(const write_job *job)
{
    buffer_text(job->out, "node,action,node_pool,instance_type,zone,capacity_type,price,command,method,replacements,"
                          "saving,code,detail\n");
    for (size_t i = 0; i < karp_decision_command_count(job->decision); i++) write_command(job, i);
    for (size_t i = 0; i < karp_decision_launch_count(job->decision); i++) write_replacement(job, i);
    for (size_t i = 0; i < karp_decision_kept_count(job->decision); i++) write_kept_node(job, i);
}
