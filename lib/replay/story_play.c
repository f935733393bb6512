/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine.h>
#include <replay/engine_ordered.h>
#include <replay/story.h>

#include <karp/library.h>

#include <io/write_buffer.h>

enum { MOST_TURNS = 1000, MOST_WORK = 5000000, WORK_OF_AN_OBJECT = 1000, EVENT = 100, NODES_OF_A_STEP = 16 };

/* ---- one time ---------------------------------------------------------------------------------------------------- */

static karp_status make_ready(story *s)
{
    for (size_t i = 0; i < s->e->nodes.alive_count; i++) {
        uint32_t node = s->e->nodes.alive[i];
        if (s->e->nodes.list[node].ready || s->e->nodes.list[node].ready_at > s->e->now) continue;
        node_ready(s->e, node);
        story_write_event(s, "ready", s->e->nodes.list[node].name, str(""));
    }
    return story_engine(s);
}

/* Deletes nodes that waited for others, once those are ready. */
static karp_status end_postponed_deletions(story *s)
{
    karp_status status = KARP_OK;
    for (size_t i = 0, next = 0; i < s->e->nodes.alive_count && !status; i = next) {
        uint32_t node = s->e->nodes.alive[i];
        const story_node *n = s->e->nodes.list[node].deleting ? story_node_of(s, node) : NULL;
        next = i + 1;
        if (s->e->nodes.list[node].deleting && !n) return s->error.status;
        if (!n || !n->planned) continue;
        bool all = true;
        for (uint32_t k = n->wait_first; k < n->wait_first + n->wait_count; k++)
            all = all && (s->e->nodes.list[k].ready || s->e->nodes.list[k].gone);
        if (all) status = story_drain(s, node);
        if (all) next = i; /* the next node has moved to this index */
    }
    return status;
}

static karp_status begin_expiry(story *s, uint32_t node)
{
    story_write_event(s, "expired", s->e->nodes.list[node].name, str(""));
    s->e->meter.result.expirations++;
    node_delete(s->e, node);
    return story_engine(s);
}

/* Expires all nodes that are due. Under the old rules only one node that can be removed, and only if none is being
 * deleted. */
static karp_status expire(story *s)
{
    uint32_t due = 0, chosen = IO_NONE;
    bool busy = false;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < s->e->nodes.alive_count && !status; i++) {
        uint32_t node = s->e->nodes.alive[i];
        int64_t at = story_expires_at(s, node);
        busy = busy || s->e->nodes.list[node].deleting;
        if (s->e->nodes.list[node].deleting || at == KARP_NO_TIME || at > s->e->now) continue;
        due++;
        if (!s->old_rules) status = begin_expiry(s, node);
    }
    if (!s->old_rules || busy || due == 0) return status;
    status = story_choose_expired(s, &chosen);
    return status || chosen == IO_NONE ? status : begin_expiry(s, chosen);
}

/* Until nothing more can happen before pods are bound. Karpenter gathers what comes meanwhile. */
static bool roll(story *s)
{
    bool rolled = false;
    while (rollouts_go_on(s->e) || ordered_go_on(s->e) || jobs_go_on(s->e)) rolled = true;
    return rolled;
}

static bool has_pending_work(const story *s)
{
    return s->e->pods.still_pending > 0 || story_any_unplanned(s) || buffers_wait(s->e);
}

static karp_status instant(story *s)
{
    bool rolled = false;
    /* A rollout may take as many turns as it has pods. */
    for (int turn = 0; turn < MOST_TURNS; turn += !rolled) {
        s->again = false;
        (void)health_go_on(s->e);
        karp_status status = make_ready(s);
        if (!status) status = end_postponed_deletions(s);
        if (!status) status = expire(s);
        if (!status) status = story_launch_static(s);
        rolled = !status && roll(s);
        if (!status && has_pending_work(s)) status = story_provision(s);
        rolled = (!status && roll(s)) || rolled; /* pods have been bound */
        s->again = s->again || rolled;
        if (!status && !s->again) status = story_disrupt(s);
        if (status || !s->again) return status;
    }
    return story_fail(s, KARP_E_LIMIT, "the story does not settle");
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

static void sooner(const story *s, int64_t when, int64_t *next)
{
    if (when > s->e->now && when < *next) *next = when;
}

static int64_t next_event(const story *s)
{
    int64_t next = INT64_MAX;
    if (s->validate_at != KARP_NO_TIME) sooner(s, s->validate_at, &next);
    if (s->unblocked_at != KARP_NO_TIME) sooner(s, s->unblocked_at, &next);
    if (s->opens_at != KARP_NO_TIME) sooner(s, s->opens_at, &next);
    if (s->e->rollouts.due != INT64_MAX) sooner(s, s->e->rollouts.due, &next);
    if (s->e->jobs.due != INT64_MAX) sooner(s, s->e->jobs.due, &next);
    if (s->e->health.due != INT64_MAX) sooner(s, s->e->health.due, &next);
    if (s->e->buffers.deadline != KARP_NO_TIME) sooner(s, s->e->buffers.deadline, &next);
    for (size_t i = 0; i < s->e->nodes.alive_count; i++) {
        const replay_node *n = &s->e->nodes.list[s->e->nodes.alive[i]];
        if (!n->ready) sooner(s, n->ready_at, &next);
        if (n->deleting) continue;
        int64_t expires = story_expires_at(s, s->e->nodes.alive[i]);
        int64_t alone = n->ready ? disrupt_consolidatable_at(s->e, n) : KARP_NO_TIME;
        if (expires != KARP_NO_TIME) sooner(s, expires, &next);
        if (alone != KARP_NO_TIME) sooner(s, alone, &next);
    }
    return next;
}

static void go_to(story *s, int64_t instant)
{
    meter_to(s->e, instant);
    s->e->now = instant;
}

karp_status story_worked(story *s, uint64_t steps)
{
    char text[KARP_VALUE_TEXT];
    s->work += steps;
    if (s->work <= s->most_work) return KARP_OK;
    karp_time_format(s->e->now, text);
    return story_fail(s, KARP_E_LIMIT,
                      "more than %llu steps of work in a story (max_steps): stopped at steps[%zu], at %s",
                      (unsigned long long)s->most_work, s->step, text);
}

static karp_status wait_until(story *s, int64_t end)
{
    for (;;) {
        int64_t next = next_event(s), look = s->e->autoscalers.due, first = look < next ? look : next;
        bool changed = false;
        go_to(s, first > end ? end : first);
        if (first > end) return KARP_OK;
        karp_status status = story_worked(s, EVENT + s->e->nodes.alive_count / NODES_OF_A_STEP);
        if (!status && look == first) status = story_autoscale(s, &changed);
        if (!status && (changed || next == first)) status = instant(s);
        if (status) return status;
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static karp_status take_step(story *s, const story_step *step)
{
    karp_status status = KARP_OK;
    if (step->what == STORY_WAIT) return wait_until(s, s->e->now + step->duration);
    if (step->what == STORY_SCALE) {
        status = story_scale(s, step->workload, step->replicas);
    } else if (step->what == STORY_CHANGE) {
        status = story_change(s, step);
    } else if (step->what == STORY_USAGE) {
        status = story_use(s, step);
    } else if (step->what == STORY_INTERRUPT || step->what == STORY_FAIL) {
        status = story_interrupt(s, step);
    } else {
        uint32_t node = io_table_get(&s->e->nodes.index, step->node);
        if (node == IO_NONE || s->e->nodes.list[node].given || s->e->nodes.list[node].gone) {
            return story_fail(s, KARP_E_NOT_FOUND, "expire: no node of this name was started: %.*s",
                              (int)(step->node.len > 60 ? 60 : step->node.len), step->node.ptr);
        }
        story_set_expiry(s, node, s->e->now);
        status = story_engine(s);
    }
    return status;
}

/* Steps at one time are decided on together, as Karpenter gathers what comes at one time: before the clock advances. */
static bool is_last_of_instant(const story *s, size_t step)
{
    return s->steps[step].what != STORY_WAIT && (step + 1 == s->step_count || s->steps[step + 1].what == STORY_WAIT);
}

static karp_status story_play(story *s)
{
    s->most_work = s->options.max_steps ? s->options.max_steps
                                        : MOST_WORK + WORK_OF_AN_OBJECT * (uint64_t)tree_count(s->base);
    s->options.max_steps = 0; /* no decision is limited: the story is */
    karp_status status = story_begin(s);
    if (status) return status;
    story_write_begin(s);
    for (size_t i = 0; i < s->step_count && !status; i++) {
        s->step = i;
        story_write_step(s, &s->steps[i]);
        /* Decides on the initial state before the clock advances. */
        if (i == 0 && s->steps[i].what == STORY_WAIT) status = instant(s);
        if (!status) status = take_step(s, &s->steps[i]);
        if (!status && is_last_of_instant(s, i)) status = instant(s);
        story_write_step_end(s);
    }
    if (!status) meter_end(s->e);
    return status ? status : story_engine(s);
}

/* ---- public function --------------------------------------------------------------------------------------------- */

static karp_status take_options(story *s, const karp_options *options, const karp_write_options *write)
{
    karp_status status = struct_check(options, sizeof s->options, SIZE_THROUGH(karp_options, flip_quirks), &s->options,
                                      "karp_options", &s->error);
    if (status != KARP_OK) return status;
    status = check_write_options(write, &s->write, &s->error);
    if (status == KARP_OK && s->write.values != NULL)
        status = fail(&s->error, KARP_E_UNSUPPORTED,
                      "a story is several documents: they are not handed over as values");
    return status;
}

void karp_story_options_init(karp_story_options *options, size_t size)
{
    const karp_story_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

static karp_status play_with(story *s, const char *path, const karp_story_options *own, const karp_write_options *write,
                             karp_text *out)
{
    s->catalogue = own->catalogue;
    s->feature_gates = own->feature_gates;
    s->ignored_kinds = own->ignored_kinds;
    s->pods_from = own->pods_from;
    karp_status status = take_options(s, own->decision, write);
    if (!status && s->write.format != KARP_FORMAT_JSON && s->write.format != KARP_FORMAT_TEXT &&
        s->write.format != KARP_FORMAT_CSV && s->write.format != KARP_FORMAT_HTML) {
        status = story_fail(s, KARP_E_UNSUPPORTED, "a story is not written in that format");
    }
    if (!status) status = story_read(s, path, (karp_str){ 0 }, false);
    if (!status && s->is_load)
        status = story_fail(s, KARP_E_INVALID, "expected a document of kind Story: karp replay reads a Load");
    if (!status) status = story_play(s);
    return status ? status : story_write_end(s, out);
}

karp_status karp_story_play_with(karp_context *context, const char *path, const karp_story_options *options,
                                 const karp_write_options *write, karp_text *out, karp_error *error)
{
    story s;
    karp_story_options own;
    karp_status status = struct_check(options, sizeof own, SIZE_THROUGH(karp_story_options, decision), &own,
                                      "karp_story_options", error);
    if (status) return status;
    if (!context || !path || !out || !str_given(own.feature_gates) || !str_given(own.ignored_kinds) ||
        !str_given(own.pods_from)) {
        karp_error_init(&s.error, sizeof s.error);
        (void)story_fail(&s, KARP_E_INVALID, "a context, a path and a place for the text are needed");
        return error_give(&s.error, error);
    }
    status = story_init(&s, context);
    if (!status) status = play_with(&s, path, &own, write, out);
    if (status) {
        status = karp_context_refusal(context, status, &s.error);
        s.error.status = status;
        if (s.error.document[0] == '\0') str_shorten(s.error.document, sizeof s.error.document, str(path));
        (void)error_give(&s.error, error);
    }
    story_free(&s);
    return status;
}

karp_status karp_story_play(karp_context *context, const char *path, karp_catalogue *catalogue, karp_str feature_gates,
                            const karp_options *options, const karp_write_options *write, karp_text *out,
                            karp_error *error)
{
    const karp_story_options own = {
        .size = sizeof own, .catalogue = catalogue, .feature_gates = feature_gates, .decision = options
    };
    return karp_story_play_with(context, path, &own, write, out, error);
}
