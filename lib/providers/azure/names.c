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
#include <providers/azure/types.h>

#include <base/bisect.h>

enum { LESS, FEATURES, DASH, ACCELERATOR, CC, NUMBER, MI300X, H100, VERSION, PROMO, END };

static size_t run_length(karp_str text, size_t at, const char *letters)
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
    size_t end = run_length(t, at, "abcdefilmnopPrst");
    if (end == at) end = run_length(t, at, "C");
    return end == at ? word(t, at, "NP") : end;
}

/* Capitals and digits; after "xl_" also capitals at the end. */
static size_t accelerator(karp_str t, size_t at, karp_str *out)
{
    size_t from = word(t, at, "xl_"), letters = run_length(t, from, CAPITALS), end = run_length(t, letters, DIGITS);
    if (letters == from || end == letters) return at;
    if (from > at) end = run_length(t, end, CAPITALS);
    *out = slice(t, from, end);
    return word(t, end, "_");
}

static size_t framed_number(karp_str t, size_t at)
{
    size_t from = word(t, at, "_"), end = run_length(t, from, DIGITS), behind = word(t, end, "_");
    return from > at && end > from && behind > end ? behind : at;
}

static size_t version(karp_str t, size_t at, karp_str *out)
{
    if (t.len - at < 2 || (t.ptr[at] != 'v' && t.ptr[at] != 'V') || run_length(t, at + 1, "123456789") == at + 1)
        return at;
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
        if (end > at && run_length(t, end, DIGITS) > end) {
            out->constrained = true;
            end = run_length(t, end, DIGITS);
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
    size_t capitals = run_length(name, 0, CAPITALS), digits = run_length(name, capitals, DIGITS);
    if (capitals == 0 || capitals > 3 || digits == capitals) return false;
    out->family = slice(name, 0, 1);
    out->sub = slice(name, 1, capitals);
    return match(name, digits, LESS, out);
}

bool azure_name_barred(karp_str name)
{
    static const char names[] =
        "Standard_A0 Standard_A1 Standard_A1_v2 Standard_B1s Standard_B1ms Standard_F1 Standard_F1s "
        "Standard_E64i_v3 Standard_E64is_v3 Basic_A0 Basic_A1 Basic_A2 Basic_A3 Basic_A4";
    if (str_in_list(name, names)) return true;
    /* Confidential sizes. */
    return !cut_tier(&name) || str_starts(name, "DC") || str_starts(name, "EC");
}

/* ---- GPU sizes that the provider supports ------------------------------------------------------------------------ */

static const struct {
    const char *name;
    uint32_t flags;
} sizes[] = {
    { "standard_nc12", AZURE_GPU_UBUNTU },
    { "standard_nc12_promo", AZURE_GPU_UBUNTU },
    { "standard_nc12s_v2", AZURE_GPU_UBUNTU },
    { "standard_nc12s_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc144ds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc144lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc16ads_a10_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc16as_t4_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc24", AZURE_GPU_UBUNTU },
    { "standard_nc24_promo", AZURE_GPU_UBUNTU },
    { "standard_nc24ads_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc24lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc24r", AZURE_GPU_UBUNTU },
    { "standard_nc24r_promo", AZURE_GPU_UBUNTU },
    { "standard_nc24rs_v2", AZURE_GPU_UBUNTU },
    { "standard_nc24rs_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc24s_v2", AZURE_GPU_UBUNTU },
    { "standard_nc24s_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc288ds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc288lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc32ads_a10_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc36ds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc36lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc40ads_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc48ads_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc4as_t4_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc6", AZURE_GPU_UBUNTU },
    { "standard_nc64as_t4_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc6_promo", AZURE_GPU_UBUNTU },
    { "standard_nc6s_v2", AZURE_GPU_UBUNTU },
    { "standard_nc6s_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc72ds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc72lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc80adis_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc8ads_a10_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc8as_t4_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc96ads_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd112amsr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd112asr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd120amsr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd120asr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd128isr_gb300_v6", AZURE_GPU_UBUNTU },
    { "standard_nd128isr_ndr_gb200_v6", AZURE_GPU_UBUNTU },
    { "standard_nd12s", AZURE_GPU_UBUNTU },
    { "standard_nd24rs", AZURE_GPU_UBUNTU },
    { "standard_nd24s", AZURE_GPU_UBUNTU },
    { "standard_nd40rs_v2", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd40s_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd6s", AZURE_GPU_UBUNTU },
    { "standard_nd96ams_a100_flex_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96ams_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96ams_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96amsf_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96amsr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96amsrf_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96asr_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96is_flex_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96is_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96is_h200_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96is_mi300x_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nd96is_noib_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isf_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isf_h200_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isr_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isr_h200_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isr_mi300x_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nd96isrf_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isrf_h200_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv12", AZURE_GPU_UBUNTU },
    { "standard_nv12_promo", AZURE_GPU_UBUNTU },
    { "standard_nv12ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv12ads_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nv12s_v3", AZURE_GPU_UBUNTU },
    { "standard_nv18ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv24", AZURE_GPU_UBUNTU },
    { "standard_nv24_promo", AZURE_GPU_UBUNTU },
    { "standard_nv24ads_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nv24r", AZURE_GPU_UBUNTU },
    { "standard_nv24s_v3", AZURE_GPU_UBUNTU },
    { "standard_nv28adms_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nv36adms_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv36ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv48s_v3", AZURE_GPU_UBUNTU },
    { "standard_nv4ads_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nv6", AZURE_GPU_UBUNTU },
    { "standard_nv6_promo", AZURE_GPU_UBUNTU },
    { "standard_nv6ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv72ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv8ads_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
};

static int compare(karp_str name, const char *known)
{
    size_t i = 0;
    while (i < name.len && known[i] && ascii_lower(name.ptr[i]) == known[i]) i++;
    int a = i < name.len ? (unsigned char)ascii_lower(name.ptr[i]) : 0, b = (unsigned char)known[i];
    return a - b;
}

bool azure_gpu_find(karp_str name, uint32_t *flags)
{
    static const size_t letter = sizeof "standard_" - 1; /* all names are in families N */
    size_t count = sizeof sizes / sizeof *sizes;
    if (name.len <= letter || ascii_lower(name.ptr[letter]) != 'n') return false;
    bisection b = bisect(count);
    while (bisecting(&b)) bisect_step(&b, compare(name, sizes[b.at].name) > 0);
    bool found = b.at < count && compare(name, sizes[b.at].name) == 0;
    if (found) *flags = sizes[b.at].flags;
    return found;
}
