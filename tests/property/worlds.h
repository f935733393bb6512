/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file worlds.h  Random worlds: whole Snapshots of small clusters in which the rules of scheduling meet each other.
 *
 * Alphabets are small on purpose (three zones, a handful of labels, ports and selectors), so that constraints of
 * different pods and nodes touch. A world turns some features on, a few of them often; the same seed makes the same
 * world.
 */
#ifndef PROPERTY_WORLDS_H
#define PROPERTY_WORLDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The Snapshot as a tree (a new reference). Three of four have few types and pods: they cost a fifth, and what parts
 * two schedulers is seldom size.
 */
json_t *world_make(uint64_t seed);

/** The same as text, to be freed with free(). */
char *world_text(uint64_t seed);

/** A small world whose first choices are these bytes, one or two each, and whose others are always the same. */
json_t *world_make_from(const uint8_t *bytes, size_t count);

#endif
