/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of names; every part except the first two is optional:
 *
 *     capital, up to two capitals | digits | "-" digits | features | "_" | ["xl_"] accelerator ["_"] | "_cc_" |
 *     "_" digits "_" | "_MI300X_" | "_H100_" | version | "_Promo"
 *
 * Each part matches as much as possible. If the rest then does not match, the part is skipped, as in a regular
 * expression.
 */
#include <providers/azure/names.h>

enum { LESS, FEATURES, DASH, ACCELERATOR, CC, NUMBER, MI300X, H100, VERSION, PROMO, END };

static size_t run(karp_str text, size_t at, const char *letters)
{
    while (at < text.len && strchr(letters, text.ptr[at])) at++;
    return at;
}

#define DIGITS "0123456789"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static size_t word(karp_str text, size_t at, const char *what)
{
    size_t n = strlen(what);
    return text.len - at >= n && memcmp(text.ptr + at, what, n) == 0 ? at + n : at;
}

static karp_str slice(karp_str text, size_t from, size_t to) { return (karp_str){ text.ptr + from, to - from }; }

static size_t features(karp_str t, size_t at)
{
    size_t end = run(t, at, "abcdefilmnopPrst");
    if (end == at) end = run(t, at, "C");
    return end == at ? word(t, at, "NP") : end;
}

/* Capitals and digits; after "xl_" also capitals at the end. */
static size_t accelerator(karp_str t, size_t at, karp_str *out)
{
    size_t from = word(t, at, "xl_"), letters = run(t, from, CAPITALS), end = run(t, letters, DIGITS);
    if (letters == from || end == letters) return at;
    if (from > at) end = run(t, end, CAPITALS);
    *out = slice(t, from, end);
    return word(t, end, "_");
}

static size_t framed_number(karp_str t, size_t at)
{
    size_t from = word(t, at, "_"), end = run(t, from, DIGITS), behind = word(t, end, "_");
    return from > at && end > from && behind > end ? behind : at;
}

static size_t version(karp_str t, size_t at, karp_str *out)
{
    if (t.len - at < 2 || (t.ptr[at] != 'v' && t.ptr[at] != 'V') || run(t, at + 1, "123456789") == at + 1) return at;
    *out = slice(t, at, at + 2);
    return at + 2;
}

/* The end of a part; `at` = the part is absent. */
static size_t take(karp_str t, size_t at, int part, azure_name *out)
{
    size_t end = at;
    switch (part) {
    case LESS:
        end = word(t, at, "-");
        if (end > at && run(t, end, DIGITS) > end) {
            out->constrained = true;
            end = run(t, end, DIGITS);
        }
        return end;
    case FEATURES:
        end = features(t, at);
        out->features = slice(t, at, end);
        return end;
    case DASH: return word(t, at, "_");
    case ACCELERATOR: return accelerator(t, at, &out->accelerator);
    case CC: return word(t, at, "_cc_");
    case NUMBER: return framed_number(t, at);
    case MI300X: return word(t, at, "_MI300X_");
    case H100: return word(t, at, "_H100_");
    case VERSION: return version(t, at, &out->version);
    case PROMO: return word(t, at, "_Promo");
    default: return at;
    }
}

static bool match(karp_str t, size_t at, int part, azure_name *out)
{
    if (part == END) return at == t.len;
    azure_name before = *out;
    size_t end = take(t, at, part, out);
    if (match(t, end, part + 1, out)) return true;
    *out = before;
    return end > at && match(t, at, part + 1, out);
}

static bool cut_tier(karp_str *name)
{
    size_t tier = word(*name, 0, "Standard_");
    if (tier == 0) tier = word(*name, 0, "Basic_");
    name->ptr += tier;
    name->len -= tier;
    return tier > 0;
}

bool azure_name_read(karp_str name, azure_name *out)
{
    memset(out, 0, sizeof *out);
    out->family = out->sub = out->features = out->accelerator = out->version = str("");
    if (!cut_tier(&name)) return false;
    if (str_is(name, "M416s_8_v2")) { /* the only name outside the grammar */
        out->family = slice(name, 0, 1);
        out->features = slice(name, 4, 5);
        out->version = slice(name, 8, 10);
        return true;
    }
    size_t capitals = run(name, 0, CAPITALS), digits = run(name, capitals, DIGITS);
    if (capitals == 0 || capitals > 3 || digits == capitals) return false;
    out->family = slice(name, 0, 1);
    out->sub = slice(name, 1, capitals);
    return match(name, digits, LESS, out);
}

bool azure_name_barred(karp_str name)
{
    static const char *const names[] = { "Standard_A0",       "Standard_A1", "Standard_A1_v2", "Standard_B1s",
                                         "Standard_B1ms",     "Standard_F1", "Standard_F1s",   "Standard_E64i_v3",
                                         "Standard_E64is_v3", "Basic_A0",    "Basic_A1",       "Basic_A2",
                                         "Basic_A3",          "Basic_A4" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_is(name, names[i])) return true;
    }
    /* Confidential sizes. */
    return !cut_tier(&name) || str_starts(name, "DC") || str_starts(name, "EC");
}
