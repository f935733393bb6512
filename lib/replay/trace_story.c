/* SPDX-License-Identifier: Apache-2.0 */
/* Stories as traces: the pods created and deleted when Deployments are scaled. */
#include <replay/objects.h>
#include <replay/story.h>
#include <replay/trace_read.h>

#include <io/files.h>

#include <karp/library.h>

typedef struct story_trace {
    trace *t;
    story s;
    uint32_t *shapes; /* by workload */
    uint64_t *pods; /* by workload: number of its pods, numbered from 0 */
    strbuf name; /* scratch space */
    int64_t now;
} story_trace;

static bool refused(story_trace *l)
{
    (void)story_nomem(&l->s);
    return false;
}

static bool shape_of(story_trace *l, size_t workload)
{
    const story_workload *w = &l->s.workloads[workload];
    l->shapes[workload] = replay_workload_shape(l->t, l->s.t, w->object, w->namespace_);
    if (w->rollout != IO_NONE) l->t->rollouts[w->rollout].shapes[0] = l->shapes[workload];
    return l->shapes[workload] != NO_ID || refused(l);
}

static bool add_named(story_trace *l, size_t workload, karp_str name, uint32_t kind)
{
    const story_workload *w = &l->s.workloads[workload];
    trace_event event = { .at = l->now, .kind = kind, .shape = l->shapes[workload], .lasts = KARP_DURATION_UNSET };
    event.of.pod.surplus = kind == TRACE_POD_DELETED;
    event.of.pod.namespace_ = trace_keep(l->t, w->namespace_);
    event.of.pod.name = trace_keep(l->t, name);
    return (event.of.pod.namespace_.ptr && event.of.pod.name.ptr && trace_add(l->t, &event)) || refused(l);
}

static bool add_pod(story_trace *l, size_t workload, uint64_t number, uint32_t kind)
{
    const story_workload *w = &l->s.workloads[workload];
    strbuf *name = &l->name;
    strbuf_clear(name);
    strbuf_addstr(name, w->name);
    strbuf_addc(name, '-');
    strbuf_addu(name, w->first + number);
    return name->failed ? refused(l) : add_named(l, workload, (karp_str){ name->ptr, name->len }, kind);
}

/* Another number of replicas in the rollout. */
static bool scale_rolled(story_trace *l, story_workload *w, uint64_t replicas)
{
    w->rolled.at = l->now;
    w->rolled.of.rollout.replicas = (int32_t)replicas;
    return trace_add(l->t, &w->rolled) || refused(l);
}

static bool scale(story_trace *l, size_t workload, uint64_t replicas)
{
    bool fine = true;
    story_workload *w = &l->s.workloads[workload];
    if (w->refused) replicas = 0;
    if (w->rolled.kind) return scale_rolled(l, w, replicas);
    uint64_t *pods = &l->pods[workload];
    while (*pods + w->owned_count < replicas && fine) fine = add_pod(l, workload, (*pods)++, TRACE_POD_CREATED);
    while (*pods > 0 && *pods + w->owned_count > replicas && fine)
        fine = add_pod(l, workload, --*pods, TRACE_POD_DELETED);
    while (w->owned_count > replicas && fine)
        fine = add_named(l, workload, w->owned[--w->owned_count], TRACE_POD_DELETED);
    return fine;
}

static bool take_effect(story_trace *l, const story_effect *effect)
{
    uint32_t w = effect->workload;
    if (w == IO_NONE) {
        trace_event event = effect->event;
        event.at = l->now;
        return trace_add(l->t, &event) || refused(l);
    }
    trace_event *rolled = &l->s.workloads[w].rolled;
    uint64_t has = rolled->kind ? (uint64_t)rolled->of.rollout.replicas : l->pods[w] + l->s.workloads[w].owned_count;
    uint64_t replicas = story_replicas_after(&l->s.workloads[w], effect, has);
    if (effect->event.kind == TRACE_ROLLED) {
        *rolled = effect->event;
        l->shapes[w] = l->t->rollouts[rolled->of.rollout.rollout].shapes[rolled->of.rollout.set];
        return scale_rolled(l, &l->s.workloads[w], replicas);
    }
    if (effect->event.shape != NO_ID && effect->event.shape != l->shapes[w]) {
        if (!scale(l, w, 0)) return false;
        l->shapes[w] = effect->event.shape;
    }
    return scale(l, w, replicas);
}

static bool take_effects(story_trace *l, const story_step *step)
{
    bool fine = true;
    /* The template that the Deployment has at that time: no later step can change it. */
    if (step->what == STORY_USAGE)
        l->t->autoscalers[step->effects[0].event.of.usage.autoscaler].shape = l->shapes[step->workload];
    for (size_t i = 0; i < step->effect_count && fine; i++) fine = take_effect(l, &step->effects[i]);
    return fine;
}

static karp_status add_steps(story_trace *l)
{
    for (size_t i = 0; i < l->s.step_count; i++) {
        const story_step *step = &l->s.steps[i];
        if (step->what == STORY_EXPIRE)
            return story_fail_step(&l->s, i, "expire", KARP_E_UNSUPPORTED, "a replay has its own nodes");
        if (step->what != STORY_WAIT) {
            bool fine = step->what == STORY_SCALE ? scale(l, step->workload, step->replicas) : take_effects(l, step);
            if (!fine) return l->s.error.status;
        } else if (step->duration > INT64_MAX / 4 - l->now) {
            return story_fail_step(&l->s, i, "wait", KARP_E_RANGE, "the story lasts too long");
        } else {
            l->now += step->duration;
        }
    }
    return KARP_OK;
}

static bool add_object(story_trace *l, const tree *object, const io_place *place)
{
    strbuf text = strbuf_on(l->t->context);
    tree_write(&text, object);
    bool kept = !text.failed &&
                trace_add_object(l->t, &(trace_object){ { text.ptr, text.len }, place->document, place->line });
    strbuf_free(&text);
    return kept;
}

/* Without pods, which are events: what is wrong with it is noted. */
static bool add_workload(story_trace *l, const tree *object)
{
    io_place place = story_place(&l->s, object);
    trees *t = l->s.t;
    tree *empty = tree_copy(t, object);
    tree_set(t, tree_own(t, empty, "spec", TREE_MAP), "replicas", tree_new_integer(t, 0));
    return t->status == KARP_OK && add_object(l, empty, &place);
}

static karp_status add_objects(story_trace *l)
{
    bool kept = true;
    for (size_t i = 0; i < tree_count(l->s.base) && kept; i++) {
        const tree *object = tree_item(l->s.base, i);
        io_place place = story_place(&l->s, object);
        kept = add_object(l, object, &place);
    }
    for (size_t i = 0; i < l->s.workload_count && kept; i++)
        kept = l->s.workloads[i].applied || add_workload(l, l->s.workloads[i].object);
    return kept ? KARP_OK : story_nomem(&l->s);
}

static karp_status add_story(story_trace *l)
{
    trace *t = l->t;
    l->now = l->s.begins;
    if (t->begins == KARP_NO_TIME || l->now < t->begins) t->begins = l->now;
    t->boot = l->s.delay;
    t->has_cluster = t->has_cluster || (story_has_nodes(&l->s) && !l->s.is_load);
    if (t->has_cluster && l->s.starts) t->cluster_at = l->now;
    if (t->has_cluster && story_note_owned(&l->s)) return l->s.error.status;
    if (l->s.region.len) t->region = trace_keep(t, l->s.region);
    if (l->s.ignored_kinds.len) t->ignored_kinds = trace_keep(t, l->s.ignored_kinds);
    if (l->s.pods_from.len) t->pods_from = trace_keep(t, l->s.pods_from);
    for (size_t i = 0; i < l->s.workload_count; i++) {
        uint64_t replicas = l->s.workloads[i].applied ? 0 : l->s.workloads[i].replicas;
        if (!shape_of(l, i) || !scale(l, i, replicas)) return l->s.error.status;
    }
    if (!take_effects(l, &l->s.start)) return l->s.error.status;
    karp_status status = l->s.is_load ? trace_generate_load(t, &l->s) : add_steps(l);
    if (t->ends == KARP_NO_TIME || l->now > t->ends) t->ends = l->now;
    return status ? status : add_objects(l);
}

karp_status trace_read_story(trace *t, const karp_replay_document *document, karp_str text, karp_error *error)
{
    story_trace l = { .t = t };
    strbuf_init(&l.name, t->context);
    strbuf path = strbuf_on(t->context);
    strbuf_addstr(&path, document->name);
    if (path.failed) return fail_nomem(error);
    karp_status status = story_init(&l.s, t->context);
    l.s.trace = t;
    l.s.ignored_kinds = t->ignored_kinds;
    l.s.pods_from = t->pods_from;
    const char *from = path.ptr ? path.ptr : "";
    bool is_text = document->text.ptr != NULL, again = !is_text && !io_reads_once(from);
    if (!status) status = story_read(&l.s, from, again ? (karp_str){ 0 } : text, is_text);
    size_t bytes = (l.s.workload_count + 1) * sizeof(uint64_t);
    l.shapes = mem_zalloc(t->context, bytes);
    l.pods = mem_zalloc(t->context, bytes);
    if (!status && (!l.shapes || !l.pods)) status = story_nomem(&l.s);
    if (!status && l.s.old_rules)
        status = story_fail_at(&l.s, KARP_E_UNSUPPORTED, "semantics",
                               "v1alpha5's rules are those of karp simulate alone");
    if (!status) status = story_settle_workloads(&l.s);
    if (!status) status = add_story(&l);
    if (status) {
        l.s.error.status = status;
        if (l.s.error.document[0] == '\0') str_shorten(l.s.error.document, sizeof l.s.error.document, document->name);
        (void)error_give(&l.s.error, error);
    }
    karp_free(t->context, l.shapes, bytes);
    karp_free(t->context, l.pods, bytes);
    strbuf_free(&path);
    strbuf_free(&l.name);
    story_free(&l.s);
    return status;
}
