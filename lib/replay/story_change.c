/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps apply, replace and delete, when a story is read: what they do to pods and objects, as events of a trace and
 * numbers of replicas. The pods of workloads are made by a reader, with the objects of that time beside them.
 */
#include <replay/objects.h>
#include <replay/story.h>

#include <karp/library.h>

#include <io/change.h>
#include <io/notes.h>
#include <io/owner.h>
#include <io/pods_rules.h>
#include <stdio.h>

typedef struct change {
    story *s;
    size_t index; /* of the step */
    const char *member; /* of the step: "apply" */
    story_step *step;
    io_place place;
    karp_reader *admitted; /* with what the step applies that makes pods; NULL = nothing does */
} change;

static karp_str name_of(const tree *object) { return tree_get_text(tree_get(object, "metadata"), "name"); }

static karp_status refuse(const change *c, const tree *object, const char *why)
{
    char message[300];
    karp_str kind = tree_get_text(object, "kind"), name = name_of(object);
    (void)snprintf(message, sizeof message, "%.*s %.*s: %s", str_shown(kind, 80), kind.ptr, str_shown(name, 100),
                   name.ptr, why);
    return story_fail_step(c->s, c->index, c->member, KARP_E_INVALID, message);
}

static const io_kind_info *info_of(const story *s, const tree *object)
{
    return io_reader_kind(s->reader, tree_get_text(object, "apiVersion"), tree_get_text(object, "kind"));
}

static karp_str kept_json(story *s, const tree *object)
{
    strbuf text = strbuf_on(s->context);
    tree_write(&text, object);
    karp_str kept = text.failed ? (karp_str){ NULL, 0 } : trace_keep(s->trace, (karp_str){ text.ptr, text.len });
    strbuf_free(&text);
    return kept;
}

/* ---- the objects at the time of the step ------------------------------------------------------------------------- */

/* The object's place in s->objects, a list in which deleted ones are null. NULL = out of memory. */
static uint32_t *number_of(story *s, karp_str kind, karp_str namespace_, karp_str name)
{
    strbuf key = strbuf_on(s->context);
    strbuf_addstr(&key, kind);
    strbuf_addc(&key, ' ');
    strbuf_addname(&key, namespace_, name);
    uint32_t *number = key.failed ? NULL : io_table_at(&s->object_index, (karp_str){ key.ptr, key.len });
    strbuf_free(&key);
    if (!number) (void)story_nomem(s);
    return number;
}

static karp_status set_object(story *s, const tree *object)
{
    uint32_t *number = number_of(s, tree_get_text(object, "kind"), io_namespace(object), name_of(object));
    if (!number) return s->error.status;
    if (*number == IO_NONE) {
        if (!grow(s->context, (void **)&s->objects, &s->object_capacity, s->object_count + 1, sizeof *s->objects))
            return story_nomem(s);
        *number = (uint32_t)s->object_count++;
    }
    s->objects[*number] = object;
    return KARP_OK;
}

/* Before the first of these steps. */
static karp_status index_objects(story *s)
{
    karp_status status = KARP_OK;
    if (s->object_count > 0) return KARP_OK;
    for (size_t i = 0; i < tree_count(s->base) && !status; i++) status = set_object(s, tree_item(s->base, i));
    for (size_t i = 0; i < s->workload_count && !status; i++) status = set_object(s, s->workloads[i].object);
    return status;
}

/* ---- the pods of a workload -------------------------------------------------------------------------------------- */

static bool is_one_of(io_kind kind, const io_kind *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == kind) return true;
    }
    return false;
}

/* Whether the kind says what the API server and controllers make of a pod template. */
static bool shapes_pods(io_kind kind)
{
    static const io_kind list[] = { IO_KIND_PRIORITY_CLASS, IO_KIND_LIMIT_RANGE, IO_KIND_NAMESPACE,
                                    IO_KIND_STORAGE_CLASS,  IO_KIND_REFERRED,    IO_KIND_AUTOSCALER,
                                    IO_KIND_SCALED_OBJECT,  IO_KIND_CLAIM,       IO_KIND_POD_TEMPLATE };
    return is_one_of(kind, list, sizeof list / sizeof list[0]);
}

static bool is_pod_of(const tree *pod, const tree *workload)
{
    io_owner owner = io_controller(pod);
    return str_is(tree_get_text(workload, "kind"), owner.kind) && equal_str(owner.name, name_of(workload)) &&
           equal_str(io_namespace(pod), io_namespace(workload));
}

static karp_status add_object(story *s, karp_reader *reader, const tree *object)
{
    tree *copy = tree_deep_copy(&reader->trees, object, false);
    io_place place = story_place(s, object);
    if (!copy) return io_reader_nomem(reader);
    return io_read_tree(reader, copy, &place, false);
}

static karp_status new_reader(story *s, karp_reader **out)
{
    karp_reader_options options = story_reader_options(s);
    options.keep_documents = options.editable = 1;
    options.now = s->begins;
    karp_status status = karp_reader_new(s->context, &options, out, &s->error);
    karp_catalogue *none = NULL;
    if (!status) status = karp_catalogue_new(s->context, NULL, 0, &none, &s->error);
    if (!status) status = karp_reader_add_catalogue(*out, none, &s->error);
    karp_catalogue_unref(none);
    if (status) return status;
    (*out)->mode.plays = true;
    return story_add_rules(s, *out);
}

/* A reader with the workload, what shapes its pods and, with `given`, the pods that the files have of it. */
static karp_status reader_for(story *s, const tree *workload, bool given, karp_reader **out)
{
    karp_status status = new_reader(s, out);
    if (status) return status;
    for (size_t i = 0; i < s->object_count && !status; i++) {
        const tree *object = s->objects[i];
        if (!karp_context_work(s->context, 16)) return story_nomem(s);
        if (!object || object == workload) continue;
        io_kind kind = info_of(s, object)->kind;
        if (shapes_pods(kind) || (given && kind == IO_KIND_POD && is_pod_of(object, workload)))
            status = add_object(s, *out, object);
    }
    if (!status) status = add_object(s, *out, workload);
    io_deferred *last = status ? NULL : &(*out)->deferred[(*out)->deferred_count - 1];
    if (last) last->changed = given && io_has_replicas(last->info); /* surplus pods go */
    if (status && (*out)->error.status) s->error = (*out)->error;
    return status;
}

/* The pods of the workload, and its claims, are appended to the list. */
static karp_status make_pods(const change *c, const tree *workload, bool given, tree *list)
{
    story *s = c->s;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_status status = reader_for(s, workload, given, &reader);
    size_t noted = status ? 0 : karp_reader_problem_count(reader); /* where the objects were read */
    if (!status) status = karp_reader_finish(reader, &snapshot, &s->error);
    if (!status && !trace_add_problems(s->trace, reader, noted)) status = story_nomem(s);
    if (!status) status = replay_add_made(reader, s->t, list, &s->error);
    for (size_t i = 0; i < s->object_count && given && !status; i++) {
        const tree *pod = s->objects[i];
        if (pod && str_is(tree_get_text(pod, "kind"), "Pod") && is_pod_of(pod, workload) && !io_pod_ended(pod) &&
            io_find(reader, "Pod", io_namespace(pod), name_of(pod)) != IO_NONE)
            tree_append(s->t, list, tree_copy(s->t, pod));
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status || s->t->status == KARP_OK ? status : story_nomem(s);
}

/* ---- what the API server refuses --------------------------------------------------------------------------------- */

/* Kinds whose objects or pods the API server may refuse, other than the workloads of make_pods(). */
static bool is_admitted(io_kind kind)
{
    return kind == IO_KIND_DEPLOYMENT || kind == IO_KIND_DAEMON_SET || kind == IO_KIND_POD;
}

/* Reads the object as --replace does. A Deployment gets no pods, which are those of its number of replicas. */
static karp_status admit_object(change *c, const tree *object)
{
    story *s = c->s;
    karp_reader *reader = c->admitted;
    tree *copy = tree_copy(s->t, object);
    bool deployment = info_of(s, object)->kind == IO_KIND_DEPLOYMENT;
    if (deployment) tree_set(s->t, tree_own(s->t, copy, "spec", TREE_MAP), "replicas", tree_new_integer(s->t, 0));
    if (!copy || s->t->status) return story_nomem(s);
    reader->mode.replacing = true;
    karp_status status = add_object(s, reader, copy);
    reader->mode.replacing = false;
    return status;
}

static karp_status admit_all(change *c, const tree *list)
{
    story *s = c->s;
    karp_status status = new_reader(s, &c->admitted);
    for (size_t i = 0; i < s->object_count && !status; i++) {
        io_kind kind = s->objects[i] ? info_of(s, s->objects[i])->kind : IO_KIND_UNKNOWN;
        if (!karp_context_work(s->context, 16)) return story_nomem(s);
        if (shapes_pods(kind) && kind != IO_KIND_AUTOSCALER && kind != IO_KIND_SCALED_OBJECT)
            status = add_object(s, c->admitted, s->objects[i]);
    }
    for (size_t i = 0; i < tree_count(list) && !status; i++) {
        io_kind kind = info_of(s, tree_item(list, i))->kind;
        if (is_admitted(kind) || shapes_pods(kind)) status = admit_object(c, tree_item(list, i));
    }
    if (status && c->admitted && c->admitted->error.status) s->error = c->admitted->error;
    return status;
}

/* Notes which objects of the step, or pods of theirs, the API server refuses. */
static karp_status admit(change *c, const tree *list)
{
    story *s = c->s;
    karp_snapshot *snapshot = NULL;
    bool any = false;
    for (size_t i = 0; i < tree_count(list); i++) any = any || is_admitted(info_of(s, tree_item(list, i))->kind);
    if (!any) return KARP_OK;
    karp_status status = admit_all(c, list);
    size_t noted = c->admitted ? karp_reader_problem_count(c->admitted) : 0; /* by check_object() */
    if (!status) status = karp_reader_finish(c->admitted, &snapshot, &s->error);
    if (!status && !trace_add_problems(s->trace, c->admitted, noted)) status = story_nomem(s);
    karp_snapshot_unref(snapshot);
    if (!status || status == KARP_E_NOMEM || status == KARP_E_CANCELED) return status;
    karp_error_init(&s->error, sizeof s->error); /* it is told when the objects are needed */
    return KARP_OK;
}

static bool is_refused(const change *c, const tree *object)
{
    const io_deferred *d = c->admitted ? io_find_deferred(c->admitted, tree_get_text(object, "kind"),
                                                          io_namespace(object), name_of(object))
                                       : NULL;
    return d && d->refused;
}

/* ---- what a step does -------------------------------------------------------------------------------------------- */

static karp_status add_effect(const change *c, const story_effect *effect)
{
    story_step *step = c->step;
    if (!arena_grow(&c->s->trace->memory, (void **)&step->effects, &step->effect_capacity, step->effect_count + 1,
                    sizeof *step->effects))
        return story_nomem(c->s);
    step->effects[step->effect_count] = *effect;
    step->effects[step->effect_count].event.lasts = KARP_DURATION_UNSET;
    step->effects[step->effect_count].event.document = trace_keep(c->s->trace, c->place.document);
    if (!step->effects[step->effect_count].event.document.ptr) return story_nomem(c->s);
    step->effects[step->effect_count++].event.line = c->place.line;
    return KARP_OK;
}

static uint32_t shape_of(const story *s, const tree *pod)
{
    return trace_shape_of(s->trace, s->t, replay_lean_pod(s->t, pod));
}

static karp_status add_pod(const change *c, const tree *pod, uint32_t kind)
{
    story *s = c->s;
    story_effect effect = { .workload = IO_NONE, .event = { .kind = kind, .shape = shape_of(s, pod) } };
    effect.event.of.pod.ordered = kind == TRACE_POD_CREATED && replay_is_held(pod);
    effect.event.of.pod.namespace_ = trace_keep(s->trace, io_namespace(pod));
    effect.event.of.pod.name = trace_keep(s->trace, name_of(pod));
    if (effect.event.shape == NO_ID || !effect.event.of.pod.namespace_.ptr || !effect.event.of.pod.name.ptr)
        return story_nomem(s);
    return add_effect(c, &effect);
}

static karp_status add_applied(const change *c, const tree *object)
{
    story_effect effect = { .workload = IO_NONE, .event = { .kind = TRACE_OBJECT_APPLIED } };
    effect.event.of.text = kept_json(c->s, object);
    return effect.event.of.text.ptr ? add_effect(c, &effect) : story_nomem(c->s);
}

static const tree *pod_named(const tree *list, karp_str name)
{
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *one = tree_item(list, i);
        if (str_is(tree_get_text(one, "kind"), "Pod") && equal_str(name_of(one), name)) return one;
    }
    return NULL;
}

static bool is_pod(const tree *object) { return str_is(tree_get_text(object, "kind"), "Pod"); }

/* Pods that the workload has before and after stay, unless they are of different shapes. */
static karp_status exchange(const change *c, const tree *before, const tree *after)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(before) && !status; i++) {
        const tree *pod = tree_item(before, i), *next = is_pod(pod) ? pod_named(after, name_of(pod)) : pod;
        if (!next || (is_pod(pod) && shape_of(c->s, pod) != shape_of(c->s, next)))
            status = add_pod(c, pod, TRACE_POD_DELETED);
    }
    for (size_t i = 0; i < tree_count(after) && !status; i++) {
        const tree *object = tree_item(after, i), *had = is_pod(object) ? pod_named(before, name_of(object)) : object;
        if (!is_pod(object)) status = add_applied(c, object);
        else if (!had || shape_of(c->s, had) != shape_of(c->s, object)) status = add_pod(c, object, TRACE_POD_CREATED);
    }
    return status;
}

/* Whether pods of another workload may have the same names. */
static bool shares_name(const story *s, const tree *workload)
{
    for (size_t i = 0; i < s->object_count; i++) {
        const tree *other = s->objects[i];
        if (other && replay_is_workload(s->reader, other) && equal_str(name_of(other), name_of(workload)) &&
            equal_str(io_namespace(other), io_namespace(workload)) &&
            !equal_str(tree_get_text(other, "kind"), tree_get_text(workload, "kind")))
            return true;
    }
    return false;
}

/* NULL = the workload does not exist then. */
static karp_status change_pods(const change *c, const tree *before, const tree *after)
{
    const tree *object = after ? after : before;
    tree *had = tree_new(c->s->t, TREE_LIST), *has = tree_new(c->s->t, TREE_LIST);
    if (!had || !has) return story_nomem(c->s);
    if (shares_name(c->s, object))
        return refuse(c, object, "another workload has its name, so the names of their pods may be equal");
    bool same = before && after && io_same_template(tree_get(before, "spec"), tree_get(after, "spec"));
    karp_status status = before ? make_pods(c, before, true, had) : KARP_OK;
    if (!status && after) status = make_pods(c, after, same, has);
    return status ? status : exchange(c, had, has);
}

static uint32_t find_workload(const story *s, karp_str namespace_, karp_str name)
{
    for (size_t i = 0; i < s->workload_count; i++) {
        if (equal_str(s->workloads[i].name, name) && equal_str(s->workloads[i].namespace_, namespace_))
            return (uint32_t)i;
    }
    return IO_NONE;
}

/* ---- rollouts ---------------------------------------------------------------------------------------------------- */

/* The number of the template among those that the Deployment has had. */
static karp_status find_set(const change *c, trace_rollout *r, uint32_t shape, uint32_t *out)
{
    trace *t = c->s->trace;
    for (*out = 0; *out < r->count; (*out)++) {
        if (r->stated[*out] == shape) return KARP_OK;
    }
    if (shape == NO_ID ||
        !arena_grow(&t->memory, (void **)&r->stated, &r->stated_capacity, r->count + 1, sizeof *r->stated) ||
        !arena_grow(&t->memory, (void **)&r->shapes, &r->capacity, r->count + 1, sizeof *r->shapes))
        return story_nomem(c->s);
    r->stated[r->count] = r->shapes[r->count] = shape;
    r->count++;
    return KARP_OK;
}

static karp_status begin_rollout(const change *c, const tree *before, story_workload *w)
{
    trace *t = c->s->trace;
    uint32_t unused = 0;
    if (!grow(t->context, (void **)&t->rollouts, &t->rollout_capacity, t->rollout_count + 1, sizeof *t->rollouts))
        return story_nomem(c->s);
    trace_rollout *r = &t->rollouts[t->rollout_count];
    *r = (trace_rollout){ .namespace_ = trace_keep(t, w->namespace_), .name = trace_keep(t, w->name) };
    if (!r->namespace_.ptr || !r->name.ptr) return story_nomem(c->s);
    w->rollout = (uint32_t)t->rollout_count++;
    return find_set(c, r, replay_workload_shape(t, c->s->t, before, w->namespace_), &unused);
}

/* From its first change of the template on, every change of the Deployment is one of its rollout. */
static karp_status roll(const change *c, const tree *before, const tree *after, uint32_t number, story_effect *effect)
{
    story *s = c->s;
    story_workload *w = &s->workloads[number];
    trace_event *event = &effect->event;
    const tree *spec = tree_get(after, "spec");
    const char *wrong = kube_strategy_read(spec, &event->of.rollout.strategy);
    char why[120];
    if (wrong) {
        (void)snprintf(why, sizeof why, "%s: not as Kubernetes takes it, or more than 1000000 pods or 1000%%", wrong);
        return refuse(c, after, why);
    }
    karp_status status = w->rollout == IO_NONE ? begin_rollout(c, before, w) : KARP_OK;
    if (status) return status;
    event->kind = TRACE_ROLLED;
    event->of.rollout.rollout = w->rollout;
    uint32_t shape = replay_workload_shape(s->trace, s->t, after, w->namespace_);
    return find_set(c, &s->trace->rollouts[w->rollout], shape, &event->of.rollout.set);
}

/* The replicas of a Deployment are numbers of the story, which `scale` sets, too. */
static karp_status change_deployment(const change *c, const tree *before, tree *after)
{
    story *s = c->s;
    const tree *object = after ? after : before;
    uint32_t number = find_workload(s, io_namespace(object), name_of(object));
    karp_status status = KARP_OK;
    if (number == IO_NONE) {
        status = story_add_workload(s, after);
        number = (uint32_t)s->workload_count - 1;
        if (!status) s->workloads[number].applied = true;
    }
    if (!status && s->workloads[number].autoscaler != IO_NONE)
        return refuse(c, object, "its HorizontalPodAutoscaler scales it since a step stated its usage");
    story_effect effect = { .workload = number, .event.shape = NO_ID, .replicas = STORY_SAME };
    s->workloads[status ? 0 : number].gone = after == NULL;
    if (!status && after) {
        const tree *spec = tree_get(after, "spec"), *replicas = tree_get(spec, "replicas");
        int64_t count = before ? (int64_t)STORY_SAME : 1;
        if (tree_integer(replicas, &count) && count > STORY_REPLICAS_MOST)
            return refuse(c, after, "more than 1000000 replicas");
        effect.replicas = (uint64_t)count;
        bool same = before && io_same_template(tree_get(before, "spec"), spec);
        if (s->workloads[number].rollout != IO_NONE || (before && !same)) {
            status = roll(c, before, after, number, &effect);
        } else if (!same) {
            effect.event.shape = replay_workload_shape(s->trace, s->t, after, io_namespace(after));
            if (effect.event.shape == NO_ID) return story_nomem(s);
        }
    } else if (!status) {
        effect.replicas = 0;
    }
    return status ? status : add_effect(c, &effect);
}

/* ---- Jobs whose pods end ----------------------------------------------------------------------------------------- */

/* The Job, or the one of the CronJob that its next time starts. */
static tree *copy_of_job(trees *t, const tree *object)
{
    tree *given = tree_get(tree_get(object, "spec"), "jobTemplate"), *copy = tree_copy(t, object);
    if (!given) return copy;
    tree_set(t, copy, "kind", tree_new_text(t, str("Job")));
    tree_set(t, copy, "spec", tree_copy(t, tree_get(given, "spec")));
    return copy;
}

/* The shape of its pods, also of one that has none yet. */
static karp_status shape_of_job(const change *c, const tree *job, uint32_t *shape)
{
    trees *t = c->s->t;
    tree *copy = copy_of_job(t, job), *list = tree_new(t, TREE_LIST), *spec = tree_own(t, copy, "spec", TREE_MAP);
    tree_set(t, spec, "parallelism", tree_new_integer(t, 1));
    if (tree_is_null(tree_get(spec, "completions"))) tree_set(t, spec, "completions", tree_new_integer(t, 1));
    tree_remove(t, spec, "suspend");
    *shape = NO_ID;
    karp_status status = t->status ? story_nomem(c->s) : make_pods(c, copy, false, list);
    for (size_t i = 0; i < tree_count(list) && !status && *shape == NO_ID; i++) {
        if (is_pod(tree_item(list, i))) *shape = shape_of(c->s, tree_item(list, i));
    }
    return status;
}

/* Its controller makes its pods while the story is played. */
static karp_status change_job(const change *c, const tree *before, const tree *after)
{
    story *s = c->s;
    story_effect effect = { .workload = IO_NONE, .event = { .kind = TRACE_JOB } };
    uint32_t last = story_last_job(s, before ? before : after), shape = NO_ID, *spec = &effect.event.of.job.spec;
    const char *wrong = NULL;
    *spec = last;
    effect.event.of.job.deleted = after == NULL;
    if (!after) return add_effect(c, &effect);
    if (shares_name(s, after)) return refuse(c, after, "another workload has its name");
    bool by_schedule = str_is(tree_get_text(after, "kind"), "CronJob");
    if (before && !by_schedule && !io_same_template(tree_get(before, "spec"), tree_get(after, "spec")))
        return refuse(c, after, "the template of a Job does not change; delete it first");
    if (before && (!story_ending_job(before) || !story_ending_job(after)))
        return refuse(c, after,
                      "it says how long its pods run now, and did not before or does not after; delete it first");
    karp_status status = story_read_job(s, after, spec, &wrong);
    if (!status && wrong) return refuse(c, after, wrong);
    if (before && !by_schedule) shape = s->trace->jobs[last].shape;
    else if (!status) status = shape_of_job(c, after, &shape);
    if (!status && shape == NO_ID) return refuse(c, after, "no pod can be made of its template");
    if (!status) s->trace->jobs[*spec].shape = shape;
    return status ? status : add_effect(c, &effect);
}

/* ---- apply and replace ------------------------------------------------------------------------------------------- */

/* Whether decisions read the kind, or the pods of later steps depend on it. */
static bool is_used(io_kind kind)
{
    static const io_kind list[] = { IO_KIND_NODE_POOL, IO_KIND_NODE_OVERLAY, IO_KIND_NODE_CLASS,     IO_KIND_DAEMON_SET,
                                    IO_KIND_VOLUME,    IO_KIND_BUDGET,       IO_KIND_CAPACITY_BUFFER };
    return shapes_pods(kind) || is_one_of(kind, list, sizeof list / sizeof list[0]);
}

/* Whether a story can go on with the object, and whether it is right. */
static karp_status check_object(const change *c, const tree *object)
{
    story *s = c->s;
    const io_kind_info *info = info_of(s, object);
    io_kind kind = info->kind;
    if (kind == IO_KIND_NODE || kind == IO_KIND_NODE_CLAIM)
        return refuse(c, object, "the nodes of a story are those of its files, and what it launches");
    if (kind == IO_KIND_AUTOSCALER || kind == IO_KIND_SCALED_OBJECT)
        return refuse(c, object, "autoscalers are those from the start of a story");
    if (!is_used(kind) && kind != IO_KIND_POD && !replay_is_workload(s->reader, object))
        return refuse(c, object, "no decision of a story reads it");
    karp_status status = io_object_check(s->reader, info, object, &c->place);
    tree *copy = tree_deep_copy(s->t, object, false); /* a note may need it converted */
    if (!status) status = copy ? io_note_object(s->reader, info, copy, &c->place) : io_reader_nomem(s->reader);
    if (status) s->error = s->reader->error;
    return status;
}

static karp_status change_object(const change *c, const tree *before, tree *object)
{
    io_kind kind = info_of(c->s, object)->kind;
    if (kind == IO_KIND_DEPLOYMENT) return change_deployment(c, before, object);
    if (story_ending_job(object) || story_ending_job(before)) return change_job(c, before, object);
    if (replay_is_workload(c->s->reader, object)) return change_pods(c, before, object);
    if (kind != IO_KIND_POD) return add_applied(c, object);
    karp_status status = before ? add_pod(c, before, TRACE_POD_DELETED) : KARP_OK;
    return status ? status : add_pod(c, object, TRACE_POD_CREATED);
}

static void add_title(strbuf *title, karp_str kind, karp_str name)
{
    strbuf_adds(title, title->len > 0 ? ", " : "");
    strbuf_addstr(title, kind);
    strbuf_addc(title, ' ');
    strbuf_addstr(title, name);
}

static karp_status check_one(change *c, const tree *object)
{
    story *s = c->s;
    if (!tree_is(object, TREE_MAP) || tree_get_text(object, "kind").len == 0 || name_of(object).len == 0)
        return story_fail_step(s, c->index, c->member, KARP_E_INVALID, "an object has a kind and a name");
    c->place = story_place(s, object);
    return check_object(c, object);
}

static karp_status apply_one(change *c, tree *object, bool exists, strbuf *title)
{
    story *s = c->s;
    karp_str kind = tree_get_text(object, "kind"), name = name_of(object);
    c->place = story_place(s, object);
    const uint32_t *number = number_of(s, kind, io_namespace(object), name);
    if (!number) return s->error.status;
    const tree *before = *number == IO_NONE ? NULL : s->objects[*number];
    if (exists && !before) return refuse(c, object, "there is none to replace; apply adds it");
    add_title(title, kind, name);
    if (is_refused(c, object)) return KARP_OK; /* what was there stays as it is; a problem tells it */
    karp_status status = change_object(c, before, object);
    return status ? status : set_object(s, object);
}

static karp_status apply_all(change *c, const tree *list, bool exists, strbuf *title)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(list) && !status; i++) status = check_one(c, tree_item(list, i));
    if (!status) status = admit(c, list);
    for (size_t i = 0; i < tree_count(list) && !status; i++) status = apply_one(c, tree_item(list, i), exists, title);
    if (!status && tree_count(list) == 0)
        status = story_fail_step(c->s, c->index, c->member, KARP_E_INVALID, "no object");
    return status;
}

/* An object, a list of them, or the name of a file with them. */
static karp_status read_applied(change *c, tree *given, bool exists, strbuf *title)
{
    tree *list = tree_new(c->s->t, TREE_LIST);
    if (!list) return story_nomem(c->s);
    if (tree_is(given, TREE_LIST)) return apply_all(c, given, exists, title);
    if (tree_is(given, TREE_STRING)) {
        karp_status status = story_read_file(c->s, tree_text(given), list);
        return status ? status : apply_all(c, list, exists, title);
    }
    const tree *items = tree_get(given, "items");
    if (tree_is(items, TREE_LIST)) return apply_all(c, items, exists, title);
    tree_append(c->s->t, list, given);
    return apply_all(c, list, exists, title);
}

/* ---- delete ------------------------------------------------------------------------------------------------------ */

static karp_status delete_found(change *c, uint32_t number, strbuf *title)
{
    story *s = c->s;
    const tree *object = s->objects[number];
    const io_kind_info *info = info_of(s, object);
    karp_str kind = tree_get_text(object, "kind"), name = name_of(object);
    c->place = story_place(s, object);
    add_title(title, kind, name);
    s->objects[number] = NULL;
    if (info->kind == IO_KIND_DEPLOYMENT) return change_deployment(c, object, NULL);
    if (story_ending_job(object)) return change_job(c, object, NULL);
    if (replay_is_workload(s->reader, object)) return change_pods(c, object, NULL);
    if (info->kind == IO_KIND_POD) {
        if (io_controller(object).kind[0])
            return refuse(c, object, "its controller would create it again; delete the workload, or scale it");
        return add_pod(c, object, TRACE_POD_DELETED);
    }
    if (info->kind == IO_KIND_NODE || info->kind == IO_KIND_NODE_CLAIM)
        return refuse(c, object, "nodes are not deleted in a story; expire removes one");
    story_effect effect = { .workload = IO_NONE, .event = { .kind = TRACE_OBJECT_DELETED } };
    effect.event.of.object.kind = trace_keep(s->trace, kind);
    effect.event.of.object.namespace_ = trace_keep(s->trace, io_namespace(object));
    effect.event.of.object.name = trace_keep(s->trace, name);
    if (!effect.event.of.object.kind.ptr || !effect.event.of.object.namespace_.ptr || !effect.event.of.object.name.ptr)
        return story_nomem(s);
    return add_effect(c, &effect);
}

static karp_status read_deleted(change *c, const tree *given, strbuf *title)
{
    story *s = c->s;
    io_reference to;
    uint32_t found = IO_NONE;
    if (!tree_is(given, TREE_STRING) || !io_reference_read(tree_text(given), true, &to))
        return story_fail_step(s, c->index, c->member, KARP_E_INVALID, "expected KIND/NAME or KIND/NAMESPACE/NAME");
    for (uint32_t i = 0; i < s->object_count; i++) {
        const tree *object = s->objects[i];
        if (!object || !io_refers_to(&to, tree_get_text(object, "kind"), io_namespace(object), name_of(object)))
            continue;
        if (found != IO_NONE)
            return story_fail_step(s, c->index, c->member, KARP_E_INVALID,
                                   "there are several such objects; say KIND/NAMESPACE/NAME");
        found = i;
    }
    if (found == IO_NONE) return story_fail_step(s, c->index, c->member, KARP_E_NOT_FOUND, "there is no such object");
    return delete_found(c, found, title);
}

karp_status story_read_change(story *s, size_t index, const char *member, tree *given, story_step *step)
{
    change c = { .s = s, .index = index, .member = member, .step = step };
    strbuf title = strbuf_on(s->context);
    step->what = STORY_CHANGE;
    karp_status status = index_objects(s);
    strbuf_adds(&title, "");
    if (!status && strcmp(member, "delete") == 0) status = read_deleted(&c, given, &title);
    else if (!status) status = read_applied(&c, given, strcmp(member, "replace") == 0, &title);
    step->verb = member;
    step->title = title.failed ? (karp_str){ NULL, 0 } : trace_keep(s->trace, (karp_str){ title.ptr, title.len });
    if (!status && !step->title.ptr) status = story_nomem(s);
    karp_reader_free(c.admitted);
    strbuf_free(&title);
    return status;
}
