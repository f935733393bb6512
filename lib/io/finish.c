/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the input: waiting objects are filled in and added, catalogues given, the snapshot made. */
#include <io/builtin.h>
#include <io/fill.h>

#include <string.h>

/* ---- CapacityBuffers --------------------------------------------------------------------------------------------- */

static uint32_t template_number(const karp_reader *reader, const json_t *tree)
{
    const json_t *metadata = io_get(tree, "metadata"), *spec = io_get(tree, "spec"), *status = io_get(tree, "status");
    karp_str namespace_ = io_get_text(metadata, "namespace");
    if (namespace_.len == 0) namespace_ = io_str("default");
    const json_t *ref = io_get(spec, "podTemplateRef");
    if (!ref) ref = io_get(status, "podTemplateRef");
    if (ref) return io_find(reader, "PodTemplate", namespace_, io_get_text(ref, "name"));
    ref = io_get(spec, "scalableRef");
    if (!ref) return IO_NONE;
    static const char *const scalable[] = { "Deployment", "StatefulSet", "ReplicaSet" };
    for (size_t i = 0; i < 3; i++) {
        if (io_str_is(io_get_text(ref, "kind"), scalable[i]))
            return io_find(reader, scalable[i], namespace_, io_get_text(ref, "name"));
    }
    return IO_NONE;
}

karp_status io_add_buffer(karp_reader *reader, io_decoder *d, const json_t *tree, karp_capacity_buffer *buffer)
{
    uint32_t number = template_number(reader, tree);
    json_t *owner = NULL;
    if (number < reader->waiting_count) {
        const io_waiting *w = &reader->waiting[number];
        owner = io_waiting_tree(reader, w);
        if (!owner) return reader->error.status;
        const json_t *from = w->info->kind == IO_KIND_POD_TEMPLATE ? owner : io_get(owner, "spec");
        karp_pod *pod = io_make(d, 1, sizeof *pod);
        if (pod) io_decode_template(d, io_get(from, "template"), pod);
        buffer->template_ = pod;
    }
    karp_status status = d->status;
    if (status == KARP_OK) status = karp_builder_add_capacity_buffer(reader->builder, buffer, &reader->error);
    json_decref(owner);
    return status;
}

/* ---- waiting objects --------------------------------------------------------------------------------------------- */

json_t *io_waiting_tree(karp_reader *reader, const io_waiting *w)
{
    io_cursor text;
    io_cursor_init(&text, w->text, UINT32_MAX);
    return io_parse(reader->context, &text, w->document, &reader->error);
}

io_place io_waiting_place(const io_waiting *w)
{
    return (io_place){ .document = w->document, .line = w->line, .column = w->column, .offset = w->offset };
}

karp_status io_add_filled(karp_reader *reader, const io_kind_info *info, const json_t *tree, const io_place *place)
{
    karp_status status = io_object_use(reader, info, tree, place, true);
    return status ? status : io_keep_object(reader, info, tree);
}

static karp_status add_waiting(karp_reader *reader, io_filler *filler)
{
    for (size_t i = 0; i < reader->waiting_count; i++) {
        const io_waiting *w = &reader->waiting[i];
        if (w->stated && w->info->kind != IO_KIND_CAPACITY_BUFFER) continue;
        json_t *tree = io_waiting_tree(reader, w);
        if (!tree) return reader->error.status;
        io_place place = io_waiting_place(w);
        karp_status status = w->stated ? io_object_use(reader, w->info, tree, &place, true)
                                       : io_fill(filler, w, tree, &place);
        json_decref(tree);
        if (status) return status;
    }
    return KARP_OK;
}

/* ---- the clock, and all together --------------------------------------------------------------------------------- */

static karp_status settle_now(karp_reader *reader)
{
    static const int64_t new_year_2026 = INT64_C(1767225600) * 1000000000;
    if (reader->options.now) {
        reader->now = reader->options.now;
    } else if (!reader->has_now) {
        reader->now = reader->latest == KARP_NO_TIME ? new_year_2026 : reader->latest;
    }
    return karp_builder_set_now(reader->builder, reader->now, &reader->error);
}

karp_status io_finish(karp_reader *reader, karp_snapshot **out)
{
    karp_snapshot *snapshot = NULL;
    io_filler filler;
    karp_status status = settle_now(reader);
    if (status == KARP_OK) status = io_settle_labels(reader);
    if (status == KARP_OK) status = io_settle_catalogues(reader);
    if (status == KARP_OK) status = io_filler_begin(&filler, reader);
    if (status) return status;
    status = add_waiting(reader, &filler);
    if (status == KARP_OK) status = io_filler_end(&filler);
    io_filler_free(&filler);
    if (status == KARP_OK) status = karp_builder_finish(reader->builder, &snapshot, &reader->error);
    if (status == KARP_OK) *out = snapshot;
    return status;
}
