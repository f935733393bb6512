/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/class_hash.h>

#include <string.h>

#include <karp/values.h>
#include <providers/aws/decode.h>
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

static uint64_t of_value(const char *name, const json_t *value);

/* Sums do not depend on the order, and do not cancel as equal elements would with exclusive or. 0 = nothing in it. */
static uint64_t sum_of_members(const json_t *value)
{
    uint64_t sum = 0;
    for (void *at = first_member(value); at; at = next_member(value, at)) {
        const char *name = json_object_iter_key(at);
        uint64_t member = of_value(name, json_object_iter_value(at));
        if (member) sum += of_number(of_text("m", name, strlen(name)), member);
    }
    return sum;
}

static uint64_t of_members(const json_t *value)
{
    uint64_t sum = sum_of_members(value);
    return sum ? of_number(of_text("o", "", 0), sum) : 0;
}

static uint64_t of_elements(const json_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(value); i++) sum += of_value("", json_array_get(value, i));
    return sum ? of_number(of_text("l", "", 0), sum) : 0;
}

static uint64_t of_double(double number)
{
    char text[KARP_VALUE_TEXT];
    karp_double_format(number, text);
    return number != 0 ? of_text("n", text, strlen(text)) : 0;
}

/* 0 = empty. Nesting is limited by the reader of the text. */
static uint64_t of_value(const char *name, const json_t *value)
{
    char canonical[KARP_VALUE_TEXT];
    const char *text;
    switch (json_typeof(value)) {
    case JSON_OBJECT: return of_members(value);
    case JSON_ARRAY: return of_elements(value);
    case JSON_STRING:
        text = json_string_value(value);
        if (strcmp(name, "volumeSize") == 0 &&
            karp_quantity_canonical((karp_str){ text, json_string_length(value) }, canonical) == KARP_OK) {
            return of_text("s", canonical, strlen(canonical));
        }
        return json_string_length(value) ? of_text("s", text, json_string_length(value)) : 0;
    case JSON_INTEGER: return of_double((double)json_integer_value(value));
    case JSON_REAL: return of_double(json_real_value(value));
    case JSON_TRUE: return of_text("b", "", 0);
    case JSON_FALSE:
    case JSON_NULL: break;
    }
    return 0;
}

/* With what the API server fills in. */
static uint64_t of_metadata(const json_t *value)
{
    uint64_t sum = json_is_object(value) ? sum_of_members(value) : 0;
    for (size_t i = 0; i < AWS_METADATA_DEFAULTS; i++) {
        const aws_default *d = &aws_metadata_defaults[i];
        if (decode_member(value, d->name)) continue;
        uint64_t member = d->text ? of_text("s", d->text, strlen(d->text)) : of_double((double)d->number);
        sum += of_number(of_text("m", d->name, strlen(d->name)), member);
    }
    return of_number(of_text("o", "", 0), sum);
}

uint64_t aws_class_hash(const json_t *spec, aws_family family)
{
    uint64_t sum = of_number(of_text("f", "", 0), (uint64_t)family);
    for (size_t i = 0; i < sizeof covered / sizeof *covered; i++) {
        const json_t *value = decode_member(spec, covered[i]);
        uint64_t part = value ? of_value(covered[i], value) : 0;
        if (strcmp(covered[i], "metadataOptions") == 0) part = of_metadata(value);
        if (part) sum += of_number(of_text("m", covered[i], strlen(covered[i])), part);
    }
    return of_number(of_text("c", "", 0), sum);
}
