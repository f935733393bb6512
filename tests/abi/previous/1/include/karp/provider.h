/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file provider.h  Clouds (libkarp-io): what a provider plugin implements, and how a host uses one.
 *
 * A provider turns facts about a cloud and a node class into instance types. It says which of them the cloud would
 * launch, and when a node has drifted. It is a table of functions, either built in or in a shared object that links
 * nothing of libkarp: this header is all it needs. Its results depend only on what the host passes in; files, network,
 * clocks and credentials belong to the host.
 *
 * Both sides go by the length of a string. Strings passed to a plugin may lack a terminating NUL, except those of
 * instance types. Strings that a plugin returns may lack one as well, but hosts that print them as C strings need it.
 *
 * A plugin gets node classes and facts as text. With KARP_PROVIDER_WANTS_FIELDS it also gets them as a list of fields,
 * so that it needs no JSON parser.
 *
 * The table grows at its end, and otherwise changes only with KARP_PROVIDER_ABI. docs/providers.md is the guide.
 */
#ifndef KARP_PROVIDER_H
#define KARP_PROVIDER_H

#include <karp/catalogue.h>
#include <karp/settings.h>
#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what plugin and host exchange ------------------------------------------------------------------------------- */

/** The version of the table below. A plugin states the one it was compiled with; others are refused. */
enum { KARP_PROVIDER_ABI = 1 };

/** How a call of a plugin ended. */
enum {
    KARP_PROVIDER_OK = 0,
    KARP_PROVIDER_INVALID = 1, /**< an option, fact, class or argument: `field` and `message` say what */
    KARP_PROVIDER_NOT_FOUND = 2, /**< the region, the node … */
    KARP_PROVIDER_NO_CAPACITY = 3, /**< InsufficientCapacity: the claim is deleted, and its pods are scheduled again */
    KARP_PROVIDER_CLASS_NOT_READY = 4,
    KARP_PROVIDER_CREATE_FAILED = 5, /**< `reason` is that of the claim's condition */
    KARP_PROVIDER_RETRY = 6, /**< try again later */
    KARP_PROVIDER_NO_MEMORY = 7,
    KARP_PROVIDER_UNSUPPORTED = 8 /**< the provider does not support the call */
};

/** Filled in by the plugin when a call fails; the host zeroes it before. Texts end with NUL. */
typedef struct karp_provider_problem {
    size_t size;
    uint32_t kind; /**< as returned: KARP_PROVIDER_* */
    uint32_t line; /**< of a text that is not JSON; 1-based, 0 = unknown */
    char reason[64]; /**< of KARP_PROVIDER_CREATE_FAILED, in camel case */
    char object[128]; /**< the instance type, subnet … or "" */
    char field[128]; /**< as in karp_provider_field.path, or "" */
    char message[256]; /**< one line of English */
} karp_provider_problem;

/** Memory for results. Blocks are aligned for any type. They are valid until the host frees the memory; a plugin frees
 * none. */
typedef struct karp_provider_memory {
    size_t size;
    void *(*alloc)(size_t bytes, void *user); /**< NULL = out of memory; bytes > 0 */
    void *user;
} karp_provider_memory;

/** Kinds of a field's value in JSON. Values never change. */
enum {
    KARP_FIELD_NULL = 0, /**< null */
    KARP_FIELD_BOOLEAN = 1, /**< "true", "false" */
    KARP_FIELD_NUMBER = 2, /**< as it was written */
    KARP_FIELD_TEXT = 3, /**< a string, without its quotes */
    KARP_FIELD_OBJECT = 4, /**< an empty object; the members of others are fields themselves */
    KARP_FIELD_LIST = 5 /**< an empty list; the elements of others are fields themselves */
};

/** One field of a JSON document that has a plain value. */
typedef struct karp_provider_field {
    karp_str path; /**< spec.kubelet.maxPods, status.subnets[0].zone, spec.tags["a.b/c"] */
    karp_str value; /**< text without its quotes */
    uint32_t kind; /**< KARP_FIELD_* */
    uint32_t reserved;
} karp_provider_field;

/** A document for a plugin. Borrowed: valid during the call. */
typedef struct karp_provider_document {
    size_t size;
    karp_str name; /**< of the file, for messages */
    karp_str text; /**< node classes: compact JSON; facts: as given */
    const karp_provider_field *fields; /**< its fields in the order of the text, with #KARP_PROVIDER_WANTS_FIELDS */
    size_t field_count;
} karp_provider_document;

/** The options of karp_provider_plugin.open. */
typedef struct karp_provider_options {
    size_t size;
    karp_str region; /**< "" = the provider's default region */
    const karp_label *settings; /**< by name, as the provider documents them: vmMemoryOverheadPercent = "0.075" */
    size_t setting_count;
} karp_provider_options;

/** A provider's label keys and resource names. Lists are valid as long as the handle. */
typedef struct karp_provider_labels {
    size_t size;
    const karp_str *well_known; /**< label keys of its types and offerings, beside those of Kubernetes and Karpenter:
                                   pods and NodePools may require them */
    size_t well_known_count;
    const karp_str *restricted_domains;
    size_t restricted_domain_count;
    const karp_label *normalized; /**< alias → the key it stands for */
    size_t normalized_count;
    karp_str reservation_id; /**< the label with a reserved offering's ID; "" = there are no reserved offerings */
    const karp_str *resources; /**< extended resources that its types may have */
    size_t resource_count;
    const karp_str *exotic; /**< those whose types are launched only for pods that request them */
    size_t exotic_count;
} karp_provider_labels;

/** One way to launch: an offering of a type, both by index. */
typedef struct karp_provider_candidate {
    uint32_t type;
    uint32_t offering;
    uint32_t usable; /**< 1 = it is available, compatible with the requirements, and large enough for the requests */
    uint32_t reserved;
} karp_provider_candidate;

/** A launch: what is requested, and the candidates for it. */
typedef struct karp_provider_launch {
    size_t size;
    const karp_requirement *requirements; /**< with minValues */
    size_t requirement_count;
    const karp_resource *requests;
    size_t request_count;
    const karp_instance_type *const *types; /**< all types of the class; candidates point into it */
    size_t type_count;
    /** Ordered by type, then offering. On entry of filter_launch: every offering of every type that has a usable
     * one; on return those that the filters keep. */
    karp_provider_candidate *candidates;
    size_t candidate_count;
    uint32_t min_values_policy; /**< KARP_MIN_VALUES_* */
    uint32_t price_from_overlay; /**< 1 = a NodeOverlay set a price */
    karp_str capacity_type; /**< out: the capacity type that will be launched */
    karp_str tenancy; /**< out; "" = the provider has none */
} karp_provider_launch;

/** An instance as the provider sees it. */
typedef struct karp_provider_node {
    size_t size;
    karp_str provider_id, instance_type, image_id, subnet_id, reservation_id, phase;
    const karp_str *security_groups;
    size_t security_group_count;
    const karp_label *labels; /**< of the node and its claim */
    size_t label_count;
    const karp_label *annotations; /**< of the claim: for example the node class's hash at launch */
    size_t annotation_count;
    const karp_resource *capacity;
    size_t capacity_count;
    const karp_resource *allocatable;
    size_t allocatable_count;
    const karp_taint *taints; /**< that the provider adds */
    size_t taint_count;
    int64_t launched; /**< instant, or #KARP_NO_TIME */
    karp_str kubelet_version; /**< as in the Node's status, "v1.34.2"; "" = not known. Since 1.0. */
} karp_provider_node;

/** Offerings for which the cloud has no capacity for a while. An empty field means any; the provider decides which
 * fields can be combined. */
typedef struct karp_provider_scope {
    size_t size;
    karp_str capacity_type, instance_type, zone, group, partition, subnet, family;
    karp_str reservation; /**< its id. Since 1.0. */
} karp_provider_scope;

/** A host's HTTP client, for the optional half of a provider. */
typedef struct karp_provider_http {
    size_t size;
    /** Sends one request; the response is allocated from @p memory. KARP_PROVIDER_OK whatever the server responds;
     * RETRY when it cannot be reached. The host signs and retries. */
    uint32_t (*send)(karp_str method, karp_str url, const karp_label *headers, size_t header_count, karp_str body,
                     const karp_provider_memory *memory, uint32_t *http_status, karp_str *answer, void *user);
    void *user;
} karp_provider_http;

/** A kind of facts that load_facts accepts. Since 1.0. */
typedef struct karp_provider_facts_kind {
    karp_str kind; /**< the name that load_facts takes */
    karp_str file; /**< a usual name for the file: "types.json" */
    karp_str command; /**< a POSIX shell command that prints them for the region; "" = the cloud's own tools cannot */
    karp_str what; /**< a short description, or where else to get them */
    karp_str missing; /**< why there are no types with prices until these are loaded; "" = there are */
    uint32_t optional; /**< 1 = decisions do not need them */
    uint32_t reserved;
} karp_provider_facts_kind;

/** What facts a provider has, and how to get others. Since 1.0. */
typedef struct karp_provider_facts_info {
    size_t size;
    karp_str region; /**< of the open provider */
    karp_str built_in; /**< the regions that are built in, "a, b, c" */
    karp_str as_of; /**< dates of the built-in facts, in words */
    karp_str sources; /**< the sources of the built-in facts: lines, each with its newline */
    const karp_provider_facts_kind *kinds; /**< in the order to load them */
    size_t kind_count;
    karp_str facts_as_of; /**< dates of the facts in use, built in or loaded; "" = not known. Since 1.0. */
} karp_provider_facts_info;

/** Of karp_provider_plugin.flags. */
enum {
    KARP_PROVIDER_WANTS_FIELDS = 1, /**< node classes come with `fields` */
    KARP_PROVIDER_WANTS_FACT_FIELDS = 2, /**< facts as well; they then have to be JSON */
    /** What instance_types returns, and all it points to, lies in the memory passed to it or in constants, never in the
     * handle or the class. The host may then keep it instead of a copy. Since 1.0. */
    KARP_PROVIDER_TYPES_SELF_CONTAINED = 4
};

/**
 * A provider. `open`, `close` and `instance_types` are required; what NULL means elsewhere is said at each member.
 * Functions return KARP_PROVIDER_* and fill in @p problem when that is not OK. `handle` is what `open` returned.
 * `node_class` is what class_parse returned; NULL = the provider's defaults. One handle is used by one thread at a
 * time; two handles share nothing. Members added in later versions are read only if `size` covers them.
 */
typedef struct karp_provider_plugin {
    uint32_t abi_version; /**< KARP_PROVIDER_ABI */
    uint32_t flags; /**< KARP_PROVIDER_WANTS_*, KARP_PROVIDER_TYPES_SELF_CONTAINED */
    size_t size; /**< sizeof(karp_provider_plugin) */
    const char *name; /**< "aws" */
    const char *class_group; /**< "karpenter.k8s.aws"; NULL = it has no node classes */
    const char *class_kind; /**< "EC2NodeClass" */

    /** @p allocator is valid until close. */
    uint32_t (*open)(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                     karp_provider_problem *problem);
    void (*close)(void *handle);

    /** Replaces the facts of one kind; the provider defines the kinds ("types", "spot-prices"). A failure leaves
     * the facts unchanged. NULL = facts are built in. */
    uint32_t (*load_facts)(void *handle, karp_str kind, const karp_provider_document *facts,
                           karp_provider_problem *problem);
    /** A number that changes whenever the instance types may have changed. NULL = they never change. */
    uint64_t (*generation)(const void *handle);

    /** Parses and validates a node class. NULL = the provider has none. */
    uint32_t (*class_parse)(void *handle, const karp_provider_document *document, void **node_class,
                            karp_provider_problem *problem);
    void (*class_free)(void *handle, void *node_class);
    /** The hash that drift compares; hashes of different versions are not compared. NULL = no drift by hash. */
    uint32_t (*class_hash)(void *handle, const void *node_class, const karp_provider_memory *memory, karp_str *version,
                           karp_str *hash, karp_provider_problem *problem);
    /** 1 = both have the same instance types. NULL = only equal documents do. */
    uint32_t (*class_equal)(const void *handle, const void *a, const void *b);
    /** The document with defaults filled in, as JSON. NULL = there are none. */
    uint32_t (*class_defaults)(void *handle, const karp_provider_document *document, const karp_provider_memory *memory,
                               karp_str *completed, karp_provider_problem *problem);

    /** All types, available or not, by name; offerings by zone, then capacity type. */
    uint32_t (*instance_types)(void *handle, const void *node_class, const karp_provider_memory *memory,
                               const karp_instance_type **types, size_t *count, karp_provider_problem *problem);
    /** Fills in @p labels, which is zeroed. NULL = only Karpenter's own labels. */
    uint32_t (*labels)(const void *handle, karp_provider_labels *labels, karp_provider_problem *problem);
    /** Requirements added to a NodePool's own. NULL = none. */
    uint32_t (*pool_defaults)(const void *handle, const karp_requirement *requirements, size_t count,
                              const karp_provider_memory *memory, const karp_requirement **added, size_t *added_count,
                              karp_provider_problem *problem);

    /** The provider's own filters, in its order, and its limit on types. NULL = the cheapest capacity type of the order
     * reserved, spot, on-demand, and no limit. */
    uint32_t (*filter_launch)(void *handle, const void *node_class, const karp_provider_memory *memory,
                              karp_provider_launch *launch, karp_provider_problem *problem);
    /** The candidate that the cloud would launch, for simulations. NULL = the cheapest, then by name and zone. */
    uint32_t (*pick)(void *handle, const void *node_class, const karp_provider_launch *launch,
                     karp_provider_candidate *picked, karp_provider_problem *problem);
    /** The node that a candidate will become. Where it leaves capacity or allocatable NULL, the host fills them in from
     * the type. NULL = a node with every label that has one value. */
    uint32_t (*node)(void *handle, const void *node_class, const karp_provider_launch *launch,
                     karp_provider_candidate candidate, const karp_provider_memory *memory, karp_provider_node *node,
                     karp_provider_problem *problem);

    /** The cloud's launch request as data, for a host that sends it itself. NULL = not supported. */
    uint32_t (*launch_request)(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str claim,
                               const karp_provider_memory *memory, karp_str *request, karp_provider_problem *problem);
    /** The instance that the cloud's response describes. Marks offerings for which there was no capacity. */
    uint32_t (*launch_result)(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str answer,
                              int64_t now, const karp_provider_memory *memory, karp_provider_node *node,
                              karp_provider_problem *problem);

    /** Marks offerings unavailable until @p now + @p ttl (nanoseconds; 0 = the provider's default). NULL = always
     * available. */
    uint32_t (*mark)(void *handle, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                     karp_provider_problem *problem);
    /** Removes marks that have expired. */
    void (*expire)(void *handle, int64_t now);

    /** Why the node has drifted from its node class; an empty @p reason = it has not. NULL = nodes never drift. */
    uint32_t (*drift)(void *handle, const void *node_class, const karp_provider_node *node,
                      const karp_provider_memory *memory, karp_str *reason, karp_provider_problem *problem);
    /** NULL = none. */
    uint32_t (*repair_policies)(const void *handle, const karp_repair_policy **policies, size_t *count);

    /* The optional half: for hosts that let the plugin launch and terminate instances. NULL = the host does so itself.
     */

    /** Launches an instance; @p launch is filtered. RETRY = started but not finished; calling again launches no second
     * one. */
    uint32_t (*create)(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str claim,
                       const karp_provider_http *http, const karp_provider_memory *memory, karp_provider_node *node,
                       karp_provider_problem *problem);
    /** Terminates an instance. NOT_FOUND = it no longer exists. */
    uint32_t (*delete_)(void *handle, karp_str provider_id, const karp_provider_http *http,
                        const karp_provider_memory *memory, karp_provider_problem *problem);
    uint32_t (*get)(void *handle, karp_str provider_id, const karp_provider_http *http,
                    const karp_provider_memory *memory, karp_provider_node *node, karp_provider_problem *problem);
    uint32_t (*list)(void *handle, const karp_provider_http *http, const karp_provider_memory *memory,
                     const karp_provider_node **nodes, size_t *count, karp_provider_problem *problem);

    /** Fills in @p info, which is zeroed except for its size. NULL = the provider does not describe its facts. Since
     * 1.0. */
    uint32_t (*facts_info)(void *handle, const karp_provider_memory *memory, karp_provider_facts_info *info,
                           karp_provider_problem *problem);
    /** All facts of the region as one text, which load_facts accepts as the kind "all". NULL = not supported. Since
     * 1.0. */
    uint32_t (*facts_write)(void *handle, const karp_provider_memory *memory, karp_str *text,
                            karp_provider_problem *problem);
    /** The policies of node repair as a disruption method (Karpenter 1.15); `repair_policies` has those of the
     * controller before. @p reboots: 1 = faults that a reboot clears are repaired by one. The list outlives the
     * handle. NULL = none. Since 1.0. */
    uint32_t (*node_repairs)(const void *handle, uint32_t reboots, const karp_node_repair **repairs, size_t *count);
    /** The feature gates, KARP_GATE_* ored; none before the first call. `generation` changes if instance types depend
     * on the ones that changed. NULL = they depend on none. Since 1.0. */
    void (*set_gates)(void *handle, uint32_t gates);
} karp_provider_plugin;

/** The only symbol of a plugin's shared object that the host looks up: "karp_provider_entry". The table it returns is
 * never freed. */
typedef const karp_provider_plugin *(*karp_provider_entry_function)(void);

/* ---- the host's side --------------------------------------------------------------------------------------------- */

/** The providers that can be opened by name: the built-in ones and those added. Exclusive use. */
typedef struct karp_provider_registry karp_provider_registry;
/** An open provider. Exclusive use; keeps its context and, if it was loaded, its shared object. */
typedef struct karp_provider karp_provider;
/** A node class that a provider has read. Must be freed before its provider is closed. */
typedef struct karp_provider_class karp_provider_class;

/**
 * Makes a registry with the built-in providers. Errors: NOMEM.
 *
 * Failures of the functions below: the error has the plugin's name and message, its object and field, and the status
 * INVALID, NOT_FOUND, NOMEM or UNSUPPORTED, else PROVIDER; karp_provider_last_problem() returns the whole problem.
 * Results of a plugin are checked: an impossible one is PROVIDER as well.
 */
KARP_API karp_status karp_provider_registry_new(karp_context *context, karp_provider_registry **out, karp_error *error);
/** Frees it; open providers stay open. NULL is allowed. */
KARP_API void karp_provider_registry_free(karp_provider_registry *registry);
/** Adds a provider that is linked into the program. Errors: NOMEM, DUPLICATE, ABI_OLD, ABI_NEW, ABI_SIZE, INVALID. */
KARP_API karp_status karp_provider_registry_add(karp_provider_registry *registry, const karp_provider_plugin *plugin,
                                                karp_error *error);
/** Loads a shared object, by path, and adds its provider; @p name (may be NULL) receives its name. Also: IO. */
KARP_API karp_status karp_provider_registry_load(karp_provider_registry *registry, const char *path, karp_str *name,
                                                 karp_error *error);
/** How many providers it has. */
KARP_API size_t karp_provider_registry_count(const karp_provider_registry *registry);
/** Name of provider @p index, in the order they were added; {NULL,0} beyond the end. Borrowed. @p registry NULL: of the
 * built-in providers. */
KARP_API karp_str karp_provider_registry_name(const karp_provider_registry *registry, size_t index);

/** Zeroes @p options and sets its size. */
KARP_API void karp_provider_options_init(karp_provider_options *options, size_t size);
/**
 * Opens the provider of that name. @p options may be NULL. Errors: NOT_FOUND, IO (a shared object), NOMEM, ABI_*, the
 * plugin's.
 */
KARP_API karp_status karp_provider_registry_open(karp_provider_registry *registry, karp_str name,
                                                 const karp_provider_options *options, karp_provider **out,
                                                 karp_error *error);
/** The same in one step, without a registry: @p name is a built-in provider's, or the path of a shared object when it
 * has a slash or ends in ".so". Also: IO. */
KARP_API karp_status karp_provider_open(karp_context *context, karp_str name, const karp_provider_options *options,
                                        karp_provider **out, karp_error *error);
/** NULL is allowed. */
KARP_API void karp_provider_close(karp_provider *provider);
/** Its name. Borrowed; likewise below. */
KARP_API karp_str karp_provider_name(const karp_provider *provider);
/** The API group of its node classes; "" = it has none. */
KARP_API karp_str karp_provider_class_group(const karp_provider *provider);
/** The kind of its node classes; "" = it has none. */
KARP_API karp_str karp_provider_class_kind(const karp_provider *provider);
/** The plugin's problem of the last call that failed; valid until the next call. */
KARP_API const karp_provider_problem *karp_provider_last_problem(const karp_provider *provider);

/**
 * Gives facts to the provider; @p name is the file's name, for messages. Errors: UNSUPPORTED, SYNTAX, LIMIT, RANGE,
 * NOMEM, the plugin's.
 */
KARP_API karp_status karp_provider_load_facts(karp_provider *provider, karp_str kind, karp_str name, karp_str text,
                                              karp_error *error);
/** The same from a file, or standard input ("-"). Also: IO. */
KARP_API karp_status karp_provider_load_facts_file(karp_context *context, karp_provider *provider, karp_str kind,
                                                   const char *path, karp_error *error);

/** What facts the provider has, which are missing, and which commands print others. The size of
 * @p out must be set. Errors: UNSUPPORTED, ABI_SIZE, NOMEM, the plugin's. Since 1.0. */
KARP_API karp_status karp_provider_get_facts_info(karp_provider *provider, const karp_provider_memory *memory,
                                                  karp_provider_facts_info *out, karp_error *error);
/** The facts of the region, built in or loaded, as one text that karp_provider_load_facts() accepts as the kind "all".
 * Errors: UNSUPPORTED, NOT_FOUND (facts are missing: the error's field is their kind), NOMEM, the plugin's. Since 1.0.
 */
KARP_API karp_status karp_provider_write_facts(karp_provider *provider, const karp_provider_memory *memory,
                                               karp_str *text, karp_error *error);

/**
 * Parses a node class, one Kubernetes object in JSON. Errors: UNSUPPORTED, SYNTAX, LIMIT, RANGE, NOMEM, the plugin's.
 */
KARP_API karp_status karp_provider_class_new(karp_provider *provider, karp_str name, karp_str text,
                                             karp_provider_class **out, karp_error *error);
/**
 * The same from YAML or JSON with one object that is a node class, old kinds included. Errors have the object's line.
 * @p context is used while reading. Errors: those of karp_reader_add() and karp_provider_class_new().
 */
KARP_API karp_status karp_provider_class_read(karp_context *context, karp_provider *provider, karp_str name,
                                              karp_str text, karp_provider_class **out, karp_error *error);
/** NULL is allowed. */
KARP_API void karp_provider_class_free(karp_provider_class *node_class);
/** 1 = both have the same instance types; NULL is the provider's default class. */
KARP_API uint32_t karp_provider_class_equal(const karp_provider *provider, const karp_provider_class *a,
                                            const karp_provider_class *b);

/**
 * The instance types of a class (NULL = the provider's defaults), as a reference to a catalogue that the caller owns.
 * Cached as long as facts and class stay the same. Errors: NOMEM, LIMIT, RANGE, the plugin's.
 */
KARP_API karp_status karp_provider_catalogue(karp_provider *provider, const karp_provider_class *node_class,
                                             karp_catalogue **out, karp_error *error);
/** Sets the label tables of @p into, whose size must be set, and nothing else; they are valid as long as the provider.
 * Errors: ABI_SIZE, the plugin's. */
KARP_API karp_status karp_provider_settings(karp_provider *provider, karp_settings *into, karp_error *error);
/** The label tables themselves; the size of @p out must be set. Errors: ABI_SIZE, the plugin's. */
KARP_API karp_status karp_provider_get_labels(karp_provider *provider, karp_provider_labels *out, karp_error *error);

/** Feature gates on which instance types may depend (aws: KARP_GATE_DRA_NVIDIA_GPU and KARP_GATE_DRA_EFA, with which
 * types have devices); @p gates are KARP_GATE_*, ored. NULL is allowed. Since 1.0. */
KARP_API void karp_provider_set_gates(karp_provider *provider, uint32_t gates);
/** Memory for the results of the functions below, which are valid until it is freed. Errors: NOMEM. */
KARP_API karp_status karp_provider_memory_new(karp_context *context, karp_provider_memory **out, karp_error *error);
/** NULL is allowed. */
KARP_API void karp_provider_memory_free(karp_provider_memory *memory);

/** The class's hash and its version. Errors: UNSUPPORTED, NOMEM, the plugin's. */
KARP_API karp_status karp_provider_class_hash(karp_provider *provider, const karp_provider_class *node_class,
                                              const karp_provider_memory *memory, karp_str *version, karp_str *hash,
                                              karp_error *error);
/**
 * The class's document with its defaults filled in, as canonical JSON with members sorted by name. If the provider has
 * no defaults,
 * @p out is @p text. Errors: the plugin's.
 */
KARP_API karp_status karp_provider_class_defaults(karp_provider *provider, karp_str name, karp_str text,
                                                  const karp_provider_memory *memory, karp_str *out, karp_error *error);
/** Requirements that the provider's old API added to a NodePool with only these requirements. Errors: the plugin's. */
KARP_API karp_status karp_provider_pool_defaults(karp_provider *provider, const karp_requirement *requirements,
                                                 size_t count, const karp_provider_memory *memory,
                                                 const karp_requirement **added, size_t *added_count,
                                                 karp_error *error);

/**
 * What would be launched for a claim. The caller sets requirements, requests, policy and size of @p launch; the rest is
 * filled in. Errors: PROVIDER (no type is left: KARP_PROVIDER_NO_CAPACITY), those of karp_provider_catalogue(),
 * INVALID, the plugin's.
 */
KARP_API karp_status karp_provider_launch_filter(karp_provider *provider, const karp_provider_class *node_class,
                                                 const karp_provider_memory *memory, karp_provider_launch *launch,
                                                 karp_error *error);
/** The candidate of a filtered launch that the cloud would launch. Errors: PROVIDER (there is no candidate), ABI_*, the
 * plugin's. */
KARP_API karp_status karp_provider_launch_pick(karp_provider *provider, const karp_provider_class *node_class,
                                               const karp_provider_launch *launch, karp_provider_candidate *out,
                                               karp_error *error);
/**
 * The node that a candidate will become. The size of @p node must be set. Errors: INVALID (no such candidate), RANGE,
 * NOMEM, ABI_*, the plugin's.
 */
KARP_API karp_status karp_provider_launch_node(karp_provider *provider, const karp_provider_class *node_class,
                                               const karp_provider_launch *launch, karp_provider_candidate candidate,
                                               const karp_provider_memory *memory, karp_provider_node *node,
                                               karp_error *error);

/** The cloud's request for a filtered launch, as data. Errors: UNSUPPORTED, the plugin's. */
KARP_API karp_status karp_provider_launch_request(karp_provider *provider, const karp_provider_class *node_class,
                                                  const karp_provider_launch *launch, karp_str claim,
                                                  const karp_provider_memory *memory, karp_str *request,
                                                  karp_error *error);
/** The node that the cloud's response to such a request describes. Errors: UNSUPPORTED, the plugin's. */
KARP_API karp_status karp_provider_launch_result(karp_provider *provider, const karp_provider_class *node_class,
                                                 const karp_provider_launch *launch, karp_str answer, int64_t now,
                                                 const karp_provider_memory *memory, karp_provider_node *node,
                                                 karp_error *error);

/** Marks @p scope unavailable until @p now + @p ttl (nanoseconds; 0 = the provider's default). Errors: UNSUPPORTED, the
 * plugin's. */
KARP_API karp_status karp_provider_mark(karp_provider *provider, const karp_provider_scope *scope, int64_t now,
                                        int64_t ttl, karp_error *error);
/** Removes marks that have expired by @p now. */
KARP_API void karp_provider_expire(karp_provider *provider, int64_t now);
/** Why a node has drifted; "" = it has not. Errors: ABI_*, the plugin's. */
KARP_API karp_status karp_provider_drift(karp_provider *provider, const karp_provider_class *node_class,
                                         const karp_provider_node *node, const karp_provider_memory *memory,
                                         karp_str *reason, karp_error *error);
/** When the controller before Karpenter 1.15 repairs nodes, or that of --legacy-node-repair; an empty list if never.
 * Borrowed. Errors: the plugin's. */
KARP_API karp_status karp_provider_repair_policies(karp_provider *provider, const karp_repair_policy **out,
                                                   size_t *count, karp_error *error);
/**
 * When and how Karpenter repairs nodes from 1.15 on: what karp_settings.repairs has with the gate NodeRepair. @p
 * reboots is 1 with the provider's gate RebootForRepair. An empty list = the provider has no such policies. It outlives
 * the provider. Errors: the plugin's. Since 1.0.
 */
KARP_API karp_status karp_provider_node_repairs(karp_provider *provider, uint32_t reboots, const karp_node_repair **out,
                                                size_t *count, karp_error *error);

/**
 * Launches an instance, and fills in @p out, whose size must be set. The functions of @p http are called before it
 * returns. Errors: UNSUPPORTED (the plugin cannot), ABI_*, the plugin's.
 */
KARP_API karp_status karp_provider_create(karp_provider *provider, const karp_provider_class *node_class,
                                          const karp_provider_launch *launch, karp_str claim,
                                          const karp_provider_http *http, const karp_provider_memory *memory,
                                          karp_provider_node *out, karp_error *error);
/** Terminates an instance. Errors: as karp_provider_create(). */
KARP_API karp_status karp_provider_delete(karp_provider *provider, karp_str provider_id, const karp_provider_http *http,
                                          const karp_provider_memory *memory, karp_error *error);
/** One instance as it is now. Errors: as karp_provider_create(), and NOT_FOUND. */
KARP_API karp_status karp_provider_get(karp_provider *provider, karp_str provider_id, const karp_provider_http *http,
                                       const karp_provider_memory *memory, karp_provider_node *out, karp_error *error);
/** All instances, as the plugin returned them: the size of each is its distance to the next one. Errors: as
 * karp_provider_create(). */
KARP_API karp_status karp_provider_list(karp_provider *provider, const karp_provider_http *http,
                                        const karp_provider_memory *memory, const karp_provider_node **out,
                                        size_t *count, karp_error *error);

/* ---- AWS in one call ----------------------------------------------------------------------------------------------
 */

/** What the types of karp_catalogue_aws() depend on. */
typedef struct karp_catalogue_options {
    size_t size;
    karp_str region; /**< "" = that of the node class's subnets, else us-west-2 */
    /** text (YAML or JSON) with one EC2NodeClass, or an AWSNodeTemplate; "" = AL2023 as it comes */
    karp_str node_class;
    karp_str node_class_name; /**< of that text, in errors */
    int64_t reserved_enis; /**< network interfaces reserved, not used for pods */
    double vm_memory_overhead_percent; /**< the part of memory that the hypervisor takes; the default is 0.075, as in
                                          Karpenter's AWS provider */
    uint32_t all_types; /**< 1 = also types that the region does not offer */
    uint32_t reserved;
} karp_catalogue_options;

/** Sets the provider's defaults and the size. */
KARP_API void karp_catalogue_options_init(karp_catalogue_options *options, size_t size);

/**
 * EC2's instance types in a region under a node class. @p options may be NULL. Errors: NOT_FOUND (the region), INVALID,
 * SYNTAX, LIMIT, UNSUPPORTED (of the node class: document, line, object and field are named), those of
 * karp_provider_class_read() and karp_provider_catalogue(), NOMEM, ABI_*.
 */
KARP_API karp_status karp_catalogue_aws(karp_context *context, const karp_catalogue_options *options,
                                        karp_catalogue **out, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
