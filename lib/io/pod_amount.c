/* SPDX-License-Identifier: Apache-2.0 */
#include <io/pod_amount.h>

void io_add_amount(char sum[KARP_VALUE_TEXT], karp_str amount)
{
    char result[KARP_VALUE_TEXT];
    if (amount.len == 0) return;
    if (karp_quantity_add(sum[0] ? str(sum) : str("0"), amount, result) == KARP_OK) memcpy(sum, result, sizeof result);
}

static void keep_larger(char most[KARP_VALUE_TEXT], const char *amount)
{
    int32_t order = 0;
    if (amount[0] == '\0') return;
    if (most[0] && (karp_quantity_compare(str(amount), str(most), &order) != KARP_OK || order <= 0)) return;
    (void)str_shorten(most, KARP_VALUE_TEXT, str(amount));
}

/* What is asked of a container. */
typedef enum amount_of { REQUESTS, REQUESTS_OR_LIMITS, LIMITS } amount_of;

static karp_str stated_of(const tree *container, karp_str resource, amount_of what)
{
    const tree *resources = tree_get(container, "resources");
    karp_str request = what == LIMITS ? str("")
                                      : tree_text_or_digits(tree_find_str(tree_get(resources, "requests"), resource));
    if (request.len || what == REQUESTS) return request;
    return tree_text_or_digits(tree_find_str(tree_get(resources, "limits"), resource));
}

/* Of pod-level requests, Kubernetes supports only these. */
static bool has_pod_level(karp_str resource)
{
    return str_is(resource, "cpu") || str_is(resource, "memory") || str_starts(resource, "hugepages-");
}

/* Init containers run one after another, each together with the sidecars that started before it. */
static void join_init_containers(const tree *list, karp_str resource, amount_of what, char sum[KARP_VALUE_TEXT])
{
    char sidecars[KARP_VALUE_TEXT] = "", most[KARP_VALUE_TEXT] = "";
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *container = tree_item(list, i);
        karp_str own = stated_of(container, resource, what);
        char together[KARP_VALUE_TEXT];
        if (str_is(tree_get_text(container, "restartPolicy"), "Always")) {
            io_add_amount(sum, own);
            io_add_amount(sidecars, own);
            keep_larger(most, sidecars);
            continue;
        }
        memcpy(together, sidecars, sizeof together);
        io_add_amount(together, own);
        keep_larger(most, together);
    }
    keep_larger(sum, most);
}

static void amount(const tree *spec, karp_str resource, amount_of what, char sum[KARP_VALUE_TEXT])
{
    const tree *containers = tree_get(spec, "containers");
    karp_str whole = has_pod_level(resource) ? stated_of(spec, resource, what) : str("");
    sum[0] = '\0';
    for (size_t i = 0; i < tree_count(containers); i++)
        io_add_amount(sum, stated_of(tree_item(containers, i), resource, what));
    join_init_containers(tree_get(spec, "initContainers"), resource, what, sum);
    if (whole.len && karp_quantity_check(whole) == KARP_OK) {
        sum[0] = '\0';
        io_add_amount(sum, whole);
    }
}

static void add_overhead(const tree *spec, karp_str resource, char sum[KARP_VALUE_TEXT])
{
    io_add_amount(sum, tree_text_or_digits(tree_find_str(tree_get(spec, "overhead"), resource)));
}

void io_pod_amount(const tree *spec, karp_str resource, bool from_limits, char sum[KARP_VALUE_TEXT])
{
    amount(spec, resource, from_limits ? REQUESTS_OR_LIMITS : REQUESTS, sum);
    add_overhead(spec, resource, sum);
}

void io_pod_limit(const tree *spec, karp_str resource, char sum[KARP_VALUE_TEXT])
{
    amount(spec, resource, LIMITS, sum);
    add_overhead(spec, resource, sum);
}

void io_pod_amount_alone(const tree *spec, karp_str resource, bool limit, char sum[KARP_VALUE_TEXT])
{
    amount(spec, resource, limit ? LIMITS : REQUESTS_OR_LIMITS, sum);
}
