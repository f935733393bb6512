/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the table of the cost of each owner's requests, and how much of it is idle. */
#include "write_picture_html.h"

#include "write_text.h"

enum { MOST_OWNERS = 20 };

static void raw(const picture_html *p, const char *text) { buffer_text(p->b, text); }

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
           "class=\"o\">CPU</th><th class=\"o\">memory</th><th>cost</th><th>of it idle</th><th>requested</th></tr>\n");
    for (size_t i = 0; i < s->owner_count && i < MOST_OWNERS; i++) {
        const picture_workload *w = s->owners[i];
        write_share(p, w->name, &w->share);
    }
    if (rest.pods > 0) write_share(p, str("other owners"), &rest);
    if (s->daemons.cost > 0) write_share(p, str("DaemonSets"), &s->daemons);
    if (s->nobody.cost > 0) write_share(p, str("nodes without pods"), &s->nobody);
    raw(p, "</table>\n");
}
