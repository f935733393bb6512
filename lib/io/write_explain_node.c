/* SPDX-License-Identifier: Apache-2.0 */
/* Writes why a node is kept: its blockers in order, and the best move that was rejected. */
#include "write_plan_json.h"
#include "write_explain.h"
#include "write_notes.h"
#include "write_rows.h"
#include <base/money.h>
#include <karp/library.h>
#include <records/rows.h>

enum { MOST_LINES = 6 };

static void get_blocker(const write_job *job, const karp_node_explanation *explanation, size_t index, karp_blocker *out)
{
    *out = (karp_blocker){ .size = sizeof(*out) };
    write_refuse(job, karp_node_explanation_blocker(explanation, index, out), "a blocker cannot be read");
}

static bool get_move(const karp_node_explanation *explanation, karp_move *out)
{
    *out = (karp_move){ .size = sizeof(*out) };
    return karp_node_explanation_move(explanation, out) == KARP_OK;
}

/* Finds a NodePool that has more nodes than its budgets allow to disrupt: then nodes have to wait for each other, even
 * if no single node is kept because of the budget. */
static bool tight_budget(const write_job *job, karp_str name, karp_pool_budget *budget, size_t *nodes)
{
    karp_node_use own, other;
    (void)get_node_named(job, job->decision, name, &own);
    *nodes = 0;
    for (size_t i = 0; i < karp_decision_node_count(job->decision); i++) {
        get_node(job, job->decision, i, &other);
        *nodes += equal_str(other.node_pool, own.node_pool);
    }
    for (size_t i = 0; i < karp_decision_budget_count(job->decision); i++) {
        get_budget(job, job->decision, i, budget);
        if (equal_str(budget->node_pool, own.node_pool))
            return own.node_pool.len > 0 && budget->remaining < (int64_t)*nodes;
    }
    return false;
}

/* The position of `word` in the text; the text's length if it is not found. */
static size_t place_of(karp_str text, const char *word)
{
    size_t at = 0;
    while (at < text.len && !str_starts((karp_str){ text.ptr + at, text.len - at }, word)) at++;
    return at;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static const record record_blocker = {
    SIZED(karp_blocker, until),
    OPEN({ NAMED("code", karp_blocker, code, record_reasons) }, { TEXT("detail", karp_blocker, detail) },
         { NAMED("method", karp_blocker, method, record_methods) }, { UINT32("found", karp_blocker, found), GIVEN },
         { TIME("until", karp_blocker, until) })
};
SOURCE_ROWS(node_blockers, karp_node_explanation_blocker_count, karp_node_explanation_blocker)
static const encode_source source_node_blockers = SOURCE(node_blockers, record_blocker, false);

static const record record_node_remedy = { SIZED(karp_node_remedy, savings),
                                           OPEN({ NAMED("code", karp_node_remedy, code, record_reasons), GIVEN },
                                                { TEXT("text", karp_node_remedy, text) },
                                                { NAMED("method", karp_node_remedy, method, record_methods) },
                                                { TEXT("instanceType", karp_node_remedy, instance_type), GIVEN },
                                                { SUM("savings", karp_node_remedy, savings) }) };
SOURCE_ROWS(node_remedies, karp_node_explanation_remedy_count, karp_node_explanation_remedy)
static const encode_source source_node_remedies = SOURCE(node_remedies, record_node_remedy, true);

#define PLACES_OF_MOVE                                                                                                 \
    { UINT32("podsMoved", karp_move, moved) }, { UINT32("launches", karp_move, launches) },                            \
        { TEXT("nodePool", karp_move, node_pool), WHEN(karp_move, launches) },                                         \
    {                                                                                                                  \
        STRUCT("choice", karp_move, choice, record_choice), FLAT, WHEN(karp_move, launches)                            \
    }
static const record record_move = { SIZED(karp_move, choice),
                                    OPEN({ PRICE("price", karp_move, price) }, { SUM("savings", karp_move, savings) },
                                         PLACES_OF_MOVE) };
static const record record_move_unpriced = { SIZED(karp_move, choice), OPEN(PLACES_OF_MOVE) };

static void as_json(const write_job *job, const karp_node_explanation *explanation)
{
    json_out json, *j = &json;
    karp_move move;
    karp_pool_budget budget;
    size_t nodes;
    encoder e = plan_header(j, job, "NodeExplanation");
    json_member_str(j, "node", karp_node_explanation_node(explanation));
    json_member_text(j, "outcome", "kept");
    if (karp_node_explanation_expired(explanation) != 0) json_member_bool(j, "expired", true);
    karp_str drift = karp_node_explanation_drift(explanation);
    if (drift.len > 0) json_member_str(j, "drift", drift);
    encode_all(&e, "blockers", &source_node_blockers, explanation);
    encode_all(&e, "remedies", &source_node_remedies, explanation);
    if (tight_budget(job, karp_node_explanation_node(explanation), &budget, &nodes)) {
        json_member_flat_object(j, "budget");
        encode_members(&e, &record_budget, &budget);
        json_member_uint(j, "nodes", nodes);
        json_end(j);
    }
    if (get_move(explanation, &move)) {
        json_key(j, "bestRejectedMove");
        encode_object(&e, has_price(move.price) ? &record_move : &record_move_unpriced, &move);
    }
    drift_as_json(j, job->options->drift, IN_PLAN);
    notes_as_json(j, job);
    json_close(j);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void write_move(const text_out *t, const karp_move *move)
{
    write_buffer *b = t->out;
    buffer_text(b, "If it could be disrupted: ");
    if (move->moved == 0) {
        buffer_text(b, "no pod has to move");
    } else {
        bool some = move->launches > 0 && move->moved > 1; /* existing nodes come first for each pod */
        buffer_text(b, some ? "for those of its " : move->launches > 0 ? "for its " : "its ");
        buffer_count(b, move->moved, "pod");
        if (some) buffer_text(b, " that fit on no existing node,");
    }
    if (move->moved > 0 && move->launches == 0) {
        buffer_text(b, " would fit on existing nodes");
    } else if (move->launches > 0) {
        text_between(b, " ", move->choice.instance_type, ", ");
        text_clean(b, move->choice.zone);
        text_between_money(b, ", $", move->choice.price, "/h");
        if (move->launches > 1) {
            buffer_between_u(b, " and ", move->launches - 1, " more");
        }
        buffer_text(b, " would be launched");
    }
    if (!(move->price > 0)) {
        buffer_text(b, ". What that saves is unknown, as the node's price is.\n");
        return;
    }
    buffer_text(b, move->savings < 0 ? "; it would cost $" : "; it would save $");
    text_money(b, move->savings < 0 ? -move->savings : move->savings);
    buffer_text(b, move->savings < 0 ? "/h more" : "/h");
    if (move->savings >= 0) {
        text_between_money(b, " of $", move->price, " (");
        text_percent(b, move->savings / move->price, 0);
        buffer_char(b, ')');
    }
    buffer_text(b, ".\n");
}

/* What has to happen so that a reason no longer applies; NULL = unknown. */
static const char *ends_when(uint32_t code)
{
    static const struct {
        uint32_t code;
        const char *text;
    } rows[] = {
        { KARP_REASON_NOT_INITIALIZED, "it is initialized; until its expireAfter Karpenter leaves a node alone that "
                                       "never gets ready: delete it, or let node repair replace it" },
        { KARP_REASON_NO_NODE, "its Node has registered" },
        { KARP_REASON_REBOOTING, "it has rebooted" },
        { KARP_REASON_NO_NODEPOOL_LABEL, "it has the label karpenter.sh/nodepool" },
        { KARP_REASON_NODEPOOL_NOT_FOUND, "its NodePool exists and has instance types" },
        { KARP_REASON_INSTANCE_TYPE_NOT_FOUND, "its instance type is in the catalogue" },
        { KARP_REASON_NO_CAPACITY_TYPE, "it has the label karpenter.sh/capacity-type" },
        { KARP_REASON_NO_ZONE, "it has the label topology.kubernetes.io/zone" },
        { KARP_REASON_BUFFER_PODS, "the CapacityBuffer no longer needs it" },
        { KARP_REASON_MIN_VALUES_BY_PRICE, "enough cheaper types for minValues exist" },
        { KARP_REASON_SAME_TYPE, "its pods fit on a cheaper type" },
        { KARP_REASON_STATIC_LIMIT, "the limit of nodes of its NodePool leaves room for one more" },
        { KARP_REASON_NOTHING_CHANGED, "a pod, a node or a NodePool changes, or after five minutes" },
        { KARP_REASON_RESERVATION_ELSEWHERE, "a reservation has a free instance" },
        { KARP_REASON_NOMINATED, "the pods on their way to it have arrived" },
        { KARP_REASON_NODE_DO_NOT_DISRUPT, "it no longer carries karpenter.sh/do-not-disrupt" },
        { KARP_REASON_IN_QUEUE, "the command that it is part of has been carried out" },
        { KARP_REASON_POD_DO_NOT_DISRUPT, "no pod on it carries karpenter.sh/do-not-disrupt" },
        { KARP_REASON_GROUP_ELSEWHERE, "all pods of the group are on this node, or it has another disruption mode" },
        { KARP_REASON_PDB_MULTIPLE, "no pod on it is covered by more than one PodDisruptionBudget" },
        { KARP_REASON_INVALID_PDB, "the selector of the PodDisruptionBudget can be read" },
        { KARP_REASON_NOT_CONSOLIDATABLE, "its NodeClaim has become Consolidatable" },
        { KARP_REASON_CONSOLIDATION_DISABLED, "consolidateAfter is a duration" },
        { KARP_REASON_POLICY_WHEN_EMPTY, "its pods are gone" },
        { KARP_REASON_BUDGET, "fewer nodes use up the budget of its pool, or it allows more" },
        { KARP_REASON_PODS_WOULD_NOT_SCHEDULE, "all pods that would have to move have a place" },
        { KARP_REASON_SEVERAL_NODES_NEEDED, "one node is enough for its pods" },
        { KARP_REASON_NO_CHEAPER_NODE, "its pods fit on cheaper nodes" },
        { KARP_REASON_SPOT_TO_SPOT_DISABLED, "SpotToSpotConsolidation is switched on" },
        { KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES, "at least 15 cheaper spot types exist" },
        { KARP_REASON_SEARCH_STOPPED, "the search has the time to look at it" },
        { KARP_REASON_BALANCED_SCORE, "the saving is worth the disruption" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].code == code) return rows[i].text;
    }
    return NULL;
}

/* Whether the budget of the node's NodePool has room for it beside the commands of the pass, as far as that is known:
 * empty nodes have budgets of their own. */
static bool has_room(const write_job *job, karp_str name)
{
    karp_pool_budget budget;
    karp_disruption header;
    size_t nodes, taken = 0;
    get_disruption(job, job->decision, &header);
    if (header.method == KARP_METHOD_EMPTINESS || !tight_budget(job, name, &budget, &nodes)) return true;
    for (size_t i = 0; i < karp_decision_command_count(job->decision); i++) {
        karp_command command;
        get_command(job, job->decision, i, &command);
        for (size_t k = 0; k < command.node_count; k++) {
            karp_node_use node;
            (void)get_node_named(job, job->decision, command.nodes[k], &node);
            taken += equal_str(node.node_pool, budget.node_pool);
        }
    }
    return budget.remaining > (int64_t)taken;
}

/* Writes "when pdb db/db allows 1" or "when the saving is 5.3 times as large": from the detail if possible, else the
 * usual condition for the code. */
static bool write_condition(write_buffer *b, const write_job *job, karp_str name, const karp_blocker *blocker)
{
    static const char wanted[] = "the saving would have to be ";
    size_t needs = place_of(blocker->detail, " need");
    if (str_starts(blocker->detail, "pending pod") && needs < blocker->detail.len) {
        text_between(b, "when ", (karp_str){ blocker->detail.ptr, needs }, "");
        buffer_text(b, str_starts(blocker->detail, "pending pods") ? " are scheduled" : " is scheduled");
        return true;
    }
    size_t allows = place_of(blocker->detail, " allows ");
    size_t k = place_of(blocker->detail, wanted);
    if (blocker->code == KARP_REASON_PDB_BLOCKED && allows < blocker->detail.len) {
        text_between(b, "when ", (karp_str){ blocker->detail.ptr, allows }, " allows 1");
        return true;
    }
    if (blocker->code == KARP_REASON_BUDGET && place_of(blocker->detail, "] allows 0 of") < blocker->detail.len) {
        buffer_text(b, "never, unless the budget changes");
        return true;
    }
    if (blocker->code == KARP_REASON_BALANCED_SCORE && k < blocker->detail.len) {
        k += sizeof(wanted) - 1;
        text_between(b, "when the saving is ", (karp_str){ blocker->detail.ptr + k, blocker->detail.len - k }, "");
        return true;
    }
    if (place_of(blocker->detail, "; with this node as well") < blocker->detail.len) return false;
    if (blocker->code == KARP_REASON_NOT_REACHED_IN_PASS) {
        buffer_text(b, has_room(job, name) ? "in a later pass, while the budgets allow one more node"
                                           : "when the command that came first is done, as the budgets allow no more "
                                             "nodes at a time");
        return true;
    }
    const char *text = ends_when(blocker->code);
    if (text == NULL) return false;
    buffer_text(b, "when ");
    buffer_text(b, text);
    return true;
}

/* Writes "NodePool web has 4 nodes, and its disruption budgets allow 1 disruption now.", or that none applies to nodes
 * that drift. */
static void write_budget(const text_out *t, const write_job *job, karp_str name, bool drifts)
{
    karp_pool_budget budget = { .size = sizeof(budget) };
    size_t nodes;
    bool tight = tight_budget(job, name, &budget, &nodes);
    bool none = drifts && budget.node_pool.len > 0 && budget.tightest == KARP_NO_BUDGET;
    if (!none && (!tight || budget.remaining <= 0)) return; /* if it allows none, it is a blocker */
    write_buffer line = buffer_on(job->context);
    buffer_text(&line, none ? "No disruption budget of NodePool " : "NodePool ");
    text_clean(&line, budget.node_pool);
    if (none) {
        buffer_text(&line, " applies to drift now: all its nodes can be replaced at once.");
    } else {
        buffer_text(&line, " has ");
        buffer_count(&line, nodes, "node");
        buffer_text(&line, ", and its disruption budgets allow ");
        buffer_int(&line, budget.remaining);
        buffer_text(&line,
                    budget.remaining == 1
                        ? " disruption at a time now: the next node may follow when that one is done."
                        : " disruptions at a time now: when so many are under way, the next node may follow when "
                          "one of them is done.");
    }
    flow_line(t, "  ", 2, MOST_LINES, &line);
}

/* Whether the node is being removed already: its blockers are what it waits for. */
static bool is_leaving(const write_job *job, const karp_node_explanation *explanation, karp_blocker *blocker)
{
    if (karp_node_explanation_blocker_count(explanation) == 0) return false;
    get_blocker(job, explanation, 0, blocker);
    return blocker->code == KARP_REASON_DELETING;
}

static void write_leaving(const text_out *t, const karp_blocker *blocker)
{
    char when[KARP_VALUE_TEXT];
    buffer_text(t->out, "It goes when its pods have left and its volumes are detached");
    if (blocker->until != KARP_NO_TIME) {
        karp_time_format(blocker->until, when);
        buffer_text(t->out, ", at the latest from ");
        buffer_text(t->out, when);
        buffer_text(t->out, " on: pods that are left are deleted before, so that they have ended by then");
    }
    buffer_text(t->out, ".\n");
}

/* Whether the reason is about the node's pods: a node without pods goes as empty, whatever the policy. */
static bool of_pods(uint32_t code)
{
    static const uint32_t codes[] = { KARP_REASON_NO_CHEAPER_NODE,
                                      KARP_REASON_SEVERAL_NODES_NEEDED,
                                      KARP_REASON_PODS_WOULD_NOT_SCHEDULE,
                                      KARP_REASON_SAME_TYPE,
                                      KARP_REASON_MIN_VALUES_BY_PRICE,
                                      KARP_REASON_SPOT_TO_SPOT_DISABLED,
                                      KARP_REASON_POD_DO_NOT_DISRUPT,
                                      KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES,
                                      KARP_REASON_PDB_BLOCKED,
                                      KARP_REASON_PDB_MULTIPLE,
                                      KARP_REASON_BALANCED_SCORE };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] == code) return true;
    }
    return false;
}

/* Writes the line on when the node can be removed, if the end of every blocker is known. */
static void write_until(const text_out *t, const write_job *job, const karp_node_explanation *explanation)
{
    write_buffer *b = t->out;
    size_t start = b->text.len;
    size_t count = karp_node_explanation_blocker_count(explanation);
    bool known = count > 0, goes = false; /* only other commands come before it */
    bool empty_only = false;
    size_t shown = 0;
    uint32_t first = 0;
    for (size_t i = 0; i < count && known; i++) {
        karp_blocker blocker;
        char when[KARP_VALUE_TEXT];
        get_blocker(job, explanation, i, &blocker);
        if (i > 0 && blocker.method != first) break; /* what the first method waits for is enough */
        first = blocker.method;
        goes = i == 0 && blocker.code == KARP_REASON_NOT_REACHED_IN_PASS;
        empty_only = empty_only || blocker.code == KARP_REASON_POLICY_WHEN_EMPTY;
        if (empty_only && of_pods(blocker.code)) continue;
        buffer_text(b, shown++ == 0 ? "Eligible: " : ", and ");
        if (blocker.until != KARP_NO_TIME) {
            karp_time_format(blocker.until, when);
            buffer_text(b, "from ");
            buffer_text(b, when);
            buffer_text(b, " on");
            if (blocker.code == KARP_REASON_NOT_CONSOLIDATABLE)
                buffer_text(b, ", unless a pod comes or goes before, which starts consolidateAfter again");
        } else {
            known = write_condition(b, job, karp_node_explanation_node(explanation), &blocker);
        }
    }
    if (known && goes) buffer_text(b, "; no change is needed");
    if (known) buffer_char(b, '\n');
    else buffer_cut(b, start);
}

/* Writes "A change that lets it go: shorten consolidateAfter in NodePool web  ->  m6i.large, saves $0.096/h". */
static void write_remedies(const text_out *t, const write_job *job, const karp_node_explanation *explanation)
{
    enum { INDENT = 27 };
    size_t count = karp_node_explanation_remedy_count(explanation);
    uint32_t tried = karp_node_explanation_tried(explanation);
    if (count == 0 && tried > 0) {
        buffer_between_u(t->out,
                         "No change of its pods, its NodePool or disruption budgets that was tried lets it go (", tried,
                         " tried).\n");
    }
    for (size_t i = 0; i < count; i++) {
        karp_node_remedy remedy = { .size = sizeof(remedy) };
        write_refuse(job, karp_node_explanation_remedy(explanation, i, &remedy), "a change cannot be read");
        write_buffer line = buffer_on(job->context);
        buffer_str(&line, remedy.text);
        buffer_text(&line, "  ->  ");
        if (remedy.instance_type.len > 0) buffer_str(&line, remedy.instance_type);
        else buffer_text(&line, "deleted");
        if (remedy.savings > 0) {
            text_between_money(&line, ", saves $", remedy.savings, "/h");
        }
        flow_line(t, i == 0 ? "A change that lets it go:  " : "                      or:  ", INDENT, MOST_LINES, &line);
    }
}

static bool several_methods(const write_job *job, const karp_node_explanation *explanation, size_t count)
{
    karp_blocker first, last;
    if (count < 2) return false;
    get_blocker(job, explanation, 0, &first);
    get_blocker(job, explanation, count - 1, &last);
    return first.method != last.method;
}

/* How many of the blockers are of the same method as the first one. */
static size_t of_first_method(const write_job *job, const karp_node_explanation *explanation, size_t count)
{
    karp_blocker first, last;
    get_blocker(job, explanation, 0, &first);
    for (; count > 1; count--) {
        get_blocker(job, explanation, count - 1, &last);
        if (last.method == first.method) break;
    }
    return count;
}

static void as_text(const write_job *job, const karp_node_explanation *explanation)
{
    const text_out *t = &(text_out){ job->out, job->options->width, job->options->color != 0 };
    karp_move move;
    karp_blocker first;
    size_t count = karp_node_explanation_blocker_count(explanation);
    bool leaves = is_leaving(job, explanation, &first),
         turn = count > 0 && first.code == KARP_REASON_NOT_REACHED_IN_PASS;
    bool expired = karp_node_explanation_expired(explanation) != 0;
    header_line(t, job, "karp explain");
    buffer_char(job->out, '\n');
    text_subject(t, karp_node_explanation_node(explanation));
    karp_str drift = karp_node_explanation_drift(explanation);
    if (drift.len > 0) {
        buffer_text(job->out, " is drifted");
        if (!equal_str(drift, str("Drifted"))) {
            text_between(job->out, " (", drift, "");
            buffer_char(job->out, ')');
        }
        buffer_text(job->out, expired || turn ? " and" : ", but");
    }
    turn = turn && drift.len > 0 && !expired;
    if (turn) count = of_first_method(job, explanation, count); /* consolidation does not matter then */
    buffer_text(job->out, leaves    ? " has not left yet. "
                          : turn    ? " waits for its turn. "
                          : expired ? " is expired: Karpenter deletes it. A disruption pass alone would have "
                                    : " stays. ");
    buffer_count(job->out, count, "blocker");
    bool moves = !leaves && !expired && get_move(explanation, &move);
    if (moves && move.savings > 0) {
        text_between_money(job->out, ", disrupting it would save $", move.savings, "/h");
    }
    buffer_text(job->out, ".\n");
    uint32_t before = 0;
    for (size_t i = 0; i < count; i++) {
        karp_blocker blocker;
        get_blocker(job, explanation, i, &blocker);
        if (several_methods(job, explanation, count) && blocker.method != before) {
            buffer_text(job->out, "  ");
            buffer_text(job->out, karp_method_name(blocker.method));
            buffer_text(job->out, ":\n");
        }
        before = blocker.method;
        buffer_text(job->out, "  ");
        rows_reason(t, 2, MOST_LINES, blocker.detail, blocker.code);
    }
    if (!leaves) write_budget(t, job, karp_node_explanation_node(explanation), turn);
    if (moves) write_move(t, &move);
    if (leaves) write_leaving(t, &first);
    else if (!expired) write_until(t, job, explanation);
    if (!expired) write_remedies(t, job, explanation);
    const karp_drift *course = job->options->drift;
    bool none = course != NULL && course->played != 0 && course->ends == KARP_NO_TIME; /* its reason is above */
    if (!none) drift_line(t->out, job, false);
    notes_section(t, job);
}

/* What the reason of a drifted node means, and what to look at; "" = it says all that is known. Source: Karpenter 1.15,
 * nodeclaim/disruption/drift.go; the IsDrifted() of the providers. */
static const char *drift_meaning(karp_str reason)
{
    static const struct {
        const char *reason, *text;
    } rows[] = {
        { "AMIDrift", "AMIDrift: the node's image is none that its node class selects now: the terms have changed, or "
                      "select a newer image; a budget of 0 nodes with the reason Drifted holds the nodes" },
        { "ImageDrift", "ImageDrift: a newer image than the node's is there for its node class" },
        { "K8sVersionDrift", "K8sVersionDrift: the cluster has another version of Kubernetes than the node" },
        { "KubeletIdentityDrift", "KubeletIdentityDrift: the kubelet's identity has changed since the launch" },
        { "SecurityGroupDrift", "SecurityGroupDrift: the instance's security groups are not exactly those that its "
                                "node class selects: the terms have changed, or something else attaches groups to "
                                "instances or takes them away, and then new nodes drift, too" },
        { "SubnetDrift", "SubnetDrift: the instance's subnet is none that its node class selects now" },
        { "CapacityReservationDrift", "CapacityReservationDrift: the instance's capacity reservation is none that its "
                                      "node class selects now" },
        { "PlacementGroupDrift", "PlacementGroupDrift: the instance is not in the placement group of its node class" },
        { "NodeClassDrift", "NodeClassDrift: the spec of its node class has changed since the node was launched" },
        { "NodePoolDrifted", "NodePoolDrifted: the template of its NodePool has changed since the node was launched" },
        { "RequirementsDrifted", "RequirementsDrifted: the node's labels do not meet the requirements that its "
                                 "NodePool has now" },
        { "InstanceTypeNotFound", "InstanceTypeNotFound: the cloud offers the node's type no more where the NodePool "
                                  "could launch it" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (str_is(reason, rows[i].reason)) return rows[i].text;
    }
    return "";
}

/* The notes of the options, those on what happens anyway, and one on what did not keep a node that goes. The caller
 * frees the array, of *room; NULL = out of memory. */
static karp_str *gather_notes(karp_context *context, const karp_node_explanation *explanation,
                              karp_write_options *options, size_t *room)
{
    karp_str overruled = karp_node_explanation_overruled(explanation);
    size_t facts = karp_node_explanation_fact_count(explanation), count = options->warning_count;
    const char *drift = drift_meaning(karp_node_explanation_drift(explanation));
    *room = count + facts + 2;
    karp_str *notes = array_alloc(context, *room, sizeof *notes);
    if (notes == NULL) return NULL;
    for (size_t i = 0; i < count; i++) notes[i] = options->warnings[i];
    for (size_t i = 0; i < facts; i++) notes[count++] = karp_node_explanation_fact(explanation, i);
    if (overruled.len > 0) notes[count++] = overruled;
    if (drift[0] != '\0') notes[count++] = str(drift);
    options->warnings = notes;
    options->warning_count = count;
    return notes;
}

karp_status karp_write_node_explanation(karp_context *context, const karp_node_explanation *explanation,
                                        const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, explanation, "an explanation", WRITE_JSON_TEXT);
    if (status != KARP_OK) return status;
    const karp_decision *decision = karp_node_explanation_decision(explanation);
    size_t room = 0;
    karp_str *notes = gather_notes(context, explanation, &call.options, &room);
    if (notes == NULL) return fail_nomem(error);
    if (karp_node_explanation_disrupted(explanation) != 0) { /* as a node of the decision */
        status = write_node_of(context, decision, karp_node_explanation_node(explanation),
                               karp_node_explanation_expired(explanation) != 0, &call.options, out, error);
    } else {
        call.job.decision = decision;
        bool json = call.options.format == KARP_FORMAT_JSON;
        (json ? as_json : as_text)(&call.job, explanation);
        status = write_end(&call);
    }
    karp_free(context, notes, room * sizeof *notes);
    return status;
}
