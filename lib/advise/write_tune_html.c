/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search as a page: the designs that no other is better than, their cost against each other figure, and what the
 * best design and the input as it is cost on each day.
 */
#include <advise/tune.h>

#include <io/chart.h>
#include <io/write_notes.h>
#include <io/write_text.h>

#include <math.h>

enum { MOST_ROWS = 50, DAY_MOST = 1000 };

static double money_of(const karp_tune *t, double cost) { return t->replay ? cost : cost * HOURS_A_MONTH; }

/* "as it is", or "web: consolidateAfter 5m, weight 10" */
static void write_changes(const karp_tune *t, const karp_tune_design *d, write_buffer *b)
{
    if (d->changes == 0) buffer_text(b, "as it is");
    for (size_t a = 0, done = 0; a < t->axis_count; a++) {
        const karp_tune_axis *axis = &t->axes[a].shown;
        if (d->values[a] == 0) continue;
        buffer_text(b, done++ > 0 ? ", " : "");
        html_text(b, axis->pool);
        buffer_text(b, axis->pool.len > 0 ? ": " : "");
        html_text(b, axis->name);
        buffer_char(b, ' ');
        html_text(b, axis->values[d->values[a]]);
    }
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const char *const settled_names[] = { "cost a month", "nodes removed", "", "spot a month" },
                         *const replayed_names[] = { "cost", "evictions", "pending p99", "interruptions" };

static const char *name_of(const karp_tune *t, tune_figure figure)
{
    return (t->replay ? replayed_names : settled_names)[figure];
}

static double figure_of(const karp_tune *t, const karp_tune_design *d, tune_figure figure)
{
    double figures[TUNE_FIGURES];
    tune_figures_of(d, figures);
    return figure == TUNE_COST || (figure == TUNE_EXPOSURE && !t->replay) ? money_of(t, figures[figure])
                                                                          : figures[figure];
}

static void write_row(const karp_tune *t, size_t index, const karp_tune_design *d, write_buffer *b)
{
    buffer_between_u(b, "<tr><td>design ", index, "");
    buffer_text(b, d->best ? " (best)</td>" : "</td>");
    for (tune_figure f = TUNE_COST; f < TUNE_LEFT; f++) {
        bool money = f == TUNE_COST || (f == TUNE_EXPOSURE && !t->replay);
        if (name_of(t, f)[0] == '\0') continue;
        if (money) chart_money_cell(b, name_of(t, f), figure_of(t, d, f));
        else chart_data_cell(b, name_of(t, f), figure_of(t, d, f), f == TUNE_PENDING ? " s" : "");
    }
    chart_data_cell(b, "pods left", (double)d->left, "");
    buffer_text(b, "<td class=\"w\" data-l=\"changes\">");
    write_changes(t, d, b);
    buffer_text(b, "</td></tr>\n");
}

static void write_table(const karp_tune *t, write_buffer *b)
{
    size_t rows = 0;
    buffer_text(b, "<table><tr><th></th>");
    for (tune_figure f = TUNE_COST; f < TUNE_LEFT; f++) {
        if (name_of(t, f)[0] == '\0') continue;
        buffer_text(b, "<th>");
        buffer_text(b, name_of(t, f));
        buffer_text(b, "</th>");
    }
    buffer_text(b, "<th>pods left</th><th class=\"w\">changes</th></tr>\n");
    for (size_t i = 0; i < t->design_count && rows < MOST_ROWS; i++) {
        const karp_tune_design d = tune_design_at(t, i);
        if (i > 0 && !d.on_front) continue;
        write_row(t, i, &d, b);
        rows++;
    }
    buffer_text(b, "</table>\n");
}

/* ---- cost against another figure --------------------------------------------------------------------------------- */

typedef struct scatter {
    const karp_tune *t;
    karp_tune_design *list; /* that leave no more pods than the input as it is */
    size_t *numbers;
    size_t count;
    double least, most; /* $ */
} scatter;

static bool take_designs(scatter *s)
{
    s->list = mem_zalloc(s->t->context, (s->t->design_count + 1) * sizeof *s->list);
    s->numbers = mem_zalloc(s->t->context, (s->t->design_count + 1) * sizeof *s->numbers);
    if (s->list == NULL || s->numbers == NULL) return false;
    s->least = HUGE_VAL;
    for (size_t i = 0; i < s->t->design_count; i++) {
        const karp_tune_design d = tune_design_at(s->t, i);
        if (!d.known || d.leaves_more) continue;
        double cost = figure_of(s->t, &d, TUNE_COST);
        s->least = fmin(s->least, cost);
        s->most = fmax(s->most, cost);
        s->numbers[s->count] = i;
        s->list[s->count++] = d;
    }
    double floor = money_of(s->t, s->t->floor);
    if (floor > 0 && floor > s->least / 3) s->least = fmin(s->least, floor);
    return true;
}

static void free_designs(scatter *s)
{
    mem_free(s->t->context, s->list, (s->t->design_count + 1) * sizeof *s->list);
    mem_free(s->t->context, s->numbers, (s->t->design_count + 1) * sizeof *s->numbers);
}

/* Steps along the designs that cost least for so much of the figure. */
static void write_steps(const scatter *s, const chart *c, tune_figure figure)
{
    double last = HUGE_VAL;
    buffer_text(c->b, "<path class=\"l s0\" d=\"");
    for (bool first = true;; first = false) {
        const karp_tune_design *next = NULL;
        for (size_t i = 0; i < s->count; i++) {
            double y = figure_of(s->t, &s->list[i], figure);
            if (!(y < last)) continue;
            if (next == NULL || s->list[i].cost < next->cost ||
                (s->list[i].cost <= next->cost && y < figure_of(s->t, next, figure)))
                next = &s->list[i];
        }
        if (next == NULL) break;
        last = figure_of(s->t, next, figure);
        chart_draw(c->b, first ? "M# #" : "H#V#", chart_across(c, figure_of(s->t, next, TUNE_COST)),
                   chart_down(c, last));
    }
    buffer_text(c->b, "\"/>\n");
}

/* The best design and the input as it is, which are larger. */
static bool is_special(const scatter *s, size_t index) { return s->list[index].best || s->numbers[index] == 0; }

static void write_dot(const scatter *s, size_t index, const chart *c, tune_figure figure)
{
    const karp_tune_design *d = &s->list[index];
    double x = chart_across(c, figure_of(s->t, d, TUNE_COST)), y = chart_down(c, figure_of(s->t, d, figure));
    bool special = is_special(s, index);
    buffer_text(c->b, special ? "<circle r=\"7\" class=\"q " : "<circle r=\"4\" class=\"p ");
    buffer_text(c->b, d->best ? "f1" : special ? "l s2" : d->on_front ? "f0" : "f2");
    chart_draw(c->b, "\" cx=\"#\" cy=\"#\"><title>design ", x, y);
    buffer_uint(c->b, s->numbers[index]);
    buffer_text(c->b, ": ");
    text_dollars(c->b, figure_of(s->t, d, TUNE_COST), false);
    buffer_text(c->b, ", ");
    html_number(c->b, figure_of(s->t, d, figure));
    buffer_char(c->b, ' ');
    buffer_text(c->b, name_of(s->t, figure));
    buffer_text(c->b, "; ");
    write_changes(s->t, d, c->b);
    buffer_text(c->b, "</title></circle>\n");
}

static void write_costs_below(const chart *c)
{
    double step = chart_step((c->right - c->left) / 2);
    bool minor = false;
    for (double at = ceil(c->left / step) * step; at <= c->right; at += step) {
        write_buffer label = buffer_on(c->b->text.context);
        buffer_char(&label, '$');
        chart_number(&label, at);
        chart_mark(c, at, buffer_content(&label), minor);
        buffer_free(&label);
        minor = !minor;
    }
}

static void write_scatter(const scatter *s, tune_figure figure, write_buffer *b)
{
    double most = 0, room = (s->most - s->least) * 0.04 + 1e-6, floor = money_of(s->t, s->t->floor);
    char title[64] = "cost against ";
    bool differs = false, money = figure == TUNE_EXPOSURE && !s->t->replay;
    for (size_t i = 0; i < s->count; i++) {
        double value = figure_of(s->t, &s->list[i], figure), first = figure_of(s->t, &s->list[0], figure);
        most = fmax(most, value);
        differs = differs || value < first || value > first;
    }
    if (name_of(s->t, figure)[0] == '\0' || !differs) return;
    memcpy(title + strlen(title), name_of(s->t, figure), strlen(name_of(s->t, figure)) + 1);
    const chart c = chart_begin(b, title, s->least - room, s->most + room, most, money ? "$" : "");
    write_costs_below(&c);
    if (floor >= c.left)
        chart_draw(b, "<path class=\"l s5 e1\" d=\"M# 10V168\"><title>no design can be below</title></path>\n",
                   chart_across(&c, floor));
    write_steps(s, &c, figure);
    for (size_t i = 0; i < s->count; i++) {
        if (!is_special(s, i)) write_dot(s, i, &c, figure);
    }
    for (size_t i = 0; i < s->count; i++) {
        if (is_special(s, i)) write_dot(s, i, &c, figure);
    }
    chart_end(&c);
}

/* ---- cost by day ------------------------------------------------------------------------------------------------- */

static void write_bar(const chart *c, double from, double to, double value, bool best)
{
    double left = chart_across(c, from), right = chart_across(c, to), top = chart_down(c, value);
    buffer_text(c->b, best ? "<rect class=\"f1\"" : "<rect class=\"f3\"");
    chart_draw(c->b, " x=\"#\" y=\"#\" width=\"#\" height=\"#\"><title>", left, top, fmax(right - left, 0.5),
               chart_down(c, 0) - top);
    text_dollars(c->b, value, false);
    buffer_text(c->b, "</title></rect>\n");
}

static void write_days(const karp_tune *t, size_t best, write_buffer *b)
{
    karp_tune_day own = { .size = sizeof own }, day = { .size = sizeof day };
    double most = 0;
    size_t count = 0;
    for (; count < DAY_MOST && karp_tune_get_day(t, 0, count, &own) == KARP_OK; count++) {
        most = fmax(most, own.cost);
        if (karp_tune_get_day(t, best, count, &day) == KARP_OK) most = fmax(most, day.cost);
    }
    if (count < 2) return;
    const chart c = chart_begin(b, "cost by day", 0, (double)count, most, "$");
    for (size_t i = 0; i < count; i++) {
        char text[KARP_VALUE_TEXT];
        double at = (double)i;
        (void)karp_tune_get_day(t, 0, i, &own);
        karp_time_format(own.begins, text);
        if (i % (count / 10 + 1) == 0) chart_mark(&c, at + 0.5, (karp_str){ text + 5, 5 }, i / (count / 10 + 1) % 2);
        write_bar(&c, at + 0.15, at + (best > 0 ? 0.5 : 0.85), own.cost, false);
        if (best > 0 && karp_tune_get_day(t, best, i, &day) == KARP_OK)
            write_bar(&c, at + 0.5, at + 0.85, day.cost, true);
    }
    chart_end(&c);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void write_name(karp_str title, write_buffer *b)
{
    buffer_text(b, "karp tune");
    buffer_text(b, title.len > 0 ? " \xc2\xb7 " : "");
    html_text(b, title);
}

static void write_keys(const karp_tune *t, size_t best, write_buffer *b)
{
    buffer_text(b, "<p>");
    if (best > 0) buffer_text(b, "<i class=\"k b1\"></i>the best \xc2\xa0 ");
    buffer_text(b, "<i class=\"k b2\"></i>as it is \xc2\xa0 <i class=\"k b0\"></i>no other is better in everything");
    if (t->floor > 0) buffer_text(b, " \xc2\xa0 dashed: no design can be below");
    buffer_text(b, "</p>\n");
}

static void write_sentence(const karp_tune *t, size_t best, write_buffer *b)
{
    const karp_tune_design own = tune_design_at(t, 0), d = tune_design_at(t, best);
    const char *unit = t->replay ? "" : " a month";
    buffer_between_u(b, "<p>", t->design_count, " of ");
    buffer_uint(b, karp_tune_grid(t));
    buffer_text(b, t->replay ? " designs, each replayed. " : " designs, each settled. ");
    if (!d.best) buffer_text(b, "None is within the caps.");
    else if (best == 0) buffer_text(b, "None is better than the input as it is.");
    if (best > 0) {
        buffer_between_u(b, "The best is design ", best, ": ");
        text_dollars(b, money_of(t, d.cost), false);
        buffer_text(b, unit);
        buffer_text(b, " instead of ");
        text_dollars(b, money_of(t, own.cost), false);
        buffer_text(b, unit);
        buffer_char(b, '.');
    }
    buffer_text(b, "</p>\n");
}

static void write_problems(const karp_tune *t, const karp_write_options *options, write_buffer *b)
{
    for (size_t i = 0; i < t->problem_count + options->warning_count; i++) {
        bool replayed = i < t->problem_count;
        size_t number = i - t->problem_count;
        bool incomplete = replayed || number < problem_count(options);
        buffer_text(b, incomplete ? "<p><b>incomplete</b>: " : "<p>");
        html_text(b, replayed ? t->problems[i] : incomplete ? problem_at(options, number) : options->warnings[number]);
        buffer_text(b, "</p>\n");
    }
}

void tune_write_html(const karp_tune *t, const karp_write_options *options, write_buffer *b)
{
    scatter s = { .t = t };
    size_t best = 0;
    for (size_t i = 0; i < t->design_count; i++) {
        if (tune_design_at(t, i).best) best = i;
    }
    chart_page_begin(b);
    write_name(options->title, b);
    chart_page_style(b);
    buffer_text(b, "<h1>");
    write_name(options->title, b);
    buffer_text(b, "</h1>\n");
    write_sentence(t, best, b);
    write_keys(t, best, b);
    if (!take_designs(&s)) b->text.failed = true;
    for (tune_figure f = TUNE_EVICTIONS; f < TUNE_LEFT && !b->text.failed && s.count > 0; f++) write_scatter(&s, f, b);
    free_designs(&s);
    write_days(t, best, b);
    buffer_text(b, "<h2>Designs that no other is better than in everything</h2>\n");
    write_table(t, b);
    write_problems(t, options, b);
    buffer_text(b, "</body></html>\n");
}
