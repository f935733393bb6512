/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Kubernetes' pkg/apis/core/validation, and apimachinery's pkg/util/validation. */
#include <io/rules.h>

#include <stdio.h>

#include <karp/values.h>

/* ---- the walk through a table ------------------------------------------------------------------------------------ */

void io_wrong(io_reason *r, const char *format, ...)
{
    char what[300];
    if (r->text[0]) return;
    if (r->of[0] == '\0') str_append(r->text, r->room, "its ");
    for (size_t i = 0; i < r->depth; i++) {
        str_append(r->text, r->room, "%s%.*s", i ? "." : "", IO_SHOWN(r->path[i].name));
        if (r->path[i].index != SIZE_MAX) str_append(r->text, r->room, "[%zu]", r->path[i].index);
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    str_append(r->text, r->room, "%s%s %s", r->of[0] ? " " : "", r->of, what);
}

static void check_rows(io_reason *r, const io_rule *rules, size_t count, const tree *value);

/* `below` are the rows about what the field has. */
static void check_value(io_reason *r, const io_rule *rule, size_t below, const tree *value)
{
    bool none = tree_is_null(value) || (tree_is(value, TREE_STRING) && value->count == 0);
    if (none && rule->required) io_wrong(r, "is missing");
    if (tree_is_null(value) || r->text[0]) return;
    r->argument = rule->argument;
    if (rule->check) rule->check(r, value);
    if (below > 0) check_rows(r, rule + 1, below, value);
}

static void check_field(io_reason *r, const io_rule *rule, size_t below, karp_str name, const tree *in)
{
    bool list = str_ends(name, "[]");
    if (list) name.len -= 2;
    const tree *value = tree_find_str(in, name);
    if (tree_is_null(value) && (list || !rule->required)) return;
    r->path[r->depth++] = (struct io_rule_step){ name, SIZE_MAX };
    if (!list) check_value(r, rule, below, value);
    for (size_t i = 0; list && i < tree_count(value) && tree_is(value, TREE_LIST); i++) {
        r->path[r->depth - 1].index = i;
        check_value(r, rule, below, tree_item(value, i));
    }
    r->depth--;
}

static void check_rows(io_reason *r, const io_rule *rules, size_t count, const tree *value)
{
    for (size_t i = 0, next; i < count && r->text[0] == '\0' && r->depth < IO_RULES_DEEPEST; i = next) {
        for (next = i + 1; next < count && rules[next].depth > rules[i].depth;) next++;
        for (karp_str names = str(rules[i].name); names.len > 0;)
            check_field(r, &rules[i], next - i - 1, str_until(&names, '|'), value);
    }
}

void io_rules_check(io_reason *r, const io_rule *rules, size_t count, const tree *value)
{
    check_rows(r, rules, count, value);
}

size_t io_count_of(const tree *map, const char *names)
{
    size_t count = 0;
    for (karp_str left = str(names); left.len > 0;) count += !tree_is_null(tree_find_str(map, str_until(&left, ' ')));
    return count;
}

/* ---- texts and numbers ------------------------------------------------------------------------------------------- */

/* Whether it is a text, which a number in a manifest is not: the API server reads no 5 where it needs "5". */
static bool is_text(io_reason *r, const tree *value)
{
    karp_str digits = tree_digits(value);
    if (tree_is(value, TREE_STRING)) return true;
    if (tree_is_bool(value))
        io_wrong(r, "is %s, which is no text without quotes", tree_is(value, TREE_TRUE) ? "true" : "false");
    else if (digits.len) io_wrong(r, "is %.*s, which is no text without quotes", IO_SHOWN(digits));
    else io_wrong(r, "is no text");
    return false;
}

void io_is_text(io_reason *r, const tree *value) { (void)is_text(r, value); }

void io_is_one_of(io_reason *r, const tree *value)
{
    if (!is_text(r, value) || value->count == 0 || str_in_list(tree_text(value), r->argument)) return;
    char list[200] = "";
    for (karp_str left = str(r->argument); left.len > 0;) {
        karp_str word = str_until(&left, ' ');
        str_append(list, sizeof list, "%s%.*s", list[0] == '\0' ? "" : left.len ? ", " : " or ", IO_SHOWN(word));
    }
    io_wrong(r, "is \"%.*s\", which is not %s", IO_SHOWN(tree_text(value)), list);
}

static void check_between(io_reason *r, const tree *value, int64_t least, int64_t most)
{
    int64_t number = 0;
    karp_str shown = tree_text_or_digits(value);
    if (!tree_integer(value, &number)) io_wrong(r, "is \"%.*s\", which is no whole number", IO_SHOWN(shown));
    else if (number < least) io_wrong(r, "is %.*s, less than %lld", IO_SHOWN(shown), (long long)least);
    else if (number > most) io_wrong(r, "is %.*s, more than %lld", IO_SHOWN(shown), (long long)most);
}

void io_is_0_or_more(io_reason *r, const tree *value) { check_between(r, value, 0, INT32_MAX); }

void io_is_1_or_more(io_reason *r, const tree *value) { check_between(r, value, 1, INT32_MAX); }

void io_is_weight(io_reason *r, const tree *value) { check_between(r, value, 1, 100); }

void io_is_not_allowed(io_reason *r, const tree *value)
{
    (void)value;
    io_wrong(r, "is not allowed%s", r->argument);
}

void io_is_filled(io_reason *r, const tree *value)
{
    if (tree_count(value) == 0) io_wrong(r, "is empty");
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void check_name(io_reason *r, const tree *value, bool (*is_valid)(karp_str), const char *kind)
{
    karp_str text = tree_text(value);
    if (is_text(r, value) && text.len > 0 && !is_valid(text))
        io_wrong(r, "is \"%.*s\", which is no %s", IO_SHOWN(text), kind);
}

#define A_LABEL "DNS label (a-z, 0-9 and -, at most 63)"
#define A_SUBDOMAIN "DNS subdomain (a-z, 0-9, - and .)"
#define A_KEY "valid key of a label"
#define A_VALUE "valid value of a label"

void io_is_label(io_reason *r, const tree *value) { check_name(r, value, is_dns_label, A_LABEL); }

void io_is_subdomain(io_reason *r, const tree *value) { check_name(r, value, is_dns_subdomain, A_SUBDOMAIN); }

void io_is_key(io_reason *r, const tree *value) { check_name(r, value, is_label_key, A_KEY); }

void io_is_value(io_reason *r, const tree *value) { check_name(r, value, is_label_name, A_VALUE); }

static void check_key(io_reason *r, karp_str key)
{
    if (!is_label_key(key)) io_wrong(r, "has the key \"%.*s\", which is no " A_KEY, IO_SHOWN(key));
}

/* The last step of the path is the member. */
static void check_member(io_reason *r, const tree_member *m, bool label)
{
    if (r->depth == IO_RULES_DEEPEST) return;
    r->path[r->depth++] = (struct io_rule_step){ tree_member_name(m), SIZE_MAX };
    if (label) io_is_value(r, m->value);
    else (void)is_text(r, m->value);
    r->depth--;
}

void io_are_labels(io_reason *r, const tree *value)
{
    for (size_t i = 0; tree_is(value, TREE_MAP) && i < tree_count(value); i++) {
        const tree_member *m = tree_member_at(value, i);
        check_key(r, tree_member_name(m));
        if (!tree_is_null(m->value)) check_member(r, m, true);
    }
}

void io_are_annotations(io_reason *r, const tree *value)
{
    for (size_t i = 0; tree_is(value, TREE_MAP) && i < tree_count(value); i++) {
        const tree_member *m = tree_member_at(value, i);
        char lower[400];
        karp_str name = tree_member_name(m);
        for (size_t k = 0; k < name.len && k < sizeof lower; k++) lower[k] = ascii_lower(name.ptr[k]);
        if (name.len > sizeof lower || !is_label_key((karp_str){ lower, name.len })) check_key(r, name);
        if (!tree_is_null(m->value)) check_member(r, m, false);
    }
}

/* ---- ports and amounts ------------------------------------------------------------------------------------------- */

static bool is_port_name(karp_str t)
{
    bool letter = false;
    if (t.len == 0 || t.len > 15 || t.ptr[0] == '-' || t.ptr[t.len - 1] == '-') return false;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.ptr[i];
        if (!is_digit(c) && c != '-' && !(c >= 'a' && c <= 'z')) return false;
        if (c == '-' && t.ptr[i - 1] == '-') return false;
        letter = letter || is_letter(c);
    }
    return letter;
}

void io_is_port_name(io_reason *r, const tree *value)
{
    check_name(r, value, is_port_name, "name of a port (a-z, 0-9 and -, at most 15, with a letter)");
}

void io_is_port(io_reason *r, const tree *value)
{
    if (tree_is(value, TREE_STRING)) io_is_port_name(r, value);
    else check_between(r, value, 1, 65535);
}

void io_is_port_number(io_reason *r, const tree *value) { check_between(r, value, 1, 65535); }

void io_is_host_port(io_reason *r, const tree *value) { check_between(r, value, 0, 65535); /* 0 = none */ }

void io_is_amount_or_percent(io_reason *r, const tree *value)
{
    karp_str text = tree_text(value);
    if (!tree_is(value, TREE_STRING)) {
        check_between(r, value, 0, INT32_MAX);
        return;
    }
    bool percent = text.len > 1 && text.ptr[text.len - 1] == '%';
    for (size_t i = 0; percent && i + 1 < text.len; i++) percent = is_digit(text.ptr[i]);
    if (!percent) io_wrong(r, "is \"%.*s\", which is neither a whole number nor a percentage", IO_SHOWN(text));
}

void io_are_amounts(io_reason *r, const tree *value)
{
    for (size_t i = 0; tree_is(value, TREE_MAP) && i < tree_count(value); i++) {
        const tree_member *m = tree_member_at(value, i);
        karp_str name = tree_member_name(m), amount = tree_text_or_digits(m->value);
        if (!tree_is_null(m->value) && karp_quantity_check(amount) != KARP_OK)
            io_wrong(r, "has \"%.*s\" of %.*s, which is no quantity (100m, 1.5, 2Gi)", IO_SHOWN(amount),
                     IO_SHOWN(name));
    }
}

/* ---- selectors --------------------------------------------------------------------------------------------------- */

static void check_requirement(io_reason *r, const tree *one, const char *operators)
{
    const tree *values = tree_get(one, "values"), *operator_ = tree_get(one, "operator");
    karp_str key = tree_get_text(one, "key"), op = tree_text(operator_);
    size_t count = tree_count(values);
    check_key(r, key);
    if (!str_in_list(op, operators)) {
        if (op.len == 0) io_wrong(r, "has no operator");
        else io_wrong(r, "has the operator %.*s, which is none of %s", IO_SHOWN(op), operators);
    }
    if (str_in_list(op, "In NotIn") && count == 0)
        io_wrong(r, "has no values, although the operator is %.*s", IO_SHOWN(op));
    if (str_in_list(op, "Exists DoesNotExist") && count > 0)
        io_wrong(r, "has values, although the operator is %.*s", IO_SHOWN(op));
    if (str_in_list(op, "Gt Lt") && count != 1) io_wrong(r, "needs one value, as the operator is %.*s", IO_SHOWN(op));
}

void io_is_label_requirement(io_reason *r, const tree *value)
{
    check_requirement(r, value, "In NotIn Exists DoesNotExist");
}

void io_is_node_requirement(io_reason *r, const tree *value)
{
    check_requirement(r, value, "In NotIn Exists DoesNotExist Gt Lt");
}

static const io_rule of_selectors[] = {
    { 0, false, "matchLabels", io_are_labels, NULL },
    { 0, false, "matchExpressions[]", io_is_label_requirement, NULL },
    { 1, false, "values[]", io_is_value, NULL },
};

void io_is_selector(io_reason *r, const tree *value) { io_rules_check(r, IO_RULES(of_selectors), value); }
