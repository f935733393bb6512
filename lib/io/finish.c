/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles the end of the input: fills in and adds deferred objects, passes catalogues to the builder, creates the
 * snapshot.
 */
#include <io/builtin.h>
#include <io/change.h>
#include <io/clouds.h>
#include <io/notes.h>
#include <io/owner.h>
#include <io/pod_makers.h>
#include <io/replaced.h>
#include <io/sizes.h>
#include <io/verticals.h>

#include <karp/inspect.h>
#include <karp/library.h>

/* ---- deferred objects -------------------------------------------------------------------------------------------- */

karp_status io_add_filled(io_filler *f, const io_kind_info *info, const tree *root, const io_place *place)
{
    if (f->t->status) return io_reader_nomem(f->reader);
    karp_status status = io_object_add(f->reader, info, root, place);
    return status ? status : io_keep_object(f->reader, info, root);
}

/* Adds an object of a Snapshot. Nothing is filled in. */
static karp_status add_stated(karp_reader *reader, const io_deferred *w)
{
    /* The others were added, and buffers kept, when they were read. */
    if (!w->held && w->info->kind != IO_KIND_CAPACITY_BUFFER) return KARP_OK;
    karp_status status = io_object_add(reader, w->info, w->root, &w->place);
    return status || !w->held ? status : io_keep_object(reader, w->info, w->root);
}

/* The work of decoding one object, at least. */
enum { OF_AN_OBJECT = 4096 };

karp_status io_first_mistake(karp_reader *reader, size_t count, karp_status status)
{
    if (status == KARP_E_NOMEM) return status;
    for (size_t i = 0; i < count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (!karp_context_work(reader->context, OF_AN_OBJECT)) return io_reader_nomem(reader);
        karp_status found = w->gone || !w->root ? KARP_OK : io_object_check(reader, w->info, w->root, &w->place);
        if (found) return found;
    }
    return status;
}

/* The builder refused the object as a duplicate. */
static void name_first(karp_reader *reader, const io_deferred *second)
{
    for (const io_deferred *w = reader->deferred; w < second; w++) {
        if (w->info != second->info || w->gone || !equal_str(w->name, second->name) ||
            !equal_str(w->namespace_, second->namespace_))
            continue;
        io_error_first(reader, &w->place);
        return;
    }
}

/* The texts of pods are far between. */
static void fetch_ahead(const io_deferred *w, size_t left)
{
    enum { AHEAD = 8 };
    if (left <= AHEAD) return;
    __builtin_prefetch(w[AHEAD].name.ptr);
    if (w[AHEAD].like == NO_ID) {
        __builtin_prefetch(w[AHEAD].root);
    } else {
        __builtin_prefetch(w[AHEAD].uid);
        __builtin_prefetch(w[AHEAD].uid + w[AHEAD].uid_length - 1);
    }
}

static karp_status add_deferred(karp_reader *reader, io_filler *filler)
{
    for (size_t i = 0; i < reader->deferred_count; i++) {
        io_deferred *w = &reader->deferred[i];
        fetch_ahead(w, reader->deferred_count - i);
        if (!karp_context_work(reader->context, OF_AN_OBJECT)) return io_reader_nomem(reader);
        io_pod_trees_free(reader, i);
        if (w->gone) continue;
        karp_status status = w->stated ? add_stated(reader, w) : io_fill(filler, w);
        if (status && !w->stated) status = io_leave_out(reader, status, w->root, &w->place);
        bool pod = w->info->kind == IO_KIND_POD;
        if (status == KARP_E_DUPLICATE) name_first(reader, w);
        if (pod) w->root = NULL;
        /* Nothing wrong comes to a pod from objects after it. */
        if (status) return io_first_mistake(reader, pod ? i : reader->deferred_count, status);
    }
    io_pod_trees_free(reader, reader->deferred_count);
    return KARP_OK;
}

/* ---- what the whole input lacks ---------------------------------------------------------------------------------- */

/* Pods of plain objects wait, but no NodePool was read. */
static karp_status note_no_pool(karp_reader *reader, const karp_snapshot *snapshot)
{
    karp_snapshot_counts counts = { .size = sizeof counts };
    karp_str group, kind;
    char plural[64] = "";
    bool plain = false;
    karp_snapshot_get_counts(snapshot, &counts);
    if (counts.node_pools > 0 || counts.pods_to_place == 0 || reader->options.no_lint_notes) return KARP_OK;
    for (size_t i = 0; i < reader->deferred_count && !plain; i++) plain = !reader->deferred[i].stated;
    if (!plain) return KARP_OK;
    io_usual_class(reader, NULL, &group, &kind);
    str_shorten(plural, sizeof plural, kind);
    for (char *c = plural; *c; c++) *c = ascii_lower(*c);
    return io_warn(reader,
                   "the input has no NodePool, so nothing can be launched; those of a cluster: kubectl get "
                   "nodepools,%ses -o yaml",
                   plural);
}

/* ---- the time, and all steps together ---------------------------------------------------------------------------- */

static karp_status settle_now(karp_reader *reader)
{
    static const int64_t new_year_2026 = INT64_C(1767225600) * 1000000000;
    if (reader->options.now) reader->asked.now = reader->options.now;
    else if (!reader->asked.has_now)
        reader->asked.now = reader->asked.latest == KARP_NO_TIME ? new_year_2026 : reader->asked.latest;
    int64_t later = reader->options.now_later;
    if (later > 0 ? reader->asked.now > INT64_MAX - later : reader->asked.now < INT64_MIN - later)
        return fail(&reader->error, KARP_E_RANGE, "the clock would be beyond the year 2262");
    reader->asked.now += later;
    return karp_builder_set_now(reader->builder, reader->asked.now, &reader->error);
}

/* Does what needs all objects and precedes their addition. */
static karp_status settle(karp_reader *reader, io_filler *filler)
{
    karp_status status = io_leave_out_wrong(reader);
    if (status == KARP_OK) status = io_settle_changes(reader);
    if (status == KARP_OK) status = io_settle_owned(reader);
    if (status == KARP_OK) status = io_settle_hooks(reader);
    if (status == KARP_OK) status = io_settle_makers(reader);
    if (status == KARP_OK) status = io_settle_autoscalers(reader);
    if (status == KARP_OK) status = io_settle_sizes(reader);
    if (status == KARP_OK) status = io_settle_predictions(reader);
    if (status == KARP_OK) status = settle_now(reader);
    if (status == KARP_OK) status = io_settle_clouds(reader);
    if (status == KARP_OK) status = io_settle_labels(reader);
    if (status == KARP_OK) status = io_settle_catalogues(reader);
    return status ? status : io_filler_begin(filler, reader);
}

karp_status io_finish(karp_reader *reader, karp_snapshot **out)
{
    karp_snapshot *snapshot = NULL;
    io_filler filler;
    karp_status status = settle(reader, &filler);
    if (status) return io_first_mistake(reader, reader->deferred_count, status);
    status = add_deferred(reader, &filler);
    if (status == KARP_OK) status = io_filler_end(&filler);
    if (status == KARP_OK) status = io_give_catalogues(reader);
    if (status == KARP_OK) status = karp_builder_finish(reader->builder, &snapshot, &reader->error);
    if (status == KARP_OK) status = io_drift_replaced(reader, &filler, &snapshot);
    io_filler_free(&filler);
    if (status == KARP_OK) status = io_sizes_end(reader);
    if (status == KARP_OK) status = io_values_note(reader);
    if (status == KARP_OK) status = io_resources_note(reader);
    if (status == KARP_OK) status = io_clouds_note(reader);
    if (status == KARP_OK) status = io_regions_note(reader);
    if (status == KARP_OK) status = io_class_kinds_note(reader);
    if (status == KARP_OK) status = io_class_zones_note(reader);
    if (status == KARP_OK) status = io_licences_note(reader);
    if (status == KARP_OK) status = io_retired_note(reader);
    if (status == KARP_OK) status = io_unused_note(reader);
    if (status == KARP_OK) status = io_attachments_note(reader);
    if (status == KARP_OK) status = io_legacy_repair_note(reader, snapshot);
    if (status == KARP_OK) status = note_no_pool(reader, snapshot);
    if (status == KARP_OK) *out = snapshot;
    else karp_snapshot_unref(snapshot);
    return status;
}
