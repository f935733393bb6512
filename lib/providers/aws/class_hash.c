/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/node_class.h>

#include <karp/values.h>
#include <providers/decode.h>
#include <providers/aws/defaults.h>

static const char *const covered[] = {
    "placementGroupSelector",
    "associatePublicIPAddress",
    "userData",
    "role",
    "instanceProfile",
    "tags",
    "blockDeviceMappings",
    "instanceStorePolicy",
    "networkInterfaces",
    "detailedMonitoring",
    "metadataOptions",
    "connectionTracking",
    "context",
    "cpuOptions",
    "enclaveOptions",
    "kubelet",
};

/* FNV-1a. */
static uint64_t of_bytes(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t of_text(const char *kind, const char *text, size_t length)
{
    return of_bytes(of_bytes(UINT64_C(0xcbf29ce484222325), kind, 1), text, length);
}

static uint64_t of_number(uint64_t hash, uint64_t number)
{
    char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(number >> 8 * i & 0xff);
    return of_bytes(hash, bytes, sizeof bytes);
}

static uint64_t of_value(karp_str name, const tree *value);

/* A sum does not depend on the order, and equal elements do not cancel as with exclusive or. 0 = empty. */
static uint64_t sum_of_members(const tree *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < members_of(value); i++) {
        const tree_member *at = tree_member_at(value, i);
        karp_str name = tree_member_name(at);
        uint64_t member = of_value(name, at->value);
        if (member) sum += of_number(of_text("m", name.ptr, name.len), member);
    }
    return sum;
}

static uint64_t of_members(const tree *value)
{
    uint64_t sum = sum_of_members(value);
    return sum ? of_number(of_text("o", "", 0), sum) : 0;
}

static uint64_t of_elements(const tree *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < items_of(value); i++) sum += of_value(str(""), tree_item(value, i));
    return sum ? of_number(of_text("l", "", 0), sum) : 0;
}

static uint64_t of_double(double number)
{
    char text[KARP_VALUE_TEXT];
    karp_double_format(number, text);
    return number != 0 ? of_text("n", text, strlen(text)) : 0;
}

static uint64_t of_string(karp_str name, karp_str text)
{
    char canonical[KARP_VALUE_TEXT];
    if (str_is(name, "volumeSize") && karp_quantity_canonical(text, canonical) == KARP_OK)
        return of_text("s", canonical, strlen(canonical));
    return text.len ? of_text("s", text.ptr, text.len) : 0;
}

/* 0 = empty. The parser has limited the nesting. */
static uint64_t of_value(karp_str name, const tree *value)
{
    int64_t integer;
    double number;
    if (is_map(value)) return of_members(value);
    if (is_list(value)) return of_elements(value);
    if (is_string(value)) return of_string(name, tree_text(value));
    if (tree_is(value, TREE_TRUE)) return of_text("b", "", 0);
    if (tree_integer(value, &integer)) return of_double((double)integer);
    return tree_double(value, &number) ? of_double(number) : 0;
}

/* Includes the API server's defaults. */
static uint64_t of_metadata(const tree *value)
{
    uint64_t sum = sum_of_members(value);
    for (size_t i = 0; i < AWS_METADATA_DEFAULTS; i++) {
        const aws_default *d = &aws_metadata_defaults[i];
        if (decode_member(value, d->name)) continue;
        uint64_t member = d->text ? of_text("s", d->text, strlen(d->text)) : of_double((double)d->number);
        sum += of_number(of_text("m", d->name, strlen(d->name)), member);
    }
    return of_number(of_text("o", "", 0), sum);
}

uint64_t aws_class_hash(const tree *spec, aws_family family)
{
    uint64_t sum = of_number(of_text("f", "", 0), (uint64_t)family);
    for (size_t i = 0; i < sizeof covered / sizeof *covered; i++) {
        const tree *value = decode_member(spec, covered[i]);
        uint64_t part = value ? of_value(str(covered[i]), value) : 0;
        if (strcmp(covered[i], "metadataOptions") == 0) part = of_metadata(value);
        if (part) sum += of_number(of_text("m", covered[i], strlen(covered[i])), part);
    }
    return of_number(of_text("c", "", 0), sum);
}
