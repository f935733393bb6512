/* SPDX-License-Identifier: Apache-2.0 */
#include <io/fill.h>

static const char default_class[] = "default";

void io_assumed_init(io_assumed_storage *assumed, karp_context *context)
{
    assumed->on = false;
    io_table_init(&assumed->storage_classes, context);
    io_table_init(&assumed->volume_claims, context);
}

void io_assumed_free(io_assumed_storage *assumed)
{
    io_table_free(&assumed->storage_classes);
    io_table_free(&assumed->volume_claims);
}

/* The entry of a claim, IO_NONE if it is new. NULL = out of memory. */
static uint32_t *entry_of(io_assumed_storage *assumed, karp_str space, karp_str name)
{
    strbuf key = strbuf_on(assumed->volume_claims.names.context);
    strbuf_addstr(&key, space.len ? space : str("default"));
    strbuf_addc(&key, '/');
    strbuf_addstr(&key, name);
    uint32_t *entry = key.failed ? NULL : io_table_at(&assumed->volume_claims, (karp_str){ key.ptr, key.len });
    strbuf_free(&key);
    return entry;
}

void io_assume_class(io_assumed_storage *assumed, trees *t, tree *claim)
{
    const tree *metadata = tree_get(claim, "metadata");
    tree *spec = tree_get(claim, "spec");
    if (!assumed->on) return;
    uint32_t *entry = entry_of(assumed, tree_get_text(metadata, "namespace"), tree_get_text(metadata, "name"));
    if (entry) *entry = 1;
    else t->status = KARP_E_NOMEM;
    if (tree_get_text(spec, "volumeName").len > 0) return;
    tree_default_text(t, spec, "storageClassName", str(default_class));
    karp_str name = tree_get_text(spec, "storageClassName"); /* "" = only volumes without a class */
    if (name.len > 0 && !io_table_put(&assumed->storage_classes, name, 1)) t->status = KARP_E_NOMEM;
}

bool io_assume_claims(io_assumed_storage *assumed, const tree *pod)
{
    if (!assumed->on) return true;
    const tree *spec = tree_get(pod, "spec"), *volumes = tree_get(spec, "volumes");
    if (tree_count(volumes) == 0 || tree_get_text(spec, "nodeName").len > 0) return true;
    karp_str space = tree_get_text(tree_get(pod, "metadata"), "namespace");
    for (size_t i = 0; i < tree_count(volumes); i++) {
        karp_str name = tree_get_text(tree_get(tree_item(volumes, i), "persistentVolumeClaim"), "claimName");
        uint32_t *entry = name.len > 0 ? entry_of(assumed, space, name) : NULL;
        if (name.len > 0 && !entry) return false;
        if (entry && *entry == IO_NONE) *entry = 0;
    }
    return true;
}

/* Adds an object that nothing but this note shows. */
static karp_status add(io_filler *f, const io_kind_info *info, tree *root)
{
    static const io_place nowhere = { .document = { "", 0 } };
    io_identify(f, info, root);
    return io_add_filled(f, info, root, &nowhere);
}

/* Claims that pods name. *first is the first of them. */
static karp_status add_claims(io_filler *f, size_t *added, karp_str *first)
{
    const io_kind_info *info = io_kind_find(str("v1"), str("PersistentVolumeClaim"));
    const io_table *claims = &f->assumed.volume_claims;
    karp_status status = KARP_OK;
    uint32_t count = (uint32_t)claims->names.count; /* it does not grow: the claims are in it already */
    for (uint32_t i = 0; i < count && status == KARP_OK; i++) {
        karp_str key = strings_get(&claims->names, i), space = str_before(key, '/');
        karp_str name = { key.ptr + space.len + 1, key.len - space.len - 1 };
        if (claims->values[i] != 0 || io_find(f->reader, info->name, space, name) != IO_NONE) continue;
        tree *claim = io_new_object(f->t, "v1", info->name, space, name);
        io_fill_claim_volume(f, claim);
        status = add(f, info, claim);
        if ((*added)++ == 0) *first = strings_get(&claims->names, i);
    }
    return status;
}

static karp_status add_classes(io_filler *f)
{
    const io_kind_info *info = io_kind_find(str("storage.k8s.io/v1"), str("StorageClass"));
    const io_table *classes = &f->assumed.storage_classes;
    karp_status status = KARP_OK;
    for (uint32_t i = 0; i < classes->names.count && status == KARP_OK; i++) {
        tree *root = io_new_object(f->t, "storage.k8s.io/v1", info->name, str(""), strings_get(&classes->names, i));
        tree_set_text(f->t, root, "provisioner", str("assumed"));
        tree_set_text(f->t, root, "volumeBindingMode", str("WaitForFirstConsumer"));
        status = add(f, info, root);
    }
    return status;
}

static karp_status note(io_filler *f, size_t claims, karp_str first)
{
    size_t more = f->assumed.storage_classes.names.count - 1;
    karp_str name = strings_get(&f->assumed.storage_classes.names, 0);
    char others[48] = "", named[160] = "";
    if (more > 0) str_append(others, sizeof others, " and %zu more", more);
    if (claims > 0) str_append(named, sizeof named, ", PersistentVolumeClaim %.*s", str_shown(first, 100), first.ptr);
    if (claims > 1) str_append(named, sizeof named, " and %zu more", claims - 1);
    return io_warn(f->reader,
                   "the input has no StorageClass: %.*s%s is assumed to wait for its first consumer, in any zone%s%s "
                   "(--strict-storage assumes nothing)",
                   str_shown(name, 100), name.ptr, others, named, claims > 0 ? " too" : "");
}

karp_status io_add_assumed(io_filler *f)
{
    size_t claims = 0;
    karp_str first = { "", 0 };
    karp_status status = f->assumed.on ? add_claims(f, &claims, &first) : KARP_OK;
    if (status || f->assumed.storage_classes.names.count == 0) return status;
    status = add_classes(f);
    return status ? status : note(f, claims, first);
}
