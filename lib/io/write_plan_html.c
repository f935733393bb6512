/* SPDX-License-Identifier: Apache-2.0 */
/* A decision as a page: the nodes before and after, the pods on them, then the text and the JSON. One file, which needs no
 * script and loads nothing. Its styles bear on nothing outside, so that it can be part of another page. */
#include "html.h"
#include "scene.h"
#include "write_repack_html.h"
#include "write_rows.h"

#include <karp/repack.h>
#include <math.h>

/* A decision whose JSON is longer is not embedded: such pages should still open at once. */
enum { MOST_JSON = 128 * 1024, MOST_UNPLACED = 12, MOST_PIECES = 40, COLOURS = 10, TEXT_COLUMNS = 110 };

/* Pixels: of boxes, and of a pod that is still told from the next. */
static const double widest_box = 440, narrowest_box = 184, least_piece = 5;

#define DOT " \xc2\xb7 "

static const char style[] =
    ".karp{font:13px/1.4 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu "
    "Sans',sans-serif;color:#1c2530;background:#fff;"
    "padding:18px 20px;box-sizing:border-box;text-align:left}"
    ".karp *{box-sizing:border-box}"
    ".karp .t{font-size:18px;font-weight:650;line-height:1.3;margin:0 0 2px}"
    ".karp .s{color:#5b6673;font-size:12px}"
    ".karp .h{font-size:14px;font-weight:650;margin:20px 0 8px}"
    ".karp .h span{font-weight:400;color:#5b6673;margin-left:10px}"
    ".karp .lane{display:flex;flex-wrap:wrap;gap:10px}"
    ".karp .n{max-width:100%;border:1.5px solid #c9d0d8;border-radius:6px;background:#f7f8fa;padding:6px 8px "
    "5px;overflow:hidden}"
    ".karp .n b,.karp "
    ".n>span{display:block;min-height:1.4em;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;font-size:12px}"
    ".karp .n>span{color:#5b6673;font-size:11px}"
    ".karp .new{border-color:#2e8b57;background:#f3faf6}.karp .gone{border:1.5px dashed #c0392b;background:#fdf6f5}"
    ".karp .repl{border-color:#b8860b;background:#fdfaf1}.karp .recv{border-color:#2a78d6;background:#f4f8fd}"
    ".karp .bar{display:flex;height:24px;margin:5px 0 3px;background:#e6eaee;border-radius:3px;overflow:hidden}"
    ".karp .bar i{display:block;height:100%;min-width:2px;background-image:linear-gradient(90deg,transparent calc(100% "
    "- 1px),"
    "rgba(255,255,255,.75) 0);background-size:calc(100%/var(--n,1)) 100%}"
    ".karp .mem{height:4px;background:#e6eaee;border-radius:2px;overflow:hidden;margin-bottom:3px}"
    ".karp .mem i{display:block;height:100%;background:#7d8894}"
    ".karp .keys{display:flex;flex-wrap:wrap;gap:4px 16px;margin-top:14px;font-size:12px;color:#5b6673}"
    ".karp .keys i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:5px;vertical-align:-1px}"
    ".karp .w0{background-color:#2a78d6}.karp .w1{background-color:#7a5bc7}.karp .w2{background-color:#1a9a8a}"
    ".karp .w3{background-color:#e08a1e}.karp .w4{background-color:#c2497a}.karp .w5{background-color:#5b8c2a}"
    ".karp .w6{background-color:#b5622d}.karp .w7{background-color:#3aa6c9}.karp .w8{background-color:#9a3fb0}"
    ".karp .w9{background-color:#6b7a1f}.karp .wx{background-color:#8a94a3}.karp .wd{background-color:#b9c0c9}"
    ".karp .wu{background-color:#5f7187}"
    ".karp .bad{margin:16px 0 0;padding:8px 12px;border-left:3px solid #c0392b;background:#fdf6f5;color:#8e2a1f}"
    ".karp .bad div{overflow-wrap:anywhere}.karp .bad code{font-size:12px}"
    ".karp details{margin-top:16px}.karp summary{cursor:pointer;color:#5b6673}"
    ".karp pre{overflow-x:auto;background:#f7f8fa;color:#1c2530;border-radius:6px;padding:10px 12px;margin:8px 0 0;"
    "font:12px/1.45 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    "@media print{.karp *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

typedef struct page {
    write_buffer *b;
    const write_job *job;
    const karp_decision *plan; /* NULL: the page is about a disruption alone */
    const karp_decision *disruption;
    const scene *s;
    bool repack; /* the disruption is a repack plan */
    double widest; /* cores of the largest node */
    double least; /* and of the smallest */
} page;

static void raw(const page *p, const char *text) { buffer_text(p->b, text); }

/* ---- nodes --------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *class;
    const char *mark;
} fates[] = {
    [FATE_STAYS] = { "", "" },       [FATE_RECEIVES] = { " recv", "~ " },
    [FATE_NEW] = { " new", "+ " },   [FATE_REPLACED] = { " repl", "-/+ " },
    [FATE_GONE] = { " gone", "- " }, [FATE_REPLACES] = { " repl", "-/+ " },
};

/* As wide as its CPU; by the root of it where the nodes are too different for that. */
static double box_width(const page *p, const scene_node *node)
{
    double part = p->widest > 0 ? node->cpu / node->copies / p->widest : 0;
    bool far_apart = p->least > 0 && p->widest / p->least > 20;
    double width = widest_box * (far_apart ? sqrt(part) : part);
    return width < narrowest_box ? narrowest_box : width;
}

static double part_of(double amount, double whole) { return whole > 0 ? amount / whole : 0; }

static void percent_style(const page *p, double fraction)
{
    double percent = fraction * 100;
    raw(p, "style=\"width:");
    text_fixed(p->b, percent > 0 ? (percent < 100 ? percent : 100) : 0, 0, 2);
    raw(p, "%");
}

static void colour(const page *p, uint32_t workload)
{
    uint32_t rank = p->s->workloads[workload].rank;
    if (rank >= COLOURS) {
        raw(p, "wx");
        return;
    }
    buffer_char(p->b, 'w');
    buffer_uint(p->b, rank);
}

static void write_piece(const page *p, const scene_run *run, double whole, double pixels)
{
    if (!(run->cpu > 0)) {
        return;
    }
    raw(p, "<i class=\"");
    colour(p, run->workload);
    raw(p, "\" title=\"");
    buffer_uint(p->b, run->pods);
    raw(p, " \xc3\x97 ");
    html_text(p->b, p->s->workloads[run->workload].name);
    raw(p, ", cpu ");
    html_number(p->b, run->cpu);
    raw(p, "\" ");
    percent_style(p, part_of(run->cpu, whole));
    /* A line between its pods, where that is more than stripes. */
    if (run->pods > 1 && run->cpu / whole * pixels / run->pods >= least_piece) {
        raw(p, ";--n:");
        buffer_uint(p->b, run->pods);
    }
    raw(p, "\"></i>");
}

static void write_cpu(const page *p, const scene_node *node)
{
    double whole = node->cpu > node->cpu_used ? node->cpu : node->cpu_used;
    raw(p, "<div class=\"bar\">");
    if (node->copies > 1 && node->cpu_used > 0) {
        raw(p, "<i class=\"wu\" ");
        percent_style(p, part_of(node->cpu_used, whole));
        raw(p, "\"></i>");
    }
    if (node->daemon_cpu > 0) {
        raw(p, "<i class=\"wd\" title=\"daemons, cpu ");
        html_number(p->b, node->daemon_cpu);
        raw(p, "\" ");
        percent_style(p, part_of(node->daemon_cpu, whole));
        raw(p, "\"></i>");
    }
    double rest = 0;
    for (size_t i = 0; i < node->run_count; i++) {
        if (i < MOST_PIECES) {
            write_piece(p, &node->runs[i], whole, box_width(p, node));
        } else {
            rest += node->runs[i].cpu;
        }
    }
    if (rest > 0) {
        raw(p, "<i class=\"wx\" ");
        percent_style(p, part_of(rest, whole));
        raw(p, "\"></i>");
    }
    raw(p, "</div>");
}

static void amount_of(const page *p, const char *what, double used, double whole, const char *unit)
{
    raw(p, what);
    html_number(p->b, used);
    raw(p, " of ");
    html_number(p->b, whole);
    raw(p, unit);
}

/* "m5.large · $0.096", then "us-west-2a · spot": what is known of it. */
static void write_offer(const page *p, const scene_node *node, const char *between_lines)
{
    html_text(p->b, node->instance_type);
    if (node->price > 0) {
        raw(p, node->instance_type.len > 0 ? DOT "$" : "$");
        text_money(p->b, node->price);
        raw(p, "/h");
    }
    raw(p, between_lines);
    html_text(p->b, node->zone);
    raw(p, node->zone.len > 0 && node->capacity_type.len > 0 ? DOT : "");
    html_text(p->b, node->capacity_type);
}

static void write_hint(const page *p, const scene_node *node)
{
    if (node->copies == 1) {
        html_text(p->b, node->name);
        raw(p, "\n");
    }
    write_offer(p, node, "\n");
    if (node->node_pool.len > 0) {
        raw(p, "\npool ");
        html_text(p->b, node->node_pool);
    }
    double gib = 1024.0 * 1024.0 * 1024.0;
    amount_of(p, "\ncpu ", node->cpu_used, node->cpu, "");
    amount_of(p, "\nmemory ", node->memory_used / gib, node->memory / gib, " GiB\n");
    buffer_uint(p->b, node->pods);
    raw(p, node->pods == 1 ? " pod" : " pods");
}

static void write_node(const page *p, const scene_node *node)
{
    raw(p, "<div class=\"n");
    raw(p, fates[node->fate].class);
    raw(p, "\" style=\"width:");
    text_fixed(p->b, box_width(p, node), 0, 0);
    raw(p, "px\" title=\"");
    write_hint(p, node);
    raw(p, "\"><b>");
    raw(p, fates[node->fate].mark);
    if (node->copies > 1) {
        buffer_uint(p->b, node->copies);
        raw(p, " nodes");
    } else {
        html_text(p->b, node->name);
    }
    raw(p, "</b><span>");
    write_offer(p, node, "</span><span>");
    raw(p, "</span>");
    write_cpu(p, node);
    raw(p, "<div class=\"mem\"><i ");
    percent_style(p, part_of(node->memory_used, node->memory));
    raw(p, "\"></i></div><span>cpu ");
    text_percent(p->b, part_of(node->cpu_used, node->cpu), 0);
    raw(p, DOT "mem ");
    text_percent(p->b, part_of(node->memory_used, node->memory), 0);
    raw(p, DOT);
    buffer_uint(p->b, node->pods);
    raw(p, node->pods == 1 ? " pod" : " pods");
    raw(p, "</span></div>\n");
}

static void write_lane(const page *p, const char *title, const scene_lane *lane, double cost)
{
    raw(p, "<div class=\"h\">");
    raw(p, title);
    raw(p, "<span>");
    buffer_uint(p->b, lane->node_total);
    raw(p, lane->node_total == 1 ? " node" DOT "$" : " nodes" DOT "$");
    text_money(p->b, cost);
    raw(p, "/h");
    if (lane->cpu > 0) {
        raw(p, DOT "CPU ");
        text_percent(p->b, lane->cpu_used / lane->cpu, 0);
    }
    raw(p, "</span></div>\n<div class=\"lane\">\n");
    for (size_t i = 0; i < lane->count; i++) {
        write_node(p, &lane->nodes[i]);
    }
    raw(p, "</div>\n");
    if (lane->left_out > 0) {
        raw(p, "<div class=\"s\">and ");
        buffer_uint(p->b, lane->left_out);
        raw(p, " more nodes</div>\n");
    }
}

/* ---- around them --------------------------------------------------------------------------------------------------- */

static void write_name(const page *p)
{
    raw(p, p->plan != NULL ? "karp plan" : "karp disrupt");
    if (p->job->options->title.len > 0) {
        raw(p, DOT);
        html_text(p->b, p->job->options->title);
    }
}

static karp_status count_placed(const page *p, size_t *placed)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < karp_decision_launch_count(p->plan) && status == KARP_OK; i++) {
        karp_launch launch;
        status = get_launch(p->job, p->plan, i, &launch);
        *placed += status == KARP_OK ? launch.pod_count : 0;
    }
    for (size_t i = 0; i < karp_decision_placement_count(p->plan) && status == KARP_OK; i++) {
        karp_placement placement;
        status = get_placement(p->job, p->plan, i, &placement);
        *placed += status == KARP_OK ? placement.pod_count : 0;
    }
    return status;
}

/* "2 to launch · 1 to delete · 1 to replace · 7 of 8 pods placed · -$75.92/month" */
static karp_status write_title(const page *p, const command_totals *commands, double before, double after)
{
    write_buffer *b = p->b;
    raw(p, "<div class=\"t\">");
    if (p->plan != NULL) {
        size_t placed = 0;
        karp_status status = count_placed(p, &placed);
        if (status != KARP_OK) {
            return status;
        }
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
    double month = (after - before) * 730;
    if (fabs(month) < 0.005) {
        raw(p, "same cost");
    } else {
        raw(p, month < 0 ? "\xe2\x88\x92$" : "+$");
        text_fixed(b, fabs(month), 2, 2);
        raw(p, "/month");
    }
    raw(p, "</div>\n<div class=\"s\">");
    write_name(p);
    raw(p, DOT "profile ");
    raw(p, karp_profile_name(karp_decision_profile(p->job->decision), karp_decision_peer_version(p->job->decision)));
    if (p->job->options->catalogue.len > 0) {
        raw(p, DOT "catalogue ");
        html_text(b, p->job->options->catalogue);
    }
    char now[KARP_VALUE_TEXT];
    karp_time_format(karp_decision_now(p->job->decision), now);
    raw(p, DOT);
    raw(p, now);
    raw(p,
        karp_decision_complete(p->job->decision) ? "</div>\n" : DOT "<b>incomplete: stopped by its budget</b></div>\n");
    return KARP_OK;
}

static void write_key(const page *p, const char *class, karp_str name)
{
    raw(p, "<span><i class=\"");
    raw(p, class);
    raw(p, "\"></i>");
    html_text(p->b, name);
    raw(p, "</span>\n");
}

static bool has_fold(const scene *s)
{
    return s->before.node_total > SCENE_MOST_NODES || s->after.node_total > SCENE_MOST_NODES;
}

static bool shows_pods(const scene_lane *lane)
{
    for (size_t i = 0; i < lane->count; i++) {
        if (lane->nodes[i].run_count > 0) {
            return true;
        }
    }
    return false;
}

static void write_keys(const page *p)
{
    static const char *const classes[COLOURS] = { "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9" };
    const scene *s = p->s;
    bool coloured = shows_pods(&s->before) || shows_pods(&s->after);
    raw(p, "<div class=\"keys\">\n");
    for (uint32_t rank = 0; coloured && rank < COLOURS; rank++) {
        for (size_t i = 0; i < s->workload_count; i++) {
            if (s->workloads[i].rank == rank && s->workloads[i].cpu > 0) {
                write_key(p, classes[rank], s->workloads[i].name);
            }
        }
    }
    if (coloured && s->workload_count > COLOURS) {
        write_key(p, "wx", str("other workloads"));
    }
    if (coloured) {
        write_key(p, "wd", str("daemons"));
    }
    if (has_fold(s)) {
        write_key(p, "wu", str("several nodes together"));
    }
    raw(p, "</div>\n<div class=\"s\" style=\"margin-top:6px\">A box is a node, as wide as its CPU; the pieces are what "
           "its pods "
           "request, the line below them is memory. Green is new, red and dashed goes, gold is replaced, blue receives "
           "pods.</div>\n");
}

static karp_status write_unplaced(const page *p)
{
    size_t count = p->plan != NULL ? karp_decision_unschedulable_count(p->plan) : 0;
    if (count == 0) {
        return KARP_OK;
    }
    raw(p, "<div class=\"bad\"><b>");
    buffer_uint(p->b, count);
    raw(p, " unschedulable</b>\n");
    for (size_t i = 0; i < count && i < MOST_UNPLACED; i++) {
        karp_unschedulable pod;
        karp_status status = get_unschedulable(p->job, i, &pod);
        if (status != KARP_OK) {
            return status;
        }
        raw(p, "<div>! ");
        html_text(p->b, karp_decision_pod_name(p->plan, pod.pod));
        raw(p, " <code>");
        html_words(p->b, karp_reason_name(pod.code));
        raw(p, pod.permanent ? "</code>, permanent: " : "</code>: ");
        html_words(p->b, karp_reason_text(pod.code));
        raw(p, "</div>\n");
    }
    if (count > MOST_UNPLACED) {
        raw(p, "<div>and ");
        buffer_uint(p->b, count - MOST_UNPLACED);
        raw(p, " more, in the text below</div>\n");
    }
    raw(p, "</div>\n");
    return KARP_OK;
}

/* Another document about the same decision; the caller frees it. */
static karp_status other_document(const page *p, karp_status (*write)(const write_job *job), karp_text *out)
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
    karp_status status = write(&job);
    if (status != KARP_OK) {
        buffer_free(&buffer);
        return status;
    }
    return buffer_finish(&buffer, out, p->job->error);
}

static karp_status write_documents(const page *p)
{
    karp_text text = { 0 };
    karp_status status = other_document(p,
                                        p->repack         ? repack_as_text
                                        : p->plan != NULL ? plan_as_text
                                                          : disruption_as_text,
                                        &text);
    if (status != KARP_OK) {
        return status;
    }
    raw(p, "<details><summary>As text</summary><pre>");
    html_text(p->b, (karp_str){ text.ptr, text.len });
    raw(p, "</pre></details>\n");
    karp_text_free(&text);
    status = other_document(p, p->repack ? repack_as_json : p->plan != NULL ? plan_as_json : disruption_as_json, &text);
    if (status == KARP_OK && text.len <= MOST_JSON) {
        raw(p, "<script type=\"application/json\" class=\"karp-document\">");
        html_json(p->b, (karp_str){ text.ptr, text.len });
        raw(p, "</script>\n");
    }
    karp_text_free(&text);
    return status;
}

/* ---- the page ------------------------------------------------------------------------------------------------------ */

static void measure(page *p)
{
    const scene_lane *lanes[] = { &p->s->before, &p->s->after };
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < lanes[i]->count; k++) {
            double cpu = lanes[i]->nodes[k].cpu / lanes[i]->nodes[k].copies;
            p->widest = cpu > p->widest ? cpu : p->widest;
            p->least = cpu > 0 && (p->least <= 0 || cpu < p->least) ? cpu : p->least;
        }
    }
}

static karp_status write_body(const page *p)
{
    command_totals commands = { 0 };
    karp_status status = KARP_OK;
    if (p->disruption != NULL) {
        status = count_commands(p->job, p->disruption, &commands);
    }
    double before = karp_decision_cost_before(p->job->decision);
    double after = karp_decision_cost_after(p->job->decision) - (p->plan != NULL ? commands.savings : 0);
    if (status == KARP_OK) {
        status = write_title(p, &commands, before, after);
    }
    if (status != KARP_OK) {
        return status;
    }
    write_lane(p, "Before", &p->s->before, before);
    write_lane(p, "After", &p->s->after, after);
    write_keys(p);
    status = p->repack ? repack_picture(p->job) : write_unplaced(p);
    return status == KARP_OK ? write_documents(p) : status;
}

static karp_status write_page(const write_job *job, const karp_decision *plan, const karp_decision *disruption,
                              bool repack)
{
    scene s;
    karp_status status = scene_collect(&s, job, plan, disruption);
    if (status == KARP_OK) {
        page p = { .b = job->out, .job = job, .plan = plan, .disruption = disruption, .s = &s, .repack = repack };
        measure(&p);
        raw(&p,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
        write_name(&p);
        raw(&p, "</title></head>\n<body style=\"margin:0\">\n<div class=\"karp\">\n<style>");
        raw(&p, style);
        raw(&p, "</style>\n");
        status = write_body(&p);
        raw(&p, "</div>\n</body></html>\n");
    }
    scene_free(&s);
    return status;
}

karp_status plan_as_html(const write_job *job) { return write_page(job, job->decision, job->disruption, false); }

karp_status disruption_as_html(const write_job *job) { return write_page(job, NULL, job->decision, false); }

karp_status repack_as_html(const write_job *job)
{
    karp_repack_cost cost = { .size = sizeof(cost) };
    karp_status status = karp_decision_repack(job->decision, &cost);
    if (status != KARP_OK) {
        return write_fail(job->error, status, "the decision is no repack plan");
    }
    return write_page(job, NULL, job->decision, true);
}
