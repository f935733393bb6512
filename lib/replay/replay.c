/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/library.h>
#include <karp/peer.h>
#include <replay/engine.h>
#include <replay/document.h>
#include <replay/objects.h>
#include <replay/repack_play.h>
#include <kube/profile.h>
#include <replay/commit.h>
#include <replay/replay.h>
#include <replay/spread.h>
#include <replay/trace_read.h>

#include <io/write_text.h>

#define MINUTE (60 * SECOND)
#define LONGEST_PLAN (INT64_C(7) * 24 * 60 * MINUTE) /* without an end of its own */
#define LONGEST (INT64_C(10) * 366 * 24 * 60 * MINUTE)

enum { POINTS = 300, MOST_POINTS = 1000000, MOST_POLICIES = 64, MOST_RUNS = 10000 };

void karp_replay_options_init(karp_replay_options *options, size_t size)
{
    const karp_replay_options fresh = { .boot = KARP_DURATION_UNSET, .boot_jitter = KARP_DURATION_UNSET };
    struct_start(options, size, &fresh, sizeof fresh);
}

int64_t replay_step(int64_t length) { return (length / POINTS / MINUTE + 1) * MINUTE; }

/* The name of the n-th policy; "karpenter" if none are given. */
static karp_str replay_policy(const replay *r, size_t index)
{
    return r->options.policy_count ? r->options.policies[index] : str("karpenter");
}

/* ---- input ------------------------------------------------------------------------------------------------------- */

/* Adds an object of the trace. If a cluster is read already, as when a replay continues from a story's dump, its
 * version of the object is kept. */
static karp_status add_object_of_trace(replay *r, karp_reader *reader, const trace_object *given)
{
    static const karp_str none = { "", 0 };
    tree *object = NULL;
    karp_status status = tree_read(&reader->trees, given->document, given->text, &object, &r->error);
    const tree *metadata = tree_get(object, "metadata");
    karp_str kind = tree_get_text(object, "kind"), name = tree_get_text(metadata, "name"),
             namespace_ = tree_get_text(metadata, "namespace");
    bool there = !status && reader->asked.snapshot &&
                 (io_find_kind(reader, kind, namespace_.len ? namespace_ : str("default"), name) != IO_NONE ||
                  io_find_kind(reader, kind, none, name) != IO_NONE);
    if (status || there) return status;
    io_place place = { .document = io_keep(reader, given->document), .line = given->line, .offset = KARP_NO_OFFSET };
    size_t first = reader->deferred_count;
    status = place.document.ptr ? io_read_tree(reader, object, &place, false) : io_reader_nomem(reader);
    if (status) r->error = reader->error;
    /* The pods of a story's Deployments are events: no autoscaler adds others. */
    for (size_t i = first; i < reader->deferred_count; i++) {
        if (reader->deferred[i].info->kind == IO_KIND_DEPLOYMENT) reader->deferred[i].scaled = true;
    }
    return status;
}

/* Keeps the instance types that launches choose from when their own choice is unavailable. */
static karp_status keep_catalogues(replay *r, const karp_reader *reader)
{
    replay_base *b = &r->base;
    size_t count = reader->catalogues.count;
    arena *memory = &b->trace.memory;
    b->catalogues = arena_alloc(memory, (count + 1) * sizeof *b->catalogues);
    b->catalogue_pools = arena_alloc(memory, (count + 1) * sizeof *b->catalogue_pools);
    b->catalogue_pool_counts = arena_alloc(memory, (count + 1) * sizeof *b->catalogue_pool_counts);
    if (!b->catalogues || !b->catalogue_pools || !b->catalogue_pool_counts) return fail_nomem(&r->error);
    for (size_t i = 0; i < count; i++) {
        const io_given_catalogue *given = &reader->catalogues.list[i];
        karp_str *pools = arena_alloc(memory, (given->pool_count + 1) * sizeof *pools);
        for (size_t k = 0; pools && k < given->pool_count; k++) {
            pools[k] = trace_keep(&b->trace, given->pools[k]);
            if (!pools[k].ptr) pools = NULL;
        }
        if (!pools) return fail_nomem(&r->error);
        b->catalogues[i] = karp_catalogue_ref(given->catalogue);
        b->catalogue_pools[i] = pools;
        b->catalogue_pool_counts[i] = given->pool_count;
        b->catalogue_count = i + 1;
    }
    return KARP_OK;
}

/* Opens the documents; one of them may contain the state of an interrupted replay. */
static karp_status open_objects(replay *r)
{
    replay_base *b = &r->base;
    karp_status status = karp_reader_new(b->context, NULL, &b->reader, &r->error);
    if (status) return status;
    b->objects = tree_new(&b->reader->trees, TREE_LIST);
    r->made = tree_new(&b->reader->trees, TREE_LIST);
    r->replaced = tree_new(&b->reader->trees, TREE_LIST);
    if (!b->objects || !r->made || !r->replaced) return fail_nomem(&r->error);
    b->reader->take = replay_take;
    b->reader->take_user = b->objects;
    for (size_t i = 0; i < r->options.object_count && !status; i++)
        status = document_read(b->reader, &r->options.objects[i], false, &r->error);
    b->reader->take_user = r->replaced;
    for (size_t i = 0; i < r->options.replaced_count && !status; i++)
        status = document_read(b->reader, &r->options.replaced[i], false, &r->error);
    b->reader->take_user = b->objects;
    return status ? status : replay_state_find(r);
}

/* The notes on the objects, or those of the replay that dumped them; ptr NULL = there are no more. */
static karp_str note_of_objects(const replay *r, const karp_reader *reader, size_t index)
{
    const tree *earlier = tree_get(r->base.state, "warnings");
    if (!r->base.state) return karp_reader_warning(reader, index);
    return index < tree_count(earlier) ? tree_text(tree_item(earlier, index)) : (karp_str){ NULL, 0 };
}

/* Problems come first: with the objects, then with what the trace applies unless they are among them. */
static bool gather_notes(replay *r, const karp_reader *reader, io_table *known, karp_str *notes)
{
    const trace *t = &r->base.trace;
    size_t count = 0, next = 0;
    karp_str text = note_of_objects(r, reader, 0);
    for (; str_starts(text, KARP_PROBLEM); text = note_of_objects(r, reader, ++next)) {
        if (!io_table_put(known, text, 1)) return false;
        notes[count++] = text;
    }
    for (size_t i = 0; i < t->problem_count; i++) {
        if (io_table_get(known, t->problems[i]) != IO_NONE) continue;
        if (!io_table_put(known, t->problems[i], 1)) return false;
        notes[count++] = t->problems[i];
    }
    for (; text.ptr; text = note_of_objects(r, reader, ++next)) notes[count++] = text;
    r->base.notes = notes;
    r->base.note_count = count;
    return true;
}

static karp_status keep_licences(replay *r, const karp_reader *reader)
{
    /* The dump has its types, whose prices are not built-in ones any more. */
    karp_str licences = r->base.state ? tree_get_text(r->base.state, "withoutLicences")
                                      : karp_reader_missing_licences(reader);
    if (licences.len > 0) r->base.licences = trace_keep(&r->base.trace, licences);
    if (licences.len > 0 && !r->base.licences.ptr) return fail_nomem(&r->error);
    if (r->write.licences.len == 0) r->write.licences = r->base.licences;
    return KARP_OK;
}

karp_status replay_keep_notes(replay *r, const karp_reader *reader)
{
    trace *t = &r->base.trace;
    size_t count = r->base.state ? tree_count(tree_get(r->base.state, "warnings")) : karp_reader_warning_count(reader);
    karp_str *notes = arena_alloc(&t->memory, (count + t->problem_count + 1) * sizeof *notes);
    io_table known;
    io_table_init(&known, r->base.context);
    bool kept = notes && gather_notes(r, reader, &known, notes);
    for (size_t i = 0; kept && i < r->base.note_count; i++) {
        notes[i] = trace_keep(t, notes[i]);
        kept = notes[i].ptr != NULL;
    }
    io_table_free(&known);
    if (!kept) r->base.note_count = 0;
    return kept ? keep_licences(r, reader) : fail_nomem(&r->error);
}

/* KARP_PEER_* of the policies, if it is one; else the newest. */
static uint32_t peer_of_policies(const replay *r)
{
    uint32_t version = KARP_PEER_NEWEST;
    for (size_t i = 0; i < r->options.policy_count; i++) {
        uint32_t profile, own = KARP_PEER_NEWEST;
        (void)karp_profile_parse(r->options.policies[i], &profile, &own);
        if (i > 0 && own != version) return KARP_PEER_NEWEST;
        version = own;
    }
    return version;
}

karp_status replay_note_results(replay *r)
{
    arena *memory = &r->base.trace.memory;
    karp_str *notes = arena_alloc(memory, (r->base.note_count + r->result_count + 2) * sizeof *notes);
    if (!notes) return fail_nomem(&r->error);
    if (r->base.note_count > 0) memcpy(notes, r->base.notes, r->base.note_count * sizeof *notes);
    r->base.notes = notes;
    if (r->rates_note[0]) notes[r->base.note_count++] = str(r->rates_note);
    for (size_t i = 0; i < r->result_count; i++) {
        const replay_result *result = &r->results[i];
        char text[700] = "";
        if (result->short_count == 0) continue;
        if (r->result_count > 1)
            str_append(text, sizeof text, "%.*s: ", str_shown(result->policy, 100), result->policy.ptr);
        str_append(text, sizeof text, "%s", result->short_text);
        if (result->short_count > 1)
            str_append(text, sizeof text, " (and %llu more such steps)", (unsigned long long)result->short_count - 1);
        notes[r->base.note_count] = trace_keep(&r->base.trace, str(text));
        if (!notes[r->base.note_count++].ptr) return fail_nomem(&r->error);
    }
    return KARP_OK;
}

static bool is_planned(const karp_reader *reader, const io_deferred *w)
{
    bool pod = w->info->kind == IO_KIND_POD && (w->gone || w->refused);
    return !pod || io_find_deferred(reader, str("Pod"), w->namespace_, w->name) != w; /* another one replaces it */
}

static karp_status note_left_out(replay *r, const karp_reader *reader)
{
    bool fine = true;
    strbuf key = strbuf_on(r->base.context);
    for (size_t i = 0; i < reader->deferred_count && fine; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (is_planned(reader, w)) continue;
        strbuf_clear(&key);
        strbuf_addname(&key, w->namespace_, w->name);
        fine = !key.failed && io_table_put(&r->left_out, (karp_str){ key.ptr, key.len }, 1);
    }
    strbuf_free(&key);
    return fine ? KARP_OK : fail_nomem(&r->error);
}

static bool has_snapshot(const tree *objects)
{
    bool found = false;
    for (size_t i = 0; i < tree_count(objects) && !found; i++)
        found = str_is(tree_get_text(tree_item(objects, i), "kind"), "Snapshot");
    return found;
}

/* Reads the objects as a snapshot, so that errors have their file and line. */
static karp_status check_objects(replay *r)
{
    karp_reader_options options;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_reader_options_init(&options, sizeof options);
    options.region = r->options.region.len ? r->options.region : r->base.trace.region;
    options.feature_gates = r->options.feature_gates;
    options.peer_version = peer_of_policies(r);
    options.keep_documents = 1;
    if (r->options.decision) options.previews = r->options.decision->flip_rules;
    if (has_snapshot(r->base.objects)) r->base.trace.has_cluster = false; /* its nodes are those of another time */
    if (r->base.trace.has_cluster && r->base.trace.cluster_at != KARP_NO_TIME) options.now = r->base.trace.cluster_at;
    options.editable = r->options.replaced_count > 0 || r->options.requests;
    karp_status status = karp_reader_new(r->base.context, &options, &reader, &r->error);
    if (!status) reader->mode.plays = true;
    if (!status) status = document_rules(reader, r->base.trace.ignored_kinds, r->base.trace.pods_from, &r->error);
    if (!status) status = replay_read_requests(r, reader);
    if (!status && r->options.catalogue) status = karp_reader_add_catalogue(reader, r->options.catalogue, &r->error);
    for (size_t i = 0; i < r->options.object_count && !status; i++)
        status = document_read(reader, &r->options.objects[i], false, &r->error);
    for (size_t i = 0; i < r->base.trace.object_count && !status; i++)
        status = add_object_of_trace(r, reader, &r->base.trace.objects[i]);
    for (size_t i = 0; i < r->options.replaced_count && !status; i++)
        status = document_read(reader, &r->options.replaced[i], true, &r->error);
    if (!status) status = karp_reader_finish(reader, &snapshot, &r->error);
    karp_str title = status ? str("") : karp_reader_catalogue_title(reader);
    if (!title.ptr) status = fail_nomem(&r->error);
    /* The dump of a replay contains its instance types, and the name of their source as a separate member. */
    if (!status && title.len == 0 && !r->options.catalogue) title = tree_get_text(r->base.state, "catalogue");
    if (!status) str_shorten(r->title, sizeof r->title, title);
    r->base.title = replay_catalogue(r);
    if (!status) status = replay_read_cluster(r, reader, snapshot);
    if (!status && !r->cluster.ptr) status = note_left_out(r, reader);
    if (!status && !r->cluster.ptr) status = replay_add_made(reader, &r->base.reader->trees, r->made, &r->error);
    if (!status) status = keep_catalogues(r, reader);
    if (!status) status = replay_keep_notes(r, reader);
    karp_snapshot_unref(snapshot);
    if (r->options.requests) r->sized = reader;
    else karp_reader_free(reader);
    return status;
}

static karp_status collect_objects(replay *r)
{
    replay_base *b = &r->base;
    karp_status status = KARP_OK;
    if (r->cluster.ptr) {
        tree *cluster = NULL;
        b->objects = tree_new(&b->reader->trees, TREE_LIST);
        if (!b->objects) return fail_nomem(&r->error);
        b->reader->take_user = b->objects;
        status = tree_read(&b->reader->trees, str("the cluster"), (karp_str){ r->cluster.ptr, r->cluster.len },
                           &cluster, &r->error);
        if (!status) tree_append(&b->reader->trees, b->objects, cluster);
    }
    for (size_t i = 0; i < b->trace.object_count && !status && !r->cluster.ptr; i++)
        status = karp_reader_add(b->reader, b->trace.objects[i].document, b->trace.objects[i].text, &r->error);
    if (!status) status = replay_open_snapshots(&b->reader->trees, b->objects, &b->head, &r->error);
    if (!status && !r->cluster.ptr) replay_replace(&b->reader->trees, b->objects, r->replaced);
    if (!status) status = replay_resize_objects(r);
    if (!status) replay_drop_workloads(b->reader, &b->reader->trees, b->objects);
    if (!status) replay_drop_pods(&b->reader->trees, b->objects, &r->left_out);
    for (size_t i = 0; i < tree_count(r->made); i++) tree_append(&b->reader->trees, b->objects, tree_item(r->made, i));
    if (!status && b->reader->trees.status) status = fail_nomem(&r->error);
    if (!status && b->head && r->options.catalogue) tree_remove(&b->reader->trees, b->head, "catalogues");
    bool pools = false;
    for (size_t i = 0; i < tree_count(b->objects) && !status; i++) {
        tree *object = tree_item(b->objects, i);
        replay_forget_status(&b->reader->trees, object);
        pools = pools || replay_is_pool(object);
    }
    if (!status && r->cluster.ptr) status = replay_take_nodes(r, &b->reader->trees);
    if (!status && !pools) status = fail(&r->error, KARP_E_INVALID, "a replay needs a NodePool: --nodepools FILE");
    return status;
}

static karp_status read_traces(replay *r)
{
    trace *t = &r->base.trace;
    karp_status status = KARP_OK;
    if (r->options.trace_count == 0 && !r->options.repack)
        return fail(&r->error, KARP_E_INVALID, "a replay needs a trace");
    t->ignored_kinds = r->options.ignored_kinds;
    t->pods_from = r->options.pods_from;
    for (size_t i = 0; i < r->options.trace_count && !status; i++)
        status = trace_read(t, r->options.format, &r->options.traces[i], r->options.lenient != 0, &r->error);
    return status;
}

/* ---- kube-scheduler ---------------------------------------------------------------------------------------------- */

/* Reads its configuration. */
static karp_status read_scheduler(replay *r)
{
    const karp_replay_options *o = &r->options;
    const karp_replay_document *given = o->scheduler_config;
    if (!given) return KARP_OK;
    r->base.scheduler = &r->scheduler;
    return kube_config_read(&r->scheduler, r->base.context, given->name, given->text, kube_minor(o->scheduler_minor),
                            &r->error);
}

/* ---- a repack plan ----------------------------------------------------------------------------------------------- */

/* Checks the plan before anything happens. */
static karp_status read_repack(replay *r)
{
    const karp_replay_document *document = r->options.repack;
    repack_plan_read plan;
    if (!document) return KARP_OK;
    strbuf file;
    karp_str text;
    karp_status status = document_text(r->base.context, document, &file, &text, &r->error);
    r->base.repack_name = document->name;
    r->base.repack_text = file.ptr && !status ? trace_keep(&r->base.trace, text) : text;
    strbuf_free(&file);
    if (!status && !r->base.repack_text.ptr) status = fail_nomem(&r->error);
    if (status) return status;
    repack_plan_begin(&plan, r->base.context);
    status = repack_plan_take(&plan, r->base.context, document->name, r->base.repack_text, &r->error);
    if (!status && r->base.starts == KARP_NO_TIME)
        status = fail(&r->error, KARP_E_INVALID,
                      "a repack plan is carried out on a cluster: the objects have no nodes");
    if (!status && plan.now != KARP_NO_TIME && !r->base.state) r->base.starts = plan.now;
    repack_plan_end(&plan);
    return status;
}

/* Without a trace only the plan is played. */
static void begin_with_plan(replay *r)
{
    trace *t = &r->base.trace;
    if (r->options.trace_count > 0 || !r->options.repack) return;
    t->begins = t->ends = r->base.starts;
    r->base.ends_with_plan = !r->options.until && !r->options.until_after;
}

/* Completes the trace: its start and its end, and the pods of the objects, which come first. */
static karp_status finish_trace(replay *r)
{
    trace *t = &r->base.trace;
    begin_with_plan(r);
    for (size_t i = 0; i < t->count; i++) {
        if (t->begins == KARP_NO_TIME || t->events[i].at < t->begins) t->begins = t->events[i].at;
    }
    if (t->begins == KARP_NO_TIME) t->begins = 0;
    if (t->begins < 0 || t->begins > REPLAY_LATEST)
        return fail(&r->error, KARP_E_RANGE, "the replay begins before 1970, or after 2115");
    bool goes_on = r->base.starts != KARP_NO_TIME;
    karp_status status = goes_on ? KARP_OK
                                 : replay_pods_of_objects(t, &r->base.reader->trees, r->base.objects, false, &r->error);
    if (!status && goes_on && t->has_cluster) status = replay_continue_trace(r); /* events may name its pods */
    if (!status) status = trace_finish(t, r->options.lenient != 0, &r->error);
    if (!status && goes_on && !t->has_cluster) status = replay_continue_trace(r);
    if (!status && goes_on && !t->has_cluster) status = trace_sort(t, &r->error);
    if (status) return status;
    if (r->base.ends_with_plan) t->ends = t->begins + LONGEST_PLAN;
    if (r->options.until) t->ends = r->options.until;
    if (r->options.until_after < 0 || r->options.until_after > LONGEST || r->options.dump_after < 0 ||
        r->options.dump_after > LONGEST)
        return fail(&r->error, KARP_E_RANGE, "the replay lasts longer than ten years");
    if (r->options.until_after) t->ends = t->begins + r->options.until_after;
    if (r->options.dump_after) r->options.dump_at = t->begins + r->options.dump_after;
    if (t->ends < t->begins) return fail(&r->error, KARP_E_INVALID, "the replay ends before it begins");
    if (r->base.state && t->ends < r->base.starts)
        return fail(&r->error, KARP_E_INVALID, "the replay ends before the time of the cluster that the objects have");
    if (t->ends - t->begins > LONGEST) return fail(&r->error, KARP_E_RANGE, "the replay lasts longer than ten years");
    for (size_t i = r->base.resumed_pods; i < t->count; i++) r->pods += t->events[i].kind == TRACE_POD_CREATED;
    r->pods += r->base.earlier_pods;
    return KARP_OK;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static karp_status settle_times(replay *r)
{
    karp_replay_options *o = &r->options;
    int64_t length = r->base.trace.ends - r->base.trace.begins;
    if (o->boot == KARP_DURATION_UNSET)
        o->boot = r->base.trace.boot != KARP_DURATION_UNSET ? r->base.trace.boot : 45 * SECOND;
    if (o->boot_jitter == KARP_DURATION_UNSET)
        o->boot_jitter = r->base.trace.boot != KARP_DURATION_UNSET ? 0 : 30 * SECOND;
    const int64_t given[] = { o->boot, o->boot_jitter, o->step, o->disruption_interval, o->initialization };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (given[i] >= 0 && given[i] <= INT64_MAX / 8) continue;
        return fail(&r->error, KARP_E_INVALID, "a duration of the replay is negative, or too long");
    }
    r->step = r->base.state            ? replay_state_step(r)
              : o->step                ? o->step
              : r->base.ends_with_plan ? MINUTE
                                       : replay_step(length);
    if (length / r->step > MOST_POINTS) return fail(&r->error, KARP_E_LIMIT, "a series of more than a million points");
    if (o->runs > MOST_RUNS) return fail(&r->error, KARP_E_INVALID, "a policy is replayed at most 10000 times");
    for (size_t i = 0; i < o->interruption_count; i++) {
        double rate = o->interruptions[i].per_hour;
        if (!(rate >= 0 && rate < 1e6))
            return fail(&r->error, KARP_E_INVALID, "a rate of interruptions is not a number from 0 to a million");
    }
    return KARP_OK;
}

static karp_status take_policy(replay *r, karp_str name, engine *e)
{
    karp_options_init(&e->decision, sizeof e->decision);
    if (r->options.decision) {
        karp_status status = struct_check(r->options.decision, sizeof e->decision,
                                          SIZE_THROUGH(karp_options, flip_quirks), &e->decision, "karp_options",
                                          &r->error);
        if (status) return status;
    }
    e->decision.explain = KARP_EXPLAIN_NONE;
    e->decision.now = 0;
    e->decision.profile = KARP_PROFILE_KARPENTER;
    e->decision.peer_version = KARP_PEER_NEWEST;
    e->meter.result.policy = name;
    karp_objective_init(&e->objective, sizeof e->objective);
    e->repacks = str_is(name, "cost+repack");
    if (e->repacks || str_is(name, "cost")) {
        e->objective.effort = KARP_EFFORT_10MS;
        e->objective.kind = KARP_OBJECTIVE_COST;
        e->decision.objective = &e->objective;
        return KARP_OK;
    }
    if (karp_profile_parse(name, &e->decision.profile, &e->decision.peer_version) == KARP_OK) return KARP_OK;
    char profiles[256] = "";
    for (size_t i = 0; karp_profile_at(i) != NULL; i++)
        str_append(profiles, sizeof profiles, "%s, ", karp_profile_at(i));
    return fail(&r->error, KARP_E_NOT_FOUND, "no such policy: %.*s (%scost, cost+repack)",
                (int)(name.len > 40 ? 40 : name.len), name.ptr, profiles);
}

static bool documents_given(const karp_replay_document *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!str_given(list[i].name)) return false;
    }
    return true;
}

/* Checks that only an empty text has a NULL pointer. */
static karp_status check_texts(replay *r)
{
    const karp_replay_options *o = &r->options;
    bool given = str_given(o->format) && str_given(o->region) && str_given(o->feature_gates) &&
                 str_given(o->scheduler) && (o->policies || o->policy_count == 0) &&
                 (o->interruptions || o->interruption_count == 0) && (o->traces || o->trace_count == 0) &&
                 (o->objects || o->object_count == 0) && (!o->repack || str_given(o->repack->name)) &&
                 (!o->scheduler_config || str_given(o->scheduler_config->name)) &&
                 (!o->interruption_table || str_given(o->interruption_table->name)) && str_given(o->ignored_kinds) &&
                 str_given(o->pods_from) && (!o->commitment_offers || str_given(o->commitment_offers->name)) &&
                 (o->usage || o->usage_count == 0);
    for (size_t i = 0; given && i < o->usage_count; i++)
        given = str_given(o->usage[i].document.name) && str_given(o->usage[i].resource);
    for (size_t i = 0; given && i < o->policy_count; i++) given = str_given(o->policies[i]);
    for (size_t i = 0; given && i < o->interruption_count; i++)
        given = str_given(o->interruptions[i].instance_type) && str_given(o->interruptions[i].zone);
    given = given && (o->replaced || o->replaced_count == 0);
    given = given && documents_given(o->traces, o->trace_count) && documents_given(o->objects, o->object_count) &&
            documents_given(o->replaced, o->replaced_count);
    return given ? KARP_OK : fail(&r->error, KARP_E_INVALID, "a list or a text of the options is NULL");
}

static karp_status check_scheduler(replay *r)
{
    const karp_replay_options *o = &r->options;
    if (o->scheduler.len && !str_is(o->scheduler, "kube-scheduler") && !str_is(o->scheduler, "simple"))
        return fail(&r->error, KARP_E_INVALID, "unknown scheduler: %.*s; known: kube-scheduler, simple",
                    str_shown(o->scheduler, 40), o->scheduler.ptr);
    if (o->scheduler_minor && (o->scheduler_minor < KUBE_OLDEST_MINOR || o->scheduler_minor > KUBE_NEWEST_MINOR))
        return fail(&r->error, KARP_E_UNSUPPORTED, "versions 1.%d to 1.%d of kube-scheduler are known",
                    KUBE_OLDEST_MINOR, KUBE_NEWEST_MINOR);
    if (o->scheduler_config && str_is(o->scheduler, "simple"))
        return fail(&r->error, KARP_E_INVALID, "a configuration is for kube-scheduler, not for the scheduler simple");
    if (o->scheduler_config && o->most_allocated)
        return fail(&r->error, KARP_E_INVALID,
                    "most allocated stands for a configuration of kube-scheduler, and another one is given: state the "
                    "scoringStrategy of NodeResourcesFit there");
    return KARP_OK;
}

static karp_status take_options(replay *r, const karp_replay_options *options, const karp_write_options *write)
{
    karp_status status = struct_check(options, sizeof r->options, SIZE_THROUGH(karp_replay_options, decision),
                                      &r->options, "karp_replay_options", &r->error);
    if (!status) status = check_texts(r);
    if (!status) status = check_write_options(write, &r->write, &r->error);
    if (!status && r->options.dump_at && r->write.values)
        status = fail(&r->error, KARP_E_UNSUPPORTED, "a dump is not handed over as values");
    uint32_t format = r->write.format;
    if (!status && format != KARP_FORMAT_JSON && format != KARP_FORMAT_TEXT && format != KARP_FORMAT_CSV &&
        format != KARP_FORMAT_HTML && format != KARP_FORMAT_YAML)
        status = fail(&r->error, KARP_E_UNSUPPORTED, "a replay is not written in that format");
    if (!status && format == KARP_FORMAT_YAML && !r->options.commitment_offers)
        status = fail(&r->error, KARP_E_INVALID, "YAML are the NodeOverlays of commitments: state the offers");
    if (!status) status = check_scheduler(r);
    if (!status && r->options.policy_count > MOST_POLICIES)
        status = fail(&r->error, KARP_E_LIMIT, "more than %d policies", (int)MOST_POLICIES);
    for (size_t i = 0; i < r->options.policy_count && !status; i++) {
        engine unused = { .context = r->base.context };
        status = take_policy(r, r->options.policies[i], &unused);
    }
    return status;
}

karp_status replay_prepare(replay *r)
{
    karp_status status = read_scheduler(r);
    if (!status) status = replay_read_rates(r);
    if (!status) status = commit_read_offers(r);
    if (!status) status = open_objects(r);
    if (!status) status = check_objects(r);
    if (!status) status = collect_objects(r);
    if (!status) status = read_repack(r);
    if (!status) status = finish_trace(r);
    return status ? status : settle_times(r);
}

/* ---- policies ---------------------------------------------------------------------------------------------------- */

static engine *new_engine(const replay *r)
{
    engine *e = mem_alloc(r->base.context, sizeof *e);
    if (!e) return NULL;
    engine_init(e, &r->base);
    e->meter.step = r->step;
    e->ends = r->base.trace.ends;
    return e;
}

static karp_status run_policy(replay *r, size_t index, replay_result *result, int64_t *ended)
{
    engine *e = new_engine(r);
    if (!e) return fail_nomem(&r->error);
    if (result == &r->results[index]) e->commit_memory = &r->base.trace.memory;
    karp_status status = take_policy(r, replay_policy(r, index), e);
    if (!status) {
        status = engine_begin(e);
        if (!status) status = engine_run(e);
        if (status) r->error = e->error;
    }
    if (!status) {
        *result = e->meter.result;
        if (e->ends > *ended) *ended = e->ends;
        e->meter.result.repack.attempts = NULL;
        e->meter.result.repack.attempt_capacity = 0;
        e->meter.result.points = NULL;
        e->meter.result.point_capacity = 0;
    }
    engine_free(e);
    mem_free(r->base.context, e, sizeof *e);
    return status;
}

static void free_result(karp_context *c, replay_result *p)
{
    karp_free(c, p->points, p->point_capacity * sizeof *p->points);
    karp_free(c, p->repack.attempts, p->repack.attempt_capacity * sizeof *p->repack.attempts);
    spread_free(p, c);
}

/* Replays the policy again with the seeds that follow; the first run is done. */
static karp_status run_again(replay *r, size_t index, int64_t *ended)
{
    const uint64_t seed = r->options.seed;
    replay_result *total = &r->results[index];
    if (r->options.runs < 2) return KARP_OK;
    if (!spread_begin(total, r->base.context, (size_t)r->options.runs)) return fail_nomem(&r->error);
    spread_add(total, total);
    karp_status status = KARP_OK;
    for (uint64_t i = 1; i < r->options.runs && !status; i++) {
        replay_result run = { 0 };
        r->options.seed = seed + i;
        status = run_policy(r, index, &run, ended);
        if (!status) spread_add(total, &run);
        free_result(r->base.context, &run);
    }
    r->options.seed = seed;
    if (!status && !spread_end(total, r->base.context)) status = fail_nomem(&r->error);
    return status;
}

static karp_status run_all(replay *r)
{
    r->result_count = r->options.policy_count ? r->options.policy_count : 1;
    r->results = mem_zalloc(r->base.context, r->result_count * sizeof *r->results);
    if (!r->results) return fail_nomem(&r->error);
    karp_status status = KARP_OK;
    int64_t ended = r->base.trace.begins;
    for (size_t i = 0; i < r->result_count && !status; i++) {
        status = run_policy(r, i, &r->results[i], &ended);
        if (!status) status = run_again(r, i, &ended);
    }
    if (r->base.ends_with_plan) r->base.trace.ends = ended;
    return status ? status : replay_note_results(r);
}

static karp_status write_result(replay *r, karp_text *out)
{
    write_buffer buffer;
    buffer_begin(&buffer, r->base.context, &r->write);
    switch (r->write.format) {
    case KARP_FORMAT_TEXT: replay_write_text(r, &buffer); break;
    case KARP_FORMAT_CSV: replay_write_csv(r, &buffer); break;
    case KARP_FORMAT_YAML: commit_as_yaml(&r->results[0], &buffer); break;
    case KARP_FORMAT_HTML: replay_write_html(r, "karp replay", &buffer); break;
    default: replay_write_json(r, &buffer);
    }
    if (r->write.format == KARP_FORMAT_TEXT) text_fold_buffer(&buffer, r->write.width);
    return buffer_finish(&buffer, out, &r->error);
}

static karp_status dump_at(replay *r, karp_text *out)
{
    engine *e = new_engine(r);
    if (!e) return fail_nomem(&r->error);
    karp_status status = take_policy(r, replay_policy(r, 0), e);
    if (!status && (r->options.dump_at < r->base.trace.begins || r->options.dump_at > e->ends))
        status = fail(&r->error, KARP_E_INVALID, "the instant of the dump is not in the replay");
    if (!status) {
        e->ends = r->base.trace.begins + 2 * LONGEST; /* later events are in progress all the same */
        status = engine_begin(e);
        if (!status) status = engine_run_until(e, r->options.dump_at);
        if (!status) status = engine_dump(e, out);
        if (status) r->error = e->error;
    }
    engine_free(e);
    mem_free(r->base.context, e, sizeof *e);
    return status;
}

static void replay_free(replay *r)
{
    karp_context *c = r->base.context;
    for (size_t i = 0; r->results && i < r->result_count; i++) free_result(c, &r->results[i]);
    karp_free(c, r->results, r->result_count * sizeof *r->results);
    for (size_t i = 0; i < r->base.catalogue_count; i++) karp_catalogue_unref(r->base.catalogues[i]);
    karp_reader_free(r->sized);
    karp_reader_free(r->base.reader);
    kube_config_free(&r->scheduler);
    io_table_free(&r->left_out);
    karp_text_free(&r->cluster);
    trace_free(&r->base.trace);
}

karp_status karp_replay(karp_context *context, const karp_replay_options *options, const karp_write_options *write,
                        karp_text *out, karp_error *error)
{
    replay r;
    memset(&r, 0, sizeof r);
    karp_error_init(&r.error, sizeof r.error);
    if (!context || !options || !out) {
        (void)fail(&r.error, KARP_E_INVALID, "a context, options and a place for the text are needed");
        return error_give(&r.error, error);
    }
    r.base.context = context;
    r.base.options = &r.options;
    r.base.starts = KARP_NO_TIME;
    io_table_init(&r.left_out, context);
    trace_init(&r.base.trace, context);
    karp_status status = take_options(&r, options, write);
    if (!status) status = read_traces(&r);
    if (!status) status = replay_prepare(&r);
    if (!status && r.options.dump_at) status = dump_at(&r, out);
    else if (!status) status = run_all(&r);
    if (!status && !r.options.dump_at) status = replay_give_outcome(&r);
    if (!status && !r.options.dump_at) status = write_result(&r, out);
    if (status) {
        status = karp_context_refusal(context, status, &r.error);
        r.error.status = status;
        (void)error_give(&r.error, error);
    }
    replay_free(&r);
    return status;
}
