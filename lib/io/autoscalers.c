/* SPDX-License-Identifier: Apache-2.0 */
/* HorizontalPodAutoscalers and KEDA's ScaledObjects set the replicas of their targets before pods are created. */

#include <io/change.h>
#include <io/fill.h>
#include <io/notes.h>
#include <io/owner.h>
#include <io/pod_makers.h>
#include <io/previews.h>

#include <stdio.h>

#define NO_MAXIMUM INT32_MAX

typedef struct bounds {
    int64_t least, most;
    bool wakes; /* a target with 0 replicas is scaled up to the minimum, too */
    bool paused;
    const char *least_field;
} bounds;

static int64_t count_at(const tree *object, const char *name, int64_t absent)
{
    int64_t count = absent;
    const tree *value = tree_get(object, name);
    return value && tree_integer(value, &count) && count >= 0 ? count : absent;
}

static bounds bounds_of(const io_deferred *w)
{
    const tree *spec = tree_get(w->root, "spec");
    const tree *annotations = tree_get(tree_get(w->root, "metadata"), "annotations");
    if (w->info->kind == IO_KIND_AUTOSCALER)
        return (bounds){ count_at(spec, "minReplicas", 1), count_at(spec, "maxReplicas", NO_MAXIMUM), false, false,
                         "minReplicas" };
    bounds b = { count_at(spec, "minReplicaCount", 0), count_at(spec, "maxReplicaCount", 100), true, false,
                 "minReplicaCount" };
    int64_t pinned = 0;
    double number = 0;
    karp_str paused = tree_get_text(annotations, "autoscaling.keda.sh/paused-replicas");
    if (paused.len && karp_double_parse(paused, &number) == KARP_OK && number >= 0 && number < INT32_MAX) {
        pinned = (int64_t)number;
        return (bounds){ pinned, pinned, true, false, "annotation paused-replicas" };
    }
    b.paused = str_is(tree_get_text(annotations, "autoscaling.keda.sh/paused"), "true");
    return b;
}

/* ---- targets ----------------------------------------------------------------------------------------------------- */

static io_deferred *target_of(karp_reader *reader, const io_deferred *w, const tree *ref)
{
    char room[IO_KIND_ROOM];
    karp_str kind = tree_get_text(ref, "kind"), version = tree_get_text(ref, "apiVersion");
    if (kind.len == 0) kind = str("Deployment"); /* KEDA's default */
    if (version.len == 0) version = str("apps/v1");
    const io_kind_info *info = io_reader_kind(reader, version, kind);
    room[0] = '\0';
    if (info->kind == IO_KIND_OPERATED) {
        str_append(room, sizeof room, "%s.%s", info->name, info->group);
        kind = str(room);
    }
    io_deferred *target = io_find_deferred(reader, kind, w->namespace_, tree_get_text(ref, "name"));
    return target && !target->gone && !target->stated ? target : NULL;
}

/* Where pods of the target are in the input, they count: its autoscaler has been at work. */
static bool has_pods(const karp_reader *reader, const io_deferred *target)
{
    return io_owned(reader, target->info->name, target->namespace_, target->name) > 0 ||
           (target->info->kind == IO_KIND_OPERATED && io_has_made(reader, target));
}

static int64_t wanted(const karp_reader *reader, bounds b, int64_t replicas)
{
    uint32_t from = reader->options.replicas_from;
    if (replicas == 0 && !b.wakes) return 0; /* an autoscaler leaves it alone */
    if (from == KARP_REPLICAS_LEAST) return b.least;
    if (from == KARP_REPLICAS_MOST) return b.most < NO_MAXIMUM ? b.most : replicas < b.least ? b.least : replicas;
    return replicas < b.least ? b.least : replicas > b.most ? b.most : replicas;
}

static karp_status scale(karp_reader *reader, const io_deferred *w, io_deferred *target, bounds b)
{
    trees *t = &reader->trees;
    const char *path = io_scale_path(target->info);
    int64_t replicas = 1;
    if (!tree_integer(io_at_path(target->root, path), &replicas) || replicas < 0) replicas = 1;
    int64_t count = wanted(reader, b, replicas);
    if (count == replicas) return KARP_OK;
    karp_status status = io_object_check(reader, target->info, target->root, &target->place);
    if (status) return status;
    io_set_scale(t, target->root, path, tree_new_integer(t, count));
    if (t->status) return io_reader_nomem(reader);
    bool more = count > replicas;
    return io_warn(reader,
                   "%s %.*s/%.*s: %lld replicas instead of %lld, by %s %lld of %s %.*s (--replicas-from spec: %lld)",
                   target->info->name, str_shown(target->namespace_, 64), target->namespace_.ptr,
                   str_shown(target->name, 100), target->name.ptr, (long long)count, (long long)replicas,
                   count == b.least && (more || reader->options.replicas_from == KARP_REPLICAS_LEAST) ? b.least_field
                                                                                                      : "the maximum",
                   (long long)count, w->info->name, str_shown(w->name, 100), w->name.ptr, (long long)replicas);
}

/* What the caller asks for is planned, although the autoscaler would not go there. */
static karp_status note_beyond(karp_reader *reader, const io_deferred *w, const io_deferred *target, bounds b)
{
    int64_t replicas = 0;
    bool known = tree_integer(io_at_path(target->root, io_scale_path(target->info)), &replicas);
    if (!known || (replicas <= b.most && (replicas >= b.least || replicas == 0))) return KARP_OK;
    return io_warn(
        reader, "%s %.*s/%.*s: --scale %lld is %s %lld of %s %.*s, which would change it", target->info->name,
        str_shown(target->namespace_, 64), target->namespace_.ptr, str_shown(target->name, 100), target->name.ptr,
        (long long)replicas, replicas > b.most ? "above the maximum" : "below the minimum",
        (long long)(replicas > b.most ? b.most : b.least), w->info->name, str_shown(w->name, 100), w->name.ptr);
}

/* The name of an object of the kind in the namespace that is most like the target's. */
static nearest similar_target(const karp_reader *reader, const io_deferred *w, karp_str kind, karp_str name)
{
    nearest near = nearest_to(name);
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *other = &reader->deferred[i];
        if (other->root && !other->gone && str_is(kind, other->info->name) &&
            equal_str(other->namespace_, w->namespace_))
            nearest_offer(&near, other->name);
    }
    return near;
}

/* The target is not in the input, so its pods are missing; an autoscaler that a cluster has left behind scales nothing.
 */
static karp_status note_missing(karp_reader *reader, const io_deferred *w, const tree *ref)
{
    char text[400], meant[MEANT];
    karp_str kind = tree_get_text(ref, "kind"), name = tree_get_text(ref, "name"), version = str("apps/v1");
    if (kind.len == 0) kind = str("Deployment");
    if (tree_get_text(ref, "apiVersion").len > 0) version = tree_get_text(ref, "apiVersion");
    const io_kind_info *info = io_reader_kind(reader, version, kind);
    bool made = io_is_workload(info->kind) && io_owned(reader, info->name, w->namespace_, name) > 0;
    const io_deferred *there = io_find_deferred(reader, kind, w->namespace_, name);
    if (!io_is_workload(info->kind) || made || name.len == 0 || there) return KARP_OK;
    nearest near = similar_target(reader, w, kind, name);
    (void)snprintf(text, sizeof text, "it scales %.*s %.*s, which is not in the input%s", str_shown(kind, 64), kind.ptr,
                   str_shown(name, 100), name.ptr, io_meant(&near, meant));
    if (!io_is_stated(tree_get(w->root, "metadata"), "uid")) return io_problem(reader, w, text);
    return io_warn(reader, "%s %.*s/%.*s: %s", w->info->name, str_shown(w->namespace_, 64), w->namespace_.ptr,
                   str_shown(w->name, 100), w->name.ptr, text);
}

static karp_status apply(karp_reader *reader, const io_deferred *w)
{
    const tree *ref = tree_get(tree_get(w->root, "spec"), "scaleTargetRef");
    io_deferred *target = target_of(reader, w, ref);
    if (!target) return note_missing(reader, w, ref);
    bounds b = bounds_of(w);
    if (target->scaled) return b.paused ? KARP_OK : note_beyond(reader, w, target, b);
    if (has_pods(reader, target) || !io_has_replicas(target->info)) return KARP_OK;
    if (b.paused || target->info->kind == IO_KIND_JOB) return KARP_OK;
    return scale(reader, w, target, b);
}

/* ---- autoscalers that are not modelled --------------------------------------------------------------------------- */

static karp_status note_scaler(karp_reader *reader, const io_deferred *w)
{
    const tree *spec = tree_get(w->root, "spec"), *ref = tree_get(spec, "scaleTargetRef");
    if (!ref) ref = tree_get(spec, "targetRef");
    karp_str name = tree_get_text(ref, "name"), kind = tree_get_text(w->root, "kind");
    const io_deferred *target = target_of(reader, w, ref);
    /* One that names no object of its own may change any. */
    if (name.len > 0 && (!target || target->scaled || has_pods(reader, target))) return KARP_OK;
    return io_not_understood_at(reader, &w->place,
                                "%.*s %.*s changes the replicas of %s %.*s, which is not modelled; --scale sets them, "
                                "--replicas-from spec takes "
                                "them as they are",
                                str_shown(kind, 64), kind.ptr, str_shown(w->name, 100), w->name.ptr,
                                target ? target->info->name : "workloads", str_shown(name, 100),
                                name.len ? name.ptr : "");
}

/* ---- VerticalPodAutoscaler --------------------------------------------------------------------------------------- */

/* "cpu 50m, memory 128Mi for container c" */
static void describe(const tree *recommended, char *text, size_t room)
{
    const tree *target = tree_get(recommended, "target");
    karp_str container = tree_get_text(recommended, "containerName");
    for (size_t i = 0; tree_is(target, TREE_MAP) && i < tree_count(target); i++) {
        const tree_member *m = tree_member_at(target, i);
        karp_str name = tree_member_name(m), amount = tree_text_or_digits(m->value);
        str_append(text, room, "%s%.*s %.*s", i ? ", " : "", str_shown(name, 60), name.ptr, str_shown(amount, 40),
                   amount.ptr);
    }
    str_append(text, room, " for container %.*s", str_shown(container, 60), container.ptr);
}

static karp_status note_vertical(karp_reader *reader, const io_deferred *w)
{
    const tree *spec = tree_get(w->root, "spec"), *ref = tree_get(spec, "targetRef");
    const tree *list = io_at_path(w->root, "/status/recommendation/containerRecommendations");
    karp_str mode = tree_get_text(tree_get(spec, "updatePolicy"), "updateMode"), name = tree_get_text(ref, "name"),
             kind = tree_get_text(ref, "kind");
    char text[300] = "";
    if (!target_of(reader, w, ref) || (str_is(mode, "Off") && !list)) return KARP_OK;
    for (size_t i = 0; i < tree_count(list) && i < 3; i++) {
        str_append(text, sizeof text, i ? "; " : "recommends ");
        describe(tree_item(list, i), text, sizeof text);
    }
    bool predicts = list && !str_is(mode, "Off") && io_preview(reader->options.previews, "vpa-prediction");
    return io_warn(
        reader, "VerticalPodAutoscaler %.*s: %s of %.*s %.*s; %s", str_shown(w->name, 100), w->name.ptr,
        text[0] ? text : "may change the requests", str_shown(kind, 64), kind.ptr, str_shown(name, 100), name.ptr,
        predicts ? "simulations of disruption place its pods with them" : "the requests of its template are planned");
}

karp_status io_settle_autoscalers(karp_reader *reader)
{
    karp_status status = KARP_OK;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && status == KARP_OK; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->gone || w->stated) continue;
        bool scales = w->info->kind == IO_KIND_AUTOSCALER || w->info->kind == IO_KIND_SCALED_OBJECT;
        if (scales && reader->options.replicas_from != KARP_REPLICAS_SPEC) status = apply(reader, w);
        if (w->info->kind == IO_KIND_POD_MAKER && reader->options.replicas_from != KARP_REPLICAS_SPEC &&
            io_is_scaler(w->root))
            status = note_scaler(reader, w);
        if (w->info->kind == IO_KIND_VERTICAL_AUTOSCALER && !reader->sizes) status = note_vertical(reader, w);
    }
    return status;
}
