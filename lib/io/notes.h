/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on the input: what the decision does not use, what does not exist, and what an API server would have rejected.
 */
#pragma once

#include <base/nearest.h>
#include <io/reader.h>

/* ---- unused.c: objects that the decision does not use, each with the reason and what would change it ------------- */

/* The name of a feature gate by index; NULL beyond the last. `bit` receives KARP_GATE_*. */
const char *io_gate_name(size_t index, uint32_t *bit);
/* Parses the reader's option for feature gates, e.g. "NodeOverlay=true,StaticCapacity=false". Errors: INVALID. */
karp_status io_gates_read(karp_reader *reader);
/* Whether the options set gates or the preference policy, and overrides those in settings. */
static inline bool io_settings_chosen(const karp_reader *reader)
{
    const karp_reader_options *o = &reader->options;
    return reader->gates.given != 0 || o->preferences != KARP_READ_PREFERENCES_GIVEN ||
           o->dra_requests != KARP_READ_DRA_GIVEN || o->legacy_node_repair;
}
/* Notes on the nodes that the controller of --legacy-node-repair replaces. Errors: NOMEM, those of providers. */
karp_status io_legacy_repair_note(karp_reader *reader, const karp_snapshot *snapshot);
void io_options_apply(const karp_reader *reader, karp_settings *settings);

/* Called for each object that is added to the builder. Errors: NOMEM. */
karp_status io_unused_pool(karp_reader *reader, const karp_node_pool *pool);
karp_status io_unused_object(karp_reader *reader, uint32_t gate, karp_str name);
karp_status io_unused_node(karp_reader *reader, const karp_node *node);
karp_status io_unused_claim(karp_reader *reader, const karp_node_claim *claim);
/* Counts a suspended Job. */
karp_status io_unused_job(karp_reader *reader, const tree *root);
/* Counts an object that has pods at its time; `note` says so. */
karp_status io_unused_later(karp_reader *reader, karp_str note);
karp_status io_unused_workload(karp_reader *reader, const tree *root);
/* Counts an object of a kind that is not read, and notes the kind that may have been meant. */
karp_status io_unused_kind(karp_reader *reader, karp_str api_version, karp_str kind);
/* Whether nothing is known of the kind: not even that it is a slip of the pen. */
bool io_is_unknown_kind(karp_str api_version, karp_str kind);
/* The kind that may have been meant by one that is not read; NULL = none is similar. */
const io_kind_info *io_kind_meant(karp_str api_version, karp_str kind);
/* Adds the notes. Call it after everything has been read. Errors: NOMEM. */
karp_status io_unused_note(karp_reader *reader);

/* ---- attachments.c: volumes that nodes which are being deleted wait for -------------------------------------------
 */

karp_status io_note_attachment(karp_reader *reader, const tree *root);
/* Adds the notes. Call it before deferred objects are released. Errors: NOMEM. */
karp_status io_attachments_note(karp_reader *reader);

/* ---- unavailable.c ----------------------------------------------------------------------------------------------- */

/* Makes the offerings of karp_reader_options.unavailable unavailable in all catalogues, with a note on each word.
 * Errors: INVALID, NOT_FOUND (no offering is meant), NOMEM. */
karp_status io_take_away_offerings(karp_reader *reader);

/* ---- read_snapshot.c --------------------------------------------------------------------------------------------- */

/* If no Snapshot states gates: keeps those of the options for the dump. */
karp_status io_settle_gates(karp_reader *reader);

/* ---- retired.c: instance types that EC2 no longer has ------------------------------------------------------------ */

karp_status io_retired_labels(karp_reader *reader, const karp_label *labels, size_t count);
karp_status io_retired_requirements(karp_reader *reader, const karp_requirement *list, size_t count);
/* Adds the notes, unless the input has types of its own. Errors: NOMEM. */
karp_status io_retired_note(karp_reader *reader);

/* ---- known_values.c: labels and values that no instance type or offering has; usually spelling mistakes ---------- */

/* Writes "; did you mean spot?", or nothing. Returns `text`. */
enum { MEANT = 160 };
const char *io_meant(const nearest *near, char text[MEANT]);

/* Whether a type or offering has the label. If not, similar labels are added to `near`. */
bool io_is_had(const karp_reader *reader, karp_str key, nearest *near);

/* Values of an existing label that no type or offering has. */
typedef struct io_absent {
    size_t count;
    char list[256]; /* "a, b, c, d and 3 more" */
    char meant[MEANT]; /* io_meant() of the value if there is only one */
} io_absent;
karp_status io_find_absent(karp_reader *reader, const karp_requirement *required, io_absent *out);

/* A list of values in requirements of NodePools. */
typedef struct io_pool_values {
    karp_str pool; /* name of the first pool with this requirement */
    size_t pools;
    karp_requirement required;
    bool others; /* some values were left out */
} io_pool_values;

/* Stores a NodePool's requirements until the catalogues are known. */
karp_status io_values_pool(karp_reader *reader, const karp_node_pool *pool);
/* Notes the values that no type has, if some types have other values of the list. If none has, the decision itself
 * reports that nothing meets the requirement. With no_lint_notes nothing is noted: karp_lint_snapshot() reports the
 * same. */
karp_status io_values_note(karp_reader *reader);
/* Resources that pods request and nothing has, but for another spelling (resource_names.c). */
karp_status io_resources_note(karp_reader *reader);
/* NodePools of another region than the one whose types are used (regions.c). */
karp_status io_regions_note(karp_reader *reader);
/* Zones that a NodePool lists and its node class lacks (class_zones.c). */
karp_status io_class_zones_note(karp_reader *reader);
/* Kinds in references to node classes that the group or the input does not have (class_kinds.c). */
karp_status io_class_kinds_note(karp_reader *reader);
/* Operating systems with a licence that the built-in prices do not have (licences.c). */
karp_status io_licences_note(karp_reader *reader);
/* The prices lack these licences. A dump says so, as it has the prices. */
karp_status io_licences_keep(karp_reader *reader, karp_str licences);

/* ---- fields.c: unknown fields and versions, and values out of range ---------------------------------------------- */

/* Notes the object's fields that its kind does not have. */
karp_status io_note_fields(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);

/* Notes an unknown version of the kind, which is read as a known one. */
karp_status io_note_version(karp_reader *reader, const io_kind_info *info, karp_str api_version, karp_str kind);

/* Notes what of a manifest is not understood: its version, its fields, what an API server refuses. Of an object with a
 * uid or a resourceVersion, which comes from an API server, only the version. Converts it from a beta version
 * (object.c). */
karp_status io_note_object(karp_reader *reader, const io_kind_info *info, tree *root, const io_place *place);

/* Note values out of range; each kind of value once. */
karp_status io_note_invalid_pod(karp_reader *reader, const karp_pod *pod);
karp_status io_note_invalid_pool(karp_reader *reader, const karp_node_pool *pool);

/* Leaves out Helm's hooks with a note, or what creates pods besides the hooks of the option's phase. Errors: NOMEM. */
karp_status io_settle_hooks(karp_reader *reader);

/* Sets the replicas of workloads without pods as their autoscalers would, and notes it; notes what
 * VerticalPodAutoscalers recommend. Called after everything has been read and counted. */
karp_status io_settle_autoscalers(karp_reader *reader);

/* With `skip_unknown` a plain object with a wrong value is left out, and is a problem. */

/* Takes the failure of an object, in reader->error, as a problem. Returns the status of a failure that is none of the
 * object's values, or of every one without `skip_unknown`. */
karp_status io_leave_out(karp_reader *reader, karp_status status, const tree *root, const io_place *place);
/* Leaves out all deferred objects that cannot be decoded. */
karp_status io_leave_out_wrong(karp_reader *reader);

/* Kinds that are not read and of which the caller says that they create no pods: "Farm.example.com,*.example.org". */

/* Reads `ignored_kinds` of the options. Errors: INVALID, NOMEM. */
karp_status io_ignored_read(karp_reader *reader);
bool io_is_ignored(const karp_reader *reader, karp_str api_version, karp_str kind);

/*
 * What changes pods when they are created, and is not evaluated: policies, webhooks, injectors of sidecars. Pods that
 * an API server has written are changed already.
 */

/* An object of a kind that is not read. A policy that changes what decisions read in pods is not understood; of a
 * webhook for new pods there is a note. *told = there was one. Errors: NOMEM. */
karp_status io_note_mutator(karp_reader *reader, const tree *root, const io_place *place, bool *told);
/* A note if a Namespace, or the template of pods, asks for a sidecar that the template does not have. Errors: NOMEM. */
karp_status io_note_injected(karp_reader *reader, const io_deferred *w, const tree *metadata, const tree *spec);

/* Manifests that the API server refuses, and amounts that are probably meant otherwise. */

/* What the API server refuses in an object that creates pods, or in a pod: appended to `why`, which is "". `template_`
 * has metadata and spec; `claims` are volumeClaimTemplates; `operated`: an operator completes the pods. */
void io_why_refused(const tree *root, const tree *template_, const tree *claims, bool operated, char *why, size_t room);

/* Adds a problem about an object that the API server refuses, although decisions can be made with it: a NodePool whose
 * nodeClassRef lacks its group, a PodDisruptionBudget with both bounds. Errors: NOMEM. */
karp_status io_note_refused(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);

/* Notes amounts of the containers such as "memory: 512m". Errors: NOMEM. */
karp_status io_note_amounts(karp_reader *reader, const io_deferred *w, const tree *spec);
