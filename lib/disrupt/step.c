/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/step.h>

#include <base/error.h>

/* ---- copies -------------------------------------------------------------------------------------------------------------- */

static bool copy_text(arena *a, karp_str *text)
{
    char *copy = arena_string(a, text->len > 0 ? text->ptr : "", text->len);
    text->ptr = copy;
    return copy != NULL;
}

static const karp_str *copy_texts(arena *a, const karp_str *from, size_t count)
{
    karp_str *list = arena_array(a, count + 1, sizeof *list);
    bool ok = list != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        list[i] = from[i];
        ok = copy_text(a, &list[i]);
    }
    return ok ? list : NULL;
}

static const karp_label *copy_labels(arena *a, const karp_label *from, size_t count)
{
    karp_label *list = arena_array(a, count + 1, sizeof *list);
    bool ok = list != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        list[i] = from[i];
        ok = copy_text(a, &list[i].key) && copy_text(a, &list[i].value);
    }
    return ok ? list : NULL;
}

static const karp_taint *copy_taints(arena *a, const karp_taint *from, size_t count)
{
    karp_taint *list = arena_array(a, count + 1, sizeof *list);
    bool ok = list != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        list[i] = from[i];
        ok = copy_text(a, &list[i].key) && copy_text(a, &list[i].value) && copy_text(a, &list[i].effect);
    }
    return ok ? list : NULL;
}

static const karp_resource *copy_resources(arena *a, const karp_resource *from, size_t count)
{
    karp_resource *list = arena_array(a, count + 1, sizeof *list);
    bool ok = list != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        list[i] = from[i];
        ok = copy_text(a, &list[i].name) && (from[i].text.ptr == NULL || copy_text(a, &list[i].text));
    }
    return ok ? list : NULL;
}

static const karp_requirement *copy_requirements(arena *a, const karp_requirement *from, size_t count)
{
    karp_requirement *list = arena_array(a, count + 1, sizeof *list);
    bool ok = list != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        list[i] = from[i];
        list[i].values = copy_texts(a, from[i].values, from[i].value_count);
        ok = list[i].values != NULL && copy_text(a, &list[i].key);
    }
    return ok ? list : NULL;
}

const karp_launch *launch_copy(arena *a, const karp_launch *from)
{
    karp_launch *l = arena_array(a, 1, sizeof *l);
    if (l == NULL) return NULL;
    *l = *from;
    l->size = sizeof *l;
    l->pods = NULL;
    l->requirements = NULL;
    l->choice_labels = NULL;
    l->runner_up = (karp_choice){ { "", 0 }, { "", 0 }, { "", 0 }, 0 };
    l->capacity = l->allocatable = NULL;
    l->pod_count = l->requirement_count = l->choice_label_count = l->capacity_count = l->allocatable_count = 0;
    l->requests = copy_resources(a, from->requests, from->request_count);
    l->claim_requirements = copy_requirements(a, from->claim_requirements, from->claim_requirement_count);
    l->labels = copy_labels(a, from->labels, from->label_count);
    l->annotations = copy_labels(a, from->annotations, from->annotation_count);
    l->taints = copy_taints(a, from->taints, from->taint_count);
    l->startup_taints = copy_taints(a, from->startup_taints, from->startup_taint_count);
    l->instance_types = copy_texts(a, from->instance_types, from->instance_type_count);
    bool ok = l->requests != NULL && l->claim_requirements != NULL && l->labels != NULL && l->annotations != NULL &&
              l->taints != NULL && l->startup_taints != NULL && l->instance_types != NULL;
    ok = ok && copy_text(a, &l->id) && copy_text(a, &l->node_pool) && copy_text(a, &l->choice.instance_type) && copy_text(a, &l->choice.zone) &&
         copy_text(a, &l->choice.capacity_type) && copy_text(a, &l->node_class.group) && copy_text(a, &l->node_class.kind) &&
         copy_text(a, &l->node_class.name);
    return ok ? l : NULL;
}

static bool copy_nodes(karp_step *s, const karp_command_state *from)
{
    s->nodes = arena_array(&s->data, from->node_count + 1, sizeof *s->nodes);
    bool ok = s->nodes != NULL;
    for (size_t i = 0; i < from->node_count && ok; i++) {
        s->nodes[i] = from->nodes[i];
        ok = copy_text(&s->data, &s->nodes[i].node) && copy_text(&s->data, &s->nodes[i].claim);
    }
    s->state.nodes = s->nodes;
    return ok;
}

static bool copy_replacements(karp_step *s, const karp_command_state *from)
{
    s->replacements = arena_array(&s->data, from->replacement_count + 1, sizeof *s->replacements);
    bool ok = s->replacements != NULL;
    for (size_t i = 0; i < from->replacement_count && ok; i++) {
        karp_replacement *r = &s->replacements[i];
        *r = from->replacements[i];
        r->launch = launch_copy(&s->data, from->replacements[i].launch);
        ok = r->launch != NULL && copy_text(&s->data, &r->claim);
    }
    s->state.replacements = s->replacements;
    return ok;
}

static bool copy_state(karp_step *s, const karp_command_state *from)
{
    s->state = *from;
    s->state.size = sizeof s->state;
    s->state.receivers = copy_texts(&s->data, from->receivers, from->receiver_count);
    return s->state.receivers != NULL && copy_nodes(s, from) && copy_replacements(s, from);
}

/* ---- the object ------------------------------------------------------------------------------------------------------------ */

karp_step *step_new(const karp_snapshot *snapshot, const karp_command_state *from, int64_t now)
{
    karp_step *s = mem_zalloc(snapshot->context, sizeof *s);
    if (s == NULL) return NULL;
    s->context = context_ref(snapshot->context);
    arena_init(&s->data, s->context);
    s->advice = advice_new(snapshot, now);
    if (s->advice != NULL && copy_state(s, from)) return s;
    karp_step_free(s);
    return NULL;
}

void karp_step_free(karp_step *step)
{
    if (step == NULL) return;
    karp_context *context = step->context;
    karp_advice_free(step->advice);
    arena_free(&step->data);
    mem_free(context, step, sizeof *step);
    context_unref(context);
}

void step_keep_nodes(karp_step *s, const uint32_t *goes)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->state.node_count; i++) {
        if (goes[i]) s->nodes[kept++] = s->nodes[i];
    }
    s->state.node_count = kept;
}

karp_status karp_step_state(const karp_step *step, karp_command_state *out)
{
    return out != NULL ? struct_give(out, &step->state, sizeof *out, sizeof *out) : KARP_E_INVALID;
}

const karp_advice *karp_step_advice(const karp_step *step) { return step->advice; }
