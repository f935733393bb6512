/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch decision did with groups of pods. */
#include <io/write_notes.h>
#include <io/write_rows.h>

static const char *source_of(const karp_group_outcome *g)
{
    return g->composite && g->source == KARP_GROUP_KUBERNETES ? "CompositePodGroup" : karp_group_source_name(g->source);
}

/* Without groups there is no member, as before there were any. */
void groups_as_json(json_out *j, const write_job *job)
{
    size_t count = karp_decision_group_count(job->decision);
    if (count == 0) return;
    json_member_array(j, "groups");
    for (size_t i = 0; i < count; i++) {
        karp_group_outcome g;
        get_group(job, i, &g);
        json_open_object(j);
        json_member_str(j, "group", g.name);
        json_member_text(j, "source", source_of(&g));
        json_member_bool(j, "starts", g.code == KARP_REASON_NONE);
        if (g.code != KARP_REASON_NONE) json_member_text(j, "code", karp_reason_name(g.code));
        if (g.detail.len > 0) json_member_str(j, "detail", g.detail);
        json_member_text(j, "policy", g.gang ? "gang" : "basic");
        json_member_uint(j, "minCount", g.min_count);
        json_member_uint(j, "members", g.member_count);
        json_member_uint(j, "bound", g.bound);
        json_member_uint(j, "placed", g.placed);
        if (g.topology_key.len > 0) json_member_str(j, "topologyKey", g.topology_key);
        if (g.domain.len > 0) json_member_str(j, "domain", g.domain);
        json_end(j);
    }
    json_end(j);
}

void group_in_words(const karp_group_outcome *g, char text[GROUP_WORDS])
{
    text[0] = '\0';
    str_append(text, GROUP_WORDS, "%s %.*s: %lu of %lu pods placed", source_of(g), str_shown(g->name, 320), g->name.ptr,
               (unsigned long)g->placed, (unsigned long)(g->member_count - g->bound));
    if (g->bound > 0) str_append(text, GROUP_WORDS, ", %lu bound", (unsigned long)g->bound);
    if (g->gang) str_append(text, GROUP_WORDS, ", minimum %lu", (unsigned long)g->min_count);
    if (g->domain.len > 0) str_append(text, GROUP_WORDS, ", in %.*s", str_shown(g->domain, 63), g->domain.ptr);
    if (g->code != KARP_REASON_NONE) str_append(text, GROUP_WORDS, "; it cannot start:");
}

karp_str group_why_not(const karp_group_outcome *g)
{
    if (g->code == KARP_REASON_NONE) return str("");
    return g->detail.len > 0 ? g->detail : str(karp_reason_text(g->code));
}

static void flow_group(text_flow *flow, const karp_group_outcome *g)
{
    char text[GROUP_WORDS];
    group_in_words(g, text);
    flow_words(flow, str(text));
    if (g->code != KARP_REASON_NONE) flow_words(flow, group_why_not(g));
}

enum { MOST_LINES = 6 };

void groups_as_text(const text_out *t, const write_job *job)
{
    size_t count = karp_decision_group_count(job->decision);
    if (count == 0) return;
    section(t, "Groups");
    for (size_t i = 0; i < count; i++) {
        karp_group_outcome g;
        text_flow flow;
        get_group(job, i, &g);
        buffer_repeat(t->out, " ", ROW_INDENT);
        flow_begin(&flow, t, ROW_INDENT + 2, ROW_INDENT, MOST_LINES);
        flow_group(&flow, &g);
        buffer_char(t->out, '\n');
    }
}
