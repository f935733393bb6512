/* SPDX-License-Identifier: Apache-2.0 */
#include <base/names.h>

enum { LABEL_MOST = 63, SUBDOMAIN_MOST = 253 };

static bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }

static bool is_lower(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }

bool is_label_name(karp_str t)
{
    if (t.len == 0 || t.len > LABEL_MOST || !is_alphanumeric(t.ptr[0]) || !is_alphanumeric(t.ptr[t.len - 1]))
        return false;
    for (size_t i = 0; i < t.len; i++) {
        if (!is_alphanumeric(t.ptr[i]) && t.ptr[i] != '-' && t.ptr[i] != '_' && t.ptr[i] != '.') return false;
    }
    return true;
}

bool is_dns_subdomain(karp_str t)
{
    if (t.len == 0 || t.len > SUBDOMAIN_MOST) return false;
    for (size_t i = 0; i < t.len; i++) {
        if (is_lower(t.ptr[i])) continue;
        bool edge = i == 0 || i + 1 == t.len || t.ptr[i - 1] == '.' || t.ptr[i + 1] == '.';
        if (edge || (t.ptr[i] != '.' && t.ptr[i] != '-')) return false;
    }
    return true;
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
