/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/cloud/write.h>

#include <stdio.h>

#include <karp/values.h>

void cloud_write_begin(cloud_writer *w, karp_context *context, const cloud_format *format, karp_str as_of,
                       karp_str sources, karp_str region, uint32_t zones, char first)
{
    memset(w, 0, sizeof *w);
    w->first = true;
    strbuf_init(&w->out, context);
    strbuf_adds(&w->out, "karp-facts ");
    strbuf_adds(&w->out, format->cloud);
    strbuf_adds(&w->out, " 1\n");
    if (as_of.len > 0) {
        strbuf_put(&w->out, "as-of ", as_of, "");
        strbuf_addc(&w->out, '\n');
    }
    strbuf_addstr(&w->out, sources);
    strbuf_adds(&w->out, "regions ");
    cloud_write_text(w, region, " :");
    strbuf_addc(&w->out, ':');
    cloud_write_letters(w, zones, first);
    strbuf_addc(&w->out, '\n');
}

static bool stands(karp_str text, const char *without)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 || c == '|' || strchr(without, c)) return false;
    }
    return true;
}

void cloud_write_text(cloud_writer *w, karp_str text, const char *without)
{
    if (!w->bad[0] && !stands(text, without)) str_shorten(w->bad, sizeof w->bad, text);
    strbuf_addstr(&w->out, text);
}

void cloud_write_cell(cloud_writer *w, karp_str text)
{
    if (!w->first) strbuf_addc(&w->out, '|');
    cloud_write_text(w, text, w->first ? "#" : "");
    w->first = false;
}

void cloud_write_whole(cloud_writer *w, int64_t value)
{
    cloud_write_cell(w, str(""));
    if (value > 0) strbuf_addu(&w->out, (uint64_t)value);
}

void cloud_write_decimal(cloud_writer *w, double value)
{
    char text[KARP_VALUE_TEXT];
    karp_double_format(value, text);
    strbuf_adds(&w->out, text[0] == '0' && text[1] == '.' ? text + 1 : text);
}

void cloud_write_number(cloud_writer *w, double value)
{
    cloud_write_cell(w, str(""));
    cloud_write_decimal(w, value);
}

char cloud_letter_of(int bit, char first) { return (char)(first == 'a' && bit >= 26 ? 'A' + bit - 26 : first + bit); }

void cloud_write_letters(cloud_writer *w, uint32_t bits, char first)
{
    for (int i = 0; i < 32; i++) {
        if (bits >> i & 1) strbuf_addc(&w->out, cloud_letter_of(i, first));
    }
}

void cloud_write_price(cloud_writer *w, double price)
{
    if (price >= 0) cloud_write_decimal(w, price);
}

void cloud_write_row(cloud_writer *w)
{
    strbuf_addc(&w->out, '\n');
    w->first = true;
    w->rows++;
}

uint32_t cloud_write_end(cloud_writer *w, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem)
{
    strbuf_putu(&w->out, "end ", w->rows, "");
    strbuf_addc(&w->out, '\n');
    scratch s;
    scratch_init_on(&s, memory);
    s.failed = w->out.failed;
    *text = scratch_text(&s, (karp_str){ w->out.ptr, w->out.len });
    strbuf_free(&w->out);
    if (s.failed) return provider_no_memory(problem);
    if (!w->bad[0]) return KARP_PROVIDER_OK;
    return provider_problem(problem, KARP_PROVIDER_INVALID, "", "a table of facts cannot have the text \"%s\"", w->bad);
}

/* ---- sources of facts -------------------------------------------------------------------------------------------- */

/* Whether the region can be part of a shell command without quotes. */
static bool plain_region(karp_str region)
{
    for (size_t i = 0; i < region.len; i++) {
        char c = region.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-') return false;
    }
    return region.len > 0 && region.len <= 40;
}

static karp_str with_region(scratch *s, const char *text, karp_str region)
{
    size_t places = 0, at = 0;
    for (const char *p = text; *p; p++) places += *p == '@';
    char *out = scratch_alloc(s, strlen(text) + places * region.len + 1);
    if (!out) return str("");
    for (const char *p = text; *p; p++) {
        if (*p == '@') {
            memcpy(out + at, region.ptr, region.len);
            at += region.len;
        } else {
            out[at++] = *p;
        }
    }
    out[at] = '\0';
    return (karp_str){ out, at };
}

static void list_built_in(scratch *s, const cloud_format *format, karp_provider_facts_info *info)
{
    cloud_table t;
    char regions[160];
    cloud_built_in(format, &t, regions, sizeof regions);
    info->built_in = scratch_text(s, str(regions));
    info->as_of = scratch_text(s, t.as_of);
    info->sources = scratch_text(s, t.sources);
}

uint32_t cloud_describe(const karp_provider_memory *memory, const cloud_format *format, const cloud_kind *kinds,
                        size_t count, uint32_t missing, karp_str region, karp_str as_of, karp_provider_facts_info *info,
                        karp_provider_problem *problem)
{
    scratch s;
    if (!plain_region(region))
        return provider_problem(problem, KARP_PROVIDER_NOT_FOUND, "region",
                                "must be the name of a region: small letters, digits and dashes");
    scratch_init_on(&s, memory);
    info->region = scratch_text(&s, region);
    info->facts_as_of = scratch_text(&s, as_of);
    if (format->built_in) list_built_in(&s, format, info);
    karp_provider_facts_kind *list = scratch_array(&s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        list[i] = (karp_provider_facts_kind){ .kind = str(kinds[i].kind),
                                              .file = str(kinds[i].file),
                                              .command = with_region(&s, kinds[i].command, region),
                                              .what = with_region(&s, kinds[i].what, region),
                                              .missing = str(""),
                                              .optional = kinds[i].optional };
        if (missing >> i & 1) list[i].missing = with_region(&s, kinds[i].missing, region);
    }
    info->kinds = list;
    info->kind_count = list ? count : 0;
    return s.failed ? provider_no_memory(problem) : KARP_PROVIDER_OK;
}

karp_str cloud_sources(scratch *s, karp_str before, karp_str kind)
{
    char line[64];
    int n = snprintf(line, sizeof line, "source a file of %.*s\n", str_shown(kind, 32), kind.ptr);
    if (str_ends(before, line)) return scratch_text(s, before);
    char *text = scratch_alloc(s, before.len + (size_t)n + 1);
    if (!text) return str("");
    if (before.len > 0) memcpy(text, before.ptr, before.len);
    memcpy(text + before.len, line, (size_t)n + 1);
    return (karp_str){ text, before.len + (size_t)n };
}
