/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements, taints and resources as text, in Karpenter's notation (scheduling.md §5, §6.3). */
#ifndef SCHEDULE_SHOW_H
#define SCHEDULE_SHOW_H

#include <base/strbuf.h>
#include <schedule/common.h>

void show_requirement(const scheduler *s, strbuf *b, uint32_t requirement_id);
/* Sorted by text, comma separated. Keys that exist only in simulations are left out. */
void show_set(const scheduler *s, strbuf *b, uint32_t set);
void show_taint(const scheduler *s, strbuf *b, const taint *t);
/* {"cpu":"1","memory":"2Gi"}, by name */
void show_resources(const scheduler *s, strbuf *b, resource_list list);
/* Resources with their quantities as canonical text, sorted by resource name, in the arena. */
const karp_resource *resource_rows(const karp_snapshot *s, arena *a, resource_list list, size_t *count);

#endif
