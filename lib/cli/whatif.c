/* SPDX-License-Identifier: Apache-2.0 */
#include "designs.h"

#include <base/nearest.h>

#include <karp/library.h>

/* ---- nodes by a part of their names ------------------------------------------------------------------------------ */

/* A search for nodes whose names contain the given text. */
typedef struct name_search {
    karp_str found; /* the node with exactly that name, else the first match */
    size_t count; /* number of matches; 1 if a node has exactly that name */
    char names[160]; /* names of the first few */
    nearest near; /* of those that do not contain the name */
} name_search;

static void note_name(name_search *s, karp_str name)
{
    enum { NAMED = 3 };
    if (s->count++ == 0) s->found = name;
    if (s->count <= NAMED)
        str_append(s->names, sizeof s->names, "%s%.*s", *s->names ? ", " : "", str_shown(name, 40), name.ptr);
    else if (s->count == NAMED + 1) str_append(s->names, sizeof s->names, ", …");
}

static void search_names(karp_table *nodes, karp_str given, name_search *s)
{
    karp_column names = { .size = sizeof(names) };
    if (karp_table_find(nodes, (karp_str){ "name", 4 }, &names) != KARP_OK || names.type != KARP_COLUMN_TEXT) return;
    for (size_t i = 0; i < names.row_count; i++) {
        karp_str name = { (const char *)names.values + names.offsets[i],
                          (size_t)(names.offsets[i + 1] - names.offsets[i]) };
        nearest_offer(&s->near, name);
        nearest_offer(&s->near, str_before(name, '.')); /* people write the first part of "ip-10-0-1-2.ec2.internal" */
        if (!str_contains(name, given)) continue;
        if (name.len == given.len) {
            s->found = name;
            s->count = 1;
            return;
        }
        note_name(s, name);
    }
}

static bool is_planned_name(karp_str name)
{
    size_t i = 4;
    if (!str_starts(name, "new-")) return false;
    while (i < name.len && is_digit(name.ptr[i])) i++;
    return i > 4 && i == name.len;
}

static karp_status no_node(karp_str name, bool any, karp_error *error)
{
    const char *next = is_planned_name(name)
                           ? "a plan would launch it: karp explain pod NAME says why it gets that node"
                       : any ? "karp nodes lists them"
                             : "the input has no nodes; kubectl get nodes,nodeclaims -o json prints them";
    return fail(error, KARP_E_NOT_FOUND, "no node of the input has the name %.*s: %s", str_shown(name, 100), name.ptr,
                next);
}

karp_status find_node_name(karp_table *nodes, karp_str *name, karp_error *error)
{
    name_search s = { .found = *name, .near = { .wanted = *name, .distance = 2 } };
    if (name->len > 0) search_names(nodes, *name, &s);
    *name = s.found;
    if (s.count == 0 && s.near.best.ptr != NULL)
        return fail(error, KARP_E_NOT_FOUND, "no node has the name %.*s; did you mean %.*s?",
                    str_shown(s.near.wanted, 100), s.near.wanted.ptr, str_shown(s.near.best, 100), s.near.best.ptr);
    if (s.count == 0) return no_node(*name, karp_table_row_count(nodes) > 0, error);
    if (s.count == 1) return KARP_OK;
    return fail(error, KARP_E_INVALID, "%zu nodes have that in their names: %s", s.count, s.names);
}

/* The changes with the whole names of nodes; to be freed. NULL = a failure. */
static karp_change *name_changes(const cli_options *options, karp_table *nodes, const karp_change *changes,
                                 size_t count, karp_error *error)
{
    karp_change *named = karp_alloc(options->context, count * sizeof *named + 1);
    karp_status status = named == NULL ? fail(error, KARP_E_NOMEM, "out of memory") : KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++) {
        named[i] = changes[i];
        if (changes[i].kind == KARP_CHANGE_REMOVE_NODE) status = find_node_name(nodes, &named[i].name, error);
    }
    if (status == KARP_OK) return named;
    karp_free(options->context, named, count * sizeof *named + 1);
    return NULL;
}

karp_status what_if(const cli_options *options, const karp_snapshot *snapshot, const karp_change *changes,
                    size_t change_count, const karp_options *common, karp_decision **plan, karp_error *error)
{
    karp_table *nodes = NULL;
    karp_status status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_NODES, &nodes, error);
    if (status != KARP_OK) return status;
    karp_change *named = name_changes(options, nodes, changes, change_count, error);
    status = named == NULL ? error->status : karp_what_if(snapshot, named, change_count, common, plan, error);
    karp_free(options->context, named, named == NULL ? 0 : change_count * sizeof *named + 1);
    karp_table_free(nodes);
    return status;
}

/* ---- drift ------------------------------------------------------------------------------------------------------- */

karp_str column_text_at(const karp_column *c, size_t row)
{
    if (c->type == KARP_COLUMN_TEXT) {
        size_t begin = (size_t)c->offsets[row], end = (size_t)c->offsets[row + 1];
        return (karp_str){ (const char *)c->values + begin, end - begin };
    }
    int32_t word = ((const int32_t *)c->values)[row];
    if (word < 0) return str("");
    size_t begin = (size_t)c->dictionary_offsets[word], end = (size_t)c->dictionary_offsets[word + 1];
    return (karp_str){ c->dictionary + begin, end - begin };
}

static bool is_lost(karp_str name, karp_str zone, const karp_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const karp_change *c = &changes[i];
        if (c->kind == KARP_CHANGE_REMOVE_NODE && equal_str(name, c->name)) return true;
        if (c->kind == KARP_CHANGE_LOSE_ZONE && equal_str(zone, c->name)) return true;
    }
    return false;
}

/* The snapshot without the nodes that the changes remove. */
static karp_status without_lost(const cli_options *options, const karp_snapshot *snapshot, karp_table *nodes,
                                const karp_change *changes, size_t change_count, karp_snapshot **out, karp_error *error)
{
    karp_column names = { .size = sizeof names }, zones = { .size = sizeof zones };
    karp_status status = karp_table_find(nodes, str("name"), &names);
    if (status == KARP_OK) status = karp_table_find(nodes, str("zone"), &zones);
    if (status != KARP_OK) return fail(error, status, "the table of nodes has no names or zones");
    size_t count = 0, bytes = (names.row_count + 1) * sizeof(karp_str);
    karp_str *lost = karp_alloc(options->context, bytes);
    if (lost == NULL) return fail(error, KARP_E_NOMEM, "out of memory");
    for (size_t i = 0; i < names.row_count; i++) {
        karp_str name = column_text_at(&names, i);
        if (is_lost(name, column_text_at(&zones, i), changes, change_count)) lost[count++] = name;
    }
    status = karp_snapshot_without(snapshot, lost, count, out, error);
    karp_free(options->context, lost, bytes);
    return status;
}

karp_status what_if_drift(const cli_options *options, const karp_snapshot *snapshot, const karp_change *changes,
                          size_t change_count, karp_drift *out, karp_settlement **rounds, karp_error *error)
{
    karp_table *nodes = NULL;
    karp_snapshot *left = NULL;
    *rounds = NULL;
    *out = (karp_drift){ .size = sizeof *out };
    if (karp_drifted_nodes(snapshot) == 0) return KARP_OK;
    if (change_count == 0) return drift_course(options, snapshot, out, rounds, error);
    karp_status status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_NODES, &nodes, error);
    if (status != KARP_OK) return status;
    karp_change *named = name_changes(options, nodes, changes, change_count, error);
    status = named == NULL ? error->status : without_lost(options, snapshot, nodes, named, change_count, &left, error);
    bool only_nodes = true;
    for (size_t i = 0; i < change_count; i++) only_nodes = only_nodes && changes[i].kind == KARP_CHANGE_REMOVE_NODE;
    if (status == KARP_OK && only_nodes) status = drift_course(options, left, out, rounds, error);
    else if (status == KARP_OK) out->nodes = karp_drifted_nodes(left);
    karp_snapshot_unref(left);
    karp_free(options->context, named, named == NULL ? 0 : change_count * sizeof *named + 1);
    karp_table_free(nodes);
    return status;
}

/* ---- the changes ------------------------------------------------------------------------------------------------- */

typedef struct change_list {
    karp_change *items;
    size_t count;
    size_t room;
} change_list;

static void add_change(change_list *list, uint32_t kind, const char *name, size_t length, double factor)
{
    list->items[list->count++] = (karp_change){ .name = { name, length }, .factor = factor, .kind = kind };
}

/* "spot=1.3"; "all" is every capacity type. */
static bool add_factor(change_list *list, const char *word, size_t length)
{
    const char *sign = memchr(word, '=', length);
    double factor = 0;
    if (sign == NULL) return print_problem("--price-factor", "expected TYPE=FACTOR, as in spot=1.3");
    size_t name = (size_t)(sign - word);
    if (karp_double_parse((karp_str){ sign + 1, length - name - 1 }, &factor) != KARP_OK || factor < 0) {
        return print_problem("--price-factor", "the factor is not a number of at least 0");
    }
    bool all = name == 3 && memcmp(word, "all", 3) == 0;
    add_change(list, KARP_CHANGE_SCALE_PRICE, word, all ? 0 : name, factor);
    return true;
}

/* Adds the words of comma-separated lists. */
static bool add_words(change_list *list, const cli_list *given, uint32_t kind)
{
    for (size_t i = 0; i < given->count; i++) {
        for (const char *word = given->items[i]; word != NULL;) {
            const char *comma = strchr(word, ',');
            size_t length = comma == NULL ? strlen(word) : (size_t)(comma - word);
            if (length == 0) return print_problem(given->items[i], "an empty name between commas");
            if (kind != KARP_CHANGE_SCALE_PRICE) add_change(list, kind, word, length, 0);
            else if (!add_factor(list, word, length)) return false;
            word = comma == NULL ? NULL : comma + 1;
        }
    }
    return true;
}

static size_t count_words(const cli_list *given)
{
    size_t count = given->count;
    for (size_t i = 0; i < given->count; i++) {
        for (const char *p = given->items[i]; *p != '\0'; p++) count += *p == ',';
    }
    return count;
}

static bool read_changes(const cli_options *options, change_list *list)
{
    list->room = count_words(&options->removed) + count_words(&options->zones) + count_words(&options->unavailable) +
                 count_words(&options->factors) + 1;
    list->items = karp_alloc(options->context, list->room * sizeof(*list->items));
    if (list->items == NULL) return print_problem(NULL, "out of memory");
    return add_words(list, &options->removed, KARP_CHANGE_REMOVE_NODE) &&
           add_words(list, &options->zones, KARP_CHANGE_LOSE_ZONE) &&
           add_words(list, &options->unavailable, KARP_CHANGE_UNAVAILABLE) &&
           add_words(list, &options->factors, KARP_CHANGE_SCALE_PRICE);
}

static void add_title(strbuf *title, const char *before, const cli_list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        strbuf_adds(title, before);
        strbuf_adds(title, words->items[i]);
    }
}

/* The title of pages: "cluster.json, without node n1, without zone us-west-2a". */
static void name_question(const cli_options *options, karp_str input, strbuf *title)
{
    strbuf_addstr(title, input.len > 0 ? input : str("what if"));
    add_title(title, ", without node ", &options->removed);
    add_title(title, ", without zone ", &options->zones);
    add_title(title, ", nothing available of ", &options->unavailable);
    add_title(title, ", price factor ", &options->factors);
    add_title(title, ", with ", &options->replaced);
    add_title(title, ", without ", &options->deleted);
    add_title(title, ", with ", &options->scaled);
}

static karp_status answer_whatif(cli_answer *answer, void *own, int *result)
{
    const change_list *changes = own;
    karp_decision *plan = NULL;
    karp_options common = decision_options(answer->options);
    progress_begin("planning");
    karp_status status = what_if(answer->options, answer->input.snapshot, changes->items, changes->count, &common,
                                 &plan, &answer->error);
    progress_end();
    karp_settlement *settlement = NULL;
    karp_drift drift = { .size = sizeof drift };
    if (status == KARP_OK)
        status = what_if_drift(answer->options, answer->input.snapshot, changes->items, changes->count, &drift,
                               &settlement, &answer->error);
    answer->write.drift = &drift;
    if (status == KARP_OK && changes->count == 0 && settlement == NULL)
        status = settle_launches(answer->options, answer->input.snapshot, plan, &settlement, &answer->error);
    answer->write.settlement = settlement;
    karp_preferences *preferences = NULL;
    if (status == KARP_OK && changes->count == 0) status = find_preferences(answer, plan, str(""), &preferences);
    answer->write.preferences = preferences;
    if (status == KARP_OK && changes->count > 0 && settlement == NULL && !answer->options->first_round &&
        karp_more_rounds(answer->input.snapshot, plan))
        status = answer_note(
            answer, "the cost is that of one round: later ones may launch more nodes for the pods that are left");
    hook_rounds hooks = { .count = 0 };
    if (status == KARP_OK) status = hook_rounds_answer(answer, changes->items, changes->count, &hooks);
    if (status == KARP_OK) {
        strbuf title = { .context = answer->options->context };
        if (answer->write.format == KARP_FORMAT_HTML) {
            name_question(answer->options, answer->write.title, &title);
            if (title.failed) status = KARP_E_NOMEM;
            answer->write.title = (karp_str){ title.ptr, title.len };
        }
        if (status == KARP_OK)
            status = karp_write_plan(answer->options->context, plan, NULL, &answer->write, &answer->text,
                                     &answer->error);
        strbuf_free(&title);
        answer->write.title = (karp_str){ NULL, 0 };
        *result = exit_status_of_plan(answer, plan, NULL);
        if (answer->options->fail_on_unschedulable && hook_rounds_fail(&hooks)) *result = EXIT_UNSCHEDULABLE;
    }
    hook_rounds_free(answer->options, &hooks);
    karp_settlement_free(settlement);
    karp_preferences_free(preferences);
    karp_decision_unref(plan);
    return status;
}

static int run_whatif(const cli_options *options)
{
    change_list changes = { 0 };
    int result = EXIT_ERROR;
    bool read = read_changes(options, &changes);
    uint32_t comparisons = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_MARKDOWN |
                           1u << KARP_FORMAT_HTML;
    if (read && options->designs.count > 0 && (comparisons & 1u << options->format) == 0) {
        print_problem("--design", "its formats are json, text, markdown and html");
    } else if (read && options->designs.count > 0) {
        result = designs_of_files(options, changes.items, changes.count);
    } else if (read) {
        cli_options noting = *options; /* without --design deleted pods are noted; designs list their differences */
        noting.note_changes = true;
        noting.rounds_of_hooks = options->hooks == NULL;
        result = answer_input(&noting, true, false, answer_whatif, &changes);
    }
    karp_free(options->context, changes.items, changes.room * sizeof(*changes.items));
    return result;
}

const cli_verb verb_whatif = {
    .name = "whatif",
    .arguments = "[FILE...]",
    .summary = "the plan if nodes or a zone were lost, or prices changed",
    .details =
        "Plans for the cluster with changes: nodes that are removed, so that their pods need a place, zones that are\n"
        "lost, other prices. --add reads more objects, which are treated as if they were there already.\n"
        "A lost zone stays a domain of topology spread, as it does for Karpenter: a constraint with DoNotSchedule may\n"
        "leave pods pending because of it. Such pods are not reported as permanently unschedulable.",
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OBJECTIVE |
               CLI_OPTION_OUTPUT | CLI_OPTION_EXIT | CLI_OPTION_FAIL_ON | CLI_OPTION_CHANGES | CLI_OPTION_ROUNDS,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_YAML | 1u << KARP_FORMAT_HTML |
               1u << KARP_FORMAT_MARKDOWN | 1u << KARP_FORMAT_CSV | 1u << KARP_FORMAT_PROMETHEUS,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_whatif,
};
