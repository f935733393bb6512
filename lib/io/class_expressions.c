/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of the kubelet in an EC2NodeClass that are CEL expressions: a maxPods that is text, and an amount in
 * kubeReserved or systemReserved that is no quantity, as a misspelt one is. Without the gate NodeClassCEL, the
 * controller of the class finds it not ready. Source: aws/karpenter-provider-aws 1.15.2,
 * pkg/controllers/nodeclass/validation.go.
 */
#include <io/fill.h>
#include <karp/settings.h>
#include <karp/values.h>

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

karp_status io_check_class_expressions(karp_reader *reader, const tree *ref, uint32_t gates, bool *not_ready)
{
    char where[80];
    karp_str group = tree_get_text(ref, "group"), name = tree_get_text(ref, "name");
    *not_ready = false;
    if (!str_is(group, AWS_GROUP)) return KARP_OK;
    const io_deferred *w = io_find_deferred(reader, tree_get_text(ref, "kind"), str(""), name);
    const tree *expression = w ? find_expression(w->root, where, sizeof where) : NULL;
    if (!expression) return KARP_OK;
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
