/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/twin.h>

#include <replay/document.h>
#include <io/owner.h>
#include <replay/patch.h>

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static karp_status wrong_line(karp_str name, uint32_t number, const char *why, karp_error *error)
{
    karp_status status = fail(error, KARP_E_INVALID, "%s", why);
    error_set_place(error, name, number, 0, KARP_NO_OFFSET);
    return status;
}

static karp_status add_look(recording *r, karp_str name, uint32_t number, const tree *root, karp_error *error)
{
    recording_look look = { .objects = tree_get(root, "objects"),
                            .gone = tree_get(root, "gone"),
                            .patched = tree_get(root, "patched") };
    look.whole = look.objects != NULL;
    if (!look.whole) look.objects = tree_get(root, "changed");
    if (karp_time_parse(tree_get_text(root, "now"), &look.at))
        return wrong_line(name, number, "now: not a time", error);
    if (r->count == 0 && !look.whole)
        return wrong_line(name, number, "a recording begins with a line of kind Recording", error);
    if (r->count > 0 && look.at <= r->looks[r->count - 1].at)
        return wrong_line(name, number, "time goes back: lines come in the order of their times", error);
    if (!grow(r->context, (void **)&r->looks, &r->capacity, r->count + 1, sizeof *r->looks)) return fail_nomem(error);
    r->looks[r->count++] = look;
    return KARP_OK;
}

static karp_status read_part(recording *r, karp_str name, karp_str text, karp_error *error)
{
    karp_status status = KARP_OK;
    uint32_t number = 0;
    for (size_t at = 0, end; at < text.len && !status; at = end + 1) {
        const char *feed = memchr(text.ptr + at, '\n', text.len - at);
        tree *root = NULL;
        end = feed ? (size_t)(feed - text.ptr) : text.len;
        number++;
        if (end == at) continue;
        status = tree_read(&r->t, name, (karp_str){ text.ptr + at, end - at }, &root, error);
        if (status == KARP_E_SYNTAX && !feed) { /* the recording was interrupted in it */
            r->skipped++;
            karp_error_init(error, sizeof *error);
            return KARP_OK;
        }
        if (!status) status = add_look(r, name, number, root, error);
        else if (error->line <= 1) error->line = number;
    }
    return status;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static recording_row *row_of(recording *r, karp_str key)
{
    uint32_t *number = io_table_at(&r->index, key);
    if (number && *number == IO_NONE) {
        if (!grow(r->context, (void **)&r->rows, &r->row_capacity, r->row_count + 1, sizeof *r->rows)) return NULL;
        r->rows[r->row_count] = (recording_row){ 0 };
        *number = (uint32_t)r->row_count++;
    }
    return number ? &r->rows[*number] : NULL;
}

static recording_row *row_of_object(recording *r, const tree *object)
{
    strbuf key = strbuf_on(r->context);
    strbuf_addstr(&key, tree_get_text(object, "kind"));
    strbuf_addc(&key, '/');
    strbuf_addname(&key, io_namespace(object), tree_get_text(tree_get(object, "metadata"), "name"));
    recording_row *row = key.failed ? NULL : row_of(r, (karp_str){ key.ptr, key.len });
    strbuf_free(&key);
    return row;
}

/* Adds what the patches of a look make of the objects to its objects. */
static karp_status expand(recording *r, recording_look *look, karp_error *error)
{
    tree *objects = tree_copy_or_new(&r->t, look->objects, TREE_LIST);
    for (size_t k = 0; k < tree_count(look->patched); k++) {
        const tree *entry = tree_item(look->patched, k);
        karp_str like = tree_get_text(entry, "like"), own = tree_get_text(entry, "object");
        const recording_row *from = row_of(r, like.len ? like : own);
        tree *object = tree_copy(&r->t, from ? from->last : NULL);
        if (from && !object)
            return fail(error, KARP_E_INVALID, "patched: an object that the recording has not had before");
        patch_apply(&r->t, object, tree_get(entry, "patch"));
        recording_row *row = object ? row_of_object(r, object) : NULL;
        if (!row) return fail_nomem(error);
        row->last = object;
        tree_append(&r->t, objects, object);
    }
    look->objects = objects;
    return r->t.status ? fail_nomem(error) : KARP_OK;
}

static karp_status index_all(recording *r, karp_error *error)
{
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < tree_count(r->looks[i].objects); k++) {
            recording_row *row = row_of_object(r, tree_item(r->looks[i].objects, k));
            if (!row) return fail_nomem(error);
            row->last = tree_item(r->looks[i].objects, k);
        }
        karp_status status = r->looks[i].patched ? expand(r, &r->looks[i], error) : KARP_OK;
        if (status) return status;
        for (size_t k = 0; k < tree_count(r->looks[i].gone); k++) {
            if (!row_of(r, tree_text(tree_item(r->looks[i].gone, k)))) return fail_nomem(error);
        }
    }
    return KARP_OK;
}

karp_status recording_read(recording *r, karp_context *context, const karp_replay_document *parts, size_t count,
                           karp_error *error)
{
    *r = (recording){ .context = context };
    trees_init(&r->t, context);
    io_table_init(&r->index, context);
    r->texts = mem_zalloc(context, (count + 1) * sizeof *r->texts);
    if (!r->texts) return fail_nomem(error);
    r->text_count = count;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && !status; i++) {
        karp_str text;
        status = document_text(context, &parts[i], &r->texts[i], &text, error);
        if (!status) status = read_part(r, parts[i].name, text, error);
    }
    if (!status && r->count == 0) status = fail(error, KARP_E_INVALID, "a recording without a line");
    return status ? status : index_all(r, error);
}

void recording_free(recording *r)
{
    for (size_t i = 0; r->texts && i < r->text_count; i++) strbuf_free(&r->texts[i]);
    if (r->texts) mem_free(r->context, r->texts, (r->text_count + 1) * sizeof *r->texts);
    mem_free(r->context, r->looks, r->capacity * sizeof *r->looks);
    mem_free(r->context, r->rows, r->row_capacity * sizeof *r->rows);
    io_table_free(&r->index);
    trees_free(&r->t);
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */

static void change(recording_row *row, const tree *to)
{
    if (!row) return; /* every row was made when the recording was read */
    row->next = to;
    row->changed = true;
}

void recording_take(recording *r, size_t look)
{
    const recording_look *l = &r->looks[look];
    for (size_t i = 0; l->whole && i < r->row_count; i++) {
        if (r->rows[i].now) change(&r->rows[i], NULL);
    }
    for (size_t k = 0; k < tree_count(l->gone); k++) change(row_of(r, tree_text(tree_item(l->gone, k))), NULL);
    for (size_t k = 0; k < tree_count(l->objects); k++) {
        const tree *object = tree_item(l->objects, k);
        change(row_of_object(r, object), object);
    }
}

void recording_settle(recording *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        r->rows[i].now = r->rows[i].next;
        r->rows[i].changed = false;
    }
}

static void recall(recording_row *row, const tree *to)
{
    if (row) row->then = to;
}

void recording_recall(recording *r, int64_t at)
{
    for (; r->recalled < r->count && r->looks[r->recalled].at <= at; r->recalled++) {
        const recording_look *l = &r->looks[r->recalled];
        for (size_t i = 0; l->whole && i < r->row_count; i++) r->rows[i].then = NULL;
        for (size_t k = 0; k < tree_count(l->gone); k++) recall(row_of(r, tree_text(tree_item(l->gone, k))), NULL);
        for (size_t k = 0; k < tree_count(l->objects); k++)
            recall(row_of_object(r, tree_item(l->objects, k)), tree_item(l->objects, k));
    }
}
