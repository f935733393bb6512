/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine_interrupt.h>

#include <base/admit.h>
#include <base/nearest.h>

bool interrupt_means(const replay_node *n, const trace_event *event)
{
    karp_str type = event->of.offering.instance_type, zone = event->of.offering.zone;
    bool can = event->kind == TRACE_NODE_FAILED ? n->ready && !n->silent && !n->given
                                                : !n->deleting && str_is(n->capacity_type, "spot");
    return can && !n->gone && (type.len == 0 || equal_str(type, n->instance_type)) &&
           (zone.len == 0 || equal_str(zone, n->zone)) &&
           labels_include(n->labels, n->label_count, event->of.offering.labels, event->of.offering.label_count);
}

static bool fails(const trace_event *event) { return event->kind == TRACE_NODE_FAILED; }

static const char *verb_of(const trace_event *event) { return fails(event) ? "fail" : "interrupt"; }

static const char *kind_of_node(const trace_event *event) { return fails(event) ? "node" : "spot node"; }

/* The node of the name that is not meant, and what is with it. */
static const char *state_of(const replay_node *n, const trace_event *event)
{
    return n->gone        ? "has ended"
           : n->given     ? "was not launched by Karpenter"
           : fails(event) ? (n->silent ? "has failed before" : "is not ready yet")
           : n->deleting  ? "is being deleted"
                          : "is no spot node";
}

/* The name that is meant, or else the first ones. */
static void offer_names(const engine *e, const trace_event *event, karp_str name, char text[INTERRUPT_TEXT])
{
    enum { MOST = 5 };
    trace_event any = { .kind = event->kind };
    nearest near = nearest_to(name);
    size_t count = 0;
    for (size_t i = 0; i < e->nodes.alive_count; i++) {
        const replay_node *n = &e->nodes.list[e->nodes.alive[i]];
        if (!n->given && interrupt_means(n, &any)) nearest_offer(&near, n->name);
    }
    if (near.best.ptr) {
        str_append(text, INTERRUPT_TEXT, "; did you mean %.*s?", str_shown(near.best, 64), near.best.ptr);
        return;
    }
    for (size_t i = 0; i < e->nodes.alive_count && count < MOST; i++) {
        const replay_node *n = &e->nodes.list[e->nodes.alive[i]];
        if (n->given || !interrupt_means(n, &any)) continue;
        if (count == 0) str_append(text, INTERRUPT_TEXT, "; %ss that run:", kind_of_node(event));
        str_append(text, INTERRUPT_TEXT, "%s %.*s", count++ ? "," : "", str_shown(n->name, 40), n->name.ptr);
    }
    if (count == 0) str_append(text, INTERRUPT_TEXT, "; no %s runs", kind_of_node(event));
}

void interrupt_why_none(const engine *e, const trace_event *event, char text[INTERRUPT_TEXT])
{
    text[0] = '\0';
    if (!event->of.offering.named) {
        str_append(text, INTERRUPT_TEXT, "no %s that runs has these labels", kind_of_node(event));
        return;
    }
    karp_str name = event->of.offering.labels[0].value;
    uint32_t node = io_table_get(&e->nodes.index, name);
    if (node == IO_NONE)
        str_append(text, INTERRUPT_TEXT, "no node is named %.*s", str_shown(name, 64), name.len ? name.ptr : "");
    else
        str_append(text, INTERRUPT_TEXT, "the node %.*s %s", str_shown(name, 64), name.ptr,
                   state_of(&e->nodes.list[node], event));
    offer_names(e, event, name, text);
}

void interrupt_note(engine *e, const trace_event *event, uint64_t done)
{
    replay_result *r = &e->meter.result;
    uint64_t wanted = event->of.offering.nodes;
    if (wanted == 0 || (wanted == INT64_MAX && done > 0) || done >= wanted || r->short_count++) return;
    if (event->line > 0)
        str_append(r->short_text, sizeof r->short_text, "%.*s:%u: ", str_shown(event->document, 200),
                   event->document.len ? event->document.ptr : "", event->line);
    if (done == 0)
        str_append(r->short_text, sizeof r->short_text, "%s: no %s that runs has these labels, so %s", verb_of(event),
                   kind_of_node(event), fails(event) ? "none failed" : "none was interrupted");
    else
        str_append(r->short_text, sizeof r->short_text,
                   "%s: %llu nodes were asked for, and only %llu %s: no other %s that runs has these labels",
                   verb_of(event), (unsigned long long)wanted, (unsigned long long)done,
                   fails(event) ? "failed"
                   : done == 1  ? "was interrupted"
                                : "were interrupted",
                   kind_of_node(event));
}

void interrupt_recorded(engine *e, const trace_event *event)
{
    char text[INTERRUPT_TEXT];
    uint64_t wanted = event->of.offering.nodes ? event->of.offering.nodes : 1, done = 0;
    for (size_t i = 0; i < e->nodes.alive_count && done < wanted; i++) {
        if (!interrupt_means(&e->nodes.list[e->nodes.alive[i]], event)) continue;
        if (fails(event)) health_fail(e, e->nodes.alive[i], event->lasts);
        else node_interrupt(e, e->nodes.alive[i]);
        done++;
    }
    if (done > 0 || !event->of.offering.named) {
        interrupt_note(e, event, done);
        return;
    }
    interrupt_why_none(e, event, text);
    if (e->status) return;
    e->status = fail(&e->error, KARP_E_NOT_FOUND, "%s: %s", verb_of(event), text);
    error_set_place(&e->error, event->document, event->line, 0, KARP_NO_OFFSET);
}
