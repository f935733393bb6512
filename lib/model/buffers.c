/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capacity buffers as virtual pods: each buffer reserves capacity for as many pods of its
 * template as it has replicas.
 */
#include <model/prepare.h>

#include <base/error.h>
#include <base/sort.h>
#include <base/strbuf.h>
#include <model/store_pods.h>

static bool provisions(const capacity_buffer *b) { return b->ready && b->has_template && b->replicas > 0; }

static int by_buffer_name(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *s = user;
    const object *a = &s->raw.buffers.items[x].meta, *b = &s->raw.buffers.items[y].meta;
    int order = compare_str(text_of(s, a->name_space), text_of(s, b->name_space));
    return order != 0 ? order : compare_str(name_of(s, a->name), name_of(s, b->name));
}

/* "capacity-buffer-NAME-i" with uid "UID-i". They are created one after another, which decides in which order they are
 * placed: their uids would put 10 before 2. */
static bool add_pod(karp_snapshot *s, const capacity_buffer *b, uint64_t i, int64_t made, strbuf *text)
{
    pod p = { .name_space = b->meta.name_space,
              .shape = b->shape,
              .labels = b->labels,
              .claims = b->claims,
              .node = NO_ID,
              .creation = made,
              .deletion = KARP_NO_TIME,
              .start = KARP_NO_TIME,
              .phase = KARP_PHASE_UNSET,
              .flags = POD_VIRTUAL | POD_UNSCHEDULABLE };
    karp_str uid = name_of(s, b->meta.uid);
    strbuf_clear(text);
    strbuf_put(text, "capacity-buffer-", name_of(s, b->meta.name), "");
    strbuf_addc(text, '-');
    strbuf_addu(text, i);
    p.name = text->failed ? NO_ID : strings_add(&s->raw.names, text->ptr, text->len);
    strbuf_clear(text);
    strbuf_addstr(text, uid);
    strbuf_addc(text, '-');
    strbuf_addu(text, i);
    p.uid = text->failed ? NULL : arena_string(&s->data, text->ptr, text->len);
    p.uid_len = (uint32_t)text->len;
    strbuf_clear(text);
    strbuf_addstr(text, text_of(s, p.name_space));
    strbuf_addc(text, '/');
    if (p.name != NO_ID) strbuf_addstr(text, name_of(s, p.name));
    karp_str shown = { text->failed ? NULL : arena_string(&s->data, text->ptr, text->len), text->len };
    return p.name != NO_ID && p.uid != NULL && shown.ptr != NULL && store_put_virtual_pod(&s->raw, &p, shown);
}

static karp_status add_pods(karp_snapshot *s, const uint32_t *order, size_t count, karp_error *error)
{
    uint64_t most = karp_context_get_options(s->context)->max_pods;
    bool ok = true;
    int64_t made = s->raw.now < INT64_MAX ? s->raw.now + 1 : INT64_MAX; /* pods of the API server are older */
    strbuf text = strbuf_on(s->context);
    for (size_t i = 0; i < count && ok; i++) {
        const capacity_buffer *b = &s->raw.buffers.items[order[i]];
        if (!provisions(b)) continue;
        if ((uint64_t)b->replicas > most - s->raw.pods.count) { /* max_pods is an upper bound for every builder */
            strbuf_free(&text);
            karp_status status = fail(error, KARP_E_LIMIT, "the replicas are more pods than the context allows");
            error_set_object(error, "CapacityBuffer", text_of(s, b->meta.name_space), name_of(s, b->meta.name));
            return status;
        }
        for (uint64_t k = 1; k <= (uint64_t)b->replicas && ok; k++) {
            ok = add_pod(s, b, k, made, &text);
            if (made < INT64_MAX) made++;
        }
    }
    strbuf_free(&text);
    return ok ? KARP_OK : fail_nomem(error);
}

karp_status prepare_buffers(karp_snapshot *s, karp_error *error)
{
    size_t n = s->raw.buffers.count;
    if (n == 0 || !(s->raw.settings.gates & KARP_GATE_CAPACITY_BUFFER)) return KARP_OK;
    uint32_t *order = mem_alloc(s->context, n * sizeof *order);
    if (order == NULL) return fail_nomem(error);
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    karp_status status = sort_ids(s->context, order, n, by_buffer_name, s) ? add_pods(s, order, n, error)
                                                                           : fail_nomem(error);
    mem_free(s->context, order, n * sizeof *order);
    return status;
}
