/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ResourceClaims that Kubernetes' controller makes from templates, one for each pod and entry. Without them Karpenter
 * takes the pod for one that needs no devices. Source: Kubernetes 1.36, pkg/controller/resourceclaim/controller.go.
 */
#include <io/fill.h>
#include <io/owner.h>

static bool is_made(const tree *status, karp_str name)
{
    const tree *list = tree_get(status, "resourceClaimStatuses");
    for (size_t i = 0; i < tree_count(list); i++) {
        if (equal_str(tree_get_text(tree_item(list, i), "name"), name)) return true;
    }
    return false;
}

static tree *owned_by(trees *t, const tree *pod)
{
    tree *list = tree_new(t, TREE_LIST), *owner = tree_new(t, TREE_MAP);
    const tree *metadata = tree_get(pod, "metadata");
    tree_set_text(t, owner, "apiVersion", str("v1"));
    tree_set_text(t, owner, "kind", str("Pod"));
    tree_set_text(t, owner, "name", tree_get_text(metadata, "name"));
    tree_set_text(t, owner, "uid", tree_get_text(metadata, "uid"));
    tree_set(t, owner, "controller", tree_new(t, TREE_TRUE));
    tree_append(t, list, owner);
    return list;
}

/* A pod whose template is not in the input waits for a claim that does not exist. */
static karp_status make_claim(io_filler *f, const tree *pod, karp_str template_, karp_str name, const io_place *place)
{
    const io_kind_info *info = io_kind_find(str("resource.k8s.io/v1"), str("ResourceClaim"));
    karp_str space = io_namespace(pod);
    const tree *made_from = io_find_tree(f->reader, str("ResourceClaimTemplate"), space, template_);
    if (!made_from || io_find(f->reader, "ResourceClaim", space, name) != IO_NONE) return KARP_OK;
    const tree *what = tree_get(made_from, "spec");
    tree *claim = io_new_object(f->t, "resource.k8s.io/v1", "ResourceClaim", space, name);
    tree *metadata = tree_own(f->t, claim, "metadata", TREE_MAP);
    const tree *labels = tree_get(tree_get(what, "metadata"), "labels");
    if (labels) tree_set(f->t, metadata, "labels", tree_copy(f->t, labels));
    tree_set(f->t, metadata, "ownerReferences", owned_by(f->t, pod));
    tree_set(f->t, claim, "spec", tree_copy(f->t, tree_get(what, "spec")));
    io_identify(f, info, claim);
    return io_add_filled(f, info, claim, place);
}

karp_status io_make_device_claims(io_filler *f, tree *pod, const io_place *place)
{
    const tree *spec = tree_get(pod, "spec"), *entries = tree_get(spec, "resourceClaims");
    karp_status status = KARP_OK;
    if (tree_count(entries) == 0 || tree_get_text(spec, "nodeName").len > 0) return KARP_OK;
    for (size_t i = 0; i < tree_count(entries) && status == KARP_OK; i++) {
        const tree *entry = tree_item(entries, i);
        karp_str name = tree_get_text(entry, "name"), template_ = tree_get_text(entry, "resourceClaimTemplateName");
        if (template_.len == 0 || is_made(tree_get(pod, "status"), name)) continue;
        strbuf text = strbuf_on(f->reader->context);
        strbuf_addstr(&text, tree_get_text(tree_get(pod, "metadata"), "name"));
        strbuf_addc(&text, '-');
        strbuf_addstr(&text, name);
        status = text.failed ? io_reader_nomem(f->reader) : KARP_OK;
        karp_str claim = { text.ptr, text.len };
        tree *made = tree_new(f->t, TREE_MAP);
        tree_set_text(f->t, made, "name", name);
        tree_set_text(f->t, made, "resourceClaimName", claim);
        tree_append(f->t, tree_own(f->t, tree_own(f->t, pod, "status", TREE_MAP), "resourceClaimStatuses", TREE_LIST),
                    made);
        if (status == KARP_OK) status = make_claim(f, pod, template_, claim, place);
        strbuf_free(&text);
    }
    return status;
}
