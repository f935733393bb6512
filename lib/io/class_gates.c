/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What in an EC2NodeClass needs a gate of the provider. Settings of the kubelet may be CEL expressions: a maxPods that
 * is text, and an amount in kubeReserved or systemReserved that is no quantity, as a misspelt one is (NodeClassCEL).
 * GPUs may be shared (DRANVIDIAGPU). Without the gate, the controller of the class finds it not ready. Source:
 * aws/karpenter-provider-aws 1.15.2, pkg/controllers/nodeclass/validation.go.
 */
#include <io/fill.h>
#include <providers/aws/devices.h>

#define AWS_GROUP "karpenter.k8s.aws"

/* The first expression; `where` gets the name of its field. NULL = there is none. */
static const tree *find_expression(const tree *class_, char *where, size_t room)
{
    static const char *const reserved[] = { "kubeReserved", "systemReserved" };
    const tree *kubelet = tree_get(tree_get(class_, "spec"), "kubelet"), *max_pods = tree_get(kubelet, "maxPods");
    where[0] = '\0';
    if (tree_is(max_pods, TREE_STRING)) {
        str_append(where, room, "maxPods");
        return max_pods;
    }
    for (size_t i = 0; i < 2; i++) {
        const tree *amounts = tree_get(kubelet, reserved[i]);
        for (size_t k = 0; tree_is(amounts, TREE_MAP) && k < tree_count(amounts); k++) {
            const tree_member *amount = tree_member_at(amounts, k);
            karp_str key = tree_member_name(amount);
            if (!tree_is(amount->value, TREE_STRING) || karp_quantity_check(tree_text(amount->value)) == KARP_OK)
                continue;
            str_append(where, room, "%s[\"%.*s\"]", reserved[i], str_shown(key, 40), key.ptr);
            return amount->value;
        }
    }
    return NULL;
}

static karp_status check_sharing(karp_reader *reader, const io_deferred *w, uint32_t gates, bool *not_ready)
{
    aws_gpu_sharing sharing = AWS_SHARE_NOTHING;
    int64_t shares = 0;
    karp_str value = tree_get_text(tree_get(tree_get(w->root, "metadata"), "annotations"), AWS_GPU_SHARING);
    bool known = aws_gpu_sharing_parse(value, &sharing, &shares);
    if (known && (sharing == AWS_SHARE_NOTHING || (gates & KARP_GATE_DRA_NVIDIA_GPU))) return KARP_OK;
    *not_ready = true;
    return io_warn_once(
        reader,
        "EC2NodeClass %.*s is not ready, and its NodePools launch nothing: its annotation " AWS_GPU_SHARING
        " is \"%.*s\"%s",
        str_shown(w->name, 100), w->name.ptr, str_shown(value, 60), value.ptr,
        known ? ", which needs the gate DRANVIDIAGPU" : ", not disabled, memory, unlimited or a number of shares");
}

karp_status io_check_class_gates(karp_reader *reader, const tree *ref, uint32_t gates, bool *not_ready)
{
    char where[80];
    karp_str group = tree_get_text(ref, "group"), name = tree_get_text(ref, "name");
    *not_ready = false;
    if (!str_is(group, AWS_GROUP)) return KARP_OK;
    const io_deferred *w = io_find_deferred(reader, tree_get_text(ref, "kind"), str(""), name);
    if (!w) return KARP_OK;
    const tree *expression = find_expression(w->root, where, sizeof where);
    if (!expression) return check_sharing(reader, w, gates, not_ready);
    karp_str text = tree_text(expression);
    if (gates & KARP_GATE_NODE_CLASS_CEL) {
        (void)io_reader_fail(reader, KARP_E_UNSUPPORTED, &w->place, "spec.kubelet",
                             "%s is an expression, which karp does not evaluate: state a quantity, or give the types "
                             "with --catalogue",
                             where);
        io_reader_name(reader, tree_get_text(ref, "kind"), str(""), name);
        return KARP_E_UNSUPPORTED;
    }
    *not_ready = true;
    return io_warn_once(
        reader,
        "EC2NodeClass %.*s is not ready, and its NodePools launch nothing: spec.kubelet.%s is \"%.*s\", no "
        "quantity but an expression, which needs the gate NodeClassCEL",
        str_shown(name, 100), name.ptr, where, str_shown(text, 60), text.ptr);
}
