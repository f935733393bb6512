/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of static fields: their values, and the annotations to be set. */
#include <disrupt/advice.h>

#include <base/strbuf.h>

static const char hash_key[] = "karpenter.sh/nodepool-hash", version_key[] = "karpenter.sh/nodepool-hash-version";

karp_status karp_node_pool_hash(const karp_snapshot *snapshot, karp_str node_pool_name, uint64_t *out)
{
    if (!str_given(node_pool_name)) return KARP_E_INVALID;
    if (snapshot == NULL || out == NULL) return KARP_E_INVALID;
    uint32_t pool = pool_named(snapshot, node_pool_name);
    if (pool == NO_ID) return KARP_E_NOT_FOUND;
    *out = pool_hash(&snapshot->raw, &snapshot->raw.pools.items[pool]);
    return KARP_OK;
}

static karp_str hash_text(karp_advice *a, const node_pool *p)
{
    strbuf b = strbuf_on(a->context);
    strbuf_addu(&b, pool_hash(&a->snapshot->raw, p));
    karp_str text = { "", 0 };
    if (b.failed) a->failed = true;
    else text = advice_text(a, b.ptr, b.len);
    strbuf_free(&b);
    return text;
}

static void stamp(karp_advice *a, uint32_t kind, const object *o, const char *key, karp_str value)
{
    if (equal_str(annotation(a->snapshot, o, key), value)) return;
    advise(a,
           (karp_action){ .kind = kind, .object = name_of(a->snapshot, o->name), .subject = str(key), .value = value });
}

/* Updates the hashes of a pool's claims to the current version. A claim that has already drifted keeps its old hash, so
 * that it remains drifted. */
static void migrate(karp_advice *a, uint32_t pool, karp_str hash)
{
    const karp_snapshot *s = a->snapshot;
    for (uint32_t i = 0; i < s->raw.claims.count; i++) {
        const node_claim *c = &s->raw.claims.items[i];
        if (pool_of_labels(s, c->meta.labels) != pool ||
            equal_str(annotation(s, &c->meta, version_key), str(POOL_HASH_VERSION)))
            continue;
        stamp(a, KARP_ACTION_ANNOTATE_CLAIM, &c->meta, version_key, str(POOL_HASH_VERSION));
        if (condition_find(c->conditions, s->known.drifted) == NULL)
            stamp(a, KARP_ACTION_ANNOTATE_CLAIM, &c->meta, hash_key, hash);
    }
}

karp_status karp_advise_hashes(const karp_snapshot *snapshot, karp_advice **out, karp_error *error)
{
    karp_advice *a = NULL;
    karp_status status = advice_start(snapshot, 0, out, &a, error);
    if (status != KARP_OK) return status;
    for (uint32_t i = 0; i < snapshot->raw.pools.count && !a->failed; i++) {
        const node_pool *p = &snapshot->raw.pools.items[i];
        karp_str hash = hash_text(a, p);
        if (!equal_str(annotation(snapshot, &p->meta, version_key), str(POOL_HASH_VERSION))) migrate(a, i, hash);
        stamp(a, KARP_ACTION_ANNOTATE_POOL, &p->meta, hash_key, hash);
        stamp(a, KARP_ACTION_ANNOTATE_POOL, &p->meta, version_key, str(POOL_HASH_VERSION));
    }
    return advice_finish(a, out, error);
}
