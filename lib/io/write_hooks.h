/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of Helm's hooks that come before the release: each has a plan of its own. */
#pragma once

#include "write_notes.h"

#include "encode.h"

/* The section "Before the release"; nothing without rounds. */
void hooks_section(const text_out *t, const write_job *job);
/* The same as a list in Markdown. */
void hooks_as_markdown(const write_job *job);
/* The same in a page. */
void hooks_as_html(const write_job *job);
/* "hookRounds". `e` is at the members of the plan. */
void hooks_as_json(const encoder *e, const write_job *job);
