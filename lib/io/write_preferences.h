/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the preferences of pods: a member of Plans and PodExplanations, and a section of their text. */
#pragma once

#include "encode.h"
#include "write_text.h"

/* Those of the options, which have a cost, or else of the decision; nothing if there are none. */
void preferences_as_json(const encoder *e);
void preferences_as_text(const text_out *t, const write_job *job);
void preferences_as_markdown(const write_job *job);
void preferences_as_html(const write_job *job);
