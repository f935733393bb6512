/* SPDX-License-Identifier: Apache-2.0 */
/* Interruptions and failures that a trace or a story states: which nodes they mean, and what is said if there are too
 * few. */
#pragma once

#include <replay/engine.h>

enum { INTERRUPT_TEXT = 400 };

/* Whether the event can mean the node: of kind TRACE_NODE_INTERRUPTED a spot node that is not being deleted, of kind
 * TRACE_NODE_FAILED one that is ready. */
bool interrupt_means(const replay_node *n, const trace_event *event);
/* Interrupts the nodes of the event, or lets them fail. A node of a name must run. */
void interrupt_recorded(engine *e, const trace_event *event);
/* Why the event interrupts no node: "no node is named default-9; did you mean default-1?" */
void interrupt_why_none(const engine *e, const trace_event *event, char text[INTERRUPT_TEXT]);
/* Keeps a note in the result if fewer nodes were interrupted than a story states. */
void interrupt_note(engine *e, const trace_event *event, uint64_t done);
