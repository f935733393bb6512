/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/twin.h>

#include <karp/library.h>
#include <karp/recording.h>

#include <karp/peer.h>
#include <replay/common.h>
#include <stdio.h>

/* Launches and deletions of one decision come within so many nanoseconds: the API server states whole seconds. */
#define APART (3 * SECOND / 2)
/* From a decision of consolidation until it is carried out, which is stated in whole seconds. */
#define VALIDATION (29 * SECOND / 2)
enum { TRIES = 2 };

/* ---- NodeClaims -------------------------------------------------------------------------------------------------- */

static karp_str label_of(const tree *object, const char *name)
{
    return tree_get_text(tree_get(tree_get(object, "metadata"), "labels"), name);
}

static bool is_claim(const tree *object) { return str_is(tree_get_text(object, "kind"), "NodeClaim"); }

static const tree *condition_of(const tree *object, const char *type)
{
    const tree *list = tree_get(tree_get(object, "status"), "conditions");
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *one = tree_item(list, i);
        if (str_is(tree_get_text(one, "type"), type) && str_is(tree_get_text(one, "status"), "True")) return one;
    }
    return NULL;
}

/* When Karpenter began to disrupt it, or somebody deleted it; KARP_NO_TIME = neither. */
static int64_t leaves_at(const tree *claim)
{
    int64_t at = 0;
    karp_str since = tree_get_text(condition_of(claim, "DisruptionReason"), "lastTransitionTime");
    if (since.len && karp_time_parse(since, &at) == KARP_OK) return at;
    return twin_time(claim, "deletionTimestamp");
}

/* Its pool launches as many nodes as it states. */
static bool is_static(const twin *w, const tree *claim)
{
    karp_str pool = label_of(claim, "karpenter.sh/nodepool");
    for (size_t i = 0; i < w->r.row_count; i++) {
        const tree *one = w->r.rows[i].last;
        if (str_is(tree_get_text(one, "kind"), "NodePool") && tree_get(tree_get(one, "spec"), "replicas") &&
            equal_str(tree_get_text(tree_get(one, "metadata"), "name"), pool))
            return true;
    }
    return false;
}

/* The instant at which its expireAfter has passed; INT64_MAX = never. */
static int64_t expires_at(const tree *claim)
{
    int64_t after = 0, created = twin_time(claim, "creationTimestamp");
    karp_str text = tree_get_text(tree_get(claim, "spec"), "expireAfter");
    if (created == KARP_NO_TIME || karp_duration_parse(text, &after) != KARP_OK || after < 0) return INT64_MAX;
    int64_t at = 0;
    return __builtin_add_overflow(created, after, &at) ? INT64_MAX : at;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* An end or a beginning of a NodeClaim in this look. */
typedef struct turn {
    int64_t at;
    size_t row;
    bool begins;
} turn;

static int by_instant(const void *a, const void *b, const void *user)
{
    const turn *x = a, *y = b;
    (void)user;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (int)x->begins - (int)y->begins; /* launches of one second are one decision */
}

static size_t list_turns(twin *w, turn *out, int64_t looked)
{
    size_t n = 0;
    for (size_t i = 0; i < w->r.row_count; i++) {
        recording_row *row = &w->r.rows[i];
        if (!row->changed || !is_claim(row->next ? row->next : row->now)) continue;
        int64_t at = row->next ? leaves_at(row->next) : looked;
        int64_t created = row->next ? twin_time(row->next, "creationTimestamp") : KARP_NO_TIME;
        if (!row->now && row->next && !is_static(w, row->next))
            out[n++] = (turn){ created == KARP_NO_TIME ? looked : created, i, true };
        if (row->judged || !row->now || is_static(w, row->now) || (row->next && at == KARP_NO_TIME)) continue;
        row->judged = true; /* it leaves once */
        if (leaves_at(row->now) == KARP_NO_TIME) out[n++] = (turn){ at, i, false };
    }
    return n;
}

static void add_launched(twin *w, twin_set *set, size_t row)
{
    const tree *claim = w->r.rows[row].last;
    set->launched[set->launched_count++] = (twin_node){ .pool = label_of(claim, "karpenter.sh/nodepool"),
                                                        .type = label_of(claim, "node.kubernetes.io/instance-type"),
                                                        .capacity_type = label_of(claim, "karpenter.sh/capacity-type"),
                                                        .zone = label_of(claim, "topology.kubernetes.io/zone") };
}

static void add_removed(const twin *w, twin_decision *d, size_t row)
{
    const tree *claim = w->r.rows[row].now;
    karp_str node = tree_get_text(tree_get(claim, "status"), "nodeName");
    if (node.len == 0) node = tree_get_text(tree_get(claim, "metadata"), "name");
    d->real.removed[d->real.removed_count++] = node;
    const tree *next = w->r.rows[row].next;
    if (d->reason.len == 0) d->reason = tree_get_text(condition_of(next, "DisruptionReason"), "reason");
}

/* What may explain a difference: an object of decisions that changed in this look. */
static karp_str changed_object(twin *w)
{
    static const char kinds[] = "NodePool NodeOverlay PodDisruptionBudget DaemonSet";
    for (size_t i = 0; i < w->r.row_count; i++) {
        const recording_row *row = &w->r.rows[i];
        const tree *one = row->next ? row->next : row->now;
        karp_str kind = tree_get_text(one, "kind");
        bool read = str_in_list(kind, kinds) || str_ends(kind, "NodeClass");
        if (!row->changed || !read) continue;
        if (row->now && row->next && tree_equal(tree_get(row->now, "spec"), tree_get(row->next, "spec"))) continue;
        char text[200];
        karp_str name = tree_get_text(tree_get(one, "metadata"), "name");
        (void)snprintf(text, sizeof text, "%.*s %.*s changed at that time", str_shown(kind, 60), kind.ptr,
                       str_shown(name, 100), name.ptr);
        return twin_keep(w, str(text));
    }
    return (karp_str){ "", 0 };
}

/* Whether another version of Karpenter would have decided so. */
static karp_status try_versions(twin *w, twin_decision *d, const twin_question *q)
{
    uint32_t own = w->decision.peer_version, profile = 0, version = 0;
    karp_status status = KARP_OK;
    for (size_t i = 1; !status && karp_profile_at(i) && d->why.len == 0; i++) {
        twin_decision again = *d;
        if (karp_profile_parse(str(karp_profile_at(i)), &profile, &version) || profile != KARP_PROFILE_KARPENTER ||
            version == own)
            continue;
        w->decision.peer_version = version;
        status = twin_judge(w, &again, q);
        if (!status && again.verdict == TWIN_EQUAL) {
            char text[80];
            (void)snprintf(text, sizeof text, "--profile %s decides so", karp_profile_at(i));
            d->why = twin_keep(w, str(text));
        }
    }
    w->decision.peer_version = own;
    return status;
}

static karp_status explain(twin *w, twin_decision *d, const twin_question *q)
{
    if (d->verdict != TWIN_DIFFERENT) return KARP_OK;
    d->why = changed_object(w);
    karp_status status = try_versions(w, d, q);
    if (!status && d->why.len == 0 && d->what != TWIN_LAUNCH && d->reason.len == 0)
        d->why = str("Karpenter states no reason: somebody may have deleted the NodeClaims");
    return status;
}

/* Consolidation is decided some time before: a command is carried out when it still holds then. A drift may follow what
 * has changed in the same look. */
static karp_status judge_again(twin *w, twin_decision *d, const twin_question *q)
{
    twin_question other = *q;
    twin_decision again = *d;
    if (d->verdict != TWIN_DIFFERENT || d->what == TWIN_LAUNCH) return KARP_OK;
    other.late = str_is(d->reason, "Drifted");
    other.recalled = !other.late;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < (other.late ? 1 : TRIES) && !status && again.verdict == TWIN_DIFFERENT; i++) {
        if (other.recalled) recording_recall(&w->r, other.at = q->at - VALIDATION + (int64_t)i * SECOND);
        status = twin_judge(w, &again, &other);
    }
    if (!status && again.verdict != TWIN_DIFFERENT) *d = again;
    return status;
}

/* Turns of one instant are a decision; the NodeClaims of later ones do not exist yet. */
static karp_status judge_turns(twin *w, const turn *turns, size_t first, size_t end, size_t count)
{
    if (!arena_grow(&w->memory, (void **)&w->list, &w->capacity, w->count + 1, sizeof *w->list))
        return fail_nomem(&w->error);
    twin_decision *d = &w->list[w->count];
    size_t *left_out = arena_alloc(&w->memory, (count + 1) * sizeof *left_out);
    *d = (twin_decision){ .at = turns[first].at, .reason = str(""), .why = str("") };
    d->real.launched = arena_zalloc(&w->memory, (count + 1) * sizeof *d->real.launched);
    d->real.removed = arena_zalloc(&w->memory, (count + 1) * sizeof *d->real.removed);
    if (!left_out || !d->real.launched || !d->real.removed) return fail_nomem(&w->error);
    twin_question q = { .at = d->at, .left_out = left_out };
    bool expired = true;
    for (size_t i = first; i < count; i++) {
        if (turns[i].begins) left_out[q.left_out_count++] = turns[i].row;
        if (i >= end) continue;
        if (turns[i].begins) add_launched(w, &d->real, turns[i].row);
        else add_removed(w, d, turns[i].row);
        expired = expired && !turns[i].begins && expires_at(w->r.rows[turns[i].row].now) <= turns[i].at;
    }
    w->count++;
    d->what = d->real.removed_count == 0    ? TWIN_LAUNCH
              : expired                     ? TWIN_EXPIRY
              : d->real.launched_count == 0 ? TWIN_REMOVE
                                            : TWIN_REPLACE;
    if (d->what == TWIN_EXPIRY) return KARP_OK; /* its time has come: nothing to decide */
    karp_status status = twin_judge(w, d, &q);
    if (!status) status = judge_again(w, d, &q);
    return status ? status : explain(w, d, &q);
}

/* Nodes that leave, and launches of a later second, may be two decisions: if these are as recorded. */
static karp_status judge_parts(twin *w, const turn *turns, size_t first, size_t end, size_t count)
{
    size_t mid = first, before = w->count;
    karp_status status = judge_turns(w, turns, first, end, count);
    while (mid < end && !turns[mid].begins) mid++;
    if (status || w->list[before].verdict != TWIN_DIFFERENT || mid == first || mid == end ||
        turns[mid].at == turns[mid - 1].at)
        return status;
    twin_decision whole = w->list[before];
    w->count = before;
    status = judge_turns(w, turns, first, mid, count);
    if (!status) status = judge_turns(w, turns, mid, end, count);
    if (status || (w->list[before].verdict != TWIN_DIFFERENT && w->list[before + 1].verdict != TWIN_DIFFERENT))
        return status;
    w->list[before] = whole;
    w->count = before + 1;
    return KARP_OK;
}

static size_t count_turns(const twin *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->r.row_count; i++) {
        const recording_row *row = &w->r.rows[i];
        if (!row->changed || row->judged || !row->next || !is_claim(row->next)) continue;
        count += !row->now || (leaves_at(row->now) == KARP_NO_TIME && leaves_at(row->next) != KARP_NO_TIME);
    }
    return count;
}

/* Looks that follow each other closely are one: what belongs to a decision may be in several of them. *look is then the
 * last of them. They do not end while NodeClaims still turn, as a hundred of them do not within a second. */
static void take_close(twin *w, size_t *look)
{
    enum { USUAL = 2, TURNING = 6 };
    int64_t first = w->r.looks[*look].at;
    recording_take(&w->r, *look);
    size_t turns = count_turns(w);
    bool turning = false;
    while (*look > 0 && *look + 1 < w->r.count && !w->r.looks[*look + 1].whole &&
           w->r.looks[*look + 1].at - w->r.looks[*look].at < SECOND &&
           w->r.looks[*look + 1].at - first < (turning ? TURNING : USUAL) * APART) {
        recording_take(&w->r, ++*look);
        size_t now = count_turns(w);
        turning = now > turns;
        turns = now;
    }
}

static karp_status judge_look(twin *w, size_t *from)
{
    size_t count = 0;
    karp_status status = KARP_OK;
    take_close(w, from);
    size_t look = *from;
    for (size_t i = 0; i < w->r.row_count; i++) count += w->r.rows[i].changed;
    turn *turns = mem_alloc(w->context, (2 * count + 1) * sizeof *turns);
    if (!turns) return fail_nomem(&w->error);
    size_t n = look == 0 ? 0 : list_turns(w, turns, w->r.looks[look].at);
    if (!sort_stable(w->context, turns, n, sizeof *turns, by_instant, NULL)) status = fail_nomem(&w->error);
    for (size_t first = 0, end = 0; first < n && !status; first = end) {
        /* Launches for pending pods have nothing to do with nodes that leave at the same time. */
        bool apart = twin_pods_wait(w, turns[first].at);
        while (end < n && (uint64_t)turns[end].at - (uint64_t)turns[first].at <= (uint64_t)APART &&
               (!apart || turns[end].begins == turns[first].begins))
            end++;
        status = judge_parts(w, turns, first, end, n);
    }
    mem_free(w->context, turns, (2 * count + 1) * sizeof *turns);
    if (!status && w->failed) status = fail_nomem(&w->error);
    if (!status) recording_settle(&w->r);
    return status;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static const char *const verdicts[TWIN_VERDICTS] = { "equal", "in-kind", "different" };
static const char *const kinds_of[] = { "launch", "replace", "remove", "expiry" };

static void put_set(json_out *j, const char *key, const twin_set *s)
{
    json_member_object(j, key);
    json_member_array(j, "launched");
    for (size_t i = 0; i < s->launched_count; i++) {
        const twin_node *n = &s->launched[i];
        json_flat_object(j);
        json_member_str(j, "nodePool", n->pool);
        json_member_str(j, "instanceType", n->type);
        if (n->zone.len) json_member_str(j, "zone", n->zone);
        if (n->zones) json_member_flat_array(j, "zones");
        for (size_t k = 0; k < n->zone_count; k++) json_str(j, n->zones[k]);
        if (n->zones) json_end(j);
        json_member_str(j, "capacityType", n->capacity_type);
        json_end(j);
    }
    json_end(j);
    json_member_flat_array(j, "removed");
    for (size_t i = 0; i < s->removed_count; i++) json_str(j, s->removed[i]);
    json_end(j);
    json_end(j);
}

static size_t count_of(const twin *w, uint32_t verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < w->count; i++) n += w->list[i].verdict == verdict;
    return n;
}

static void write_json(const twin *w, write_buffer *out, bool compact)
{
    json_out j;
    json_open_document(&j, out, compact, "Twin");
    json_member_time(&j, "begins", w->r.looks[0].at);
    json_member_time(&j, "ends", w->r.looks[w->r.count - 1].at);
    json_member_uint(&j, "looks", w->r.count);
    json_member_uint(&j, "skippedLines", w->r.skipped);
    json_member_uint(&j, "equal", count_of(w, TWIN_EQUAL));
    json_member_uint(&j, "inKind", count_of(w, TWIN_IN_KIND));
    json_member_uint(&j, "different", count_of(w, TWIN_DIFFERENT));
    json_member_array(&j, "decisions");
    for (size_t i = 0; i < w->count; i++) {
        const twin_decision *d = &w->list[i];
        json_open_object(&j);
        json_member_time(&j, "at", d->at);
        json_member_text(&j, "decision", kinds_of[d->what]);
        if (d->reason.len) json_member_str(&j, "reason", d->reason);
        json_member_text(&j, "verdict", verdicts[d->verdict]);
        put_set(&j, "recorded", &d->real);
        if (d->verdict != TWIN_EQUAL) put_set(&j, "predicted", &d->ours);
        if (d->why.len) json_member_str(&j, "why", d->why);
        json_end(&j);
    }
    json_end(&j);
    json_close(&j);
}

static void put_words(write_buffer *out, const char *what, const twin_set *s)
{
    buffer_text(out, what);
    for (size_t i = 0; i < s->removed_count; i++) {
        buffer_text(out, i ? ", " : "removes ");
        buffer_str(out, s->removed[i]);
    }
    if (s->removed_count && s->launched_count) buffer_text(out, ", ");
    for (size_t i = 0; i < s->launched_count; i++) {
        const twin_node *n = &s->launched[i];
        buffer_text(out, i ? ", " : "launches ");
        buffer_str(out, n->type);
        buffer_char(out, ' ');
        buffer_str(out, n->capacity_type);
        if (n->zone.len) buffer_char(out, ' ');
        buffer_str(out, n->zone);
    }
    if (s->removed_count + s->launched_count == 0) buffer_text(out, "nothing");
    buffer_char(out, '\n');
}

static void write_text(const twin *w, write_buffer *out)
{
    char time[KARP_VALUE_TEXT];
    size_t different = count_of(w, TWIN_DIFFERENT);
    buffer_count(out, w->count, "decision");
    buffer_text(out, " of Karpenter in ");
    buffer_count(out, w->r.count, "look");
    buffer_between_u(out, ": ", count_of(w, TWIN_EQUAL), " equal, ");
    buffer_uint(out, count_of(w, TWIN_IN_KIND));
    buffer_between_u(out, " equal in kind, ", different, " different\n");
    for (size_t i = 0; i < w->count; i++) {
        const twin_decision *d = &w->list[i];
        if (d->verdict != TWIN_DIFFERENT) continue;
        karp_time_format(d->at, time);
        buffer_text(out, "\nThe first that differs, at ");
        buffer_text(out, time);
        buffer_text(out, ":\n");
        put_words(out, "  recorded   ", &d->real);
        put_words(out, "  predicted  ", &d->ours);
        buffer_text(out, "  ");
        if (d->why.len) buffer_str(out, d->why);
        else buffer_text(out, "no version, gate or setting that was tried explains it");
        buffer_char(out, '\n');
        return;
    }
}

/* ---- public function --------------------------------------------------------------------------------------------- */

static karp_status run(twin *w, write_call *call)
{
    karp_status status = recording_read(&w->r, w->context, w->options.traces, w->options.trace_count, &w->error);
    for (size_t i = 0; i < w->r.count && !status; i++) status = judge_look(w, &i);
    if (status) return status;
    if (call->options.format == KARP_FORMAT_JSON) write_json(w, &call->buffer, call->options.compact != 0);
    else write_text(w, &call->buffer);
    return KARP_OK;
}

static karp_status take_options(twin *w, const karp_replay_options *options)
{
    karp_status status = struct_check(options, sizeof w->options, SIZE_THROUGH(karp_replay_options, decision),
                                      &w->options, "karp_replay_options", &w->error);
    karp_options_init(&w->decision, sizeof w->decision);
    if (!status && w->options.decision)
        status = struct_check(w->options.decision, sizeof w->decision, SIZE_THROUGH(karp_options, flip_quirks),
                              &w->decision, "karp_options", &w->error);
    if (!status && w->options.trace_count > 0 && !w->options.traces)
        status = fail(&w->error, KARP_E_INVALID, "recordings are counted, and not given");
    w->decision.now = 0;
    w->decision.explain = KARP_EXPLAIN_NONE;
    return status;
}

karp_status karp_twin(karp_context *context, const karp_replay_options *options, const karp_write_options *write,
                      karp_text *out, size_t *differences, karp_error *error)
{
    twin w = { .context = context };
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, write, options, "options with recordings", WRITE_JSON_TEXT);
    if (status) return status;
    karp_error_init(&w.error, sizeof w.error);
    arena_init(&w.memory, context);
    status = take_options(&w, options);
    if (!status) status = run(&w, &call);
    if (!status && differences) *differences = count_of(&w, TWIN_DIFFERENT);
    recording_free(&w.r);
    arena_free(&w.memory);
    if (!status) return write_end(&call);
    buffer_free(&call.buffer);
    w.error.status = karp_context_refusal(context, status, &w.error);
    return error_give(&w.error, error);
}
