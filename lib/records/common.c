/* SPDX-License-Identifier: Apache-2.0 */
#include <records/rows.h>
#include <records/tables.h>

#include <base/labels.h>
#include <base/str.h>
#include <karp/decision.h>

const record record_choice = { OF(karp_choice),
                               OPEN({ NEEDED("instanceType", karp_choice, instance_type), WORDS_COLUMN },
                                    { TEXT("zone", karp_choice, zone), WORDS_COLUMN },
                                    { TEXT("capacityType", karp_choice, capacity_type), WORDS_COLUMN },
                                    { PRICE("price", karp_choice, price), COLUMN }) };

const record record_taint = { OF(karp_taint), .known = "timeAdded",
                              CLOSED({ NEEDED("key", karp_taint, key) }, { TEXT("value", karp_taint, value), GIVEN },
                                     { TEXT("effect", karp_taint, effect) }) };

const record record_node_class_ref = { OF(karp_node_class_ref), CLOSED({ TEXT("group", karp_node_class_ref, group) },
                                                                       { TEXT("kind", karp_node_class_ref, kind) },
                                                                       { NEEDED("name", karp_node_class_ref, name) }) };

static const record_word operator_list[] = { { "In", KARP_OP_IN },         { "NotIn", KARP_OP_NOT_IN },
                                             { "Exists", KARP_OP_EXISTS }, { "DoesNotExist", KARP_OP_DOES_NOT_EXIST },
                                             { "Gt", KARP_OP_GT },         { "Lt", KARP_OP_LT },
                                             { "Gte", KARP_OP_GTE },       { "Lte", KARP_OP_LTE } };
static const record_words operator_words = { WORDS(operator) };

/* A key that exists only during a decision, and the host name, which is not known yet. */
static bool is_transient(const void *element) { return record_transient_key(((const karp_requirement *)element)->key); }

bool record_transient_key(karp_str key)
{
    return str_is(key, LABEL_HOSTNAME) || str_is(key, LABEL_REGISTERED) || str_is(key, LABEL_INITIALIZED);
}

const record record_requirement = { OF(karp_requirement), .skip = is_transient,
                                    OPEN({ NEEDED("key", karp_requirement, key) },
                                         { WORD("operator", karp_requirement, op, operator_words), MUST },
                                         { TEXTS("values", karp_requirement, values, value_count), GIVEN },
                                         { FIELD_ROW("minValues", FIELD_LEAST, karp_requirement, min_values, uint32_t),
                                           GIVEN, IN(IN_PLAN | IN_COMMAND) }) };
