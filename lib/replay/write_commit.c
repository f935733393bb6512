/* SPDX-License-Identifier: Apache-2.0 */
/* Commitments as JSON, text, and NodeOverlays. */
#include <replay/commit.h>

#include <io/write_text.h>
#include <math.h>

static double rounded(double value) { return round(value * 1e6) / 1e6; }
static void number(json_out *j, const char *key, double value) { json_member_double(j, key, rounded(value)); }

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void plan_as_json(json_out *j, const commit_plan *p)
{
    const commit_offer *o = p->offer;
    json_flat_object(j);
    json_member_str(j, "name", o->name);
    if (o->family.len) json_member_str(j, "family", o->family);
    if (o->instance_type.len) json_member_str(j, "instanceType", o->instance_type);
    number(j, o->instance_type.len ? "instances" : "spendPerHour", p->amount);
    number(j, "factor", o->factor);
    number(j, "paid", p->paid);
    number(j, "used", p->used);
    number(j, "hoursInFull", p->fully);
    json_end(j);
}

static void use_as_json(json_out *j, const commit_use *u, size_t hours)
{
    double all = 0;
    for (size_t h = 0; h < hours; h++) all += u->hours[h];
    json_flat_object(j);
    json_member_str(j, "instanceType", u->instance_type);
    if (u->family.len) json_member_str(j, "family", u->family);
    number(j, "nodeHours", all);
    if (!u->reserved) number(j, "pricePerHour", u->price);
    json_member_uint(j, "nodesLeast", u->least);
    json_member_uint(j, "nodesMost", u->most);
    if (u->reserved) json_member_uint(j, "free", (uint64_t)u->offered);
    json_end(j);
}

static void uses_as_json(json_out *j, const struct commit_result *c, const char *key, bool reserved)
{
    json_member_array(j, key);
    for (size_t i = 0; i < c->use_count; i++) {
        if (c->uses[i].reserved == reserved) use_as_json(j, &c->uses[i], c->hour_count);
    }
    json_end(j);
}

void commit_as_json(json_out *j, const replay_result *p)
{
    const struct commit_result *c = p->commitments;
    if (!c) return;
    json_member_object(j, "commitments");
    json_member_uint(j, "hours", c->hour_count);
    number(j, "onDemandDollars", c->dollars);
    uses_as_json(j, c, "onDemand", false);
    uses_as_json(j, c, "reserved", true);
    json_member_array(j, "terms");
    for (size_t i = 0; i < c->set_count; i++) {
        json_open_object(j);
        json_member_str(j, "term", c->sets[i].term);
        number(j, "dollars", c->sets[i].dollars);
        json_member_array(j, "plans");
        for (size_t k = 0; k < c->sets[i].count; k++) plan_as_json(j, &c->sets[i].plans[k]);
        json_end(j);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put_money(write_buffer *out, double dollars)
{
    char money[MONEY_TEXT];
    (void)money_dollars(dollars, false, money);
    buffer_text(out, money);
}

static void put_percent(write_buffer *out, double part)
{
    buffer_uint(out, (uint64_t)llround(fmin(fmax(part, 0), 1) * 100));
    buffer_char(out, '%');
}

static void plan_as_text(write_buffer *out, const commit_plan *p)
{
    const commit_offer *o = p->offer;
    buffer_text(out, "    ");
    if (o->instance_type.len) {
        buffer_uint(out, (uint64_t)llround(p->amount));
        text_between(out, " \xc3\x97 ", o->instance_type, "");
    } else {
        put_money(out, p->amount);
        buffer_text(out, "/h");
        if (o->family.len) buffer_text(out, " for ");
        text_clean(out, o->family);
    }
    text_between(out, ", ", o->name, ": ");
    put_percent(out, p->used);
    buffer_text(out, " used, in full in ");
    put_percent(out, p->fully);
    buffer_text(out, " of the hours (pays from ");
    put_percent(out, o->factor);
    buffer_text(out, ")\n");
}

static void set_as_text(write_buffer *out, const struct commit_result *c, const commit_set *s)
{
    buffer_text(out, "  ");
    if (s->term.len) text_clean(out, s->term);
    else buffer_text(out, "best set");
    buffer_text(out, ": ");
    put_money(out, s->dollars);
    if (s->count == 0) {
        buffer_text(out, ", nothing pays\n");
        return;
    }
    buffer_text(out, " instead of ");
    put_money(out, c->dollars);
    buffer_text(out, " (-");
    put_percent(out, c->dollars > 0 ? 1 - s->dollars / c->dollars : 0);
    buffer_text(out, ")\n");
    for (size_t k = 0; k < s->count; k++) plan_as_text(out, &s->plans[k]);
}

static void reservation_as_text(write_buffer *out, const commit_use *u)
{
    if (!u->reserved && u->least == 0) return;
    text_between(out, "  ", u->instance_type, "");
    buffer_text(out, u->reserved ? ", reserved: " : ": ");
    if (!u->reserved) {
        buffer_uint(out, u->least);
        buffer_text(out, " in every hour: a capacity reservation would be in use throughout\n");
        return;
    }
    buffer_uint(out, (uint64_t)u->offered);
    buffer_between_u(out, " free at the beginning, at most ", u->most, " in use");
    if ((uint64_t)u->offered > u->most) {
        buffer_between_u(out, ": ", (uint64_t)u->offered - u->most, " to drop");
    }
    buffer_char(out, '\n');
}

void commit_as_text(write_buffer *out, const replay_result *p)
{
    const struct commit_result *c = p->commitments;
    if (!c) return;
    text_between(out, "\nCommitments for what ran on demand under ", p->policy, "");
    buffer_between_u(out, ", in ", c->hour_count, "");
    buffer_text(out, c->hour_count == 1 ? " hour\n" : " hours\n");
    for (size_t i = 0; i < c->set_count; i++) set_as_text(out, c, &c->sets[i]);
    buffer_text(out, "Capacity reservations\n");
    size_t before = out->text.len;
    for (size_t i = 0; i < c->use_count; i++) reservation_as_text(out, &c->uses[i]);
    if (out->text.len == before) buffer_text(out, "  none would be in use in every hour\n");
}

/* ---- NodeOverlays ------------------------------------------------------------------------------------------------ */

/* The label of families, if some type of the replay has it. */
static karp_str label_of(const struct commit_result *c, const commit_offer *o)
{
    for (size_t i = 0; i < c->use_count; i++) {
        if (equal_str(c->uses[i].family, o->family)) return c->uses[i].family_label;
    }
    return (karp_str){ "", 0 };
}

static void requirement(write_buffer *out, karp_str key, karp_str value)
{
    buffer_text(out, "  - key: ");
    buffer_json_string(out, key);
    buffer_text(out, "\n    operator: In\n    values: [");
    buffer_json_string(out, value);
    buffer_text(out, "]\n");
}

static void overlay_as_yaml(write_buffer *out, const struct commit_result *c, const commit_plan *p, size_t index)
{
    const commit_offer *o = p->offer;
    buffer_between_u(out, "---\napiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata:\n  name: commitment-",
                     index + 1, "\n  annotations:\n    karp.dev/commitment: ");
    buffer_json_string(out, o->name);
    buffer_between_u(out, "\nspec:\n  weight: ",
                     (o->instance_type.len ? 3000
                      : o->family.len      ? 2000
                                           : 1000) -
                         (index < 900 ? index : 900),
                     "\n  requirements:\n");
    requirement(out, str("karpenter.sh/capacity-type"), str("on-demand"));
    if (o->instance_type.len) requirement(out, str("node.kubernetes.io/instance-type"), o->instance_type);
    else if (o->family.len) requirement(out, label_of(c, o), o->family);
    buffer_text(out, "  priceAdjustment: \"-");
    buffer_double(out, o->instance_type.len ? 99.99999 : rounded((1 - o->factor) * 100));
    buffer_text(out, "%\"\n");
}

void commit_as_yaml(const replay_result *p, write_buffer *out)
{
    const struct commit_result *c = p->commitments;
    const commit_set *s = c->set_count > 0 ? &c->sets[0] : NULL;
    buffer_text(out,
                "# Karpenter prefers what is paid already with these, under the feature gate NodeOverlay. They do not "
                "end by themselves\n# when a commitment is used up: take them away then.\n");
    for (size_t k = 0; s && k < s->count; k++) overlay_as_yaml(out, c, &s->plans[k], k);
}
