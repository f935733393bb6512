/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a decision as an HTML page: the nodes before and after with their pods, then the text and the JSON. The page
 * is one file without scripts or external resources. Its styles affect nothing outside, so that it can be embedded in
 * another page.
 */
#include "write_rows.h"
#include "write_notes.h"
#include "write_picture_html.h"

#include <base/licence_words.h>

#include <karp/peer.h>
#include <karp/repack.h>
#include <karp/what_if.h>
#include <math.h>

/* MOST_JSON: a longer JSON document is not embedded, so that large pages still open quickly. */
enum {
    MOST_JSON = 128 * 1024,
    MOST_UNPLACED = 12,
    MOST_GROUPS = 12,
    MOST_POOLS = 8,
    MOST_NOTES = 20,
    TEXT_COLUMNS = 110
};

#define DOT HTML_DOT
#define ARROW " \xe2\x86\x92 "

typedef struct page {
    write_buffer *b;
    const write_job *job;
    const karp_decision *plan; /* NULL: the page shows only a disruption */
    const karp_decision *disruption;
    const picture *s;
    bool repack; /* the disruption is a repack plan */
    double before, after; /* cost per hour */
} page;

static void raw(const page *p, const char *text) { buffer_text(p->b, text); }

/* ---- title ------------------------------------------------------------------------------------------------------- */

static void write_name(const page *p)
{
    bool changed = p->plan != NULL && karp_decision_change_count(p->plan) > 0;
    raw(p, changed ? "karp whatif" : p->plan != NULL ? "karp plan" : p->repack ? "karp repack" : "karp disrupt");
    if (p->job->options->title.len > 0) {
        raw(p, DOT);
        html_text(p->b, p->job->options->title);
    }
}

static void count_placed(const page *p, size_t *placed)
{
    for (size_t i = 0; i < karp_decision_launch_count(p->plan); i++) {
        karp_launch launch;
        get_launch(p->job, p->plan, i, &launch);
        *placed += launch.pod_count;
    }
    for (size_t i = 0; i < karp_decision_placement_count(p->plan); i++) {
        karp_placement placement;
        get_placement(p->job, p->plan, i, &placement);
        *placed += placement.pod_count;
    }
}

/* "2 to launch · 1 to delete · 1 to replace · 7 of 8 pods placed · −$75.92/month" */
static void write_title(const page *p, const command_totals *commands)
{
    write_buffer *b = p->b;
    raw(p, "<div class=\"s\">");
    write_name(p);
    raw(p, "</div>\n<div class=\"t\">");
    if (p->plan != NULL) {
        size_t placed = 0;
        count_placed(p, &placed);
        buffer_uint(b, karp_decision_launch_count(p->plan));
        raw(p, " to launch" DOT);
        buffer_uint(b, placed);
        raw(p, " of ");
        buffer_uint(b, placed + karp_decision_unschedulable_count(p->plan));
        raw(p, " pods placed" DOT);
    }
    if (p->disruption != NULL) {
        buffer_uint(b, commands->deleted);
        raw(p, " to delete" DOT);
        buffer_uint(b, commands->replaced);
        raw(p, " to replace" DOT);
    }
    double month = (p->after - p->before) * HOURS_A_MONTH;
    if (fabs(month) < 0.005) {
        raw(p, "same cost");
    } else {
        raw(p, month < 0 ? "<span class=\"nb\">\xe2\x88\x92" : "<span class=\"nb\">+");
        text_dollars(b, fabs(month), false);
        raw(p, "/month</span>");
        size_t down = p->plan != NULL ? karp_decision_unschedulable_count(p->plan) : 0;
        if (month < 0 && down > 0 && karp_decision_change_count(p->plan) > 0) {
            raw(p, DOT "no saving: ");
            buffer_uint(b, down);
            raw(p, down == 1 ? " pod has no node" : " pods have no node");
        }
    }
    raw(p, "</div>\n<div class=\"s\">profile ");
    raw(p, karp_profile_name(karp_decision_profile(p->job->decision), karp_decision_peer_version(p->job->decision)));
    if (p->job->options->catalogue.len > 0) {
        raw(p, DOT "catalogue ");
        html_text(b, p->job->options->catalogue);
    }
    char now[KARP_VALUE_TEXT];
    karp_time_format(karp_decision_now(p->job->decision), now);
    raw(p, DOT);
    raw(p, now);
    raw(p, karp_decision_complete(p->job->decision) ? "</div>\n"
                                                    : DOT "<b>incomplete: the search was stopped</b></div>\n");
}

/* ---- totals ------------------------------------------------------------------------------------------------------ */

static void begin_tile(const page *p, const char *name)
{
    raw(p, "<div class=\"tile\"><span>");
    raw(p, name);
    raw(p, "</span><b>");
}

/* "$1,107.92 → $1,152.45" */
static void tile_dollars(const page *p, const char *name, double before, double after, const char *below)
{
    begin_tile(p, name);
    text_dollars(p->b, before * HOURS_A_MONTH, false);
    if (fabs(after - before) * HOURS_A_MONTH >= 0.005) {
        raw(p, ARROW);
        text_dollars(p->b, after * HOURS_A_MONTH, false);
    }
    raw(p, "</b><span>");
    raw(p, below);
    if (p->job->options->licences.len > 0) {
        raw(p, ", without ");
        raw(p, licence_words(p->job->options->licences));
        html_text(p->b, p->job->options->licences);
    }
    raw(p, "</span></div>\n");
}

static void tile_part(const page *p, const char *name, double before, double before_whole, double after,
                      double after_whole)
{
    double from = before_whole > 0 ? before / before_whole : 0, to = after_whole > 0 ? after / after_whole : 0;
    begin_tile(p, name);
    if (before_whole > 0 && fabs(to - from) >= 0.005) {
        text_percent(p->b, from, 0);
        raw(p, ARROW);
    }
    text_percent(p->b, to, 0);
    raw(p, "</b><div class=\"mem\"><i ");
    picture_html_part(p->b, to);
    raw(p, "\"></i></div></div>\n");
}

static void write_totals(const page *p)
{
    const picture_row *before = &p->s->before, *after = &p->s->after;
    raw(p, "<div class=\"tiles\">\n");
    tile_dollars(p, "Cost per month", p->before, p->after, "of 730 hours");
    tile_dollars(p, "Idle per month", before->idle, after->idle, "requested by no pod");
    begin_tile(p, "Nodes");
    buffer_uint(p->b, before->node_total);
    if (after->node_total != before->node_total) {
        raw(p, ARROW);
        buffer_uint(p->b, after->node_total);
    }
    raw(p, "</b><span>");
    buffer_count(p->b, after->pods, "pod");
    raw(p, "</span></div>\n");
    tile_part(p, "CPU requested", before->cpu_used, before->cpu, after->cpu_used, after->cpu);
    tile_part(p, "Memory requested", before->memory_used, before->memory, after->memory_used, after->memory);
    raw(p, "</div>\n");
}

/* For a least-cost plan. */
static void write_saving(const page *p)
{
    karp_cost cost = { .size = sizeof(cost) };
    if (p->plan == NULL || karp_decision_cost(p->plan, &cost) != KARP_OK) return;
    raw(p, "<div class=\"s\">");
    (void)text_saving(p->b, p->plan);
    raw(p, "</div>\n");
}

/* Writes why each NodePool rejects the pod. */
static void write_refusals(const page *p, const karp_unschedulable *pod)
{
    for (size_t i = 0; i < pod->pool_count && i < MOST_POOLS; i++) {
        const karp_pool_refusal *pool = &pod->pools[i];
        raw(p, "<div class=\"p\">pool ");
        html_text(p->b, pool->node_pool);
        raw(p, ": ");
        html_text(p->b, pool->detail.len > 0 ? pool->detail : str(karp_reason_text(pool->code)));
        raw(p, "</div>\n");
    }
    if (pod->pool_count > MOST_POOLS) {
        raw(p, "<div class=\"p\">and ");
        buffer_uint(p->b, pod->pool_count - MOST_POOLS);
        raw(p, " more NodePools</div>\n");
    }
}

static void write_unplaced(const page *p)
{
    size_t count = p->plan != NULL ? karp_decision_unschedulable_count(p->plan) : 0;
    if (count == 0) return;
    raw(p, "<div class=\"bad\"><b>");
    buffer_uint(p->b, count);
    raw(p, " unschedulable</b>\n");
    for (size_t i = 0; i < count && i < MOST_UNPLACED; i++) {
        karp_unschedulable pod;
        get_unschedulable(p->job, i, &pod);
        raw(p, "<div>! ");
        html_text(p->b, karp_decision_pod_name(p->plan, pod.pod));
        raw(p, " <code>");
        html_words(p->b, karp_reason_name(pod.code));
        raw(p, pod.permanent ? "</code>, permanent: " : "</code>: ");
        html_words(p->b, karp_reason_text(pod.code));
        raw(p, "</div>\n");
        write_refusals(p, &pod);
    }
    if (count > MOST_UNPLACED) {
        raw(p, "<div>and ");
        buffer_uint(p->b, count - MOST_UNPLACED);
        raw(p, " more, in the text below</div>\n");
    }
    raw(p, "</div>\n");
}

/* Groups of pods, those that cannot start first. */
static void write_groups(const page *p)
{
    size_t count = p->plan != NULL ? karp_decision_group_count(p->plan) : 0, shown = 0;
    if (count == 0) return;
    raw(p, "<div><b>Groups</b>\n");
    for (size_t turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < count && shown < MOST_GROUPS; i++) {
            karp_group_outcome g;
            char text[GROUP_WORDS];
            get_group(p->job, i, &g);
            if ((g.code == KARP_REASON_NONE) != (turn == 1)) continue;
            group_in_words(&g, text);
            raw(p, turn == 0 ? "<div>! " : "<div>");
            html_words(p->b, text);
            raw(p, turn == 0 ? " " : "");
            html_text(p->b, group_why_not(&g));
            raw(p, "</div>\n");
            shown++;
        }
    }
    if (count > MOST_GROUPS) {
        raw(p, "<div>and ");
        buffer_uint(p->b, count - MOST_GROUPS);
        raw(p, " more, in the text below</div>\n");
    }
    raw(p, "</div>\n");
}

static void write_notes(const page *p)
{
    size_t count = note_count(p->job), problems = problem_count(p->job->options);
    for (size_t i = 0; i < problems && i < MOST_NOTES; i++) {
        raw(p, problem_is_unknown(p->job->options, i) ? "<div>" : "<div><b>not planned</b>: ");
        html_text(p->b, problem_at(p->job->options, i));
        raw(p, "</div>\n");
    }
    if (count == 0) return;
    raw(p, "<details><summary>");
    buffer_uint(p->b, count);
    raw(p, count == 1 ? " note</summary>" : " notes</summary>");
    for (size_t i = 0; i < count && i < MOST_NOTES; i++) {
        raw(p, "<div>");
        html_text(p->b, note_at(p->job, i));
        raw(p, "</div>");
    }
    raw(p, count > MOST_NOTES ? "<div>and more, in the text below</div></details>\n" : "</details>\n");
}

/* Writes another document about the same decision; empty if it would be longer than `most` (0 = unlimited). The caller
 * frees it. */
static void other_document(const page *p, void (*write)(const write_job *job), size_t most, karp_text *out)
{
    write_buffer buffer;
    karp_write_options options = *p->job->options;
    write_job job = *p->job;
    options.color = 0;
    options.width = TEXT_COLUMNS;
    options.compact = 1;
    job.options = &options;
    job.out = &buffer;
    buffer_init(&buffer, p->job->context);
    buffer.text.most = most;
    write(&job);
    if (!buffer.text.full) {
        keep_failure(&p->job->out->status, buffer_finish(&buffer, out, p->job->error));
        return;
    }
    buffer_free(&buffer);
    if (p->job->error != NULL && p->job->out->status == KARP_OK) karp_error_init(p->job->error, p->job->error->size);
}

static void write_documents(const page *p)
{
    karp_text text = { 0 };
    other_document(p, p->repack ? repack_as_text : p->plan != NULL ? plan_as_text : disruption_as_text, 0, &text);
    raw(p, "<details><summary>As text</summary><pre>");
    html_text(p->b, (karp_str){ text.ptr, text.len });
    raw(p, "</pre></details>\n");
    karp_text_free(&text);
    other_document(p,
                   p->repack         ? repack_as_json
                   : p->plan != NULL ? plan_as_json
                                     : disruption_as_json,
                   MOST_JSON, &text);
    if (text.len > 0 && text.len <= MOST_JSON) {
        raw(p, "<script type=\"application/json\" class=\"karp-document\">");
        html_json(p->b, (karp_str){ text.ptr, text.len });
        raw(p, "</script>\n");
    }
    karp_text_free(&text);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void write_body(page *p)
{
    command_totals commands = { 0 };
    if (p->disruption != NULL) count_commands(p->job, p->disruption, &commands);
    p->before = karp_decision_cost_before(p->job->decision);
    p->after = karp_decision_cost_after(p->job->decision) - (p->plan != NULL ? commands.savings : 0);
    write_title(p, &commands);
    picture_html html = picture_html_begin(p->b, p->s);
    double highest = p->before > p->after ? p->before : p->after;
    write_totals(p);
    write_saving(p);
    picture_html_row(&html, "Before", &p->s->before, p->before, highest);
    picture_html_row(&html, "After", &p->s->after, p->after, highest);
    picture_html_keys(&html);
    picture_html_shares(&html);
    if (p->repack) repack_picture(p->job);
    else write_unplaced(p);
    if (!p->repack) write_groups(p);
    if (p->plan != NULL) preferences_as_html(p->job);
    hooks_as_html(p->job);
    write_notes(p);
    if (!p->job->options->compact) write_documents(p);
}

/* `compact`: only the picture, to be embedded in another page. */
static void write_page(const write_job *job, const karp_decision *plan, const karp_decision *disruption, bool repack)
{
    picture s;
    bool whole = !job->options->compact;
    karp_status status = picture_collect(&s, job, plan, disruption);
    if (status == KARP_OK) {
        page p = { .b = job->out, .job = job, .plan = plan, .disruption = disruption, .s = &s, .repack = repack };
        if (whole) {
            raw(&p, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                    "'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
            write_name(&p);
            raw(&p, "</title></head>\n<body style=\"margin:0\">\n");
        }
        raw(&p, "<div class=\"karp\">\n<style>");
        picture_html_style(p.b);
        raw(&p, "</style>\n");
        write_body(&p);
        raw(&p, whole ? "</div>\n</body></html>\n" : "</div>\n");
    }
    picture_free(&s);
    keep_failure(&job->out->status, status);
}

void plan_as_html(const write_job *job) { write_page(job, job->decision, job->disruption, false); }

void disruption_as_html(const write_job *job) { write_page(job, NULL, job->decision, false); }

void repack_as_html(const write_job *job)
{
    karp_repack_cost cost;
    get_repack_cost(job, &cost);
    if (job->out->status == KARP_OK) write_page(job, NULL, job->decision, true);
}
