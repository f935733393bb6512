/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the comparison of designs as a page: the table of totals, the differences, and the picture of each plan. */
#include "designs.h"
#include "writer.h"

#include <string.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>karp";

static const char style[] =
    "</title>\n<style>.designs{color-scheme:light dark;--ink:#1c2530;--dim:#5b6673;--page:#fff;--line:#d9dee4;"
    "font:13px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:var(--ink);"
    "background:var(--page);padding:18px 20px 4px}"
    ".designs .t{font-size:18px;font-weight:650}.designs .d{font-size:14px;font-weight:650;margin:20px 0 6px}"
    ".designs .s{color:var(--dim);font-size:12px}.designs .l{overflow-wrap:anywhere;padding:1px 0}"
    ".designs .wide{overflow-x:auto}.designs table{border-collapse:collapse;margin-top:12px;"
    "font-variant-numeric:tabular-nums}"
    ".designs td,.designs th{padding:3px 0 3px 22px;text-align:right;border-bottom:1px solid var(--line);"
    "white-space:nowrap}"
    ".designs th{padding-left:0;text-align:left;font-weight:400;color:var(--dim)}"
    ".designs tr:first-child td,.designs tr:nth-child(2) td{font-weight:650}"
    ".side{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,520px),1fr))}"
    ".side>div{min-width:0;border-top:1px solid #8a94a355;margin-top:14px}"
    "@media(max-width:600px){.designs{padding:12px 14px 4px}.designs td,.designs th{white-space:normal}"
    ".designs td{padding-left:10px}.designs th{min-width:84px;overflow-wrap:break-word}}"
    "@media(prefers-color-scheme:dark){.designs{--ink:#e6ebf0;--dim:#9aa6b3;--page:#121212;--line:#343c46}}"
    "</style></head>\n<body style=\"margin:0\">\n<div class=\"designs\">\n<div class=\"t\">Designs side by "
    "side</div>\n";

static karp_status put_picture(cli_writer *w, const design *d, karp_error *error)
{
    karp_text text = { 0 };
    karp_write_options options = write_options_of(w->options, &d->input);
    options.format = KARP_FORMAT_HTML;
    options.compact = 1;
    options.title = str(d->name);
    karp_status status = karp_write_plan(w->options->context, d->plan, NULL, &options, &text, error);
    cli_put_text(w, "<div>\n");
    if (status == KARP_OK) cli_put(w, text.ptr, text.len);
    cli_put_text(w, "</div>\n");
    karp_text_free(&text);
    return status;
}

void designs_write_html(cli_writer *w, const design *list, size_t count)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    cli_put_text(w, head);
    for (size_t i = 0; i < count; i++) {
        cli_put_text(w, i == 0 ? " \xc2\xb7 " : " / ");
        cli_put_shown(w, list[i].name, strlen(list[i].name));
    }
    cli_put_text(w, style);
    cli_put_made_by(w, list[0].verb, &list[0].options, &list[0].input);
    designs_write_changes(w, list);
    cli_put_text(w, "<div class=\"wide\"><table>\n");
    designs_write_table(w, list, count);
    cli_put_text(w, "</table></div>\n");
    designs_write_differences(w, list, count);
    cli_put_text(w, "</div>\n<div class=\"side\">\n");
    for (size_t i = 0; i < count && !w->refused; i++)
        w->refused = put_picture(w, &list[i], &error) != KARP_OK; /* for an existing plan only memory can be missing */
    cli_put_text(w, "</div>\n</body></html>\n");
}
