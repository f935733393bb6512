/* SPDX-License-Identifier: Apache-2.0 */
#include <model/address.h>
#include <base/str.h>

/* Parses four decimal numbers, which must be the whole text. */
static bool parse_v4(const char *p, const char *end, uint8_t out[4])
{
    for (int part = 0; part < 4; part++) {
        if (part > 0) {
            if (p == end || *p != '.') return false;
            p++;
        }
        const char *start = p;
        unsigned value = 0;
        while (p < end && *p >= '0' && *p <= '9') {
            value = value * 10 + (unsigned)(*p++ - '0');
            if (value > 255 || p - start > 3) return false;
        }
        if (p == start || (*start == '0' && p - start > 1)) return false;
        out[part] = (uint8_t)value;
    }
    return p == end;
}

/* Parses one to four hexadecimal digits; NULL = none, or more. */
static const char *parse_group(const char *p, const char *end, unsigned *value)
{
    int digits = 0;
    *value = 0;
    for (; p < end && hex_digit(*p) >= 0; p++) {
        if (++digits > 4) return NULL;
        *value = *value << 4 | (unsigned)hex_digit(*p);
    }
    return digits > 0 ? p : NULL;
}

/* Moves the part after "::" to the end. The gap is zero and at least one group long. */
static bool spread_gap(uint8_t ip[16], int filled, int gap)
{
    if (gap < 0) return filled == 16;
    if (filled == 16) return false;
    size_t tail = (size_t)(filled - gap);
    memmove(ip + 16 - tail, ip + gap, tail);
    memset(ip + gap, 0, (size_t)(16 - filled));
    return true;
}

static bool parse_v6(const char *p, const char *end, uint8_t ip[16])
{
    int filled = 0, gap = -1;
    if (end - p >= 2 && p[0] == ':' && p[1] == ':') {
        gap = 0;
        p += 2;
    }
    while (p < end && filled < 16) {
        unsigned value;
        const char *next = parse_group(p, end, &value);
        if (next == NULL) return false;
        if (next < end && *next == '.') { /* the last four bytes in IPv4 notation */
            return filled <= 12 && (gap >= 0 || filled == 12) && parse_v4(p, end, ip + filled) &&
                   spread_gap(ip, filled + 4, gap);
        }
        ip[filled++] = (uint8_t)(value >> 8);
        ip[filled++] = (uint8_t)value;
        p = next;
        if (p == end) break;
        if (*p != ':' || p + 1 == end) return false;
        p++;
        if (*p == ':') {
            if (gap >= 0) return false;
            gap = filled;
            p++;
        }
    }
    return p == end && spread_gap(ip, filled, gap);
}

bool address_parse(karp_str text, uint8_t ip[16])
{
    memset(ip, 0, 16);
    if (text.len == 0 || text.ptr == NULL) return false;
    const char *p = text.ptr, *end = p + text.len;
    bool good;
    if (memchr(p, ':', text.len)) {
        good = parse_v6(p, end, ip);
    } else {
        good = parse_v4(p, end, ip + 12);
        ip[10] = ip[11] = 0xff;
    }
    if (!good) memset(ip, 0, 16);
    return good;
}

bool address_unspecified(const uint8_t ip[16])
{
    static const uint8_t zero[16], mapped[16] = { [10] = 0xff, [11] = 0xff };
    return memcmp(ip, zero, 16) == 0 || memcmp(ip, mapped, 16) == 0;
}
