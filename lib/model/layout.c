/* SPDX-License-Identifier: Apache-2.0 */
#include <model/layout.h>

#include <model/devices.h>

#define ROWS(S, ...)                                                                                                   \
    {                                                                                                                  \
        sizeof(S), sizeof((const layout_row[]){ __VA_ARGS__ }) / sizeof(layout_row), (const layout_row[])              \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define PLAIN(S)                                                                                                       \
    {                                                                                                                  \
        sizeof(S), 0, NULL                                                                                             \
    }
#define IDS(S, first, last, table)                                                                                     \
    {                                                                                                                  \
        offsetof(S, first), offsetof(S, last), table, NULL                                                             \
    }
#define TEXT(S, m) IDS(S, m, m, REF_TEXT)
#define TEXTS(S, first, last) IDS(S, first, last, REF_TEXT)
#define NAME(S, m) IDS(S, m, m, REF_NAME)
#define NAMES(S, first, last) IDS(S, first, last, REF_NAME)
#define STRING(S, m)                                                                                                   \
    {                                                                                                                  \
        offsetof(S, m), 0, REF_STRING, NULL                                                                            \
    }
#define MANY(S, m, n, layout_)                                                                                         \
    {                                                                                                                  \
        offsetof(S, m), offsetof(S, n), REF_LIST, &(layout_)                                                           \
    }
#define LIST(S, m, layout_) MANY(S, m.items, m.count, layout_)
#define ONE(S, m, layout_)                                                                                             \
    {                                                                                                                  \
        offsetof(S, m), 0, REF_ONE, &(layout_)                                                                         \
    }
#define META(S)                                                                                                        \
    {                                                                                                                  \
        offsetof(S, meta), 0, REF_INSIDE, &meta_                                                                       \
    }

/* A list of ids. */
typedef struct one_id {
    uint32_t id;
} one_id;
static const layout text_ = ROWS(one_id, TEXT(one_id, id));
static const layout name_ = ROWS(one_id, NAME(one_id, id));
static const layout number_ = PLAIN(uint32_t);

/* ---- parts of objects -------------------------------------------------------------------------------------------- */

static const layout label_ = ROWS(label_pair, TEXTS(label_pair, key, value));
static const layout expression_ = ROWS(expression, TEXT(expression, key), MANY(expression, values, value_count, text_));
static const layout selector_ = ROWS(selector, LIST(selector, labels, label_),
                                     LIST(selector, expressions, expression_));
static const layout taint_ = ROWS(taint, TEXTS(taint, key, effect));
static const layout toleration_ = ROWS(toleration, TEXTS(toleration, key, effect));
static const layout node_term_ = ROWS(node_term, LIST(node_term, expressions, expression_));
static const layout pod_term_ = ROWS(
    pod_term, TEXT(pod_term, topology_key), MANY(pod_term, namespaces, namespace_count, text_),
    ONE(pod_term, namespace_selector, selector_), ONE(pod_term, label_selector, selector_));
static const layout spread_ = ROWS(spread_constraint, TEXT(spread_constraint, topology_key),
                                   ONE(spread_constraint, label_selector, selector_),
                                   MANY(spread_constraint, match_label_keys, match_label_key_count, text_));
static const layout port_ = ROWS(host_port, TEXT(host_port, protocol));
static const layout resource_ = PLAIN(resource_amount); /* ids of resources stay what they are */
static const layout beside_ = ROWS(beside_requests, LIST(beside_requests, newer, resource_),
                                   LIST(beside_requests, predicted, resource_),
                                   LIST(beside_requests, limits, resource_));
static const layout condition_ = ROWS(condition, TEXTS(condition, type, reason));
static const layout meta_ = ROWS(object, TEXT(object, name_space), NAMES(object, name, uid),
                                 LIST(object, labels, label_), LIST(object, annotations, label_));
static const layout budget_ = ROWS(budget, STRING(budget, nodes), STRING(budget, schedule));
static const layout csi_limit_ = ROWS(csi_limit, TEXT(csi_limit, driver));

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static const layout attribute_ = ROWS(device_attribute, TEXT(device_attribute, name), TEXT(device_attribute, text));
static const layout amount_ = PLAIN(amount);
static const layout policy_ = ROWS(request_policy, MANY(request_policy, valid, valid_count, amount_));
static const layout capacity_ = ROWS(device_capacity, TEXT(device_capacity, name),
                                     ONE(device_capacity, policy, policy_));
static const layout named_amount_ = ROWS(named_amount, TEXT(named_amount, name));
static const layout counter_set_ = ROWS(counter_set, TEXT(counter_set, name),
                                        LIST(counter_set, counters, named_amount_));
static const layout device_ = ROWS(device, TEXT(device, name), MANY(device, attributes, attribute_count, attribute_),
                                   MANY(device, capacity, capacity_count, capacity_),
                                   LIST(device, consumes, counter_set_));
static const layout request_ = ROWS(
    device_request, TEXTS(device_request, name, full_name), NAME(device_request, class_),
    MANY(device_request, selectors, selector_count, text_), LIST(device_request, capacity, named_amount_),
    MANY(device_request, alternatives, alternative_count, request_));
static const layout constraint_ = ROWS(device_constraint, MANY(device_constraint, requests, request_count, text_),
                                       TEXT(device_constraint, attribute));
static const layout allocated_ = ROWS(allocated_device, TEXTS(allocated_device, driver, device),
                                      LIST(allocated_device, consumed, named_amount_));

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static const layout shape_ = ROWS(
    shape, LIST(shape, requests, resource_), ONE(shape, beside, beside_), LIST(shape, node_selector, label_),
    LIST(shape, required, node_term_), LIST(shape, preferred, node_term_), LIST(shape, required_affinity, pod_term_),
    LIST(shape, preferred_affinity, pod_term_), LIST(shape, required_anti, pod_term_),
    LIST(shape, preferred_anti, pod_term_), LIST(shape, spread, spread_), LIST(shape, tolerations, toleration_),
    LIST(shape, ports, port_), IDS(shape, rules, rules, REF_RULES));
const layout layout_pod = ROWS(pod, TEXT(pod, name_space), NAME(pod, name), IDS(pod, shape, shape, REF_SHAPE),
                               IDS(pod, labels, labels, REF_LABELS), IDS(pod, volumes, volumes, REF_VOLUMES),
                               IDS(pod, marks, marks, REF_MARKS), NAME(pod, node),
                               { offsetof(pod, uid), offsetof(pod, uid_len), REF_BYTES, NULL },
                               IDS(pod, claims, claims, REF_CLAIMS));
const layout layout_marks = ROWS(pod_marks, TEXTS(pod_marks, do_not_disrupt, autoscaling_cost),
                                 NAMES(pod_marks, controller_name, group), TEXT(pod_marks, controller_word));
const layout layout_template = ROWS(
    pod_shared, TEXT(pod_shared, name_space), IDS(pod_shared, shape, shape, REF_SHAPE),
    IDS(pod_shared, labels, labels, REF_LABELS), IDS(pod_shared, volumes, volumes, REF_VOLUMES),
    IDS(pod_shared, marks, marks, REF_MARKS), IDS(pod_shared, claims, claims, REF_CLAIMS));

/* ---- other objects ----------------------------------------------------------------------------------------------- */

static const layout node_ = ROWS(node, META(node), NAME(node, provider_id), LIST(node, taints, taint_),
                                 LIST(node, capacity, resource_), LIST(node, allocatable, resource_),
                                 LIST(node, conditions, condition_));
static const layout claim_ = ROWS(node_claim, META(node_claim), NAMES(node_claim, provider_id, image_id),
                                  TEXTS(node_claim, class_group, class_name), LIST(node_claim, taints, taint_),
                                  LIST(node_claim, startup_taints, taint_), LIST(node_claim, requirements, expression_),
                                  LIST(node_claim, requests, resource_), LIST(node_claim, capacity, resource_),
                                  LIST(node_claim, allocatable, resource_), LIST(node_claim, conditions, condition_));
static const layout pool_ = ROWS(node_pool, META(node_pool), TEXTS(node_pool, class_group, class_name),
                                 LIST(node_pool, template_labels, label_),
                                 LIST(node_pool, template_annotations, label_), LIST(node_pool, taints, taint_),
                                 LIST(node_pool, startup_taints, taint_), LIST(node_pool, requirements, expression_),
                                 LIST(node_pool, limits, resource_), MANY(node_pool, budgets, budget_count, budget_),
                                 LIST(node_pool, conditions, condition_));
static const layout class_ = ROWS(node_class, META(node_class), TEXTS(node_class, group, kind),
                                  STRING(node_class, document));
static const layout daemon_set_ = ROWS(daemon_set, META(daemon_set), IDS(daemon_set, shape, shape, REF_SHAPE),
                                       IDS(daemon_set, labels, labels, REF_LABELS));
static const layout volume_claim_ = ROWS(volume_claim, META(volume_claim), NAMES(volume_claim, volume, storage_class));
static const layout volume_ = ROWS(volume, META(volume), TEXT(volume, driver), LIST(volume, terms, node_term_));
static const layout storage_class_ = ROWS(storage_class, META(storage_class), TEXTS(storage_class, driver, provisioner),
                                          LIST(storage_class, topologies, node_term_));
static const layout csi_node_ = ROWS(csi_node, META(csi_node), MANY(csi_node, limits, limit_count, csi_limit_));
static const layout disruption_budget_ = ROWS(
    disruption_budget, META(disruption_budget), ONE(disruption_budget, selects, selector_),
    STRING(disruption_budget, min_available.text), STRING(disruption_budget, max_unavailable.text));
static const layout selecting_ = ROWS(selecting, META(selecting), ONE(selecting, selects, selector_));
static const layout overlay_ = ROWS(overlay, META(overlay), LIST(overlay, requirements, expression_),
                                    STRING(overlay, price), STRING(overlay, price_adjustment),
                                    STRING(overlay, price_expression), LIST(overlay, capacity, resource_));
static const layout buffer_ = ROWS(
    capacity_buffer, META(capacity_buffer), IDS(capacity_buffer, shape, shape, REF_SHAPE),
    IDS(capacity_buffer, labels, labels, REF_LABELS), IDS(capacity_buffer, claims, claims, REF_CLAIMS));
static const layout group_ = ROWS(pod_group, META(pod_group), TEXTS(pod_group, topology_key, request_class),
                                  NAME(pod_group, parent));
static const layout slice_ = ROWS(resource_slice, META(resource_slice), TEXTS(resource_slice, driver, pool),
                                  NAMES(resource_slice, owner, node), LIST(resource_slice, terms, node_term_),
                                  LIST(resource_slice, devices, device_), LIST(resource_slice, counters, counter_set_));
static const layout device_class_ = ROWS(device_class, META(device_class), TEXT(device_class, extended),
                                         MANY(device_class, selectors, selector_count, text_));
static const layout resource_claim_ = ROWS(
    resource_claim, META(resource_claim), MANY(resource_claim, requests, request_count, request_),
    MANY(resource_claim, constraints, constraint_count, constraint_),
    MANY(resource_claim, results, result_count, allocated_), LIST(resource_claim, terms, node_term_),
    MANY(resource_claim, pod_uids, pod_uid_count, name_));

/* ---- the store --------------------------------------------------------------------------------------------------- */

static const layout repair_ = ROWS(node_repair, TEXTS(node_repair, condition, status), STRING(node_repair, reason));
static const layout reboot_ = ROWS(reboot, STRING(reboot, claim));
static const layout credit_ = ROWS(reservation_credit, TEXT(reservation_credit, reservation));
static const layout taken_ = ROWS(reservation_use, TEXT(reservation_use, reservation));
static const layout use_ = ROWS(catalogue_use, MANY(catalogue_use, pools, pool_count, name_));
static const layout state_ = ROWS(node_state, NAME(node_state, name));

/* An entry of pods_to_place: the namespace is in the upper half of a number. */
static const layout place_ = PLAIN(uint64_t);

const layout layout_store = ROWS(
    store, MANY(store, repairs, repair_count, repair_), MANY(store, reboots, reboot_count, reboot_),
    MANY(store, credits, credit_count, credit_), MANY(store, uses, use_count, taken_),
    LIST(store, default_spread, spread_), LIST(store, normalized, label_),
    MANY(store, well_known, well_known_count, text_), MANY(store, restricted, restricted_count, text_),
    MANY(store, restricted_domains, restricted_domain_count, text_), TEXT(store, reservation_id));

const store_list store_lists[STORE_LISTS] = {
    [KIND_POD] = { offsetof(store, shapes), &shape_ },
    [KIND_NODE] = { offsetof(store, nodes), &node_ },
    [KIND_NODE_CLAIM] = { offsetof(store, claims), &claim_ },
    [KIND_NODE_POOL] = { offsetof(store, pools), &pool_ },
    [KIND_NODE_CLASS] = { offsetof(store, node_classes), &class_ },
    [KIND_DAEMON_SET] = { offsetof(store, daemon_sets), &daemon_set_ },
    [KIND_VOLUME_CLAIM] = { offsetof(store, volume_claims), &volume_claim_ },
    [KIND_VOLUME] = { offsetof(store, volumes_bound), &volume_ },
    [KIND_STORAGE_CLASS] = { offsetof(store, storage_classes), &storage_class_ },
    [KIND_CSI_NODE] = { offsetof(store, csi_nodes), &csi_node_ },
    [KIND_BUDGET] = { offsetof(store, budgets), &disruption_budget_ },
    [KIND_NAMESPACE] = { offsetof(store, namespaces), &meta_ },
    [KIND_SELECTING] = { offsetof(store, selecting), &selecting_ },
    [KIND_OVERLAY] = { offsetof(store, overlays), &overlay_ },
    [KIND_BUFFER] = { offsetof(store, buffers), &buffer_ },
    [KIND_POD_GROUP] = { offsetof(store, groups), &group_ },
    [KIND_RESOURCE_SLICE] = { offsetof(store, slices), &slice_ },
    [KIND_DEVICE_CLASS] = { offsetof(store, device_classes), &device_class_ },
    [KIND_RESOURCE_CLAIM] = { offsetof(store, resource_claims), &resource_claim_ },
    { offsetof(store, catalogues), &use_ },
    { offsetof(store, states), &state_ },
    { offsetof(store, pods_to_place), &place_ },
    { offsetof(store, taken_index), &number_ },
};
