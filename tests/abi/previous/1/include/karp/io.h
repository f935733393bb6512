/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file io.h  Documents in and out (libkarp-io). The formats are described in docs/formats.md.
 *
 * A reader collects documents, fills in defaults as the API server and the controllers do, and returns a snapshot.
 * Exclusive use. Only functions with a path or file in their name use the file system.
 *
 * The functions karp_write_…() return a text that the caller frees with karp_text_free(). Errors of all of them:
 * INVALID (an argument is NULL), UNSUPPORTED (a format that the function does not list), LIMIT, NOMEM, CANCELED, ABI_*.
 */
#ifndef KARP_IO_H
#define KARP_IO_H

#include <karp/admit.h>
#include <karp/blockers.h>
#include <karp/certificate.h>
#include <karp/command.h>
#include <karp/disrupt.h>
#include <karp/document.h>
#include <karp/explain.h>
#include <karp/lint.h>
#include <karp/nodes.h>
#include <karp/preferences.h>
#include <karp/passes.h>
#include <karp/provider.h>
#include <karp/schedule.h>
#include <karp/settle.h>
#include <karp/snapshot.h>
#include <karp/values.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Collects documents. Exclusive use. */
typedef struct karp_reader karp_reader;

/** Options of karp_reader_new(). */
typedef struct karp_reader_options {
    size_t size;
    uint32_t strict; /**< 1 = only the API server's own defaults are filled in */
    uint32_t keep_documents; /**< 1 = karp_reader_dump() and karp_reader_digest() can be called */
    int64_t now; /**< instant; 0 = the Snapshot's, else the latest time stated, else 2026-01-01T00:00:00Z */
    karp_str region; /**< of the built-in catalogue; "" = from the objects' labels, else the provider's usual one. Of
                        several clouds, it is that of those which have a region of this name */
    karp_str base_directory; /**< what relative catalogue paths of byte documents are relative to; "" = none allowed */
    karp_str provider; /**< as for karp_provider_open(). Its labels are always used, and its types even if a Snapshot
                          states others; "" = that of each NodePool's nodeClassRef; a NodePool without one has the
                          provider that node classes, providerIDs or labels of the input show, else aws */
    uint32_t editable; /**< 1 = karp_reader_replace(), _delete() and _scale() can be called. Since 1.0 */
    karp_str feature_gates; /**< "NodeOverlay=true,StaticCapacity=false", as Karpenter's FEATURE_GATES, over a
                               Snapshot's; "" = none. Since 1.0 */
    int64_t now_later; /**< nanoseconds added to `now` or to the input's time. Since 1.0 */
    /** 1 = subdirectories are read as well, by name, but no symbolic links to directories. Since 1.0 */
    uint32_t recursive;
    /** 1 = notes on workloads that are scaled, and on pods that replacing, deleting or scaling deletes. Since 1.0 */
    uint32_t note_changes;
    /** 1 = no notes on what karp_lint_snapshot() finds as well, for karp_write_lint(). Since 1.0 */
    uint32_t no_lint_notes;
    /** KARP_REPLICAS_*: the replicas of a workload without pods that an autoscaler has as its target. Since 1.0 */
    uint32_t replicas_from;
    /** 1 = documents that are no Kubernetes objects, and texts that cannot be parsed, are left out with a note, and
     * plain objects with wrong values as problems. A text of which objects were used already is refused all the same.
     * Since 1.0 */
    uint32_t skip_unknown;
    /** 1 = no StorageClass or PersistentVolumeClaim is assumed that plain objects name and the input lacks. 0 = if the
     * input has no StorageClass at all, they are assumed to wait for their first consumer, in any zone. Since 1.0 */
    uint32_t strict_storage;
    /** 1 = workloads and pods that the API server would refuse are planned all the same, with a note. Since 1.0 */
    uint32_t lenient;
    /** "pre-install": of what creates pods, only Helm's hooks of this phase are created; "" = no hooks, with a note on
     * each. Since 1.0 */
    karp_str hooks;
    /** KARP_READ_PREFERENCES_*: whether preferences of pods count, as Karpenter's PREFERENCE_POLICY. Since 1.0 */
    uint32_t preferences;
    /** 1 = what waits for admission is read as if it were admitted, for karp_admit(): suspended workloads, Workloads of
     * Kueue, ProvisioningRequests, and pods with Kueue's scheduling gates. Since 1.0 */
    uint32_t queued;
    /** KARP_READ_DRA_*: whether ResourceClaims of pods are planned, as Karpenter's IGNORE_DRA_REQUESTS. Since 1.0 */
    uint32_t dra_requests;
    /** 1 = nodes are repaired by the controller before Karpenter 1.15, as with LEGACY_NODE_REPAIR. Since 1.0 */
    uint32_t legacy_node_repair;
    /** KARP_PEER_*: the version of Karpenter that the snapshot is for, as in karp_options. The built-in providers are
     * of the same time: under 1.14, a reservation of EC2 without a free instance is unavailable. Since 1.0 */
    uint32_t peer_version;
    uint32_t reserved; /**< 0 */
    /** Proposals that change what is read (docs/versions.md), with the bits of karp_options.flip_rules. Since 1.0 */
    uint64_t previews;
    /** "Farm.example.com,*.example.org": kinds that are not read, and that create no pods; "" = none. An object of
     * another kind of which nothing is known is a problem. Since 1.0 */
    karp_str ignored_kinds;
    /** "m7i.large/us-west-2a,m6i.large//spot": offerings of which nothing can be launched, as KARP_CHANGE_UNAVAILABLE
     * names them;
     * "" = as the catalogues say. Since 1.0 */
    karp_str unavailable;
} karp_reader_options;

/** Whether a reader's snapshot has devices. */
enum {
    KARP_READ_DRA_GIVEN = 0, /**< a Snapshot's setting, else as Karpenter's default: ignored */
    KARP_READ_DRA_IGNORE = 1, /**< pods with ResourceClaims are unschedulable */
    KARP_READ_DRA_PLAN = 2
};

/** Preference policies of a reader. */
enum {
    KARP_READ_PREFERENCES_GIVEN = 0, /**< a Snapshot's setting, else Respect */
    KARP_READ_PREFERENCES_RESPECT = 1,
    KARP_READ_PREFERENCES_IGNORE = 2
};

/** Where the replicas of a workload with a HorizontalPodAutoscaler or ScaledObject come from. */
enum {
    KARP_REPLICAS_USUAL = 0, /**< its spec, or the nearest bound of the autoscaler if they are beyond it */
    KARP_REPLICAS_SPEC = 1,
    KARP_REPLICAS_LEAST = 2, /**< the autoscaler's minimum */
    KARP_REPLICAS_MOST = 3, /**< its maximum */
};

/** Zeroes @p options and sets its size. */
KARP_API void karp_reader_options_init(karp_reader_options *options, size_t size);

/**
 * Makes a reader. @p options may be NULL; copied. Errors: those of karp_provider_open() (the provider of the options),
 * NOMEM, ABI_*.
 */
KARP_API karp_status karp_reader_new(karp_context *context, const karp_reader_options *options, karp_reader **out,
                                     karp_error *error);
/** Frees it. NULL is allowed. */
KARP_API void karp_reader_free(karp_reader *reader);

/**
 * Adds one file's text: YAML (one or many documents) or JSON (one, or one per line); Kubernetes objects, workloads,
 * Lists, Snapshots. @p name is used in errors. Errors: SYNTAX, INVALID, LIMIT, DUPLICATE, RANGE, NOMEM, CANCELED; STATE
 * (after karp_reader_finish(), or an error); IO, NOT_FOUND, PROVIDER and UNSUPPORTED (a catalogue, region, provider or
 * node class that the text names). Errors inside an object are usually found by karp_reader_finish(), or by a call
 * before it that fails or changes the object. They name the document, line and field of the object. After an error the
 * reader can only be freed.
 */
KARP_API karp_status karp_reader_add(karp_reader *reader, karp_str name, karp_str text, karp_error *error);
/**
 * The same of a document in a tree of the caller's, of which @p root is the root: one object, List or Snapshot. The
 * tree may change after the call. Errors name the document, the object and the field, but no line. Errors: as
 * karp_reader_add(). Since 1.0.
 */
KARP_API karp_status karp_reader_add_values(karp_reader *reader, karp_str name, const karp_value_source *source,
                                            const void *root, karp_error *error);
/**
 * Objects of a kind create pods: "Kind.group=/spec/template" is where the pod template is, and a path after a comma
 * where their number is ("Kind.group=/spec/template,/spec/replicas"; 1 if there is none). "*" in a path stands for each
 * element of a list or map. It comes before objects are added, and before the rule that karp has for the kind, if any.
 * Errors: INVALID (no rule, or a kind of Kubernetes' own), STATE, NOMEM. Since 1.0.
 */
KARP_API karp_status karp_reader_add_pod_kind(karp_reader *reader, karp_str rule, karp_error *error);
/**
 * Adds a file, every *.yaml, *.yml and *.json of a directory (by name; see `recursive`), or standard input ("-").
 * Errors: as karp_reader_add().
 */
KARP_API karp_status karp_reader_add_path(karp_reader *reader, const char *path, karp_error *error);
/**
 * The same with a file that has prices: every object in it must be of kind Prices (docs/prices.md), and there must be
 * one. Errors: as karp_reader_add_path(). Since 1.0.
 */
KARP_API karp_status karp_reader_add_prices_path(karp_reader *reader, const char *path, karp_error *error);
/**
 * Every NodePool uses @p catalogue. Without any call, the Snapshot's catalogues are used, else those of the built-in
 * providers. The reader takes a reference. Errors: STATE, NOMEM.
 */
KARP_API karp_status karp_reader_add_catalogue(karp_reader *reader, karp_catalogue *catalogue, karp_error *error);
/** Uses @p provider as if it had been named in the options. Borrowed: it must stay open as long as the reader. NULL =
 * none. Errors: STATE. */
KARP_API karp_status karp_reader_set_provider(karp_reader *reader, karp_provider *provider, karp_error *error);
/**
 * Adds a file's text as karp_reader_add() does, but objects replace those of the same kind, namespace and name that
 * were read before. UID and creation time are kept, and so is the status if the new object has none. The pods of a
 * workload follow: their number changes with the replicas, and all of them are recreated when the pod template changes.
 * Needs `editable`. Errors: as karp_reader_add(). Since 1.0.
 */
KARP_API karp_status karp_reader_replace(karp_reader *reader, karp_str name, karp_str text, karp_error *error);
/** The same of a document in a tree, as karp_reader_add_values() reads it. Errors: as karp_reader_add(). Since 1.0. */
KARP_API karp_status karp_reader_replace_values(karp_reader *reader, karp_str name, const karp_value_source *source,
                                                const void *root, karp_error *error);
/** The same with a file, a directory or standard input ("-"). Errors: as karp_reader_add(). Since 1.0. */
KARP_API karp_status karp_reader_replace_path(karp_reader *reader, const char *path, karp_error *error);
/**
 * Deletes an object that was read, "KIND/NAME" or "KIND/NAMESPACE/NAME" (kinds as kubectl accepts them), and what a
 * cluster would delete with it: a workload's pods, a node's NodeClaim, a NodePool's nodes. Pods of a deleted node
 * become pending if a controller recreates them. Needs `editable`. Errors: NOT_FOUND, INVALID (several are meant),
 * those of karp_reader_add(). Since 1.0.
 */
KARP_API karp_status karp_reader_delete(karp_reader *reader, karp_str object, karp_error *error);
/**
 * Changes the number of replicas of a workload that was read, or that is the owner of pods that were read: "NAME",
 * "NAMESPACE/NAME", "KIND/NAME" or "KIND/NAMESPACE/NAME". Surplus pods are deleted in the order of its controller.
 * Needs `editable`. Errors: NOT_FOUND, INVALID (several are meant), those of karp_reader_add(). Since 1.0.
 */
KARP_API karp_status karp_reader_scale(karp_reader *reader, karp_str workload, uint64_t replicas, karp_error *error);
/**
 * Fills in defaults and returns the snapshot. Nothing can be added to the reader afterwards. Errors: those of
 * karp_reader_add(), NOT_FOUND (a region that is not built in), UNSUPPORTED (a NodePool's node class is that of no
 * provider, and no catalogue was given).
 */
KARP_API karp_status karp_reader_finish(karp_reader *reader, karp_snapshot **out, karp_error *error);
/** How many notes there are on what was read: unknown kinds, fields without effect … Those that are problems come
 * first.
 */
KARP_API size_t karp_reader_warning_count(const karp_reader *reader);
/** Note @p index, borrowed from @p reader. {NULL,0} beyond the end. */
KARP_API karp_str karp_reader_warning(const karp_reader *reader, size_t index);
/** The beginning of a note that is a problem, so that decisions are about a part of the input: an object creates pods
 * that are not in the snapshot, unless the note begins with KARP_NOT_UNDERSTOOD. Since 1.0. */
#define KARP_PROBLEM "problem: "
/** The beginning of a problem of another kind: a field, version or kind that is not understood, so that decisions are
 * made without it. Since 1.0. */
#define KARP_NOT_UNDERSTOOD "problem: not understood: "
/** How many of the notes are problems, after karp_reader_finish(). Since 1.0. */
KARP_API size_t karp_reader_problem_count(const karp_reader *reader);
/** `state.method` of a Snapshot: KARP_METHOD_*. */
KARP_API uint32_t karp_reader_method(const karp_reader *reader);
/**
 * SHA-256 of the canonical Snapshot as 64 hex digits, borrowed from @p reader. "" without keep_documents, before
 * karp_reader_finish(), or when out of memory. The first call writes the whole Snapshot and hashes it: one thread at a
 * time.
 */
KARP_API karp_str karp_reader_digest(const karp_reader *reader);
/**
 * Operating systems of the input for which clouds charge a licence that the prices do not have: "Windows, Red Hat
 * Enterprise Linux". Borrowed, after karp_reader_finish(); "" = none. Since 1.0.
 */
KARP_API karp_str karp_reader_missing_licences(const karp_reader *reader);
/**
 * The phases before an install or an upgrade whose hooks create pods and were left out (`hooks` of the options is ""):
 * "pre-install pre-upgrade", or "pre-install,pre-upgrade" if the same hooks run in both. A reader with `hooks` set to
 * one of them makes the cluster of its round. Borrowed, after karp_reader_finish(); "" = none. Since 1.0.
 */
KARP_API karp_str karp_reader_hooks(const karp_reader *reader);
/**
 * The built-in instance types as headings name them: "aws us-west-2, prices 2026-07-20", without the date when that of
 * the prices is not known; several clouds are separated by "; ". Borrowed, after karp_reader_finish(); "" when other
 * types are used, {NULL,0} when out of memory. Since 1.0.
 */
KARP_API karp_str karp_reader_catalogue_title(karp_reader *reader);

/** A cloud whose instance types are used. Texts are borrowed from the reader. Since 1.0. */
typedef struct karp_reader_cloud {
    size_t size;
    karp_str provider; /**< the provider's name, "aws" */
    karp_str region; /**< "" = the provider does not name one */
    karp_str prices; /**< date of the prices, "2026-07-20"; "" = not known */
    uint32_t region_assumed; /**< 1 = neither the caller nor the input names it: it is the provider's usual one */
    uint32_t reserved;
    /** The zones of the region that the input names, "+us-east-1d,us-east-1f": the value of the provider's setting
     * `zones` that adds them to those it assumes; "" = none, or the provider assumes all. Since 1.0 */
    karp_str zones;
} karp_reader_cloud;
/** How many clouds the input uses: those of its NodePools. 0 = the instance types are given. Before
 * karp_reader_finish(): of what was read so far. Since 1.0. */
KARP_API size_t karp_reader_cloud_count(karp_reader *reader);
/** Describes cloud @p index. The size of @p out must be set. Errors: NOT_FOUND (there are fewer), NOMEM, ABI_SIZE,
 * those of karp_provider_open(). Since 1.0. */
KARP_API karp_status karp_reader_get_cloud(karp_reader *reader, size_t index, karp_reader_cloud *out,
                                           karp_error *error);
/**
 * Dollars per hour of a node of that type, zone and capacity type in the catalogues of @p reader, with its prices,
 * after karp_reader_finish(): what decisions do not count of nodes outside NodePools. An empty @p capacity_type is
 * on-demand. 0 = unknown. Since 1.0.
 */
KARP_API double karp_reader_price(const karp_reader *reader, karp_str instance_type, karp_str zone,
                                  karp_str capacity_type);

/** Text that a function returns: the caller frees with karp_text_free(). */
typedef struct karp_text {
    char *ptr; /**< NUL-terminated */
    size_t len;
    void *owner; /**< the library's */
} karp_text;
/** Frees it and zeroes the struct. NULL is allowed. */
KARP_API void karp_text_free(karp_text *text);

/**
 * A difference between two inputs: an object ("NodePool spot"), a field of it ("spec.limits.cpu"; "" = the whole
 * object), and its value in both as JSON ("" = absent). All are borrowed for the call.
 */
typedef void karp_reader_difference(karp_str object, karp_str field, karp_str before, karp_str after, void *user);
/**
 * Calls @p row for each field in which two inputs differ, ordered by kind and name of the object. Only objects that
 * people write are compared: no pods, no nodes, no metadata or status. Both readers have keep_documents and are
 * finished. Errors: INVALID, NOMEM. Since 1.0.
 */
KARP_API karp_status karp_reader_compare(const karp_reader *before, const karp_reader *after,
                                         karp_reader_difference *row, void *user, karp_error *error);
/**
 * Applies a single difference to @p reader: difference @p number (from 0) in the order of karp_reader_compare(). A plan
 * then shows the effect of this field alone. @p reader is `editable`, has read the input of @p before, and is not
 * finished yet. Errors: INVALID, NOT_FOUND (there are fewer), NOMEM, those of karp_reader_replace(). Since 1.0.
 */
KARP_API karp_status karp_reader_apply_difference(karp_reader *reader, const karp_reader *before,
                                                  const karp_reader *after, size_t number, karp_error *error);

/**
 * The canonical Snapshot: everything that was read and filled in, as JSON. The caller frees @p out. Errors: STATE
 * (without keep_documents, or before karp_reader_finish()), NOMEM, LIMIT, CANCELED.
 */
KARP_API karp_status karp_reader_dump(const karp_reader *reader, karp_text *out, karp_error *error);

/**
 * A first catalogue of the instance types of the nodes that @p reader has read, for clouds that are not built in. Call
 * it instead of karp_reader_finish(): afterwards the reader only has its warnings. A type has the labels of its cloud,
 * the least amounts of its nodes, and an offering for each zone and capacity type in which a node is. Its prices are
 * those of the Prices objects that were read, else 0. The caller owns *@p out (karp_catalogue_unref()). Errors:
 * NOT_FOUND (no node has the labels), those of karp_reader_finish(). Since 1.0.
 */
KARP_API karp_status karp_reader_nodes_catalogue(karp_reader *reader, karp_catalogue **out, karp_error *error);
/**
 * Reads a catalogue document (kwok's or the full shape, in JSON or YAML), or a price list, if @p name ends in ".csv".
 * @p name is also used in errors. The caller owns a reference to @p out. Errors: SYNTAX, INVALID, LIMIT, RANGE, NOMEM,
 * CANCELED.
 */
KARP_API karp_status karp_catalogue_read(karp_context *context, karp_str name, karp_str text, karp_catalogue **out,
                                         karp_error *error);
/** The same of a file, or standard input ("-"). Also: IO. */
KARP_API karp_status karp_catalogue_read_file(karp_context *context, const char *path, karp_catalogue **out,
                                              karp_error *error);
/** How documents are written. */
enum {
    KARP_FORMAT_JSON = 0,
    KARP_FORMAT_TEXT = 1,
    KARP_FORMAT_YAML = 2,
    KARP_FORMAT_JSON_LOG = 3,
    KARP_FORMAT_HTML = 4,
    KARP_FORMAT_CSV = 5,
    KARP_FORMAT_MARKDOWN = 6, /**< tables for pull requests */
    KARP_FORMAT_SARIF = 7, /**< findings, as SARIF 2.1.0. Since 1.0 */
    KARP_FORMAT_PROMETHEUS = 8, /**< totals in Prometheus' text format. Since 1.0 */
    KARP_FORMAT_PATCH = 9 /**< strategic merge patches of workloads, as YAML. Since 1.0 */
};

/** Helm's hooks of one or several phases, planned by themselves. Since 1.0. */
typedef struct karp_hook_round {
    karp_str phases; /**< "pre-install, pre-upgrade" */
    const karp_decision *plan; /**< of the cluster with these hooks instead of the release */
} karp_hook_round;

/** Options of everything that writes documents. */
typedef struct karp_write_options {
    size_t size;
    uint32_t format; /**< KARP_FORMAT_* */
    uint32_t compact; /**< 1 = JSON on one line; HTML: only the picture, one div for use in another page */
    uint32_t color; /**< 1 = ANSI colours in text */
    uint32_t width; /**< columns of text, which only a longer word exceeds; 0 = 100; 1000 = lines are not broken */
    karp_str digest; /**< input.sha256; "" = left out */
    karp_str title; /**< of text: the input's name */
    /** the catalogue's name, from karp_reader_catalogue_title(); JSON has its two parts as fields */
    karp_str catalogue;
    /** put before the decision's own; those that begin with KARP_PROBLEM come first and are listed apart */
    const karp_str *warnings;
    size_t warning_count;
    /** of the snapshot that the decision is for, without disruption: its cost is written beside the decision's. Read by
     * karp_write_plan(). NULL = none. Since 1.0 */
    const karp_settlement *settlement;
    /** receives what is written as JSON, which then is not written as text: the text is empty, and its place may be
     * NULL. Documents without that format, and files of JSON lines, are UNSUPPORTED. NULL = none. Since 1.0 */
    const karp_value_sink *values;
    /** of the decision that is written, by karp_preferences_of(): what became of the preferences of its pods, and what
     * they cost. Read by karp_write_plan() and karp_write_pod_explanation(). NULL = a plan's own, without the cost.
     * Since 1.0 */
    const karp_preferences *preferences;
    /** from karp_reader_missing_licences(): totals of costs say that they are without these licences. Since 1.0 */
    karp_str licences;
    /** from karp_settlement_drift(): how nodes that have drifted are replaced. Read by karp_write_plan(),
     * karp_write_disruption(), karp_write_node() and karp_write_node_explanation(). NULL = none. Since 1.0 */
    const karp_drift *drift;
    /** of the hooks that run before the release whose plan is written. Read by karp_write_plan(). NULL = none. Since
     * 1.0 */
    const karp_hook_round *hook_rounds;
    size_t hook_round_count;
    /** receives what replays or a story come to (replay.h). Written by karp_replay(), unless the result is a dump, and
     * by karp_story_play(). NULL = none. Since 1.0 */
    struct karp_replay_outcome *outcome;
} karp_write_options;

enum { KARP_DRIFT_TEXT = 400 };
/**
 * The course in words: "4 nodes drift, 2 at a time by budget, replaced after 2m0s: $0.384/h before, up to $0.586/h
 * meanwhile, $0.403/h after"; "" = no node has drifted. Errors: INVALID, ABI_*. Since 1.0.
 */
KARP_API karp_status karp_drift_text(const karp_drift *drift, char out[KARP_DRIFT_TEXT]);

/** Zeroes @p options and sets its size. */
KARP_API void karp_write_options_init(karp_write_options *options, size_t size);

/**
 * Writes a launch decision as a Plan (docs/formats.md, "Plan"); @p disruption, when given, fills "disruptions" and
 * "kept". Formats: JSON, TEXT, YAML (the NodeClaims), JSON_LOG, MARKDOWN, HTML, CSV (a row for each pod), PROMETHEUS
 * (totals). The HTML page shows the nodes before and after. It has no script and loads nothing. With @p disruption, CSV
 * is UNSUPPORTED.
 */
KARP_API karp_status karp_write_plan(karp_context *context, const karp_decision *decision,
                                     const karp_decision *disruption, const karp_write_options *options, karp_text *out,
                                     karp_error *error);
/** Writes a disruption decision as a DisruptionPlan (docs/formats.md, "DisruptionPlan"). Formats: JSON, TEXT, HTML,
 * MARKDOWN, CSV (a row for each node), PROMETHEUS (totals). */
KARP_API karp_status karp_write_disruption(karp_context *context, const karp_decision *decision,
                                           const karp_write_options *options, karp_text *out, karp_error *error);
/**
 * Writes a decision of karp_repack() as a RepackPlan (docs/formats.md, "RepackPlan"). Formats: JSON, TEXT, YAML (the
 * NodeClaims of each step, and which nodes are removed after them), HTML (the nodes before and after, the curve, the
 * steps). Errors: NOT_FOUND (a decision of another call). Since 1.0. Unstable.
 */
KARP_API karp_status karp_write_repack(karp_context *context, const karp_decision *decision,
                                       const karp_write_options *options, karp_text *out, karp_error *error);
/**
 * Writes what a launch decision says about one pod ("namespace/name"): where it is placed, or why it is unschedulable.
 * Formats: JSON, TEXT. Errors: NOT_FOUND (the decision is not about that pod).
 */
KARP_API karp_status karp_write_pod(karp_context *context, const karp_decision *decision, karp_str pod,
                                    const karp_write_options *options, karp_text *out, karp_error *error);
/**
 * The same with the changes that would make an unschedulable pod schedulable. Errors: as karp_write_pod(). Formats:
 * JSON, TEXT.
 */
KARP_API karp_status karp_write_pod_explanation(karp_context *context, const karp_pod_explanation *explanation,
                                                const karp_write_options *options, karp_text *out, karp_error *error);
/**
 * Writes what a disruption decision says about one node: that it is removed, or why it is kept. Formats: JSON, TEXT.
 * Errors: NOT_FOUND (no such node).
 */
KARP_API karp_status karp_write_node(karp_context *context, const karp_decision *decision, karp_str node,
                                     const karp_write_options *options, karp_text *out, karp_error *error);
/** A Plan document (docs/formats.md, "Plan") that was read. */
typedef struct karp_plan_document karp_plan_document;

/**
 * Reads a Plan (JSON), written by this library or by anything else; @p name is used in errors. Errors: SYNTAX, INVALID,
 * LIMIT, RANGE, NOMEM.
 */
KARP_API karp_status karp_plan_read(karp_context *context, karp_str name, karp_str text, karp_plan_document **out,
                                    karp_error *error);
/** The same from a file, or standard input ("-"). Also: IO. */
KARP_API karp_status karp_plan_read_file(karp_context *context, const char *path, karp_plan_document **out,
                                         karp_error *error);
/** The steps of a DisruptionPlan or a RepackPlan, for karp_verify_steps(), their number, and the cost before them (NAN
 * = not stated). Elements are `size` bytes apart. NULL when it is a Plan. Borrowed. Since 1.0. */
KARP_API const karp_plan_step *karp_plan_document_steps(const karp_plan_document *document, size_t *count,
                                                        double *cost_before);
/** Its plan; empty for a plan of several steps. Borrowed. */
KARP_API const karp_plan *karp_plan_document_plan(const karp_plan_document *document);
/** The cost of its nodes per hour after it is carried out, and after all rounds if the plan says that
 * (`settledCost.after`, else `cost.after`); −1 = not stated. Since 1.0. */
KARP_API double karp_plan_document_cost(const karp_plan_document *document);
/** The digest of the input that the plan was made for, as it states (karp_reader_digest()). Borrowed; "" when it states
 * none. */
KARP_API karp_str karp_plan_document_digest(const karp_plan_document *document);
/** Frees it. NULL is allowed. */
KARP_API void karp_plan_document_free(karp_plan_document *document);

/** A Certificate document (docs/formats.md) that was read. */
typedef struct karp_certificate_document karp_certificate_document;

/**
 * Reads what karp_write_certificate() has written, for karp_certificate_check(); @p name is used in errors. Errors:
 * SYNTAX, INVALID, LIMIT, RANGE, NOMEM. Since 1.0. Unstable.
 */
KARP_API karp_status karp_certificate_read(karp_context *context, karp_str name, karp_str text,
                                           karp_certificate_document **out, karp_error *error);
/** The same from a file, or standard input ("-"). Also: IO. Since 1.0. Unstable. */
KARP_API karp_status karp_certificate_read_file(karp_context *context, const char *path,
                                                karp_certificate_document **out, karp_error *error);
/** Its certificate. Borrowed. Since 1.0. Unstable. */
KARP_API const karp_certificate *karp_certificate_document_certificate(const karp_certificate_document *document);
/** The digest of the input that it was made for, as it states. Borrowed; "" when it states none. Since 1.0. Unstable.
 */
KARP_API karp_str karp_certificate_document_digest(const karp_certificate_document *document);
/** Frees it. NULL is allowed. Since 1.0. Unstable. */
KARP_API void karp_certificate_document_free(karp_certificate_document *document);
/** Writes the proof of a bound. Format: JSON. Since 1.0. Unstable. */
KARP_API karp_status karp_write_certificate(karp_context *context, const karp_certificate *certificate,
                                            const karp_write_options *options, karp_text *out, karp_error *error);
/**
 * Breaks lines of @p text that are wider than @p width columns at spaces (0 = 100; 1000 and more = lines are not
 * broken), as the library does with its own text. Colours take no columns. Errors: INVALID, NOMEM. Since 1.0.
 */
KARP_API karp_status karp_text_fold(karp_context *context, karp_str text, uint32_t width, karp_text *out,
                                    karp_error *error);
/** Writes what karp_lint_snapshot() found, and the warnings of @p options as findings of the rule input-note: those of
 * a reader with no_lint_notes, so that nothing is reported twice. Formats: JSON, TEXT, MARKDOWN, SARIF. Since 1.0. */
KARP_API karp_status karp_write_lint(karp_context *context, const karp_lint *lint, const karp_write_options *options,
                                     karp_text *out, karp_error *error);
/**
 * Writes the result of karp_certificate_check(): that the certificate holds (@p refusal NULL), or why not. Formats:
 * JSON, TEXT. Since 1.0. Unstable.
 */
KARP_API karp_status karp_write_certificate_check(karp_context *context, const karp_certificate *certificate,
                                                  const karp_error *refusal, const karp_write_options *options,
                                                  karp_text *out, karp_error *error);

/** A DisruptionMemory document (docs/formats.md) that was read. */
typedef struct karp_memory_document karp_memory_document;

/**
 * Reads what karp_write_memory() has written, for karp_disrupt_options.memory; @p name is used in errors. Errors:
 * SYNTAX, INVALID, LIMIT, RANGE, NOMEM.
 */
KARP_API karp_status karp_memory_read(karp_context *context, karp_str name, karp_str text, karp_memory_document **out,
                                      karp_error *error);
/** The same from a file, or standard input ("-"). Also: IO. */
KARP_API karp_status karp_memory_read_file(karp_context *context, const char *path, karp_memory_document **out,
                                           karp_error *error);
/** Its memory. Borrowed. */
KARP_API const karp_memory *karp_memory_document_memory(const karp_memory_document *document);
/** Frees it. NULL is allowed. */
KARP_API void karp_memory_document_free(karp_memory_document *document);
/** Writes the memory of a pass, karp_decision_memory(). Format: JSON. */
KARP_API karp_status karp_write_memory(karp_context *context, const karp_memory *memory,
                                       const karp_write_options *options, karp_text *out, karp_error *error);

/** A Command document (docs/formats.md) that was read. */
typedef struct karp_command_document karp_command_document;

/**
 * Reads what karp_write_command() has written, for karp_command_step(); @p name is used in errors.
 * Errors: SYNTAX, INVALID, LIMIT, RANGE, NOMEM.
 */
KARP_API karp_status karp_command_read(karp_context *context, karp_str name, karp_str text, karp_command_document **out,
                                       karp_error *error);
/** The same from a file, or standard input ("-"). Also: IO. */
KARP_API karp_status karp_command_read_file(karp_context *context, const char *path, karp_command_document **out,
                                            karp_error *error);
/** Its state. Borrowed. */
KARP_API const karp_command_state *karp_command_document_state(const karp_command_document *document);
/** Frees it. NULL is allowed. */
KARP_API void karp_command_document_free(karp_command_document *document);
/** Writes a command as it is after a step, karp_step_state(). Format: JSON. */
KARP_API karp_status karp_write_command(karp_context *context, const karp_command_state *state,
                                        const karp_write_options *options, karp_text *out, karp_error *error);

/** Writes what a check of a plan found (docs/formats.md, "Verification"). Formats: JSON, TEXT. */
KARP_API karp_status karp_write_verification(karp_context *context, const karp_verification *verification,
                                             const karp_write_options *options, karp_text *out, karp_error *error);
/** Writes what blocks savings (docs/formats.md, "Blockers"). Formats: JSON, TEXT, MARKDOWN. Since 1.0. Unstable. */
KARP_API karp_status karp_write_blockers(karp_context *context, const karp_blockers *blockers,
                                         const karp_write_options *options, karp_text *out, karp_error *error);
/** Writes the answers for a queue (docs/formats.md, "Admission"). Formats: JSON, TEXT, MARKDOWN. Since 1.0. Unstable.
 */
KARP_API karp_status karp_write_admission(karp_context *context, const karp_admission *admission,
                                          const karp_write_options *options, karp_text *out, karp_error *error);
/** Writes the nodes by NodePool (docs/formats.md, "Nodes"). Formats: JSON, TEXT, MARKDOWN, CSV. Since 1.0. Unstable. */
KARP_API karp_status karp_write_nodes(karp_context *context, const karp_node_list *list,
                                      const karp_write_options *options, karp_text *out, karp_error *error);
/** Writes the workloads by cost (docs/formats.md, "Top"). Formats: JSON, TEXT, MARKDOWN, CSV. Since 1.0. Unstable. */
KARP_API karp_status karp_write_top(karp_context *context, const karp_node_list *list,
                                    const karp_write_options *options, karp_text *out, karp_error *error);
/**
 * Writes why a node is kept, and the best command that was rejected. Formats: JSON, TEXT. Errors: as karp_write_node().
 */
KARP_API karp_status karp_write_node_explanation(karp_context *context, const karp_node_explanation *explanation,
                                                 const karp_write_options *options, karp_text *out, karp_error *error);
/** Writes a catalogue (docs/formats.md, "Catalogues"). Formats: JSON, TEXT, CSV. */
KARP_API karp_status karp_write_catalogue(karp_context *context, const karp_catalogue *catalogue,
                                          const karp_write_options *options, karp_text *out, karp_error *error);

/**
 * Plays a story (docs/formats.md): a file with a cluster's documents and steps, in virtual time. Writes the decisions
 * of each step, their consequences, and the totals. @p catalogue, @p options and @p write may be NULL. @p feature_gates
 * are Karpenter's, as in karp_reader_options; {NULL,0} = those of the story's files. Formats: JSON, TEXT, CSV, HTML.
 * CSV and HTML show cost, nodes and pods over time, as karp_replay() writes them. max_steps bounds the work of the
 * whole story, but a decision that has begun is finished. 0 = five million steps, and a thousand for each object.
 * Beyond it: LIMIT, and the error says at which step. The caller frees @p out. Errors: IO, SYNTAX, INVALID, NOT_FOUND,
 * LIMIT, RANGE, UNSUPPORTED, those of karp_reader_add(), NOMEM, CANCELED. Unstable.
 */
KARP_API karp_status karp_story_play(karp_context *context, const char *path, karp_catalogue *catalogue,
                                     karp_str feature_gates, const karp_options *options,
                                     const karp_write_options *write, karp_text *out, karp_error *error);

/** What karp_story_play_with() takes beside the story. Since 1.0. */
typedef struct karp_story_options {
    size_t size;
    karp_catalogue *catalogue; /**< NULL = as the documents need */
    karp_str feature_gates; /**< {NULL,0} = those of the story's files */
    const karp_options *decision; /**< NULL = defaults */
    karp_str ignored_kinds; /**< as in karp_replay_options; {NULL,0} = what the story states */
    karp_str pods_from; /**< the same */
} karp_story_options;

/** Zeroes @p options and sets its size. Since 1.0. Unstable. */
KARP_API void karp_story_options_init(karp_story_options *options, size_t size);

/** As karp_story_play(); @p options may be NULL. Errors: those of karp_story_play(), ABI_*. Since 1.0. Unstable.
 */
KARP_API karp_status karp_story_play_with(karp_context *context, const char *path, const karp_story_options *options,
                                          const karp_write_options *write, karp_text *out, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
