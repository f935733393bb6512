/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/step.h>

#include <base/error.h>
#include <string.h>

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* A failure is recorded, so that one check at the end is enough. A list that could not be copied is empty. */
typedef struct copier {
    arena *data;
    bool failed;
} copier;

static void copy_text(copier *c, karp_str *text)
{
    text->ptr = arena_string(c->data, text->ptr, text->len);
    c->failed |= text->ptr == NULL;
}

/* Copies the elements; their texts still belong to the caller. */
static void *copy_list(copier *c, const void *from, size_t *count, size_t bytes)
{
    void *list = arena_array(c->data, *count + 1, bytes);
    if (list == NULL) {
        c->failed = true;
        *count = 0;
        return NULL;
    }
    if (*count > 0) memcpy(list, from, *count * bytes);
    return list;
}

static const karp_str *copy_texts(copier *c, const karp_str *from, size_t count)
{
    karp_str *list = copy_list(c, from, &count, sizeof *list);
    for (size_t i = 0; i < count; i++) copy_text(c, &list[i]);
    return list;
}

static const karp_label *copy_labels(copier *c, const karp_label *from, size_t count)
{
    karp_label *list = copy_list(c, from, &count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        copy_text(c, &list[i].key);
        copy_text(c, &list[i].value);
    }
    return list;
}

static const karp_taint *copy_taints(copier *c, const karp_taint *from, size_t count)
{
    karp_taint *list = copy_list(c, from, &count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        copy_text(c, &list[i].key);
        copy_text(c, &list[i].value);
        copy_text(c, &list[i].effect);
    }
    return list;
}

static const karp_resource *copy_resources(copier *c, const karp_resource *from, size_t count)
{
    karp_resource *list = copy_list(c, from, &count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        copy_text(c, &list[i].name);
        if (list[i].text.ptr != NULL) copy_text(c, &list[i].text); /* otherwise the amount is a number */
    }
    return list;
}

static const karp_requirement *copy_requirements(copier *c, const karp_requirement *from, size_t count)
{
    karp_requirement *list = copy_list(c, from, &count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        copy_text(c, &list[i].key);
        list[i].values = copy_texts(c, list[i].values, list[i].value_count);
    }
    return list;
}

static const karp_launch *copy_launch(copier *c, const karp_launch *from)
{
    size_t one = 1;
    karp_launch known; /* the launch in the current version of the struct */
    (void)struct_check(from, sizeof known, FIRST_LAUNCH, &known, "karp_launch", NULL); /* already checked */
    from = &known;
    karp_launch *l = copy_list(c, from, &one, sizeof *l);
    if (l == NULL) return NULL;
    l->pods = NULL;
    l->requirements = NULL;
    l->choice_labels = NULL;
    l->runner_up = (karp_choice){ { "", 0 }, { "", 0 }, { "", 0 }, 0 };
    l->capacity = l->allocatable = NULL;
    l->pod_count = l->requirement_count = l->choice_label_count = l->capacity_count = l->allocatable_count = 0;
    l->requests = copy_resources(c, from->requests, from->request_count);
    l->claim_requirements = copy_requirements(c, from->claim_requirements, from->claim_requirement_count);
    l->labels = copy_labels(c, from->labels, from->label_count);
    l->annotations = copy_labels(c, from->annotations, from->annotation_count);
    l->taints = copy_taints(c, from->taints, from->taint_count);
    l->startup_taints = copy_taints(c, from->startup_taints, from->startup_taint_count);
    l->instance_types = copy_texts(c, from->instance_types, from->instance_type_count);
    karp_str *texts[] = { &l->id,
                          &l->node_pool,
                          &l->choice.instance_type,
                          &l->choice.zone,
                          &l->choice.capacity_type,
                          &l->node_class.group,
                          &l->node_class.kind,
                          &l->node_class.name };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) copy_text(c, texts[i]);
    return l;
}

static void copy_nodes(copier *c, karp_step *s)
{
    size_t count = s->state.node_count;
    s->nodes = copy_list(c, s->state.nodes, &count, sizeof *s->nodes);
    s->state.nodes = s->nodes;
    for (size_t i = 0; i < count; i++) {
        copy_text(c, &s->nodes[i].node);
        copy_text(c, &s->nodes[i].claim);
    }
}

static void copy_replacements(copier *c, karp_step *s)
{
    size_t count = s->state.replacement_count;
    s->replacements = copy_list(c, s->state.replacements, &count, sizeof *s->replacements);
    s->state.replacements = s->replacements;
    for (size_t i = 0; i < count; i++) {
        copy_text(c, &s->replacements[i].claim);
        s->replacements[i].launch = copy_launch(c, s->replacements[i].launch);
    }
}

static bool copy_state(karp_step *s, const karp_command_state *from)
{
    copier c = { &s->data, false };
    s->state = *from;
    s->state.size = sizeof s->state;
    s->state.receivers = copy_texts(&c, from->receivers, from->receiver_count);
    copy_nodes(&c, s);
    copy_replacements(&c, s);
    return !c.failed;
}

/* ---- the object -------------------------------------------------------------------------------------------------- */

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

void step_keep_nodes(karp_step *s, const uint32_t *removed)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->state.node_count; i++) {
        if (removed[i]) s->nodes[kept++] = s->nodes[i];
    }
    s->state.node_count = kept;
}

karp_status karp_step_state(const karp_step *step, karp_command_state *out)
{
    return out != NULL ? struct_give(out, &step->state, sizeof *out, FIRST_COMMAND_STATE) : KARP_E_INVALID;
}

const karp_advice *karp_step_advice(const karp_step *step) { return step->advice; }
