/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CEL expressions that select devices: the part of the language that drivers and claims use. An expression over
 * `device` is compiled once and evaluated for many devices.
 *
 * Supported members of device: driver, attributes[domain].name, capacity[domain].name, allowMultipleAllocations.
 * Supported syntax: literals, lists, arithmetic, comparison, logic, in, ?:, has(), optional selection.
 * Supported functions: cel.bind(), all(), exists(), exists_one(), the string functions, quantity(), semver().
 * Valid CEL that is not supported is distinguished from invalid CEL.
 */
#pragma once

#include <base/amount.h>
#include <base/memory.h>

enum {
    CEL_COMPILED,
    CEL_WRONG, /* not an expression, or one with a type error: Kubernetes would reject it as well */
    CEL_BEYOND, /* valid CEL, but not supported */
    CEL_REFUSED /* out of memory */
};

typedef struct cel_node cel_node;

/* Compiles into the arena. *out is set only on CEL_COMPILED. The text must live as long as the result. */
uint32_t cel_compile(arena *a, karp_str text, const cel_node **out);

enum { CEL_TEXT, CEL_INTEGER, CEL_BOOLEAN, CEL_VERSION };

typedef struct cel_attribute {
    karp_str domain, name;
    karp_str text; /* CEL_TEXT, CEL_VERSION */
    int64_t number; /* CEL_INTEGER, CEL_BOOLEAN */
    uint32_t kind;
} cel_attribute;

typedef struct cel_capacity {
    karp_str domain, name;
    amount value;
} cel_capacity;

typedef struct cel_device {
    karp_str driver;
    const cel_attribute *attributes;
    const cel_capacity *capacity;
    uint32_t attribute_count, capacity_count;
    bool allow_multiple;
} cel_device;

enum { CEL_NO, CEL_YES, CEL_ERROR };

/* Evaluates the expression for the device. CEL_ERROR when this fails, e.g. because of a missing attribute. */
uint32_t cel_matches(const cel_node *program, const cel_device *device);
