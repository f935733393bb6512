/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests that the API server refuses, and amounts that are probably meant otherwise. */
#pragma once

#include <io/reader.h>

/* What the API server refuses in an object that creates pods, or in a pod: appended to `why`, which is "". `template_`
 * has metadata and spec; `claims` are volumeClaimTemplates; `operated`: an operator completes the pods. */
void io_why_refused(const tree *root, const tree *template_, const tree *claims, bool operated, char *why, size_t room);

/* Adds a problem about an object that the API server refuses, although decisions can be made with it: a NodePool whose
 * nodeClassRef lacks its group, a PodDisruptionBudget with both bounds. Errors: NOMEM. */
karp_status io_note_refused(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);

/* Notes amounts of the containers such as "memory: 512m". Errors: NOMEM. */
karp_status io_note_amounts(karp_reader *reader, const io_deferred *w, const tree *spec);
