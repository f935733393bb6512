/* SPDX-License-Identifier: Apache-2.0 */
/* Converts NodePools of karpenter.sh/v1beta1 to v1, and the labels of EKS Auto Mode to Karpenter's. */
#include <io/convert.h>

/* ---- v1beta1 ----------------------------------------------------------------------------------------------------- */

static karp_status note_replaced(karp_reader *reader, karp_str pool, const char *field, karp_str value, const char *now)
{
    return io_warn(reader, "NodePool %.*s: v1beta1's spec.%s \"%.*s\" is read as v1's %s", str_shown(pool, 60),
                   pool.ptr, field, str_shown(value, 60), value.ptr, now);
}

static karp_status convert_disruption(karp_reader *reader, karp_str pool, tree *spec)
{
    trees *t = &reader->trees;
    tree *disruption = tree_get(spec, "disruption");
    karp_str policy = tree_get_text(disruption, "consolidationPolicy"),
             expire = tree_get_text(disruption, "expireAfter");
    karp_status status = KARP_OK;
    if (str_is(policy, "WhenUnderutilized")) {
        status = note_replaced(reader, pool, "disruption.consolidationPolicy", policy,
                               "WhenEmptyOrUnderutilized, with consolidateAfter 0s unless it is stated");
        tree_set_text(t, disruption, "consolidationPolicy", str("WhenEmptyOrUnderutilized"));
    }
    if (status == KARP_OK && expire.len) {
        tree *inner = tree_get_or_make(t, tree_get_or_make(t, spec, "template"), "spec");
        status = note_replaced(reader, pool, "disruption.expireAfter", expire, "spec.template.spec.expireAfter");
        tree_default(t, inner, "expireAfter", tree_get(disruption, "expireAfter"));
        tree_remove(t, disruption, "expireAfter");
    }
    return status;
}

static karp_status convert_pool(karp_reader *reader, tree *root)
{
    tree *spec = tree_get(root, "spec"), *inner = tree_get(tree_get(spec, "template"), "spec");
    karp_str pool = tree_get_text(tree_get(root, "metadata"), "name");
    karp_status status = convert_disruption(reader, pool, spec);
    if (status == KARP_OK && tree_get(inner, "kubelet")) {
        status = io_warn(
            reader,
            "NodePool %.*s: v1beta1's spec.template.spec.kubelet is not read: v1 has it in the EC2NodeClass, "
            "as spec.kubelet",
            str_shown(pool, 60), pool.ptr);
        tree_remove(&reader->trees, inner, "kubelet");
    }
    if (status == KARP_OK && reader->trees.status) status = io_reader_nomem(reader);
    return status;
}

karp_status io_convert_beta(karp_reader *reader, const io_kind_info *info, tree *root)
{
    if (info->kind != IO_KIND_NODE_POOL || !str_is(tree_get_text(root, "apiVersion"), "karpenter.sh/v1beta1"))
        return KARP_OK;
    return convert_pool(reader, root);
}

/* ---- EKS Auto Mode ----------------------------------------------------------------------------------------------- */

static const char auto_mode[] = "eks.amazonaws.com/instance-", own[] = "karpenter.k8s.aws/instance-";

bool io_is_auto_mode(karp_str key) { return str_starts(key, auto_mode); }

/* Karpenter's name of the label; ptr NULL = out of memory. */
static karp_str own_name(karp_reader *reader, karp_str key)
{
    size_t rest = key.len - (sizeof auto_mode - 1), length = sizeof own - 1 + rest;
    char *name = arena_alloc(&reader->keep, length + 1);
    if (!name) return (karp_str){ NULL, 0 };
    memcpy(name, own, sizeof own - 1);
    memcpy(name + sizeof own - 1, key.ptr + sizeof auto_mode - 1, rest);
    name[length] = '\0';
    return (karp_str){ name, length };
}

static bool rename_labels(karp_reader *reader, tree *value)
{
    bool ok = true;
    for (size_t i = 0; ok && tree_is(value, TREE_LIST) && i < value->count; i++)
        ok = rename_labels(reader, value->of.items[i]);
    for (size_t i = 0; ok && tree_is(value, TREE_MAP) && i < value->count; i++) {
        tree_member *m = &value->of.members[i];
        karp_str name = tree_member_name(m);
        if (io_is_auto_mode(name)) {
            karp_str new_ = own_name(reader, name);
            ok = new_.ptr != NULL;
            if (ok) *m = (tree_member){ new_.ptr, m->value, tree_key(new_.ptr, new_.len) };
            value->name_bits |= (uint16_t)(1u << tree_name_bit(m->key));
        } else if ((str_is(name, "key") || str_is(name, "topologyKey")) && io_is_auto_mode(tree_text(m->value))) {
            karp_str new_ = own_name(reader, tree_text(m->value));
            ok = new_.ptr != NULL;
            if (ok) m->value = tree_new_text(&reader->trees, new_);
        } else {
            ok = rename_labels(reader, m->value);
        }
    }
    return ok;
}

_Static_assert(sizeof auto_mode == sizeof own, "the label is renamed in its place");

void io_auto_mode_rename(char *json, size_t length)
{
    for (size_t at = 0; at + sizeof auto_mode <= length; at++) {
        if (json[at] == '"' && memcmp(json + at + 1, auto_mode, sizeof auto_mode - 1) == 0)
            memcpy(json + at + 1, own, sizeof own - 1);
    }
}

karp_status io_convert_auto_mode(karp_reader *reader, const io_kind_info *info, tree *root)
{
    if (info->kind != IO_KIND_NODE_POOL && !reader->clouds.auto_mode_here) return KARP_OK;
    tree *template_ = tree_get(tree_get(root, "spec"), "template");
    const tree *ref = tree_get(tree_get(template_, "spec"), "nodeClassRef");
    bool of_pool = info->kind == IO_KIND_NODE_POOL && str_is(tree_get_text(ref, "group"), "eks.amazonaws.com");
    if (of_pool) {
        tree *labels = tree_get_or_make(&reader->trees, tree_get_or_make(&reader->trees, template_, "metadata"),
                                        "labels");
        tree_default_text(&reader->trees, labels, "eks.amazonaws.com/compute-type", str("auto"));
    }
    if (!of_pool && !reader->clouds.auto_mode_here) return KARP_OK;
    if (reader->clouds.auto_mode_here) { /* in a copy, because pods share values */
        const tree *copy = tree_deep_copy(&reader->trees, root, false);
        if (!copy) return io_reader_nomem(reader);
        *root = *copy;
        if (!rename_labels(reader, root)) return io_reader_nomem(reader);
    }
    reader->clouds.auto_mode_here = false;
    if (reader->trees.status) return io_reader_nomem(reader);
    return io_warn_once(reader, "EKS Auto Mode: its labels eks.amazonaws.com/instance-* are read as Karpenter's "
                                "karpenter.k8s.aws/instance-*, whose values are the same; its NodeClass is not read");
}
