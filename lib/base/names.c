/* SPDX-License-Identifier: Apache-2.0 */
#include <base/names.h>

enum { LABEL_MOST = 63, SUBDOMAIN_MOST = 253 };

static bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }

bool is_label_name(karp_str t)
{
    if (t.len == 0 || t.len > LABEL_MOST || !is_alphanumeric(t.ptr[0]) || !is_alphanumeric(t.ptr[t.len - 1]))
        return false;
    for (size_t i = 0; i < t.len; i++) {
        if (!is_alphanumeric(t.ptr[i]) && t.ptr[i] != '-' && t.ptr[i] != '_' && t.ptr[i] != '.') return false;
    }
    return true;
}

/* What a character is, and four bits higher what may follow it. In a part between dots, - is neither the first nor the
 * last. */
enum { INSIDE = 1, DASH = 2, DOT = 4, AFTER = 4 };
#define INNER (INSIDE | (INSIDE | DASH | DOT) << AFTER)
static const unsigned char kinds[256] = {
    ['0'] = INNER,
    ['1'] = INNER,
    ['2'] = INNER,
    ['3'] = INNER,
    ['4'] = INNER,
    ['5'] = INNER,
    ['6'] = INNER,
    ['7'] = INNER,
    ['8'] = INNER,
    ['9'] = INNER,
    ['a'] = INNER,
    ['b'] = INNER,
    ['c'] = INNER,
    ['d'] = INNER,
    ['e'] = INNER,
    ['f'] = INNER,
    ['g'] = INNER,
    ['h'] = INNER,
    ['i'] = INNER,
    ['j'] = INNER,
    ['k'] = INNER,
    ['l'] = INNER,
    ['m'] = INNER,
    ['n'] = INNER,
    ['o'] = INNER,
    ['p'] = INNER,
    ['q'] = INNER,
    ['r'] = INNER,
    ['s'] = INNER,
    ['t'] = INNER,
    ['u'] = INNER,
    ['v'] = INNER,
    ['w'] = INNER,
    ['x'] = INNER,
    ['y'] = INNER,
    ['z'] = INNER,
    ['-'] = DASH | (INSIDE | DASH) << AFTER,
    ['.'] = DOT | INSIDE << AFTER,
};

bool is_dns_subdomain(karp_str t)
{
    if (t.len == 0 || t.len > SUBDOMAIN_MOST) return false;
    unsigned kind = INSIDE << AFTER;
    for (size_t i = 0; i < t.len; i++) {
        unsigned allowed = kind >> AFTER;
        kind = kinds[(unsigned char)t.ptr[i]];
        if ((kind & allowed) == 0) return false;
    }
    return (kind & INSIDE) != 0;
}

bool is_dns_label(karp_str t)
{
    return is_dns_subdomain(t) && t.len <= LABEL_MOST && memchr(t.ptr, '.', t.len) == NULL;
}

bool is_label_key(karp_str t)
{
    const char *slash = t.len > 0 ? memchr(t.ptr, '/', t.len) : NULL;
    if (slash == NULL) return is_label_name(t);
    size_t at = (size_t)(slash - t.ptr);
    return is_dns_subdomain((karp_str){ t.ptr, at }) && is_label_name((karp_str){ slash + 1, t.len - at - 1 });
}
