/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/scratch.h>
#include <base/strbuf.h>

#include <base/error.h>

#include <karp/library.h>

enum { ALIGN = 8 };

_Static_assert(_Alignof(karp_instance_type) <= ALIGN && _Alignof(double) <= ALIGN, "what pieces are used for");

void scratch_init(scratch *s, karp_context *context)
{
    *s = (scratch){ .context = context };
    arena_init(&s->pieces, context);
}

void scratch_init_on(scratch *s, const karp_provider_memory *memory) { *s = (scratch){ .memory = memory }; }

void scratch_free(scratch *s) { arena_free(&s->pieces); }

void *scratch_alloc(scratch *s, size_t bytes)
{
    if (s->failed) return NULL;
    if (bytes == 0) bytes = 1;
    void *piece = s->memory ? s->memory->alloc(bytes, s->memory->user) : arena_alloc_aligned(&s->pieces, bytes, ALIGN);
    s->failed = piece == NULL;
    return piece;
}

void *scratch_array(scratch *s, size_t count, size_t elem)
{
    size_t bytes = 0;
    void *piece = size_mul(count, elem, &bytes) ? scratch_alloc(s, bytes) : NULL;
    if (piece) memset(piece, 0, bytes);
    else s->failed = true;
    return piece;
}

bool scratch_grow(scratch *s, void **list, size_t *capacity, size_t need, size_t elem)
{
    s->failed = s->failed || s->memory || !arena_grow(&s->pieces, list, capacity, need, elem);
    return !s->failed;
}

karp_str scratch_text(scratch *s, karp_str text)
{
    karp_str none = TEXT("");
    char *copy = text.len < SIZE_MAX ? scratch_alloc(s, text.len + 1) : NULL;
    if (!copy) return none;
    if (text.len) memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (karp_str){ copy, text.len };
}

karp_str scratch_uint_unit(scratch *s, uint64_t value, const char *unit)
{
    char text[32];
    size_t length = write_digits(text, value), unit_length = strlen(unit);
    if (unit_length > 8) unit_length = 8;
    memcpy(text + length, unit, unit_length);
    return scratch_text(s, (karp_str){ text, length + unit_length });
}

karp_str scratch_uint(scratch *s, uint64_t value) { return scratch_uint_unit(s, value, ""); }

/* ---- memory of the host ------------------------------------------------------------------------------------------ */

/* A catalogue to which results refer. */
typedef struct held {
    karp_catalogue *catalogue;
    struct held *older;
} held;

/* The public struct must be the first member, because the caller has a pointer to it. */
typedef struct host_memory {
    karp_provider_memory public_part;
    scratch pieces;
    karp_context *context;
    karp_catalogue *keep_alive; /* an empty catalogue, which keeps the context alive */
    held *catalogues;
} host_memory;

static void *piece(size_t bytes, void *user) { return scratch_alloc(user, bytes); }

void memory_of_scratch(scratch *s, karp_provider_memory *out)
{
    *out = (karp_provider_memory){ .size = sizeof *out, .alloc = piece, .user = s };
}

static void *host_piece(size_t bytes, void *user)
{
    host_memory *m = user;
    return scratch_alloc(&m->pieces, bytes);
}

karp_status karp_provider_memory_new(karp_context *context, karp_provider_memory **out, karp_error *error)
{
    if (!context || !out) return fail_null(error, "context or out");
    host_memory *m = karp_alloc(context, sizeof *m);
    if (!m) return fail_nomem(error);
    memset(m, 0, sizeof *m);
    karp_status status = karp_catalogue_new(context, NULL, 0, &m->keep_alive, error);
    if (status) {
        karp_free(context, m, sizeof *m);
        return status;
    }
    m->context = context;
    scratch_init(&m->pieces, context);
    m->public_part = (karp_provider_memory){ .size = sizeof m->public_part, .alloc = host_piece, .user = m };
    *out = &m->public_part;
    return KARP_OK;
}

karp_status memory_keep_catalogue(const karp_provider_memory *memory, karp_catalogue *catalogue, karp_error *error)
{
    host_memory *m = memory->alloc == host_piece ? memory->user : NULL;
    held *entry = m ? scratch_alloc(&m->pieces, sizeof *entry) : NULL;
    if (!entry) {
        karp_catalogue_unref(catalogue);
        return m ? fail_nomem(error)
                 : provider_fail(error, KARP_E_INVALID, "memory", "is not from karp_provider_memory_new()");
    }
    *entry = (held){ catalogue, m->catalogues };
    m->catalogues = entry;
    return KARP_OK;
}

void karp_provider_memory_free(karp_provider_memory *memory)
{
    if (!memory) return;
    host_memory *m = (host_memory *)(void *)memory;
    karp_catalogue *keep_alive = m->keep_alive;
    for (const held *h = m->catalogues; h; h = h->older) karp_catalogue_unref(h->catalogue);
    scratch_free(&m->pieces);
    karp_free(m->context, m, sizeof *m);
    karp_catalogue_unref(keep_alive);
}
