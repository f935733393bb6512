/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values of options that are more than a text or a flag. */
#include "option_table.h"

#include <stdio.h>
#include <string.h>

#include <karp/peer.h>

bool parse_count(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (text[0] == '\0') return false;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p < '0' || *p > '9' || value > (UINT64_MAX - 9) / 10) return false;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    *out = value;
    return true;
}

/* -o wide: the largest width that --width accepts, so that nothing is wrapped or shortened. */
enum { WIDE = 1000 };

int set_format(const cli_verb *verb, cli_options *options, const char *text)
{
    uint32_t format = 0;
    if (strcmp(text, "wide") == 0 && (verb->formats & (1u << KARP_FORMAT_TEXT)) != 0) {
        options->format = KARP_FORMAT_TEXT;
        options->width = WIDE;
        return -1;
    }
    if (!parse_format(verb, text, &format)) {
        char formats[FORMATS_TEXT];
        name_formats(verb, formats, sizeof(formats));
        fprintf(stderr, "karp %s: -o %s: the formats are: %s\n", verb->name, text, formats);
        return EXIT_ERROR;
    }
    options->format = format;
    return -1;
}

int set_color(const cli_verb *verb, cli_options *options, const char *text)
{
    uint64_t word = 0;
    int status = read_word(verb, WORDS_COLOR, text, &word);
    if (status < 0 && word != COLOR_AUTO) options->color = word == COLOR_ALWAYS;
    return status;
}

int set_severity(const cli_verb *verb, cli_options *options, const char *text)
{
    uint64_t severity = 0;
    int status = read_word(verb, WORDS_SEVERITY, text, &severity);
    options->lint_fails = (uint32_t)severity + 1;
    return status;
}

int set_word(const cli_verb *verb, const option_row *row, const char *text, void *out)
{
    uint64_t word = 0;
    int status = read_word(verb, (size_t)row->number.least, text, &word);
    *(uint32_t *)out = (uint32_t)word;
    return status;
}

bool is_asked(uint32_t method)
{
    return (karp_method_flags(method) & (KARP_METHOD_FLAG_PASS | KARP_METHOD_FLAG_REPACK)) != 0;
}

int set_method(const cli_verb *verb, cli_options *options, const char *text)
{
    for (uint32_t method = 1; karp_method_name(method)[0] != '\0'; method++) {
        if (is_asked(method) && strcmp(text, karp_method_name(method)) == 0) {
            options->method = method;
            return -1;
        }
    }
    return wrong_option(verb, text, "no such method");
}

int set_now(const cli_verb *verb, cli_options *options, const char *text)
{
    int64_t now = 0;
    if (text[0] == '+' && karp_duration_parse(str(text + 1), &options->now_later) == KARP_OK &&
        options->now_later >= 0) {
        return -1;
    }
    if (karp_time_parse(str(text), &now) != KARP_OK)
        return wrong_option(verb, "--now", "not a time like 2026-11-21T10:00:00Z, or like +8h");
    options->now = now != 0 ? now : 1; /* zero means "not given"; a nanosecond later makes no difference to any rule */
    return -1;
}

int set_overhead(const cli_verb *verb, cli_options *options, const char *text)
{
    double part = 0;
    if (karp_double_parse(str(text), &part) != KARP_OK || !(part >= 0 && part < 1))
        return wrong_option(verb, "--vm-memory-overhead", "a part like 0.075: at least 0 and less than 1");
    options->vm_memory_overhead = part;
    options->vm_memory_overhead_given = true;
    return -1;
}

/* A number of pods, or a percentage of all pods. */
int set_max_evictions(const cli_verb *verb, cli_options *options, const char *text)
{
    size_t length = strlen(text);
    double percent = 0;
    if (parse_count(text, &options->repack.max_evictions)) return -1;
    if (length < 2 || text[length - 1] != '%' ||
        karp_double_parse((karp_str){ text, length - 1 }, &percent) != KARP_OK || !(percent >= 0 && percent <= 100)) {
        return wrong_option(verb, "--max-evictions", "a number of pods, or a part of them as 10%");
    }
    options->repack.max_evicted_percent = percent;
    return -1;
}

bool parse_size(const char *text, uint64_t *bytes)
{
    double size = 0;
    if (karp_quantity_double(str(text), &size) != KARP_OK || !(size >= 1 && size < 1e18)) return false;
    *bytes = (uint64_t)size;
    return true;
}

int set_max_memory(const cli_verb *verb, cli_options *options, const char *text)
{
    uint64_t bytes = 0; /* kept by options_memory() */
    (void)options;
    return parse_size(text, &bytes) ? -1 : wrong_option(verb, "--max-memory", "a size like 500Mi or 4Gi");
}

void name_profiles(char *text, size_t room)
{
    text[0] = '\0';
    for (size_t i = 0; karp_profile_at(i) != NULL; i++)
        str_append(text, room, "%s%s",
                   i == 0                           ? ""
                   : karp_profile_at(i + 1) == NULL ? " or "
                                                    : ", ",
                   karp_profile_at(i));
}

int set_preview(const cli_verb *verb, cli_options *options, const char *text)
{
    char message[200] = "no such proposal; there are:";
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        if (karp_peer_rule_at(i, &rule) != KARP_OK || rule.since != KARP_PEER_PREVIEW) continue;
        if (compare_str(rule.name, str(text)) == 0) {
            options->preview |= UINT64_C(1) << i;
            return -1;
        }
        str_append(message, sizeof message, " %.*s", str_shown(rule.name, 60), rule.name.ptr);
    }
    return wrong_option(verb, "--preview", message);
}

int set_profile(const cli_verb *verb, cli_options *options, const char *text)
{
    int status = list_add(options, &options->profiles, text);
    if (status >= 0) return status;
    if (karp_profile_parse(str(text), &options->profile, &options->peer_version) == KARP_OK) return -1;
    char names[256];
    name_profiles(names, sizeof names);
    return wrong_option(verb, "--profile", names);
}

int set_number(const cli_verb *verb, const option_row *row, const char *text, void *out)
{
    const option_number *n = &row->number;
    uint64_t count = 0;
    double decimal = 0;
    bool ok = row->store == STORE_COUNT ? parse_count(text, &count) && count >= n->least && count <= n->most
                                        : karp_double_parse(str(text), &decimal) == KARP_OK &&
                                              decimal >= (double)n->least && decimal <= (double)n->most;
    if (!ok) return wrong_row(verb, row, n->message);
    if (row->store == STORE_DECIMAL) *(double *)out = decimal;
    else if (n->bytes == sizeof(uint32_t)) *(uint32_t *)out = (uint32_t)count;
    else *(uint64_t *)out = count;
    return -1;
}

/* ---- options without a value ------------------------------------------------------------------------------------- */

int set_help(const cli_verb *verb, cli_options *options, const char *text)
{
    (void)options, (void)text;
    print_verb_help(verb);
    return standard_output_written();
}

int set_quiet(const cli_verb *verb, cli_options *options, const char *text)
{
    (void)verb, (void)options, (void)text;
    output_quiet();
    return -1;
}
