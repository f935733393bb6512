/* SPDX-License-Identifier: Apache-2.0 */
/* Interruptions that a trace or a story states: which nodes they mean, and what is said if there are too few. */
#pragma once

#include <replay/engine.h>

enum { INTERRUPT_TEXT = 400 };

/* Whether an event of kind TRACE_NODE_INTERRUPTED can mean the node: a spot node that is not being deleted. */
bool interrupt_means(const replay_node *n, const trace_event *event);
/* Interrupts the nodes of the event. A node of a name must run. */
void interrupt_recorded(engine *e, const trace_event *event);
/* Why the event interrupts no node: "no node is named default-9; did you mean default-1?" */
void interrupt_why_none(const engine *e, const trace_event *event, char text[INTERRUPT_TEXT]);
/* Keeps a note in the result if fewer nodes were interrupted than a story states. */
void interrupt_note(engine *e, const trace_event *event, uint64_t done);
