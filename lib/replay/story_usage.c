/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are about the load and the cloud: usage, which a HorizontalPodAutoscaler scales by, interrupt and fail. */
#include <base/labels.h>
#include <io/owner.h>
#include <kube/autoscaler.h>
#include <replay/story.h>

#include <stdio.h>

static karp_status add_effect(story *s, story_step *step, const trace_event *event)
{
    step->effects = arena_zalloc(&s->trace->memory, sizeof *step->effects);
    if (!step->effects) return story_nomem(s);
    step->effects[0] = (story_effect){ .workload = IO_NONE, .event = *event };
    step->effect_count = step->effect_capacity = 1;
    return KARP_OK;
}

/* The member whose name is not in the list; NULL = there is none. */
static const tree_member *unknown_member(const tree *given, const char *const *names, size_t count)
{
    for (size_t i = 0; i < tree_count(given); i++) {
        karp_str name = tree_member_name(tree_member_at(given, i));
        bool known = false;
        for (size_t k = 0; k < count; k++) known = known || str_is(name, names[k]);
        if (!known) return tree_member_at(given, i);
    }
    return NULL;
}

static karp_status check_members(story *s, size_t index, const char *step, const tree *given, const char *const *names,
                                 size_t count)
{
    char message[160], field[80], own[48];
    const tree_member *bad = unknown_member(given, names, count);
    (void)snprintf(message, sizeof message, "expected");
    for (size_t i = 0; i < count; i++) str_append(message, sizeof message, "%s %s", i ? "," : "", names[i]);
    if (!tree_is(given, TREE_MAP)) return story_fail_step(s, index, step, KARP_E_INVALID, message);
    if (!bad) return KARP_OK;
    str_shorten(own, sizeof own, tree_member_name(bad));
    (void)snprintf(field, sizeof field, "%s.%s", step, own);
    return story_fail_step(s, index, field, KARP_E_INVALID, message);
}

/* ---- usage ------------------------------------------------------------------------------------------------------- */

/* Thousandths; -1 = it is not stated. */
static karp_status read_amount(story *s, size_t index, const tree *given, const char *name, int64_t *out)
{
    const tree *value = tree_get(given, name);
    char field[32];
    *out = -1;
    if (!value) return KARP_OK;
    (void)snprintf(field, sizeof field, "usage.%s", name);
    if (kube_thousandths(tree_text_or_digits(value), out)) return KARP_OK;
    return story_fail_step(s, index, field, KARP_E_INVALID, "not a quantity like 1500m or 8Gi, of at most 1P");
}

static const tree *autoscaler_of(const story *s, const story_workload *w)
{
    for (size_t i = 0; i < tree_count(s->base); i++) {
        const tree *object = tree_item(s->base, i), *target = tree_get(tree_get(object, "spec"), "scaleTargetRef");
        if (str_is(tree_get_text(object, "kind"), "HorizontalPodAutoscaler") &&
            str_is(tree_get_text(target, "kind"), "Deployment") && equal_str(tree_get_text(target, "name"), w->name) &&
            equal_str(io_namespace(object), w->namespace_))
            return object;
    }
    return NULL;
}

/* Checks it where its position is known. */
static karp_status check_autoscaler(story *s, const tree *object)
{
    io_decoder d;
    kube_autoscaler unused;
    arena memory = arena_on(s->context);
    io_decoder_init(&d, &memory);
    kube_autoscaler_read(&d, object, &unused);
    if (!d.status && unused.most > STORY_REPLICAS_MOST) {
        io_push(&d, "spec");
        io_bad_member(&d, "maxReplicas", KARP_E_LIMIT, "more than 1000000 replicas");
    }
    io_place place = story_place(s, object);
    karp_status status = d.status ? io_reader_bad(s->reader, &d, &place, object) : KARP_OK;
    if (status) s->error = s->reader->error;
    arena_free(&memory);
    return status;
}

static karp_status add_autoscaler(story *s, size_t index, story_workload *w)
{
    trace *t = s->trace;
    const tree *object = autoscaler_of(s, w);
    if (!object)
        return story_fail_step(s, index, "usage.deployment", KARP_E_NOT_FOUND,
                               "no HorizontalPodAutoscaler among the objects scales this Deployment: add one");
    karp_status status = check_autoscaler(s, object);
    if (status) return status;
    if (!grow(t->context, (void **)&t->autoscalers, &t->autoscaler_capacity, t->autoscaler_count + 1,
              sizeof *t->autoscalers))
        return story_nomem(s);
    strbuf text = strbuf_on(s->context);
    tree_write(&text, object);
    trace_autoscaler *a = &t->autoscalers[t->autoscaler_count];
    *a = (trace_autoscaler){ .text = text.failed ? (karp_str){ 0 } : trace_keep(t, (karp_str){ text.ptr, text.len }),
                             .document = trace_keep(t, story_place(s, object).document),
                             .shape = NO_ID };
    strbuf_free(&text);
    if (!a->text.ptr || !a->document.ptr) return story_nomem(s);
    w->autoscaler = (uint32_t)t->autoscaler_count++;
    return KARP_OK;
}

karp_status story_read_usage(story *s, size_t index, const tree *given, story_step *step)
{
    static const char *const names[] = { "deployment", "namespace", "cpu", "memory" };
    trace_event event = { .kind = TRACE_USAGE, .shape = NO_ID, .lasts = KARP_DURATION_UNSET };
    karp_str space = tree_get_text(given, "namespace");
    karp_status status = check_members(s, index, "usage", given, names, sizeof names / sizeof *names);
    if (status) return status;
    *step = (story_step){ .what = STORY_USAGE };
    step->workload = story_find_workload(s, tree_get_text(given, "deployment"), space.len ? space : str("default"));
    if (step->workload == IO_NONE)
        return story_fail_step(s, index, "usage.deployment", KARP_E_NOT_FOUND, "no such Deployment");
    story_workload *w = &s->workloads[step->workload];
    if (w->autoscaler == IO_NONE) status = add_autoscaler(s, index, w);
    event.of.usage.autoscaler = w->autoscaler;
    if (!status) status = read_amount(s, index, given, "cpu", &event.of.usage.amounts[KUBE_METRIC_CPU]);
    if (!status) status = read_amount(s, index, given, "memory", &event.of.usage.amounts[KUBE_METRIC_MEMORY]);
    if (!status && event.of.usage.amounts[KUBE_METRIC_CPU] < 0 && event.of.usage.amounts[KUBE_METRIC_MEMORY] < 0)
        status = story_fail_step(s, index, "usage", KARP_E_INVALID, "cpu, memory or both are needed");
    return status ? status : add_effect(s, step, &event);
}

/* ---- interrupt --------------------------------------------------------------------------------------------------- */

static karp_status read_selector(story *s, size_t index, const char *verb, const tree *given, trace_event *event)
{
    io_decoder d;
    char field[32];
    (void)snprintf(field, sizeof field, "%s.selector", verb);
    io_decoder_init(&d, &s->trace->memory);
    const karp_label *labels = io_labels(&d, given, "selector", &event->of.offering.label_count);
    if (d.status) return story_fail_step(s, index, field, KARP_E_INVALID, "labels and their values, as text");
    karp_label *kept = arena_zalloc(&s->trace->memory, (event->of.offering.label_count + 1) * sizeof *kept);
    if (!kept) return story_nomem(s);
    for (size_t i = 0; i < event->of.offering.label_count; i++) {
        kept[i] = (karp_label){ trace_keep(s->trace, labels[i].key), trace_keep(s->trace, labels[i].value) };
        if (!kept[i].key.ptr || !kept[i].value.ptr) return story_nomem(s);
    }
    event->of.offering.labels = kept;
    return KARP_OK;
}

/* The node of a name, by its label. */
static karp_status read_node(story *s, const tree *given, trace_event *event)
{
    karp_label *label = arena_zalloc(&s->trace->memory, sizeof *label);
    if (!label) return story_nomem(s);
    *label = (karp_label){ str(LABEL_HOSTNAME), trace_keep(s->trace, tree_text(given)) };
    if (!label->value.ptr) return story_nomem(s);
    event->of.offering.labels = label;
    event->of.offering.label_count = event->of.offering.nodes = 1;
    event->of.offering.named = true;
    return KARP_OK;
}

static karp_status read_lasting(story *s, size_t index, const tree *given, trace_event *event)
{
    karp_str lasts = tree_get_text(given, "for");
    if (!tree_get(given, "for")) return KARP_OK;
    if (karp_duration_parse(lasts, &event->lasts) == KARP_OK && event->lasts > 0) return KARP_OK;
    return story_fail_step(s, index, "fail.for", KARP_E_INVALID, "not a duration like 10m");
}

karp_status story_read_interrupt(story *s, size_t index, const char *verb, const tree *given, story_step *step)
{
    static const char *const names[] = { "nodes", "selector", "for" };
    bool fails = strcmp(verb, "fail") == 0;
    trace_event event = { .kind = fails ? TRACE_NODE_FAILED : TRACE_NODE_INTERRUPTED,
                          .shape = NO_ID,
                          .lasts = KARP_DURATION_UNSET };
    io_place place = story_place(s, given);
    *step = (story_step){ .what = fails ? STORY_FAIL : STORY_INTERRUPT, .workload = IO_NONE };
    event.document = trace_keep(s->trace, place.document);
    event.line = place.line;
    if (!event.document.ptr) return story_nomem(s);
    int64_t nodes = INT64_MAX;
    char field[32];
    (void)snprintf(field, sizeof field, "%s.nodes", verb);
    event.of.offering.instance_type = event.of.offering.zone = event.of.offering.capacity_type = str("");
    if (tree_is(given, TREE_STRING)) {
        karp_status named = read_node(s, given, &event);
        return named ? named : add_effect(s, step, &event);
    }
    karp_status status = check_members(s, index, verb, given, names, fails ? 3 : 2);
    if (status) return status;
    if (tree_get(given, "nodes") && (!tree_integer(tree_get(given, "nodes"), &nodes) || nodes < 1))
        return story_fail_step(s, index, field, KARP_E_INVALID, "not a number from 1 on");
    event.of.offering.nodes = (uint64_t)nodes;
    status = read_selector(s, index, verb, given, &event);
    if (!status && fails) status = read_lasting(s, index, given, &event);
    return status ? status : add_effect(s, step, &event);
}
