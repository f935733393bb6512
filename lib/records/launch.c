/* SPDX-License-Identifier: Apache-2.0 */
#include <records/rows.h>
#include <records/tables.h>

#include <karp/decision.h>

/* The chosen offering and the resulting node. */
static const record choice_of_launch = { OPEN(
    { NEEDED("instanceType", karp_launch, choice.instance_type) }, { TEXT("zone", karp_launch, choice.zone) },
    { TEXT("capacityType", karp_launch, choice.capacity_type) }, { PRICE("price", karp_launch, choice.price) },
    { PRICE("listPrice", karp_launch, list_price), POSITIVE },
    { AMOUNTS("allocatable", karp_launch, allocatable, allocatable_count) },
    { NODE_LABELS("nodeLabels", karp_launch, choice_labels, choice_label_count) }) };

/* The `requirements` of a plan are the scheduler's, those of a command the NodeClaim's, which is to be created. */
static const karp_launch no_launch = { .size = sizeof no_launch,
                                       .expire_after = KARP_DURATION_UNSET,
                                       .termination_grace_period = KARP_DURATION_UNSET };
const record record_launch = {
    LIKE(no_launch), VERSIONED(karp_launch, termination_grace_period),
    OPEN({ TEXT("id", karp_launch, id), COLUMN }, { NEEDED("nodePool", karp_launch, node_pool), WORDS_COLUMN },
         { STRUCT("nodeClassRef", karp_launch, node_class, record_node_class_ref), IN(IN_COMMAND), FLAT },
         { STRUCT("nodeClass", karp_launch, node_class, record_node_class_ref), IN(IN_STATE) },
         { PODS("pods", karp_launch, pods, pod_count), IN(IN_PLAN), COLUMN },
         { AMOUNTS("requests", karp_launch, requests, request_count), COLUMN },
         { LIST("requirements", karp_launch, requirements, requirement_count, record_requirement),
           IN(IN_PLAN | IN_STATE), FLAT },
         { LIST("requirements", karp_launch, claim_requirements, claim_requirement_count, record_requirement),
           IN(IN_COMMAND), FLAT },
         { LABELS("labels", karp_launch, labels, label_count) },
         { LABELS("annotations", karp_launch, annotations, annotation_count) },
         { LIST("taints", karp_launch, taints, taint_count, record_taint), FLAT },
         { LIST("startupTaints", karp_launch, startup_taints, startup_taint_count, record_taint), FLAT },
         { TEXTS("instanceTypes", karp_launch, instance_types, instance_type_count), WORDS_COLUMN },
         { DURATION_OR_NEVER("expireAfter", karp_launch, expire_after), IN(IN_COMMAND | IN_STATE) },
         { DURATION("terminationGracePeriod", karp_launch, termination_grace_period), IN(IN_COMMAND | IN_STATE) },
         { STRUCT("choice", karp_launch, choice, record_choice), IN(IN_COMMAND | IN_STATE), GIVEN, FLAT, COLUMN },
         { PRICE("listPrice", karp_launch, list_price), IN(IN_COMMAND | IN_STATE), POSITIVE },
         { OBJECT("choice", choice_of_launch), IN(IN_PLAN), GIVEN },
         { STRUCT("runnerUp", karp_launch, runner_up, record_choice), IN(IN_PLAN), GIVEN, FLAT },
         { TEXT("apart", karp_launch, apart), IN(IN_PLAN), GIVEN },
         { LABELS("choiceLabels", karp_launch, choice_labels, choice_label_count), IN(IN_STATE) },
         { AMOUNTS("capacity", karp_launch, capacity, capacity_count), IN(IN_STATE) },
         { AMOUNTS("allocatable", karp_launch, allocatable, allocatable_count), IN(IN_STATE), COLUMN })
};

const record record_placement = { SIZED(karp_placement, pod_count),
                                  OPEN({ NEEDED("node", karp_placement, node), COLUMN },
                                       { PODS("pods", karp_placement, pods, pod_count), COLUMN }) };
