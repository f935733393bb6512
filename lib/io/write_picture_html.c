/* SPDX-License-Identifier: Apache-2.0 */
#include "write_picture_html.h"

#include "write_text.h"

#include <karp/reasons.h>
#include <math.h>

enum { MOST_PIECES = 40 };

/* In pixels: the width of boxes, and the smallest part in which pods are separated. */
static const double widest_box = 440, narrowest_box = 184, least_piece = 5;

/* Colours of workloads are the same on light and dark screens. Other colours are variables. */
static const char style[] =
    ".karp{color-scheme:light dark;--ink:#1c2530;--dim:#5b6673;--page:#fff;--box:#f7f8fa;--line:#c9d0d8;"
    "--free:#e6eaee;--mem:#7d8894;--gap:rgba(255,255,255,.75);--newbg:#f3faf6;--gonebg:#fdf6f5;--replbg:#fdfaf1;"
    "--recvbg:#f4f8fd;--bad:#8e2a1f;--cost:#4a6785;"
    "font:13px/1.4 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:var(--ink);"
    "background:var(--page);padding:18px 20px;box-sizing:border-box;text-align:left}"
    ".karp *{box-sizing:border-box}"
    ".karp .t{font-size:18px;font-weight:650;line-height:1.3;margin:2px 0}"
    ".karp .s{color:var(--dim);font-size:12px;overflow-wrap:anywhere}"
    ".karp .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin-top:14px}"
    ".karp .tile{border:1px solid var(--line);border-radius:6px;padding:8px 10px;background:var(--box)}"
    ".karp .tile span{display:block;color:var(--dim);font-size:11px}.karp .tile b{display:block;font-size:15px;"
    "font-weight:600;font-variant-numeric:tabular-nums;margin:1px 0}"
    ".karp .h{font-size:14px;font-weight:650;margin:20px 0 6px}"
    ".karp .h span{font-weight:400;color:var(--dim);margin-left:10px}"
    ".karp .sum{display:flex;height:8px;margin:0 0 10px;border-radius:4px;overflow:hidden;background:var(--free)}"
    ".karp .sum i{display:block;height:100%;background:var(--cost)}"
    ".karp .sum .idle,.karp .keys .idle{background:repeating-linear-gradient(135deg,var(--cost) 0 2px,"
    "var(--free) 2px 6px)}"
    ".karp .lane{display:flex;flex-wrap:wrap;gap:10px}"
    ".karp .n{width:var(--w);max-width:100%;border:1.5px solid var(--line);border-radius:6px;background:var(--box);"
    "padding:6px 8px 5px;overflow:hidden}"
    ".karp .n b,.karp .n>span{display:block;min-height:1.4em;white-space:nowrap;overflow:hidden;"
    "text-overflow:ellipsis;font-size:12px}"
    ".karp .n b span{font-weight:400;color:var(--dim)}.karp .n>span{color:var(--dim);font-size:11px}"
    ".karp .n>.k{display:inline-block;max-width:100%;min-height:0;margin:3px 4px 0 0;padding:0 6px;border-radius:8px;"
    "border:1px solid var(--line);color:var(--ink);font-size:10.5px;line-height:16px;vertical-align:top}"
    ".karp .n>.y{border-color:transparent;background:var(--free)}"
    ".karp .new{border-color:#2e8b57;background:var(--newbg)}"
    ".karp .gone{border-color:#c0392b;border-style:dashed;background:var(--gonebg)}"
    ".karp .repl{border-color:#b8860b;background:var(--replbg)}.karp .recv{border-color:#2a78d6;background:"
    "var(--recvbg)}"
    ".karp .bar{display:flex;height:24px;margin:5px 0 3px;background:var(--free);border-radius:3px;overflow:hidden}"
    ".karp .bar i{display:block;height:100%;min-width:2px;background-image:linear-gradient(90deg,transparent "
    "calc(100% - 1px),var(--gap) 0);background-size:calc(100%/var(--n,1)) 100%}"
    ".karp .mv{border-top:5px solid var(--ink)}"
    ".karp .mem{height:4px;background:var(--free);border-radius:2px;overflow:hidden;margin-bottom:3px}"
    ".karp .mem i{display:block;height:100%;background:var(--mem)}"
    ".karp .keys{display:flex;flex-wrap:wrap;gap:4px 16px;margin-top:14px;font-size:12px;color:var(--dim)}"
    ".karp .keys i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:5px;"
    "vertical-align:-1px}"
    ".karp .w0{background-color:#2a78d6}.karp .w1{background-color:#7a5bc7}.karp .w2{background-color:#1a9a8a}"
    ".karp .w3{background-color:#e08a1e}.karp .w4{background-color:#c2497a}.karp .w5{background-color:#5b8c2a}"
    ".karp .w6{background-color:#b5622d}.karp .w7{background-color:#3aa6c9}.karp .w8{background-color:#9a3fb0}"
    ".karp .w9{background-color:#6b7a1f}.karp .wx{background-color:#8a94a3}.karp .wd{background-color:#b9c0c9}"
    ".karp .wu{background-color:#5f7187}"
    ".karp .bad{margin:16px 0 0;padding:8px 12px;border-left:3px solid #c0392b;background:var(--gonebg);"
    "color:var(--bad)}"
    ".karp .bad div{overflow-wrap:anywhere}.karp .bad .p{color:var(--ink);padding-left:14px;font-size:12px}"
    ".karp .bad code{font-size:12px}"
    ".karp details{margin-top:16px}.karp summary{cursor:pointer;color:var(--dim)}"
    ".karp details div{margin-top:4px;overflow-wrap:anywhere}"
    ".karp pre{overflow-x:auto;background:var(--box);color:var(--ink);border-radius:6px;padding:10px 12px;"
    "margin:8px 0 0;font:12px/1.45 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}";

/* The styles of the table of owners. */
static const char tables[] =
    ".karp .n>.c{border-color:var(--bad);color:var(--bad)}"
    ".karp .own{border-collapse:collapse;width:100%;max-width:900px;font-size:12px;font-variant-numeric:tabular-nums}"
    ".karp .own td,.karp .own th{padding:3px 0 3px 14px;text-align:right;border-bottom:1px solid var(--line)}"
    ".karp .own th{color:var(--dim);font-weight:400}.karp .own tr>:first-child{text-align:left;padding-left:0;"
    "overflow-wrap:anywhere}.karp .own .mem{margin:0}.karp .nb{white-space:nowrap}";

static const char other_screens[] =
    "@media(max-width:600px){.karp{padding:12px 14px}.karp .own .o{display:none}.karp svg text{font-size:19px}.karp "
    ".tiles{grid-template-columns:1fr "
    "1fr;gap:8px}"
    ".karp .h span{display:block;margin-left:0}.karp .lane{display:block}"
    ".karp .n{width:100%;margin-bottom:8px}.karp .n .bar,.karp .n .mem{width:var(--p)}}"
    "@media(prefers-color-scheme:dark){.karp{--ink:#e6ebf0;--dim:#9aa6b3;--page:#121212;--box:#1b2026;--line:#3b444e;"
    "--free:#2d353e;--mem:#7f8b98;--gap:rgba(18,18,18,.7);--newbg:#15241c;--gonebg:#2a1917;--replbg:#272112;"
    "--recvbg:#15202d;--bad:#f0a59b;--cost:#7d9cbd}.karp i.wd{background-color:#76818d}}"
    "@media print{.karp *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

void picture_html_style(write_buffer *b)
{
    buffer_text(b, style);
    buffer_text(b, tables);
    buffer_text(b, other_screens);
}

static void raw(const picture_html *p, const char *text) { buffer_text(p->b, text); }

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *class;
    const char *mark;
} fates[] = {
    [FATE_STAYS] = { "", "" },       [FATE_RECEIVES] = { " recv", "~ " },
    [FATE_NEW] = { " new", "+ " },   [FATE_REPLACED] = { " repl", "-/+ " },
    [FATE_GONE] = { " gone", "- " }, [FATE_REPLACES] = { " repl", "-/+ " },
};

/* Short reasons that fit on a box. The whole reason is in its tooltip. */
static const struct {
    uint32_t code;
    const char *words;
} kept_words[] = {
    { KARP_REASON_NOT_MANAGED, "not managed by Karpenter" },
    { KARP_REASON_PDB_BLOCKED, "PodDisruptionBudget" },
    { KARP_REASON_PDB_MULTIPLE, "two PodDisruptionBudgets" },
    { KARP_REASON_POD_DO_NOT_DISRUPT, "pod: do-not-disrupt" },
    { KARP_REASON_NODE_DO_NOT_DISRUPT, "node: do-not-disrupt" },
    { KARP_REASON_NOT_CONSOLIDATABLE, "consolidateAfter" },
    { KARP_REASON_POLICY_WHEN_EMPTY, "policy WhenEmpty" },
    { KARP_REASON_CONSOLIDATION_DISABLED, "consolidation is off" },
    { KARP_REASON_BUDGET, "disruption budget" },
    { KARP_REASON_SPOT_TO_SPOT_DISABLED, "spot-to-spot is off" },
    { KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES, "too few cheaper spot types" },
    { KARP_REASON_NO_CHEAPER_NODE, "no cheaper node" },
    { KARP_REASON_PODS_WOULD_NOT_SCHEDULE, "its pods fit nowhere else" },
    { KARP_REASON_SEVERAL_NODES_NEEDED, "needs several new nodes" },
    { KARP_REASON_BALANCED_SCORE, "score too low" },
    { KARP_REASON_STATIC, "static NodePool" },
    { KARP_REASON_NOMINATED, "pods are on their way" },
    { KARP_REASON_NOT_REACHED_IN_PASS, "not reached in this pass" },
    { KARP_REASON_GROUP_ELSEWHERE, "a group as a whole" },
    { KARP_REASON_SEARCH_STOPPED, "the search was stopped" },
};

static const char *words_of(uint32_t code)
{
    for (size_t i = 0; i < sizeof kept_words / sizeof kept_words[0]; i++) {
        if (kept_words[i].code == code) return kept_words[i].words;
    }
    return karp_reason_text(code);
}

static double cpu_part(const picture_html *p, const picture_node *node)
{
    double part = picture_part(node->cpu / node->copies, p->widest);
    bool far_apart = p->least > 0 && p->widest / p->least > 20;
    return far_apart ? sqrt(part) : part;
}

/* The width is proportional to the node's CPU, or to the square root of it if the nodes are too different. */
static double box_width(const picture_html *p, const picture_node *node)
{
    double width = widest_box * cpu_part(p, node);
    return width < narrowest_box ? narrowest_box : width;
}

void picture_html_part(write_buffer *b, double fraction)
{
    double percent = fraction * 100;
    buffer_text(b, "style=\"width:");
    text_fixed(b, percent > 0 ? (percent < 100 ? percent : 100) : 0, 0, 2);
    buffer_text(b, "%");
}

static void write_colour(const picture_html *p, uint32_t workload)
{
    uint32_t colour = p->s->workloads[workload].colour;
    if (colour >= PICTURE_COLOURS) {
        raw(p, "wx");
        return;
    }
    buffer_char(p->b, 'w');
    buffer_uint(p->b, colour);
}

static void write_piece(const picture_html *p, const picture_run *run, double whole, double pixels, bool comes)
{
    if (!(run->cpu > 0)) return;
    raw(p, "<i class=\"");
    write_colour(p, run->workload);
    raw(p, run->moved ? " mv\" title=\"" : "\" title=\"");
    buffer_uint(p->b, run->pods);
    raw(p, " \xc3\x97 ");
    html_text(p->b, p->s->workloads[run->workload].name);
    raw(p, ", cpu ");
    html_number(p->b, run->cpu);
    raw(p, !run->moved ? "\" " : comes ? ", placed here now\" " : ", leaves\" ");
    picture_html_part(p->b, picture_part(run->cpu, whole));
    /* Pods are separated by lines if these are not too dense. */
    if (run->pods > 1 && run->cpu / whole * pixels / run->pods >= least_piece) {
        raw(p, ";--n:");
        buffer_uint(p->b, run->pods);
    }
    raw(p, "\"></i>");
}

static void write_cpu(const picture_html *p, const picture_node *node, bool after)
{
    double whole = node->cpu > node->cpu_used ? node->cpu : node->cpu_used;
    raw(p, "<div class=\"bar\">");
    if (node->copies > 1 && node->cpu_used > 0) {
        raw(p, "<i class=\"wu\" ");
        picture_html_part(p->b, picture_part(node->cpu_used, whole));
        raw(p, "\"></i>");
    }
    if (node->daemon_cpu > 0) {
        raw(p, "<i class=\"wd\" title=\"DaemonSets, cpu ");
        html_number(p->b, node->daemon_cpu);
        raw(p, "\" ");
        picture_html_part(p->b, picture_part(node->daemon_cpu, whole));
        raw(p, "\"></i>");
    }
    double rest = 0;
    for (size_t i = 0; i < node->run_count; i++) {
        if (i < MOST_PIECES) write_piece(p, &node->runs[i], whole, box_width(p, node), after);
        else rest += node->runs[i].cpu;
    }
    if (rest > 0) {
        raw(p, "<i class=\"wx\" ");
        picture_html_part(p->b, picture_part(rest, whole));
        raw(p, "\"></i>");
    }
    raw(p, "</div>");
}

static void amount_of(const picture_html *p, const char *what, double used, double whole, const char *unit)
{
    raw(p, what);
    html_number(p->b, used);
    raw(p, " of ");
    html_number(p->b, whole);
    raw(p, unit);
}

/* Writes "m5.large · $0.096/h", then "us-west-2a · spot", as far as known. */
static void write_offer(const picture_html *p, const picture_node *node, const char *between_lines)
{
    html_text(p->b, node->instance_type);
    if (node->price > 0) {
        raw(p, node->instance_type.len > 0 ? HTML_DOT "$" : "$");
        text_money(p->b, node->price);
        raw(p, "/h");
    }
    raw(p, between_lines);
    html_text(p->b, node->zone);
    raw(p, node->zone.len > 0 && node->capacity_type.len > 0 ? HTML_DOT : "");
    html_text(p->b, node->capacity_type);
}

static void write_hint(const picture_html *p, const picture_node *node)
{
    if (node->copies == 1) {
        html_text(p->b, node->name);
        raw(p, "\n");
    }
    write_offer(p, node, "\n");
    double gib = 1024.0 * 1024.0 * 1024.0;
    amount_of(p, "\ncpu ", node->cpu_used, node->cpu, "");
    amount_of(p, "\nmemory ", node->memory_used / gib, node->memory / gib, " GiB\n");
    buffer_count(p->b, node->pods, "pod");
    if (node->idle > 0) {
        raw(p, "\nidle ");
        text_per_month(p->b, node->idle, false);
    }
}

/* Names of cloud nodes end with a domain, which is not informative: it is dim, and cut first. */
static void write_name(const picture_html *p, const picture_node *node)
{
    if (node->copies > 1) {
        buffer_uint(p->b, node->copies);
        raw(p, " nodes");
        return;
    }
    size_t dot = 0;
    while (dot < node->name.len && node->name.ptr[dot] != '.') dot++;
    html_text(p->b, (karp_str){ node->name.ptr, dot });
    if (dot < node->name.len) {
        raw(p, "<span>");
        html_text(p->b, (karp_str){ node->name.ptr + dot, node->name.len - dot });
        raw(p, "</span>");
    }
}

static void write_pool(const picture_html *p, const picture_node *node)
{
    raw(p, node->node_pool.len > 0 ? "<span class=\"k\">pool " : "<span class=\"k\">no NodePool");
    html_text(p->b, node->node_pool);
    raw(p, "</span>");
}

static void write_kept(const picture_html *p, const picture_node *node)
{
    if (node->cordoned) raw(p, "<span class=\"k c\" title=\"nothing is scheduled here\">cordoned</span>");
    if (node->kept == 0) return;
    raw(p, "<span class=\"k y\" title=\"kept: ");
    html_words(p->b, karp_reason_text(node->kept));
    if (node->kept_detail.len > 0) {
        raw(p, ": ");
        html_text(p->b, node->kept_detail);
    }
    raw(p, "\">");
    html_words(p->b, words_of(node->kept));
    raw(p, "</span>");
}

/* "nvidia.com/gpu 2 of 4" */
static void write_scarce(const picture_html *p, const picture_node *node)
{
    if (node->scarce.len == 0) return;
    raw(p, "<span>");
    html_text(p->b, node->scarce);
    raw(p, " ");
    text_fixed(p->b, node->scarce_used, 0, 2);
    raw(p, " of ");
    text_fixed(p->b, node->scarce_all, 0, 2);
    raw(p, "</span>");
}

static void write_node(const picture_html *p, const picture_node *node, bool after)
{
    double part = cpu_part(p, node);
    raw(p, "<div class=\"n");
    raw(p, fates[node->fate].class);
    raw(p, "\" style=\"--w:");
    text_fixed(p->b, box_width(p, node), 0, 0);
    raw(p, "px;--p:");
    text_fixed(p->b, part > 0.2 ? part * 100 : 20, 0, 0);
    raw(p, "%\" title=\"");
    write_hint(p, node);
    raw(p, "\"><b>");
    raw(p, fates[node->fate].mark);
    write_name(p, node);
    raw(p, "</b><span>");
    write_offer(p, node, "</span><span>");
    raw(p, "</span>");
    write_cpu(p, node, after);
    raw(p, "<div class=\"mem\"><i ");
    picture_html_part(p->b, picture_part(node->memory_used, node->memory));
    raw(p, "\"></i></div><span>cpu ");
    text_percent(p->b, picture_part(node->cpu_used, node->cpu), 0);
    raw(p, HTML_DOT "mem ");
    text_percent(p->b, picture_part(node->memory_used, node->memory), 0);
    raw(p, HTML_DOT);
    buffer_count(p->b, node->pods, "pod");
    raw(p, "</span>");
    write_scarce(p, node);
    write_pool(p, node);
    write_kept(p, node);
    raw(p, "</div>\n");
}

/* ---- rows of nodes ----------------------------------------------------------------------------------------------- */

picture_html picture_html_begin(write_buffer *b, const picture *s)
{
    picture_html p = { .b = b, .s = s };
    const picture_row *sides[] = { &s->before, &s->after };
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < sides[i]->count; k++) {
            double cpu = sides[i]->nodes[k].cpu / sides[i]->nodes[k].copies;
            p.widest = cpu > p.widest ? cpu : p.widest;
            p.least = cpu > 0 && (p.least <= 0 || cpu < p.least) ? cpu : p.least;
        }
    }
    return p;
}

static void write_sum(const picture_html *p, const picture_row *row, double cost, double highest)
{
    double idle = row->idle < cost ? row->idle : cost;
    if (!(highest > 0)) return;
    raw(p, "<div class=\"sum\"><i ");
    picture_html_part(p->b, picture_part(cost - idle, highest));
    raw(p, "\"></i><i class=\"idle\" ");
    picture_html_part(p->b, picture_part(idle, highest));
    raw(p, "\"></i></div>\n");
}

void picture_html_row(const picture_html *p, const char *title, const picture_row *row, double cost, double highest)
{
    raw(p, "<div class=\"h\">");
    raw(p, title);
    raw(p, "<span>");
    buffer_uint(p->b, row->node_total);
    raw(p, row->node_total == 1 ? " node" HTML_DOT "$" : " nodes" HTML_DOT "$");
    text_money(p->b, cost);
    raw(p, "/h");
    if (row->cpu > 0) {
        raw(p, HTML_DOT "CPU ");
        text_percent(p->b, row->cpu_used / row->cpu, 0);
    }
    raw(p, "</span></div>\n");
    write_sum(p, row, cost, highest);
    raw(p, "<div class=\"lane\">\n");
    for (size_t i = 0; i < row->count; i++) write_node(p, &row->nodes[i], row == &p->s->after);
    raw(p, "</div>\n");
    if (row->left_out > 0) {
        raw(p, "<div class=\"s\">and ");
        buffer_uint(p->b, row->left_out);
        raw(p, " more nodes</div>\n");
    }
}

/* ---- legend ------------------------------------------------------------------------------------------------------ */

static void write_key(const picture_html *p, const char *class, karp_str name)
{
    raw(p, "<span><i class=\"");
    raw(p, class);
    raw(p, "\"></i>");
    html_text(p->b, name);
    raw(p, "</span>\n");
}

typedef struct shown {
    bool pods, daemons, moves;
} shown;

static shown what_is_shown(const picture *s)
{
    const picture_row *sides[] = { &s->before, &s->after };
    shown found = { false, false, false };
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < sides[i]->count; k++) {
            const picture_node *node = &sides[i]->nodes[k];
            found.pods |= node->run_count > 0;
            found.daemons |= node->daemon_cpu > 0;
            for (size_t r = 0; r < node->run_count; r++) found.moves |= node->runs[r].moved;
        }
    }
    return found;
}

static bool has_fold(const picture *s)
{
    return s->before.node_total > PICTURE_MOST_NODES || s->after.node_total > PICTURE_MOST_NODES;
}

void picture_html_keys(const picture_html *p)
{
    static const char *const classes[PICTURE_COLOURS] = { "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9" };
    const picture *s = p->s;
    shown found = what_is_shown(s);
    bool others = false;
    raw(p, "<div class=\"keys\">\n");
    for (uint32_t rank = 0; found.pods && rank <= PICTURE_COLOURS; rank++) {
        for (size_t i = 0; i < s->workload_count; i++) {
            if (s->workloads[i].rank != rank || !(s->workloads[i].cpu > 0)) continue;
            uint32_t colour = s->workloads[i].colour;
            if (colour < PICTURE_COLOURS) write_key(p, classes[colour], s->workloads[i].name);
            else others = true;
        }
    }
    if (others) write_key(p, "wx", str("other workloads"));
    if (found.daemons) write_key(p, "wd", str("DaemonSets"));
    if (has_fold(s)) write_key(p, "wu", str("several nodes together"));
    write_key(p, "idle", str("cost of idle capacity"));
    raw(p,
        "</div>\n<div class=\"s\" style=\"margin-top:6px\">A box is a node, its bar as wide as its CPU; the pieces are "
        "what its pods request, the line below them is memory. Green is new, red and dashed is removed, gold is "
        "replaced, blue receives pods.");
    raw(p, found.moves ? " A thick edge marks pods that leave a node or are placed on it now.</div>\n" : "</div>\n");
}

/* ---- what each owner's requests cost, and how much of it is idle ------------------------------------------------- */

enum { MOST_OWNERS = 20 };

static void amount(const picture_html *p, double value, const char *unit)
{
    raw(p, "<td class=\"o\">");
    html_number(p->b, value);
    raw(p, unit);
    raw(p, "</td>");
}

static void dollars(const picture_html *p, double per_hour)
{
    raw(p, "<td>");
    text_dollars(p->b, per_hour * HOURS_A_MONTH, false);
    raw(p, "</td>");
}

static void write_share(const picture_html *p, karp_str name, const picture_share *share)
{
    raw(p, "<tr><td>");
    html_text(p->b, name);
    raw(p, "</td><td class=\"o\">");
    if (share->pods > 0) buffer_uint(p->b, share->pods);
    raw(p, "</td>");
    amount(p, share->cpu, "");
    amount(p, share->memory / (1024.0 * 1024.0 * 1024.0), " GiB");
    if (!(share->cost > 0)) { /* on nodes without a price */
        raw(p, "<td>no price</td><td></td><td></td></tr>\n");
        return;
    }
    double used = 1 - share->idle / share->cost;
    dollars(p, share->cost);
    dollars(p, share->idle);
    raw(p, "<td>");
    text_percent(p->b, used, 0);
    raw(p, "<div class=\"mem\"><i ");
    picture_html_part(p->b, used);
    raw(p, "\"></i></div></td></tr>\n");
}

static void add(picture_share *sum, const picture_share *share)
{
    sum->pods += share->pods;
    sum->cpu += share->cpu;
    sum->memory += share->memory;
    sum->cost += share->cost;
    sum->idle += share->idle;
}

void picture_html_shares(const picture_html *p)
{
    const picture *s = p->s;
    picture_share rest = { 0 }, all = s->daemons;
    add(&all, &s->nobody);
    for (size_t i = 0; i < s->owner_count; i++) {
        const picture_workload *w = s->owners[i];
        add(&all, &w->share);
        if (i >= MOST_OWNERS) add(&rest, &w->share);
    }
    if (s->owner_count == 0 || !(all.cost > 0)) return;
    raw(p, "<div class=\"h\">Efficiency by owner<span>what its requests cost per month afterwards, by their share of "
           "the nodes, "
           "and how much of that is idle</span></div>\n<table class=\"own\"><tr><th>owner</th><th "
           "class=\"o\">pods</th><th "
           "class=\"o\">CPU</th><th class=\"o\">memory</th><th>cost</th><th>idle cost</th><th>requested</th></tr>\n");
    for (size_t i = 0; i < s->owner_count && i < MOST_OWNERS; i++) {
        const picture_workload *w = s->owners[i];
        write_share(p, w->name, &w->share);
    }
    if (rest.pods > 0) write_share(p, str("other owners"), &rest);
    if (s->daemons.cost > 0) write_share(p, str("DaemonSets"), &s->daemons);
    if (s->nobody.cost > 0) write_share(p, str("nodes without pods"), &s->nobody);
    raw(p, "</table>\n");
}
