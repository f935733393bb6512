/* SPDX-License-Identifier: Apache-2.0 */
/* A provider's instance types, kept as long as nothing changes. */
#include <providers/provider.h>

#include <string.h>

#include <karp/library.h>

static uint64_t generation_of(const karp_provider *p)
{
    return p->plugin.generation ? p->plugin.generation(p->handle) : 0;
}

/* The types of the class itself, or of an equal class. */
static const provider_types *find_types(const karp_provider *p, const karp_provider_class *node_class,
                                        const provider_types *own, uint64_t generation)
{
    if (own->catalogue && own->generation == generation) return own;
    for (const karp_provider_class *c = p->classes; c && node_class; c = c->next) {
        if (!c->types.catalogue || c->types.generation != generation) continue;
        if (karp_provider_class_equal(p, c, node_class)) return &c->types;
    }
    return NULL;
}

/* Memory owned by a catalogue. */
typedef struct kept {
    scratch s;
    karp_context *context;
} kept;

static void free_kept(void *user)
{
    kept *k = user;
    karp_context *context = k->context;
    scratch_free(&k->s);
    karp_free(context, k, sizeof *k);
}

/* Whether the types may be kept in place: data of a shared object must not outlive it. */
static bool may_keep(const karp_provider *p) { return (p->plugin.flags & KARP_PROVIDER_TYPES_STAND) && !p->object; }

/* Checks the plugin's types like any other input, but reports a mistake as the plugin's. On success the catalogue may
 * own `k`. */
static karp_status take_types(karp_provider *p, kept *k, const karp_instance_type *types, size_t count,
                              karp_catalogue **out, karp_error *error)
{
    karp_error own;
    karp_error_init(&own, sizeof own);
    karp_status status = may_keep(p) ? karp_catalogue_adopt(p->context, types, count, free_kept, k, out, &own)
                                     : karp_catalogue_new(p->context, types, count, out, &own);
    if (status == KARP_OK) return KARP_OK;
    if (status != KARP_E_NOMEM && status != KARP_E_LIMIT) status = KARP_E_PROVIDER;
    (void)provider_fail(error, status, own.field, "provider %s: %s", p->plugin.name, own.message);
    if (error) memcpy(error->object, own.object, sizeof own.object);
    return status;
}

static karp_status make_catalogue(karp_provider *p, const karp_provider_class *node_class, karp_catalogue **out,
                                  karp_error *error)
{
    kept *k = karp_alloc(p->context, sizeof *k);
    if (!k) return provider_nomem(error);
    k->context = p->context;
    scratch_init(&k->s, p->context);
    karp_provider_memory memory;
    memory_of_scratch(&k->s, &memory);
    const karp_instance_type *types = NULL;
    size_t count = 0;
    uint32_t kind = p->plugin.instance_types(p->handle, provider_class_data(node_class), &memory, &types, &count,
                                             provider_new_problem(p));
    karp_status status = provider_answer(p, kind, error);
    if (status == KARP_OK && count > 0 && !types) status = provider_bad_answer(p, error, "no list of instance types");
    if (status == KARP_OK) status = take_types(p, k, types, count, out, error);
    if (status || !may_keep(p)) free_kept(k);
    return status;
}

karp_status karp_provider_catalogue(karp_provider *provider, const karp_provider_class *node_class,
                                    karp_catalogue **out, karp_error *error)
{
    if (!provider || !out) return provider_null(error, "provider or out");
    uint64_t generation = generation_of(provider);
    provider_types *own = &provider->plain;
    for (karp_provider_class *c = provider->classes; c && node_class; c = c->next) {
        if (c == node_class) own = &c->types;
    }
    const provider_types *known = find_types(provider, node_class, own, generation);
    karp_catalogue *made = known ? karp_catalogue_ref(known->catalogue) : NULL;
    karp_status status = made ? KARP_OK : make_catalogue(provider, node_class, &made, error);
    if (status) return status;
    if (known != own) {
        karp_catalogue_unref(own->catalogue);
        *own = (provider_types){ karp_catalogue_ref(made), generation };
    }
    *out = made;
    return KARP_OK;
}
