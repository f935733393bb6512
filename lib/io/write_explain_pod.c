/* SPDX-License-Identifier: Apache-2.0 */
/* Writes why a pod is unschedulable, as a table of pools and instance types, and what would make it schedulable. */

#include "write_explain.h"
#include "write_notes.h"
#include "write_plan_json.h"
#include "write_topology.h"
#include <records/rows.h>

enum { MOST_LINES = 30, COLUMNS = 6, COLUMN_GAP = 3, REMEDIES_SHOWN = 3, RESIZE_INDENT = 8 };

/* ---- the pod's row ----------------------------------------------------------------------------------------------- */

/* Finds the pod among the unschedulable pods. */
static bool find_row(const write_job *job, karp_str name, size_t *index)
{
    for (size_t i = 0; i < karp_decision_unschedulable_count(job->decision); i++) {
        karp_unschedulable pod;
        get_unschedulable(job, i, &pod);
        if (equal_str(karp_decision_pod_name(job->decision, pod.pod), name)) {
            *index = i;
            return true;
        }
    }
    return false;
}

static void get_remedy(const write_job *job, const karp_pod_explanation *explanation, size_t index, karp_remedy *out)
{
    *out = (karp_remedy){ .size = sizeof(*out) };
    write_refuse(job, karp_pod_explanation_remedy(explanation, index, out), "a remedy cannot be read");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static const record_names remedy_kinds = { karp_remedy_name, 1, 100, false };
static const record record_remedy = {
    SIZED(karp_remedy, choice),
    OPEN({ NAMED("kind", karp_remedy, kind, remedy_kinds) }, { UINT32("changes", karp_remedy, changes) },
         { TEXT("text", karp_remedy, text) }, { TEXT("node", karp_remedy, node), GIVEN },
         { TEXT("nodePool", karp_remedy, node_pool), GIVEN },
         { STRUCT("choice", karp_remedy, choice, record_choice), GIVEN, FLAT })
};
SOURCE_ROWS(remedies, karp_pod_explanation_remedy_count, karp_pod_explanation_remedy)
static const encode_source source_remedies = SOURCE(remedies, record_remedy, false);

static void placed_as_json(const encoder *e, const karp_pod_explanation *explanation, bool launched);
static void causes_as_text(const text_out *t, const write_job *job, const karp_pod_explanation *explanation,
                           bool first);

static void as_json(const write_job *job, const karp_pod_explanation *explanation, size_t index)
{
    json_out json, *j = &json;
    encoder e = plan_header(j, job, "PodExplanation");
    json_member_str(j, "pod", karp_pod_explanation_pod(explanation));
    json_member_text(j, "outcome", "unschedulable");
    json_key(j, "unschedulable");
    encode_row(&e, &source_unschedulable, job->decision, index);
    encode_all(&e, "remedies", &source_remedies, explanation);
    json_member_uint(j, "tried", karp_pod_explanation_tried(explanation));
    json_member_bool(j, "bounded", karp_pod_explanation_bounded(explanation) != 0);
    placed_as_json(&e, explanation, false);
    notes_as_json(j, job);
    json_close(j);
}

/* ---- the table of pools ------------------------------------------------------------------------------------------ */

static const char *const headings[COLUMNS] = {
    "pool", "types", "after requirements", "after resources", "with an offering", "stopped by"
};

static size_t digits(uint32_t number)
{
    size_t count = 1;
    for (; number >= 10; number /= 10) count++;
    return count;
}

static uint32_t funnel(const karp_pool_refusal *pool, size_t column)
{
    const uint32_t numbers[COLUMNS] = {
        0, pool->types_start, pool->types_requirements, pool->types_resources, pool->types_offerings, 0
    };
    return numbers[column];
}

static void measure(const karp_unschedulable *pod, size_t widths[COLUMNS])
{
    for (size_t c = 0; c < COLUMNS; c++) {
        widths[c] = text_columns(str(headings[c]));
        for (size_t i = 0; i < pod->pool_count; i++) {
            size_t width = c == 0 ? text_columns(pod->pools[i].node_pool) : digits(funnel(&pod->pools[i], c));
            widths[c] = width > widths[c] && c + 1 < COLUMNS ? width : widths[c];
        }
    }
}

/* The reason why the pool was rejected. The columns already show the filter of instance types. So the standard text of
 * the code is enough, unless the detail names a requirement that no type meets ("…; none has KEY In [VALUE], resources
 * …"). */
static karp_str stopped_by(const karp_pool_refusal *pool)
{
    bool filtered = pool->code > KARP_REASON_MIN_VALUES && pool->code <= KARP_REASON_TUPLE;
    karp_str text = pool->detail;
    size_t from = 0;
    if (!filtered || text.len == 0) return text.len == 0 ? str(karp_reason_text(pool->code)) : text;
    while (from < text.len && !str_starts((karp_str){ text.ptr + from, text.len - from }, "; none ")) from++;
    if (from == text.len) return str(karp_reason_text(pool->code));
    size_t to = from += 2;
    while (to < text.len && !str_starts((karp_str){ text.ptr + to, text.len - to }, ", resources {")) to++;
    return (karp_str){ text.ptr + from, to - from };
}

/* The width of the longest word in the reasons and their heading. */
static size_t longest_word(const karp_unschedulable *pod)
{
    size_t longest = text_columns(str(headings[COLUMNS - 1]));
    for (size_t i = 0; i < pod->pool_count; i++) {
        karp_str text = stopped_by(&pod->pools[i]);
        for (size_t from = 0, to; from < text.len; from = to + 1) {
            for (to = from; to < text.len && text.ptr[to] != ' ';) to++;
            size_t columns = text_columns((karp_str){ text.ptr + from, to - from });
            longest = columns > longest ? columns : longest;
        }
    }
    return longest;
}

static void table_of_pools(const text_out *t, const karp_unschedulable *pod)
{
    size_t widths[COLUMNS];
    char number[KARP_VALUE_TEXT];
    measure(pod, widths);
    size_t figures = widths[0];
    for (size_t c = 1; c + 1 < COLUMNS; c++) figures += COLUMN_GAP + widths[c];
    bool apart = figures + COLUMN_GAP + longest_word(pod) > t->width; /* too narrow: reasons are below the figures */
    text_style_begin(t, STYLE_DIM);
    for (size_t c = 0; c + apart < COLUMNS; c++) {
        buffer_repeat(t->out, " ", c == 0 ? 0 : COLUMN_GAP);
        if (c == 0 || c + 1 == COLUMNS) text_left(t->out, str(headings[c]), c == 0 ? widths[c] : 0);
        else text_right(t->out, str(headings[c]), widths[c]);
    }
    text_style_end(t, STYLE_DIM);
    buffer_char(t->out, '\n');
    for (size_t i = 0; i < pod->pool_count; i++) {
        text_left(t->out, pod->pools[i].node_pool, widths[0]);
        for (size_t c = 1; c + 1 < COLUMNS; c++) {
            karp_double_format(funnel(&pod->pools[i], c), number);
            buffer_repeat(t->out, " ", COLUMN_GAP);
            text_right(t->out, str(number), widths[c]);
        }
        static const char title[] = "  stopped by: ";
        size_t at = apart ? sizeof(title) - 1 : figures + COLUMN_GAP;
        buffer_text(t->out, apart ? "\n" : "");
        buffer_text(t->out, apart ? title : "   ");
        text_flow flow;
        flow_begin(&flow, t, at, at, MOST_LINES);
        flow_words(&flow, stopped_by(&pod->pools[i]));
        buffer_char(t->out, '\n');
    }
}

/* ---- nodes and launches ------------------------------------------------------------------------------------------ */

enum { TARGET_INDENT = 9, TARGETS_NAMED = 12 };

static void names_of_target(text_flow *flow, const karp_unschedulable *pod, uint32_t code)
{
    size_t named = 0, count = 0;
    for (size_t i = 0; i < pod->target_count; i++) {
        if (pod->targets[i].code != code || pod->targets[i].target.len == 0) continue;
        if (count++ >= TARGETS_NAMED) continue;
        if (!flow_words(flow, pod->targets[i].target)) return;
        flow->indent = TARGET_INDENT; /* indent of the lines after the first; the first name follows its parenthesis */
        named++;
    }
    if (count > named) buffer_text(flow->t->out, named > 0 ? " \xe2\x80\xa6" : "\xe2\x80\xa6");
}

/* Writes a line for each reason, with the names of the targets that it applies to. */
static void lines_of_targets(const text_out *t, const karp_unschedulable *pod)
{
    for (size_t i = 0; i < pod->target_count; i++) {
        size_t count = 0;
        bool before = false;
        for (size_t k = 0; k < pod->target_count; k++) {
            count += pod->targets[k].code == pod->targets[i].code;
            before = before || (k < i && pod->targets[k].code == pod->targets[i].code);
        }
        if (before) continue;
        size_t start = t->out->text.len;
        buffer_text(t->out, i == 0 ? "nodes  " : "       ");
        buffer_uint(t->out, count);
        buffer_text(t->out, ": ");
        buffer_text(t->out, karp_reason_text(pod->targets[i].code));
        buffer_text(t->out, " (");
        text_flow flow;
        flow_begin(&flow, t, TARGET_INDENT, t->out->text.len - start, 3);
        flow.indent = flow.column; /* no space before the first name */
        names_of_target(&flow, pod, pod->targets[i].code);
        buffer_text(t->out, ")\n");
    }
}

/* ---- remedies ---------------------------------------------------------------------------------------------------- */

enum { REMEDY_INDENT = 28, REMEDY_LINES = 8, PRICE_COLUMNS = 8 };

static size_t columns_of_goal(const karp_remedy *remedy)
{
    return remedy->node.len > 0
               ? strlen("node ") + text_columns(remedy->node)
               : text_columns(remedy->choice.instance_type) + 2 + text_columns(remedy->choice.zone) + 2 + PRICE_COLUMNS;
}

static void write_remedy(const text_out *t, const karp_remedy *remedy)
{
    text_flow flow;
    flow_begin(&flow, t, REMEDY_INDENT, REMEDY_INDENT, REMEDY_LINES);
    flow_words(&flow, remedy->text);
    if (flow.column + strlen("  ->  ") + columns_of_goal(remedy) > t->width) {
        buffer_char(t->out, '\n');
        buffer_repeat(t->out, " ", REMEDY_INDENT);
        buffer_text(t->out, "->  ");
    } else {
        buffer_text(t->out, "  ->  ");
    }
    if (remedy->node.len > 0) {
        text_between(t->out, "node ", remedy->node, "");
        return;
    }
    text_clean(t->out, remedy->choice.instance_type);
    text_between(t->out, ", ", remedy->choice.zone, ", $");
    text_money(t->out, remedy->choice.price);
    buffer_text(t->out, "/h");
}

static void lines_of_remedies(const text_out *t, const write_job *job, const karp_pod_explanation *explanation)
{
    size_t count = karp_pod_explanation_remedy_count(explanation);
    if (count == 0 && karp_pod_explanation_tried(explanation) > 0) {
        buffer_text(t->out, "No single change of the pod or a NodePool that was tried places it (");
        buffer_uint(t->out, karp_pod_explanation_tried(explanation));
        buffer_text(t->out, karp_pod_explanation_bounded(explanation) != 0 ? " tried, not all).\n" : " tried).\n");
    }
    for (size_t i = 0; i < count && i < REMEDIES_SHOWN; i++) {
        karp_remedy remedy;
        get_remedy(job, explanation, i, &remedy);
        buffer_text(t->out, i == 0 ? "Smallest change that works: " : "                       or: ");
        write_remedy(t, &remedy);
        buffer_char(t->out, '\n');
    }
}

static void resize_as_text(const text_out *t, const karp_pod_explanation *explanation)
{
    karp_str resize = karp_pod_explanation_resize(explanation);
    text_flow flow;
    if (resize.len == 0) return;
    text_styled(t, STYLE_HEADING, "\nResize");
    buffer_text(t->out, "  ");
    flow_begin(&flow, t, RESIZE_INDENT, RESIZE_INDENT, MOST_LINES);
    flow_words(&flow, resize);
    buffer_text(t->out, ".\n");
}

static void as_text(const write_job *job, const karp_pod_explanation *explanation, size_t index)
{
    const text_out *t = &(text_out){ job->out, job->options->width, job->options->color != 0 };
    karp_unschedulable pod;
    get_unschedulable(job, index, &pod);
    header_line(t, job, "karp explain");
    buffer_char(job->out, '\n');
    text_subject(t, karp_pod_explanation_pod(explanation));
    bool running = karp_pod_explanation_running(explanation) != 0;
    if (running) buffer_text(job->out, " runs. If it were evicted now, it");
    text_no_place(t, &pod, running);
    causes_as_text(t, job, explanation, true);
    if (pod.pool_count > 0) {
        table_of_pools(t, &pod);
    } else {
        text_clean(job->out, pod.message);
        buffer_char(job->out, '\n');
    }
    topology_tables(t, &pod);
    lines_of_targets(t, &pod);
    lines_of_remedies(t, job, explanation);
    resize_as_text(t, explanation);
    causes_as_text(t, job, explanation, false);
    if (job->options->preferences != NULL) preferences_as_text(t, job);
    notes_section(t, job);
}

/* ---- placed pods: why the other NodePools were not used ---------------------------------------------------------- */

enum { ALTERNATIVE_INDENT = 6, ALTERNATIVE_LINES = 6 };

static void get_alternative(const write_job *job, const karp_pod_explanation *explanation, size_t index,
                            karp_alternative *out)
{
    *out = (karp_alternative){ .size = sizeof(*out) };
    write_refuse(job, karp_pod_explanation_alternative(explanation, index, out), "a NodePool's answer cannot be read");
}

static const record record_alternative = {
    SIZED(karp_alternative, cost_change),
    OPEN({ TEXT("nodePool", karp_alternative, node_pool) }, { INT32("weight", karp_alternative, weight) },
         { NAMED("code", karp_alternative, code, record_reasons), GIVEN },
         { TEXT("detail", karp_alternative, detail), WHEN(karp_alternative, code) },
         { STRUCT("choice", karp_alternative, choice, record_choice), FLAT, WHEN_NOT(karp_alternative, code) },
         { MONEY("costChange", karp_alternative, cost_change), WHEN(karp_alternative, cost_known) })
};
SOURCE_ROWS(alternatives, karp_pod_explanation_alternative_count, karp_pod_explanation_alternative)
static const encode_source source_alternatives = SOURCE(alternatives, record_alternative, false);

static void alternatives_as_json(const encoder *e, const karp_pod_explanation *explanation)
{
    encode_all(e, "alternatives", &source_alternatives, explanation);
}

static void write_change(const text_out *t, text_flow *flow, double change)
{
    double month = change * HOURS_A_MONTH;
    if (month < 0.005 && month > -0.005) {
        flow_words(flow, str("would cost the same"));
        return;
    }
    flow_words(flow, str("would cost"));
    buffer_char(t->out, ' ');
    text_dollars(t->out, month < 0 ? -month : month, false);
    buffer_text(t->out, month < 0 ? "/month less" : "/month more");
}

static void launches_named(const text_out *t, const write_job *job, karp_str pool)
{
    size_t count = 0;
    for (size_t i = 0; i < karp_decision_launch_count(job->decision); i++) {
        karp_launch l;
        get_launch(job, job->decision, i, &l);
        if (!equal_str(l.node_pool, pool)) continue;
        if (count < 3) {
            buffer_text(t->out, count == 0 ? "\n      reached in this round by " : ", ");
            text_clean(t->out, l.id);
        }
        count++;
    }
    if (count > 3) buffer_text(t->out, " and others");
    if (count == 0) buffer_text(t->out, "\n      too little of it is left for one more node");
}

/* ", gpu," for the NodePool that launches the pod's node */
static karp_str own_pool(const write_job *job, const karp_pod_explanation *explanation)
{
    for (size_t i = 0; i < karp_decision_launch_count(job->decision); i++) {
        karp_launch l;
        get_launch(job, job->decision, i, &l);
        for (size_t k = 0; k < l.pod_count; k++) {
            if (equal_str(karp_decision_pod_name(job->decision, l.pods[k]), karp_pod_explanation_pod(explanation)))
                return l.node_pool;
        }
    }
    return (karp_str){ "", 0 };
}

/* Why a NodePool that would take the pod has not got it. Karpenter tries NodePools by weight, and those of equal weight
 * by name, the last one first. */
static const char *passed_over(const karp_alternative *a, karp_str own, int32_t weight)
{
    if (a->weight > weight) return "would launch for it if it were the only NodePool";
    if (a->weight < weight) return "would take it, but is tried later";
    return compare_str(a->node_pool, own) > 0
               ? "was tried before, and did not take it at its turn; as the only NodePool it would"
               : "would take it, but of equal weights the last name is tried first";
}

static void alternatives_as_text(const text_out *t, const write_job *job, const karp_pod_explanation *explanation)
{
    size_t count = karp_pod_explanation_alternative_count(explanation);
    karp_str own = count > 0 ? own_pool(job, explanation) : (karp_str){ "", 0 };
    for (size_t i = 0; i < count; i++) {
        karp_alternative a;
        get_alternative(job, explanation, i, &a);
        if (i == 0) {
            text_styled(t, STYLE_HEADING, "\nOther NodePools");
            buffer_text(t->out, " (this one");
            if (own.len > 0) text_between(t->out, ", ", own, ",");
            buffer_between_u(t->out, " has weight ", (uint64_t)(karp_pod_explanation_weight(explanation)),
                             "; the highest weight that takes the pod wins)\n");
        }
        text_between(t->out, "  ", a.node_pool, "");
        buffer_between_u(t->out, " (weight ", (uint64_t)(a.weight < 0 ? 0 : a.weight), ")\n      ");
        text_flow flow;
        flow_begin(&flow, t, ALTERNATIVE_INDENT, ALTERNATIVE_INDENT, ALTERNATIVE_LINES);
        if (a.code != 0) {
            flow_words(&flow, a.detail.len > 0 ? a.detail : str(karp_reason_text(a.code)));
            if (a.code == KARP_REASON_LIMITS) launches_named(t, job, a.node_pool);
        } else {
            flow_words(&flow, str(passed_over(&a, own, karp_pod_explanation_weight(explanation))));
            if (a.choice.instance_type.len > 0) {
                text_between(t->out, ": ", a.choice.instance_type, " $");
                text_money(t->out, a.choice.price);
                buffer_text(t->out, "/h");
            }
        }
        if (a.cost_known && a.code == KARP_REASON_LIMITS) {
            text_between(t->out, "\n      without the limit: ", a.choice.instance_type, "");
            buffer_text(t->out, a.choice.instance_type.len > 0 ? ", " : "");
            text_per_month(t->out, a.cost_change, true);
            buffer_text(t->out, a.choice.instance_type.len > 0 ? "" : ", for other pods: this one stays");
        } else if (a.cost_known) {
            buffer_text(t->out, ";\n      the plan");
            flow_begin(&flow, t, ALTERNATIVE_INDENT, ALTERNATIVE_INDENT + 20, ALTERNATIVE_LINES);
            write_change(t, &flow, a.cost_change);
        }
        buffer_char(t->out, '\n');
    }
}

/* ---- placed pods: why they are placed there ---------------------------------------------------------------------- */

static const record_names cause_kinds = { karp_placement_cause_name, KARP_PLACEMENT_RUNNING, KARP_PLACEMENT_TOPOLOGY,
                                          false };
static const record record_cause = { SIZED(karp_placement_cause, text),
                                     OPEN({ NAMED("kind", karp_placement_cause, kind, cause_kinds) },
                                          { TEXT("text", karp_placement_cause, text) }) };
SOURCE_ROWS(causes, karp_pod_explanation_cause_count, karp_pod_explanation_cause)
static const encode_source source_causes = SOURCE(causes, record_cause, true);

static void placed_as_json(const encoder *e, const karp_pod_explanation *explanation, bool launched)
{
    if (karp_pod_explanation_running(explanation)) json_member_bool(e->json, "running", true);
    if (karp_pod_explanation_cause_count(explanation) > 0) encode_all(e, "causes", &source_causes, explanation);
    karp_str resize = karp_pod_explanation_resize(explanation);
    if (resize.len > 0) json_member_str(e->json, "resize", resize);
    if (launched) alternatives_as_json(e, explanation);
    if (e->job->options->preferences != NULL) preferences_as_json(e);
}

/* `first`: only what has to be acted on first, which the table of pools does not show. */
static void causes_as_text(const text_out *t, const write_job *job, const karp_pod_explanation *explanation, bool first)
{
    size_t count = karp_pod_explanation_cause_count(explanation);
    bool headed = first;
    for (size_t i = 0; i < count; i++) {
        karp_placement_cause cause = { .size = sizeof(cause) };
        text_flow flow;
        write_refuse(job, karp_pod_explanation_cause(explanation, i, &cause), "a cause cannot be read");
        if ((cause.kind == KARP_PLACEMENT_BEHIND_LIMITS) != first) continue;
        if (!headed) text_styled(t, STYLE_HEADING, "\nWhy\n");
        headed = true;
        buffer_text(t->out, "  *   ");
        flow_begin(&flow, t, ALTERNATIVE_INDENT, ALTERNATIVE_INDENT, MOST_LINES);
        flow_words(&flow, cause.text);
        buffer_char(t->out, '\n');
    }
}

static void placed_as_text(const text_out *t, const write_job *job, const karp_pod_explanation *explanation)
{
    resize_as_text(t, explanation);
    causes_as_text(t, job, explanation, false);
    alternatives_as_text(t, job, explanation);
    if (job->options->preferences != NULL) preferences_as_text(t, job);
}

karp_status karp_write_pod_explanation(karp_context *context, const karp_pod_explanation *explanation,
                                       const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, explanation, "an explanation", WRITE_JSON_TEXT);
    if (status != KARP_OK) return status;
    call.job.decision = karp_pod_explanation_decision(explanation);
    karp_str pod = karp_pod_explanation_pod(explanation);
    size_t index = 0;
    if (!find_row(&call.job, pod, &index)) {
        const pod_addition addition = { placed_as_json, placed_as_text, explanation,
                                        karp_pod_explanation_running(explanation) != 0 };
        return write_pod_with(context, call.job.decision, &addition, pod, options, out, error);
    }
    bool json = call.options.format == KARP_FORMAT_JSON;
    (json ? as_json : as_text)(&call.job, explanation, index);
    return write_end(&call);
}
