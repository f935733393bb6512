/* SPDX-License-Identifier: Apache-2.0 */
#include <model/store_share.h>

#include <stdatomic.h>

enum { PIECES = 13 };

struct store_memory {
    karp_context *context; /* no reference: owners of the block have one */
    _Atomic uint32_t references;
    store_memory *below;
    arena pieces[PIECES];
};

store_memory *store_memory_new(karp_context *context)
{
    store_memory *m = mem_zalloc(context, sizeof *m);
    if (m == NULL) return NULL;
    m->context = context;
    atomic_init(&m->references, 1);
    for (size_t i = 0; i < PIECES; i++) arena_init(&m->pieces[i], context);
    return m;
}

store_memory *store_memory_ref(store_memory *m)
{
    if (m != NULL) atomic_fetch_add_explicit(&m->references, 1, memory_order_relaxed);
    return m;
}

void store_memory_unref(store_memory *m)
{
    while (m != NULL && atomic_fetch_sub_explicit(&m->references, 1, memory_order_acq_rel) == 1) {
        store_memory *below = m->below;
        for (size_t i = 0; i < PIECES; i++) arena_free(&m->pieces[i]);
        mem_free(m->context, m, sizeof *m);
        m = below;
    }
}

void store_share(store *s, store_memory *fresh)
{
    arena *own[PIECES] = {
        &s->data,           &s->text.text,   &s->names.text,    &s->resources.text, &s->shape_keys.data,
        &s->rule_keys.data, &s->labels.data, &s->volumes.data,  &s->mark_keys.data, &s->claim_names.data,
        &s->templates.data, &s->taken.data,  &s->projected.data
    };
    for (size_t i = 0; i < PIECES; i++) {
        fresh->pieces[i] = *own[i];
        arena_init(own[i], s->context);
    }
    fresh->below = s->below;
    s->below = fresh;
}
