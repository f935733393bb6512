/* SPDX-License-Identifier: Apache-2.0 */
/* What the API server asks of the fields of an object, as the rows of a table: a field, a rule, and what the rule
 * needs to know. */
#pragma once

#include <base/names.h>
#include <json/tree.h>

enum { IO_RULES_DEEPEST = 12 };

/* The first field that breaks a rule. */
typedef struct io_reason {
    char *text; /* "" = there is none yet */
    size_t room;
    const char *of; /* what has the fields, such as "of its pods"; "" = the object itself */
    struct io_rule_step {
        karp_str name;
        size_t index; /* SIZE_MAX = no list */
    } path[IO_RULES_DEEPEST];
    size_t depth;
    const char *argument; /* what the row gives its check besides */
} io_reason;

/* Reports what is wrong with a value: appended to the path of its field, if this is the first. */
void io_wrong(io_reason *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef void io_check(io_reason *r, const tree *value);

typedef struct io_rule {
    uint8_t depth; /* a row is of the field of the last row before it with a smaller depth */
    bool required;
    const char *name; /* with "[]": each element of the list; "a|b": both fields */
    io_check *check; /* NULL = there are only rows about what is below it; of absent values it is not called */
    const char *argument;
} io_rule;

/* What a row ends with: a check without an argument, or no check. */
#define IO_ONLY(check_) check_, NULL
#define IO_PLACE NULL, NULL
#define IO_RULES(rules_) rules_, sizeof(rules_) / sizeof *(rules_)

/* A text of the object, for "%.*s" in a reason. */
#define IO_SHOWN(text_) str_shown(text_, 64), (text_).len ? (text_).ptr : ""

void io_rules_check(io_reason *r, const io_rule *rules, size_t count, const tree *value);

/* ---- rules --------------------------------------------------------------------------------------------------------
 */

io_check io_is_one_of; /* argument: words, with a space between them; "" is the default of every such field */
io_check io_is_0_or_more, io_is_1_or_more; /* and at most INT32_MAX */
io_check io_is_weight; /* 1 to 100 */
io_check io_is_text;
io_check io_is_label; /* a DNS label */
io_check io_is_subdomain;
io_check io_is_key; /* of a label, or of whatever has such names */
io_check io_is_value; /* of a label */
io_check io_are_labels;
io_check io_are_annotations;
io_check io_is_port; /* a number or a name */
io_check io_is_port_number;
io_check io_is_host_port;
io_check io_is_port_name;
io_check io_is_amount_or_percent; /* 3, or "50%" */
io_check io_are_amounts; /* quantities by name */
io_check io_is_not_allowed; /* argument: why */
io_check io_is_filled; /* with one element at least */
io_check io_is_selector; /* of labels */
/* One requirement of a selector of labels, or of nodes, which also has Gt and Lt. */
io_check io_is_label_requirement;
io_check io_is_node_requirement;

/* How many of the named members the map has; the words have a space between them. */
size_t io_count_of(const tree *map, const char *names);

/* What the API server asks of a pod, and of the objects that create pods. */

/* `template_` has metadata and spec; `operated`: it is one of an operator's object. */
void io_check_pod_rules(io_reason *r, const tree *template_, bool operated);
/* The fields of a workload of Kubernetes beside its pod template, or of an object that bounds pods:
 * PodDisruptionBudget, LimitRange, ResourceQuota, RuntimeClass, PersistentVolumeClaim. */
void io_check_workload_rules(io_reason *r, const tree *root);

/* The counts of an object whose operator makes pods. */
void io_check_operated_rules(io_reason *r, const tree *root);
