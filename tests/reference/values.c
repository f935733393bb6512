/* SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include <string.h>

#include "memory.h"

__extension__ typedef unsigned __int128 wide;

#define WIDE_MAX (~(wide)0 >> 1)

/* ------------------------------------------------------------------------------------------------ quantities */

static bool multiply(wide *value, unsigned factor)
{
    if (*value > WIDE_MAX / factor) {
        return false;
    }
    *value *= factor;
    return true;
}

/** The power of ten or of two that a suffix stands for. */
static bool read_suffix(const char *s, int *ten, int *two)
{
    static const struct {
        const char *suffix;
        int ten, two;
    } table[] = { { "", 0, 0 },    { "n", -9, 0 },  { "u", -6, 0 },  { "m", -3, 0 }, { "k", 3, 0 },   { "M", 6, 0 },
                  { "G", 9, 0 },   { "T", 12, 0 },  { "P", 15, 0 },  { "E", 18, 0 }, { "Ki", 0, 10 }, { "Mi", 0, 20 },
                  { "Gi", 0, 30 }, { "Ti", 0, 40 }, { "Pi", 0, 50 }, { "Ei", 0, 60 } };
    *ten = *two = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(s, table[i].suffix) == 0) {
            *ten = table[i].ten;
            *two = table[i].two;
            return true;
        }
    }
    int64_t exponent;
    if ((s[0] != 'e' && s[0] != 'E') || !ref_atoi(s + 1, &exponent) || exponent > 100 || exponent < -100) {
        return false;
    }
    *ten = (int)exponent;
    return true;
}

bool ref_amount_parse(const char *text, amount *out)
{
    const char *s = text;
    bool negative = *s == '-', any = false, point = false, lost = false;
    if (*s == '-' || *s == '+') {
        s++;
    }
    wide value = 0;
    int ten = 0, two = 0, places = 0;
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        any = true;
        if (places >= 24) {
            lost = lost || *s != '0';
            continue;
        }
        if (!multiply(&value, 10)) {
            return false;
        }
        value += (unsigned)(*s - '0');
        places += point;
    }
    if (!any || !read_suffix(s, &ten, &two)) {
        return false;
    }
    bool fits = true;
    for (int i = 0; i < two && fits; i++) {
        fits = multiply(&value, 2);
    }
    for (int i = ten - places + 9; i > 0 && fits && value != 0; i--) {
        fits = multiply(&value, 10);
    }
    for (int i = ten - places + 9; i < 0 && fits; i++) {
        lost = lost || value % 10 != 0;
        value /= 10;
    }
    value += lost ? 1 : 0; /* finer than 10^-9: away from zero */
    wide cap = (wide)INT64_MAX * (wide)NANO;
    if (two != 0 && (!fits || value > cap)) {
        value = cap;
    } else if (!fits) {
        return false;
    }
    *out = negative ? -(amount)value : (amount)value;
    return true;
}

const char *ref_amount_text(amount value)
{
    static const char suffixes[] = "num kMGTPE";
    size_t step = 0;
    wide rest = value < 0 ? (wide)-value : (wide)value;
    if (rest == 0) {
        return "0";
    }
    while (rest % 1000 == 0 && suffixes[step + 1] != '\0') {
        rest /= 1000;
        step++;
    }
    char digits[48], *p = digits + sizeof digits - 1;
    *p = '\0';
    for (; rest != 0; rest /= 10) {
        *--p = (char)('0' + (int)(rest % 10));
    }
    char suffix[2] = { suffixes[step] == ' ' ? '\0' : suffixes[step], '\0' };
    return ref_format("%s%s%s", value < 0 ? "-" : "", p, suffix);
}

/* ------------------------------------------------------------------------------------------------ resource lists */

const struct resource *ref_resources_find(struct resources list, const char *name)
{
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.items[i].name, name) == 0) {
            return &list.items[i];
        }
    }
    return NULL;
}

amount ref_resources_get(struct resources list, const char *name)
{
    const struct resource *r = ref_resources_find(list, name);
    return r != NULL ? r->value : 0;
}

/** What a combination does with a key; NULL for one that is not there. True if the key stays. */
typedef bool combine(const struct resource *a, const struct resource *b, amount *out);

static struct resources combined(struct resources a, struct resources b, combine *rule)
{
    struct resources out = { ref_alloc((a.count + b.count) * sizeof(struct resource)), 0 };
    size_t i = 0, j = 0;
    while (i < a.count || j < b.count) {
        int order = i == a.count ? 1 : j == b.count ? -1 : strcmp(a.items[i].name, b.items[j].name);
        struct resource r = { order <= 0 ? a.items[i].name : b.items[j].name, 0 };
        const struct resource *x = order <= 0 ? &a.items[i++] : NULL;
        const struct resource *y = order >= 0 ? &b.items[j++] : NULL;
        if (rule(x, y, &r.value)) {
            out.items[out.count++] = r;
        }
    }
    return out;
}

static amount value_of(const struct resource *r) { return r != NULL ? r->value : 0; }

static bool rule_sum(const struct resource *a, const struct resource *b, amount *out)
{
    *out = value_of(a) + value_of(b);
    return true;
}

static bool rule_subtract(const struct resource *a, const struct resource *b, amount *out)
{
    *out = value_of(a) - value_of(b);
    return a != NULL;
}

static bool rule_take(const struct resource *a, const struct resource *b, amount *out)
{
    *out = value_of(a) - value_of(b);
    return true;
}

static bool rule_max(const struct resource *a, const struct resource *b, amount *out)
{
    *out = a == NULL || (b != NULL && b->value > a->value) ? value_of(b) : a->value;
    return true;
}

static bool rule_min(const struct resource *a, const struct resource *b, amount *out)
{
    *out = value_of(a) < value_of(b) ? value_of(a) : value_of(b);
    return a != NULL && b != NULL;
}

static bool rule_override(const struct resource *a, const struct resource *b, amount *out)
{
    *out = b != NULL ? b->value : value_of(a);
    return true;
}

struct resources ref_resources_sum(struct resources a, struct resources b) { return combined(a, b, rule_sum); }

struct resources ref_resources_subtract(struct resources a, struct resources b)
{
    return combined(a, b, rule_subtract);
}

struct resources ref_resources_take(struct resources a, struct resources b) { return combined(a, b, rule_take); }

struct resources ref_resources_max(struct resources a, struct resources b) { return combined(a, b, rule_max); }

struct resources ref_resources_min(struct resources a, struct resources b) { return combined(a, b, rule_min); }

struct resources ref_resources_override(struct resources a, struct resources b)
{
    return combined(a, b, rule_override);
}

struct resources ref_resources_set(struct resources list, const char *name, amount value)
{
    struct resource one = { name, value };
    return combined(list, (struct resources){ &one, 1 }, rule_override);
}

bool ref_resources_equal(struct resources a, struct resources b)
{
    if (a.count != b.count) {
        return false;
    }
    for (size_t i = 0; i < a.count; i++) {
        if (strcmp(a.items[i].name, b.items[i].name) != 0 || a.items[i].value != b.items[i].value) {
            return false;
        }
    }
    return true;
}

bool ref_resources_fit(struct resources wanted, struct resources total)
{
    for (size_t i = 0; i < total.count; i++) {
        if (total.items[i].value < 0) {
            return false;
        }
    }
    for (size_t i = 0; i < wanted.count; i++) {
        if (wanted.items[i].value > ref_resources_get(total, wanted.items[i].name)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ sets of names */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

struct names ref_names_sorted(const char **items, size_t count)
{
    struct names out = { ref_alloc((count + 1) * sizeof(char *)), 0 };
    if (count > 0) {
        memcpy(out.items, items, count * sizeof(char *));
    }
    ref_sort(out.items, count, sizeof(char *), by_text);
    for (size_t i = 0; i < count; i++) {
        if (out.count == 0 || strcmp(out.items[out.count - 1], out.items[i]) != 0) {
            out.items[out.count++] = out.items[i];
        }
    }
    return out;
}

struct names ref_names_one(const char *name) { return ref_names_sorted(&name, 1); }

bool ref_names_has(struct names set, const char *name)
{
    size_t low = 0, high = set.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(set.items[middle], name);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

bool ref_names_equal(struct names a, struct names b)
{
    if (a.count != b.count) {
        return false;
    }
    for (size_t i = 0; i < a.count; i++) {
        if (strcmp(a.items[i], b.items[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ numbers and time */

bool ref_atoi(const char *text, int64_t *out)
{
    bool negative = *text == '-';
    const char *s = text + (*text == '-' || *text == '+');
    if (*s == '\0') {
        return false;
    }
    amount value = 0, most = (amount)INT64_MAX + negative;
    bool beyond = false;
    for (; *s != '\0'; s++) {
        if (*s < '0' || *s > '9') {
            return false;
        }
        beyond = beyond || value * 10 + (*s - '0') > most;
        value = beyond ? most : value * 10 + (*s - '0');
    }
    *out = (int64_t)(negative ? -value : value);
    return !beyond;
}

static bool digits(const char **s, int count, int64_t *out)
{
    *out = 0;
    for (; count > 0; count--, (*s)++) {
        if (**s < '0' || **s > '9') {
            return false;
        }
        *out = *out * 10 + (**s - '0');
    }
    return true;
}

static bool separator(const char **s, char c)
{
    bool ok = **s == c;
    *s += ok;
    return ok;
}

/** Days from 1970-01-01 to a day of the Gregorian calendar. */
static int64_t days(int64_t year, int64_t month, int64_t day)
{
    static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    int64_t leap_years = month > 2 ? year : year - 1;
    return year * 365 + leap_years / 4 - leap_years / 100 + leap_years / 400 + before[month - 1] + day - 1 - 719527;
}

bool ref_instant(const char *text, int64_t *out)
{
    const char *s = text;
    int64_t year, month, day, hour, minute, second, fraction = 0, unit = 100000000, zone = 0;
    if (!digits(&s, 4, &year) || !separator(&s, '-') || !digits(&s, 2, &month) || !separator(&s, '-') ||
        !digits(&s, 2, &day) || !separator(&s, 'T') || !digits(&s, 2, &hour) || !separator(&s, ':') ||
        !digits(&s, 2, &minute) || !separator(&s, ':') || !digits(&s, 2, &second) || month < 1 || month > 12) {
        return false;
    }
    if (separator(&s, '.')) {
        for (; *s >= '0' && *s <= '9'; s++, unit /= 10) {
            fraction += (*s - '0') * unit;
        }
    }
    if (!separator(&s, 'Z')) {
        int64_t sign = *s == '-' ? -1 : 1, hours, minutes;
        if ((*s != '+' && *s != '-') || (s++, !digits(&s, 2, &hours)) || !separator(&s, ':') ||
            !digits(&s, 2, &minutes)) {
            return false;
        }
        zone = sign * (hours * 3600 + minutes * 60);
    }
    amount seconds = (amount)(days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - zone);
    amount value = seconds * NANO + fraction;
    if (*s != '\0' || value > INT64_MAX || value < INT64_MIN) {
        return false;
    }
    *out = (int64_t)value;
    return true;
}

static bool read_unit(const char **s, amount *unit)
{
    static const struct {
        const char *name;
        int64_t ns;
    } table[] = { { "ns", 1 },       { "us", 1000 },      { "\xc2\xb5s", 1000 }, { "\xce\xbcs", 1000 },
                  { "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 },  { "h", 3600000000000 } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        size_t length = strlen(table[i].name);
        if (strncmp(*s, table[i].name, length) == 0) {
            *s += length;
            *unit = table[i].ns;
            return true;
        }
    }
    return false;
}

bool ref_duration(const char *text, int64_t *out)
{
    bool negative = *text == '-';
    const char *s = text + (*text == '-' || *text == '+');
    amount total = 0;
    if (strcmp(s, "0") == 0) {
        *out = 0;
        return true;
    }
    if (*s == '\0') {
        return false;
    }
    while (*s != '\0') {
        amount whole = 0, part = 0, scale = 1, unit = 0;
        bool any = false;
        for (; *s >= '0' && *s <= '9'; s++, any = true) {
            whole = whole * 10 + (*s - '0');
            if (whole > INT64_MAX) {
                return false;
            }
        }
        if (separator(&s, '.')) {
            for (; *s >= '0' && *s <= '9'; s++, any = true) {
                if (scale < NANO * NANO) {
                    part = part * 10 + (*s - '0');
                    scale *= 10;
                }
            }
        }
        if (!any || !read_unit(&s, &unit)) {
            return false;
        }
        total += whole * unit + part * unit / scale;
        if (total > INT64_MAX) {
            return false;
        }
    }
    *out = (int64_t)(negative ? -total : total);
    return true;
}
