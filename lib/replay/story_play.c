/* SPDX-License-Identifier: Apache-2.0 */
#include <base/error.h>
#include <replay/story.h>

#include <string.h>

#include <io/write_buffer.h>

enum { MOST_TURNS = 1000, MOST_EVENTS = 100000 };

/* ---- one instant ------------------------------------------------------------------------------------------------------------ */

static karp_status make_ready(story *s)
{
    karp_status status = KARP_OK;
    for (uint32_t i = 0; i < s->node_count && !status; i++) {
        const story_node *n = &s->nodes[i];
        if (!n->ready && !n->gone && n->ready_at <= s->now) status = story_make_ready(s, i);
    }
    return status;
}

/* Nodes that waited for others go when those are ready. */
static karp_status end_waits(story *s)
{
    karp_status status = KARP_OK;
    for (uint32_t i = 0; i < s->node_count && !status; i++) {
        const story_node *n = &s->nodes[i];
        if (!n->deleting || !n->planned || n->gone) continue;
        bool all = true;
        for (uint32_t k = n->wait_first; k < n->wait_first + n->wait_count; k++)
            all = all && (s->nodes[k].ready || s->nodes[k].gone);
        if (all) status = story_drain(s, i);
    }
    return status;
}

static bool expiring(const story *s, uint32_t node)
{
    const story_node *n = &s->nodes[node];
    return !n->deleting && !n->gone && n->expires_at != KARP_NO_TIME && n->expires_at <= s->now;
}

static karp_status begin_expiry(story *s, uint32_t node)
{
    story_write_event(s, "expired", s->nodes[node].name, str(""));
    return story_mark_deleting(s, node);
}

/* All nodes whose time has come; under the old rules one of them that may go, when none is on its way out. */
static karp_status expire(story *s)
{
    uint32_t due = 0, chosen = IO_NONE;
    bool busy = false;
    karp_status status = KARP_OK;
    for (uint32_t i = 0; i < s->node_count && !status; i++) {
        busy = busy || (s->nodes[i].deleting && !s->nodes[i].gone);
        if (!expiring(s, i)) continue;
        due++;
        if (!s->old_rules) status = begin_expiry(s, i);
    }
    if (!s->old_rules || busy || due == 0) return status;
    status = story_choose_expired(s, &chosen);
    return status || chosen == IO_NONE ? status : begin_expiry(s, chosen);
}

static bool work_waits(const story *s)
{
    for (size_t i = 0; i < s->pod_count; i++) {
        if (!s->pods[i].gone && s->pods[i].node == IO_NONE) return true;
    }
    for (size_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].deleting && !s->nodes[i].planned && !s->nodes[i].gone) return true;
    }
    return false;
}

static karp_status instant(story *s)
{
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        s->again = false;
        karp_status status = make_ready(s);
        if (!status) status = end_waits(s);
        if (!status) status = expire(s);
        if (!status && work_waits(s)) status = story_provision(s);
        if (!status && !s->again) status = story_disrupt(s);
        if (status || !s->again) return status;
    }
    return story_fail(s, KARP_E_LIMIT, "the story does not come to rest");
}

/* ---- the clock -------------------------------------------------------------------------------------------------------------- */

static void sooner(const story *s, int64_t when, int64_t *next)
{
    if (when > s->now && when < *next) *next = when;
}

static int64_t next_event(const story *s)
{
    int64_t next = INT64_MAX;
    if (s->validate_at != KARP_NO_TIME) sooner(s, s->validate_at, &next);
    if (s->unblocked_at != KARP_NO_TIME) sooner(s, s->unblocked_at, &next);
    for (size_t i = 0; i < s->node_count; i++) {
        const story_node *n = &s->nodes[i];
        if (n->gone) continue;
        if (!n->ready) sooner(s, n->ready_at, &next);
        if (n->deleting) continue;
        if (n->expires_at != KARP_NO_TIME) sooner(s, n->expires_at, &next);
        if (n->ready && n->window < INT64_MAX / 4) sooner(s, n->last_event + n->window, &next);
    }
    return next;
}

static karp_status wait_until(story *s, int64_t end)
{
    for (int events = 0; events < MOST_EVENTS; events++) {
        int64_t next = next_event(s);
        if (next > end) {
            s->now = end;
            return KARP_OK;
        }
        s->now = next;
        karp_status status = instant(s);
        if (status) return status;
    }
    return story_fail(s, KARP_E_LIMIT, "more than %d events in one step", (int)MOST_EVENTS);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------ */

static karp_status take_step(story *s, const story_step *step)
{
    karp_status status = KARP_OK;
    if (step->what == STORY_WAIT) {
        if (step->duration > INT64_MAX / 4 - s->now) return story_fail(s, KARP_E_RANGE, "the story lasts too long");
        return wait_until(s, s->now + step->duration);
    }
    if (step->what == STORY_SCALE) {
        status = story_scale(s, step->workload, step->replicas);
    } else {
        uint32_t node = io_table_get(&s->node_index, step->node);
        if (node >= s->node_count || s->nodes[node].gone) {
            return story_fail(s, KARP_E_NOT_FOUND, "expire: no node of this name was started: %.*s",
                              (int)(step->node.len > 60 ? 60 : step->node.len), step->node.ptr);
        }
        status = story_set_expiry(s, node, s->now);
    }
    return status ? status : instant(s);
}

/* The documents' own nodes by name, and the pods that their Deployments begin with. */
static karp_status begin(story *s)
{
    for (size_t i = 0; i < tree_count(s->base); i++) {
        const tree *object = tree_item(s->base, i);
        if (!str_is(tree_get_text(object, "kind"), "Node")) continue;
        karp_str name = tree_get_text(tree_get(object, "metadata"), "name");
        if (!io_table_put(&s->node_index, name, STORY_OWN_NODES + (uint32_t)i)) return story_nomem(s);
    }
    karp_status status = KARP_OK;
    for (uint32_t i = 0; i < s->workload_count && !status; i++) status = story_scale(s, i, s->workloads[i].replicas);
    return status;
}

karp_status story_play(story *s)
{
    karp_status status = begin(s);
    story_write_begin(s);
    for (size_t i = 0; i < s->step_count && !status; i++) {
        story_write_step(s, &s->steps[i]);
        /* What the story begins with is decided on before the first time goes by. */
        if (i == 0 && s->steps[i].what == STORY_WAIT) status = instant(s);
        if (!status) status = take_step(s, &s->steps[i]);
        story_write_step_end(s);
    }
    return status;
}

/* ---- the call ---------------------------------------------------------------------------------------------------------------- */

void story_free(story *s)
{
    karp_free(s->context, s->steps, s->step_capacity * sizeof *s->steps);
    karp_free(s->context, s->workloads, s->workload_capacity * sizeof *s->workloads);
    karp_free(s->context, s->pools, s->pool_capacity * sizeof *s->pools);
    karp_free(s->context, s->pods, s->pod_capacity * sizeof *s->pods);
    karp_free(s->context, s->nodes, s->node_capacity * sizeof *s->nodes);
    if (s->reader) { /* the tables are in its memory */
        io_table_free(&s->pod_index);
        io_table_free(&s->node_index);
    }
    trees_free(&s->world);
    strbuf_free(&s->proposed);
    strbuf_free(&s->events);
    strbuf_free(&s->out);
    karp_reader_free(s->reader);
}

static karp_status take_options(story *s, const karp_options *options, const karp_write_options *write)
{
    karp_status status = struct_check(options, sizeof s->options, SIZE_THROUGH(karp_options, flip_quirks), &s->options,
                                      "karp_options", &s->error);
    if (status != KARP_OK) return status;
    return check_write_options(write, &s->write, &s->error);
}

karp_status story_init(story *s, karp_context *context)
{
    memset(s, 0, sizeof *s);
    karp_error_init(&s->error, sizeof s->error);
    s->context = context;
    s->validate_at = s->unblocked_at = KARP_NO_TIME;
    strbuf_init(&s->proposed, context);
    strbuf_init(&s->events, context);
    strbuf_init(&s->out, context);
    trees_init(&s->world, context);
    karp_status status = karp_reader_new(context, NULL, &s->reader, &s->error);
    if (status) return status;
    io_table_init(&s->pod_index, s->reader->context);
    io_table_init(&s->node_index, s->reader->context);
    s->t = &s->reader->trees;
    s->base = tree_new(s->t, TREE_LIST);
    return s->base ? KARP_OK : story_nomem(s);
}

karp_status karp_story_play(karp_context *context, const char *path, karp_catalogue *catalogue,
                            const karp_options *options, const karp_write_options *write, karp_text *out,
                            karp_error *error)
{
    story s;
    if (!context || !path || !out) {
        karp_error_init(&s.error, sizeof s.error);
        (void)story_fail(&s, KARP_E_INVALID, "a context, a path and a place for the text are needed");
        return io_give_error(&s.error, error);
    }
    karp_status status = story_init(&s, context);
    s.catalogue = catalogue;
    if (!status) status = take_options(&s, options, write);
    if (!status && s.write.format != KARP_FORMAT_JSON && s.write.format != KARP_FORMAT_TEXT) {
        status = story_fail(&s, KARP_E_UNSUPPORTED, "a story is not written in that format");
    }
    if (!status) status = story_read(&s, path, (karp_str){ 0 });
    if (!status) status = story_play(&s);
    if (!status) status = story_write_end(&s, out);
    if (status) {
        status = karp_context_refusal(context, status, &s.error);
        s.error.status = status;
        if (s.error.document[0] == '\0') str_shorten(s.error.document, sizeof s.error.document, str(path));
        (void)io_give_error(&s.error, error);
    }
    story_free(&s);
    return status;
}
