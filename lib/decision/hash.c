/* SPDX-License-Identifier: Apache-2.0 */
/*
 * karp_decision_hash(). The order of the bytes is specified in docs/decision-hash.md. It is never changed; new data is
 * only appended.
 */
#include <decision/decision.h>

#include <string.h>

#include <karp/values.h>

static void add_number(karp_digest *to, uint64_t value)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    karp_digest_add(to, bytes, sizeof bytes);
}

static void add_double(karp_digest *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_number(to, bits);
}

static void add_text(karp_digest *to, karp_str text)
{
    add_number(to, text.len);
    karp_digest_add(to, text.ptr, text.len);
}

static void add_texts(karp_digest *to, const karp_str *texts, size_t count)
{
    add_number(to, count);
    for (size_t i = 0; i < count; i++) add_text(to, texts[i]);
}

static void add_pods(karp_digest *to, const karp_decision *d, const uint32_t *pods, size_t count)
{
    add_number(to, count);
    for (size_t i = 0; i < count; i++) add_text(to, karp_decision_pod_name(d, pods[i]));
}

static void add_launch(karp_digest *to, const karp_decision *d, const karp_launch *l)
{
    add_text(to, l->node_pool);
    add_pods(to, d, l->pods, l->pod_count);
    add_texts(to, l->instance_types, l->instance_type_count);
    add_text(to, l->choice.instance_type);
    add_text(to, l->choice.zone);
    add_text(to, l->choice.capacity_type);
    add_double(to, l->choice.price);
    add_number(to, l->requirement_count);
    for (size_t i = 0; i < l->requirement_count; i++) {
        const karp_requirement *r = &l->requirements[i];
        add_text(to, r->key);
        add_number(to, r->op);
        add_number(to, r->min_values);
        add_texts(to, r->values, r->value_count);
    }
}

static void add_command(karp_digest *to, const karp_command *c)
{
    add_number(to, c->method);
    add_number(to, c->replaces);
    add_texts(to, c->nodes, c->node_count);
    add_number(to, c->launch_first);
    add_number(to, c->launch_count);
    add_number(to, c->placement_first);
    add_number(to, c->placement_count);
}

/* Adds what later versions introduced: commands other than delete and replace, and termination grace periods. */
static void add_kind(karp_digest *to, size_t index, const karp_command *c)
{
    bool bounded = c->termination_grace_period != KARP_DURATION_UNSET;
    if (c->decision <= KARP_COMMAND_REPLACE && !bounded) return;
    add_number(to, index);
    add_number(to, c->decision);
    add_number(to, bounded ? (uint64_t)c->termination_grace_period : UINT64_MAX);
}

void karp_decision_hash(const karp_decision *decision, char out[KARP_DIGEST_TEXT])
{
    static const char mark[] = "karp decision 1\n";
    const karp_decision *d = decision;
    karp_digest to;
    karp_digest_init(&to, sizeof to);
    karp_digest_add(&to, mark, sizeof mark - 1);
    add_number(&to, d->complete);
    add_number(&to, d->launches.count);
    for (size_t i = 0; i < d->launches.count; i++) add_launch(&to, d, &d->launches.items[i]);
    add_number(&to, d->placements.count);
    for (size_t i = 0; i < d->placements.count; i++) {
        add_text(&to, d->placements.items[i].node);
        add_pods(&to, d, d->placements.items[i].pods, d->placements.items[i].pod_count);
    }
    add_number(&to, d->unschedulable.count);
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        add_text(&to, karp_decision_pod_name(d, d->unschedulable.items[i].pod));
        add_number(&to, d->unschedulable.items[i].code);
    }
    add_number(&to, d->ignored.count);
    for (size_t i = 0; i < d->ignored.count; i++) {
        add_text(&to, karp_decision_pod_name(d, d->ignored.items[i].pod));
        add_number(&to, d->ignored.items[i].code);
    }
    add_number(&to, d->commands.count);
    for (size_t i = 0; i < d->commands.count; i++) add_command(&to, &d->commands.items[i]);
    if (d->profile == KARP_PROFILE_KARPENTER && d->peer_version > KARP_PEER_1_14) add_number(&to, d->peer_version);
    for (size_t i = 0; i < d->commands.count; i++) add_kind(&to, i, &d->commands.items[i]);
    karp_digest_text(&to, out);
}
