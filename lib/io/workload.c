/* SPDX-License-Identifier: Apache-2.0 */
/* Creates the pods that the controllers of workloads would create, except those that are in the input. */
#include <io/fill.h>
#include <io/groups.h>
#include <io/notes.h>
#include <io/owner.h>
#include <io/pod_makers.h>
#include <io/pods_rules.h>
#include <io/sizes.h>

typedef struct workload {
    io_filler *f;
    const io_place *place;
    karp_str namespace_, name, pods; /* pods: what their names begin with */
    const char *kind;
    const tree *template_;
    const tree *claims; /* of a StatefulSet */
    tree *owners; /* ownerReferences of the pods */
    const char *hash, *hash_label; /* pod template hash of a Deployment; NULL = none */
    bool numbered; /* a StatefulSet: pods have their name and index as labels */
    bool ordered; /* each pod is created when the one before it is ready */
    bool job;
    uint32_t number; /* of the object among the deferred ones */
    uint64_t first, replicas;
} workload;

/* The object as controller of another. */
static tree *owner_references(trees *t, const tree *owner)
{
    const tree *metadata = tree_get(owner, "metadata");
    karp_str uid = tree_get_text(metadata, "uid");
    tree *list = tree_new(t, TREE_LIST), *one = tree_new(t, TREE_MAP);
    tree_set_text(t, one, "apiVersion", tree_get_text(owner, "apiVersion"));
    tree_set_text(t, one, "kind", tree_get_text(owner, "kind"));
    tree_set_text(t, one, "name", tree_get_text(metadata, "name"));
    if (uid.len) tree_set_text(t, one, "uid", uid);
    tree_set(t, one, "controller", tree_new(t, TREE_TRUE));
    tree_set(t, one, "blockOwnerDeletion", tree_new(t, TREE_TRUE));
    tree_append(t, list, one);
    return list;
}

/* ---- one pod: made in f->made ------------------------------------------------------------------------------------ */

static void set_pod_metadata(const workload *w, tree *metadata, karp_str pod_name, uint64_t number)
{
    trees *t = w->f->t;
    const tree *given = tree_get(w->template_, "metadata");
    tree *labels = tree_copy_or_new(t, tree_get(given, "labels"), TREE_MAP);
    tree_set(t, metadata, "labels", labels);
    if (w->hash) tree_default_text(t, labels, w->hash_label, str(w->hash));
    if (w->numbered) {
        char digits[20];
        tree_set_text(t, labels, "statefulset.kubernetes.io/pod-name", pod_name);
        tree_set_text(t, labels, "apps.kubernetes.io/pod-index", (karp_str){ digits, write_digits(digits, number) });
    }
    if (w->job) {
        tree_default_text(t, labels, "batch.kubernetes.io/job-name", w->name);
        tree_default_text(t, labels, "job-name", w->name);
    }
    tree_set(t, metadata, "annotations", tree_get(given, "annotations"));
    tree_set(t, metadata, "ownerReferences", w->owners);
}

static bool claim_name(const workload *w, const tree *template_, karp_str pod_name, strbuf *out)
{
    strbuf_init(out, w->f->reader->context);
    strbuf_addstr(out, tree_get_text(tree_get(template_, "metadata"), "name"));
    strbuf_addc(out, '-');
    strbuf_addstr(out, pod_name);
    if (out->failed) w->f->t->status = KARP_E_NOMEM;
    return !out->failed;
}

static void mount(trees *t, tree *volumes, karp_str name, karp_str claim)
{
    for (size_t i = tree_count(volumes); i-- > 0;) {
        if (equal_str(tree_get_text(tree_item(volumes, i), "name"), name)) tree_remove_item(t, volumes, i);
    }
    tree *volume = tree_new(t, TREE_MAP);
    tree_set_text(t, volume, "name", name);
    tree_set_text(t, tree_get_or_make(t, volume, "persistentVolumeClaim"), "claimName", claim);
    tree_append(t, volumes, volume);
}

/* The spec with the volumes of the claims; the template's own if there are no claims. */
static tree *pod_spec(const workload *w, karp_str pod_name)
{
    trees *t = w->f->t;
    tree *given = tree_get(w->template_, "spec");
    if (!given) return tree_new(t, TREE_MAP);
    if (tree_count(w->claims) == 0) return given;
    tree *spec = tree_copy(t, given), *volumes = tree_own(t, spec, "volumes", TREE_LIST);
    for (size_t i = 0; i < tree_count(w->claims); i++) {
        const tree *template_ = tree_item(w->claims, i);
        strbuf claim;
        if (claim_name(w, template_, pod_name, &claim))
            mount(t, volumes, tree_get_text(tree_get(template_, "metadata"), "name"),
                  (karp_str){ claim.ptr, claim.len });
        strbuf_free(&claim);
    }
    return spec;
}

/* Marks a pod that is created later: it is not pending yet. */
static void mark_not_created(trees *t, tree *pod)
{
    tree *conditions = tree_new(t, TREE_LIST), *status = tree_get_or_make(t, pod, "status");
    io_add_condition(t, conditions, "Created", "False", "WaitsForPodBefore", KARP_NO_TIME);
    tree_set(t, status, "conditions", conditions);
}

static karp_status add_pod(const workload *w, karp_str pod_name, uint64_t number, bool waits)
{
    const io_kind_info *info = io_kind_find(str("v1"), str("Pod"));
    io_filler *f = w->f;
    f->t = &f->made;
    tree *pod = io_new_object(f->t, "v1", "Pod", w->namespace_, pod_name);
    set_pod_metadata(w, tree_get(pod, "metadata"), pod_name, number);
    tree_set(f->t, pod, "spec", pod_spec(w, pod_name));
    if (f->fill) io_merge_label_keys(f->t, pod);
    if (waits) mark_not_created(f->t, pod);
    io_identify(f, info, pod);
    io_sizes_note_pod(f->reader, pod);
    f->creates = true;
    karp_status status = io_fill_and_add_pod(f, info, pod, w->place);
    f->creates = false;
    f->t = &f->work;
    trees_clear(&f->made);
    return status;
}

static karp_status add_claim(const workload *w, const tree *template_, karp_str name)
{
    const io_kind_info *info = io_kind_find(str("v1"), str("PersistentVolumeClaim"));
    io_filler *f = w->f;
    if (io_find(f->reader, info->name, w->namespace_, name) != IO_NONE) return KARP_OK;
    f->t = &f->made;
    const tree *given = tree_get(template_, "metadata");
    tree *claim = io_new_object(f->t, "v1", info->name, w->namespace_, name), *metadata = tree_get(claim, "metadata");
    tree_set(f->t, metadata, "labels", tree_get(given, "labels"));
    tree_set(f->t, metadata, "annotations", tree_copy(f->t, tree_get(given, "annotations")));
    tree_set(f->t, claim, "spec", tree_copy(f->t, tree_get(template_, "spec")));
    io_identify(f, info, claim);
    if (f->fill) io_fill_claim_volume(f, claim);
    karp_status status = io_add_filled(f, info, claim, w->place);
    f->t = &f->work;
    trees_clear(&f->made);
    return status;
}

static karp_status add_claims(const workload *w, karp_str pod_name)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(w->claims) && status == KARP_OK; i++) {
        strbuf name;
        status = claim_name(w, tree_item(w->claims, i), pod_name, &name)
                     ? add_claim(w, tree_item(w->claims, i), (karp_str){ name.ptr, name.len })
                     : io_reader_nomem(w->f->reader);
        strbuf_free(&name);
    }
    return status;
}

/* Names the pods after the kind too if another workload has pods of that name: a StatefulSet, whose pods have an
 * identity, or an earlier one. false = out of memory. */
static bool name_apart(workload *w)
{
    karp_reader *reader = w->f->reader;
    w->pods = w->name;
    bool taken = !w->numbered && io_find(reader, "StatefulSet", w->namespace_, w->name) != IO_NONE;
    uint32_t of = io_find(reader, "pods named", w->namespace_, w->name);
    taken = taken || (of != IO_NONE && of != w->number);
    if (taken && !w->numbered) {
        char name[300] = "";
        str_append(name, sizeof name, "%.*s-%s", str_shown(w->name, 200), w->name.ptr, w->kind);
        for (char *c = name; *c; c++) *c = ascii_lower(*c);
        w->pods = tree_text(tree_new_text(w->f->t, str(name)));
    }
    return w->pods.len && io_note_name(reader, str("pods named"), w->namespace_, w->pods, w->number);
}

/* Fills in the shared part of the pods once, in memory that lasts. *refused = the API server would not have them. */
static karp_status admit(workload *w, bool *refused)
{
    karp_reader *reader = w->f->reader;
    const io_deferred *of = &reader->deferred[w->number];
    tree *spec = tree_get(w->template_, "spec");
    karp_status status = io_note_amounts(reader, of, spec);
    if (status == KARP_OK) status = io_note_injected(reader, of, tree_get(w->template_, "metadata"), spec);
    if (status == KARP_OK) status = io_admit_created(&w->f->admission, reader, w->f->t, spec, of);
    io_fill_pod_spec(w->f, spec);
    /* What an API server has stored was not refused. */
    if (status || io_is_stated(tree_get(of->root, "metadata"), "uid")) return status;
    return io_check_refused(w->f, of, w->template_, w->claims, of->info->kind == IO_KIND_OPERATED, refused);
}

/* More pods of one StatefulSet than this are planned together, since each needs a round of its own. */
enum { ORDERED_MOST = 100 };

/* Whether the pod of the input runs and is ready, so that its StatefulSet goes on to the next one. */
static bool is_ready(const workload *w, karp_str pod_name)
{
    uint32_t number = io_find(w->f->reader, "Pod", w->namespace_, pod_name);
    if (number >= w->f->reader->deferred_count) return true;
    const tree *pod = w->f->reader->deferred[number].root, *status = tree_get(pod, "status");
    return tree_get_text(tree_get(pod, "spec"), "nodeName").len > 0 &&
           !str_is(io_condition_status(tree_get(status, "conditions"), "Ready"), "False") &&
           !str_is(tree_get_text(status, "phase"), "Pending");
}

/* Adds NAME-0 … NAME-(n-1), except those in the input; at most as many as are missing. */
static karp_status add_pods(workload *w, uint64_t present)
{
    if (!name_apart(w)) return io_reader_nomem(w->f->reader);
    uint64_t missing = w->replicas > present ? w->replicas - present : 0;
    karp_status status = KARP_OK;
    bool refused = false, waits = false, few = missing <= ORDERED_MOST || w->f->reader->mode.plays;
    bool ordered = w->ordered && w->f->fill && few;
    if (w->ordered && !few)
        status = io_warn(w->f->reader, "StatefulSet %.*s: its %llu pods are planned together, not one after another",
                         str_shown(w->name, 100), w->name.ptr, (unsigned long long)missing);
    bool creates = missing > 0 || w->f->reader->mode.plays;
    if (creates && w->f->fill && status == KARP_OK) status = admit(w, &refused);
    if (refused) return status;
    for (uint64_t i = 0; i < w->replicas && status == KARP_OK; i++) {
        if (missing == 0 && tree_count(w->claims) == 0) break;
        strbuf name = strbuf_on(w->f->reader->context);
        strbuf_addstr(&name, w->pods);
        strbuf_addc(&name, '-');
        strbuf_addu(&name, w->first + i);
        karp_str text = { name.ptr, name.len };
        if (name.failed) {
            status = io_reader_nomem(w->f->reader);
        } else if (missing && io_find(w->f->reader, "Pod", w->namespace_, text) == IO_NONE) {
            status = add_pod(w, text, w->first + i, waits);
            waits = ordered;
            missing--;
        } else if (ordered && !is_ready(w, text)) waits = true;
        if (status == KARP_OK) status = add_claims(w, text);
        strbuf_free(&name);
    }
    return status;
}

/* Pods that end by themselves, in a cluster that is played on. */
static karp_status note_lasting(karp_reader *reader)
{
    if (!reader->mode.plays) return KARP_OK;
    return io_warn_once(reader, "how long the pods of Jobs run is not known, so they do not end here");
}

/* ---- kinds of workloads ------------------------------------------------------------------------------------------ */

static uint64_t count_of(const tree *spec, const char *name)
{
    int64_t number = 0;
    if (!tree_integer(tree_get(spec, name), &number)) return 1;
    return number > 0 ? (uint64_t)number : 0;
}

/* Five bytes of the digest of the template and, for another kind than Deployment, of the label, which identify the
 * ReplicaSet. false = out of memory. */
static bool template_hash(karp_context *context, const tree *template_, const char *label, char hash[11])
{
    karp_digest s;
    char hex[KARP_DIGEST_TEXT];
    strbuf text = strbuf_on(context);
    if (template_) tree_write(&text, template_);
    if (strcmp(label, "pod-template-hash") != 0) strbuf_adds(&text, label);
    bool ok = !text.failed;
    if (ok) {
        karp_digest_init(&s, sizeof s);
        karp_digest_add(&s, text.ptr, text.len);
        karp_digest_text(&s, hex);
        memcpy(hash, hex, 10);
        hash[10] = '\0';
    }
    strbuf_free(&text);
    return ok;
}

/* The ReplicaSet that a Deployment would create. It owns the pods, and has the Deployment's selector with the hash. */
static tree *make_replica_set(const workload *w, const tree *deployment)
{
    const io_kind_info *info = io_kind_find(str("apps/v1"), str("ReplicaSet"));
    trees *t = w->f->t;
    const tree *given = tree_get(tree_get(deployment, "spec"), "selector");
    strbuf name = strbuf_on(w->f->reader->context);
    strbuf_addstr(&name, w->name);
    strbuf_addc(&name, '-');
    strbuf_adds(&name, w->hash);
    if (name.failed) t->status = KARP_E_NOMEM;
    tree *set = io_new_object(t, "apps/v1", "ReplicaSet", w->namespace_, (karp_str){ name.ptr, name.len });
    tree *own = tree_get_or_make(t, set, "spec");
    tree *selector = given ? tree_deep_copy(t, given, false) : tree_new(t, TREE_MAP);
    tree_set(t, own, "selector", selector);
    tree_set_text(t, tree_get_or_make(t, selector, "matchLabels"), w->hash_label, str(w->hash));
    tree_set(t, own, "template", tree_copy(t, w->template_));
    tree_set(t, own, "replicas", tree_new_integer(t, (int64_t)w->replicas));
    tree_set(t, tree_get(set, "metadata"), "ownerReferences", owner_references(t, deployment));
    io_identify(w->f, info, set);
    strbuf_free(&name);
    return set;
}

/* How many pods of the Job have succeeded: its status says it, else the pods do. */
static uint64_t succeeded_of(const karp_reader *reader, const tree *job, karp_str namespace_, karp_str name)
{
    int64_t stated = 0;
    if (tree_integer(tree_get(tree_get(job, "status"), "succeeded"), &stated)) return stated > 0 ? (uint64_t)stated : 0;
    return io_succeeded(reader, namespace_, name);
}

static bool is_finished(const tree *job)
{
    const tree *conditions = tree_get(tree_get(job, "status"), "conditions");
    return str_is(io_condition_status(conditions, "Complete"), "True") ||
           str_is(io_condition_status(conditions, "Failed"), "True");
}

/* Whether the Job waits to be resumed. Where admissions are asked for, it is asked about, unless an object such as a
 * Workload of Kueue asks for it. */
static bool is_suspended(const karp_reader *reader, const io_deferred *job, const tree *root)
{
    if (!tree_is(tree_get(tree_get(root, "spec"), "suspend"), TREE_TRUE)) return false;
    return !reader->options.queued || io_has_made(reader, job);
}

/* Adds the ReplicaSet, and the pods that it owns. */
static karp_status expand_by_set(workload *w, const tree *root, const char *kind)
{
    karp_reader *reader = w->f->reader;
    const io_kind_info *info = io_kind_find(str("apps/v1"), str("ReplicaSet"));
    char hash[11];
    /* A Deployment that was derived from its pods keeps their hash, and so their ReplicaSet. */
    karp_str known = tree_get_text(tree_get(tree_get(w->template_, "metadata"), "labels"), w->hash_label);
    if (known.len > 0 && known.len < sizeof hash) {
        memcpy(hash, known.ptr, known.len);
        hash[known.len] = '\0';
    } else if (!template_hash(reader->context, w->template_, w->hash_label, hash)) {
        return io_reader_nomem(reader);
    }
    w->hash = hash;
    tree *set = make_replica_set(w, root);
    karp_str name = tree_get_text(tree_get(set, "metadata"), "name");
    karp_status status = KARP_OK;
    if (!set || io_find(reader, "ReplicaSet", w->namespace_, name) == IO_NONE)
        status = io_add_filled(w->f, info, set, w->place);
    w->owners = owner_references(w->f->t, set);
    return status ? status : add_pods(w, io_owned(reader, kind, w->namespace_, w->name));
}

static karp_status expand_plain(workload *w, const tree *root, const char *kind)
{
    w->owners = owner_references(w->f->t, root);
    return add_pods(w, io_owned(w->f->reader, kind, w->namespace_, w->name));
}

static karp_status too_many(karp_reader *reader, const io_deferred *deferred, const io_place *place, const char *field)
{
    io_reader_fail(reader, KARP_E_LIMIT, place, field,
                   "more pods than the limit of %llu; --scale %.*s=N plans N of them",
                   (unsigned long long)reader->limits.pods, str_shown(deferred->name, 100), deferred->name.ptr);
    io_reader_name(reader, str(deferred->info->name), deferred->namespace_, deferred->name);
    return KARP_E_LIMIT;
}

/* ---- kinds whose operators create pods --------------------------------------------------------------------------- */

static const tree *find_object(void *user, const char *kind, karp_str namespace_, karp_str name)
{
    return io_find_tree(user, str(kind), namespace_, name);
}

/* The pods that run on the capacity of a ProvisioningRequest. */
static uint64_t count_consumers(void *user, karp_str namespace_, karp_str request)
{
    const karp_reader *reader = user;
    uint64_t count = 0;
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_POD || w->gone || !equal_str(w->namespace_, namespace_)) continue;
        const tree *annotations = tree_get(tree_get(w->root, "metadata"), "annotations");
        count += equal_str(tree_get_text(annotations, "autoscaling.x-k8s.io/consume-provisioning-request"), request) &&
                 tree_get_text(tree_get(w->root, "spec"), "nodeName").len > 0 && !io_pod_ended(w->root);
    }
    return count;
}

static karp_status report(karp_reader *reader, const io_deferred *deferred, const io_pods *pods)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(pods->notes) && status == KARP_OK; i++) {
        karp_str note = tree_text(tree_item(pods->notes, i));
        status = io_warn_once(reader, "%.*s", str_shown(note, 600), note.ptr);
    }
    if (status == KARP_OK && pods->later.len) status = io_unused_later(reader, pods->later);
    return status || pods->problem.len == 0 ? status : io_problem(reader, deferred, pods->problem.ptr);
}

static karp_status expand_sets(workload *w, const io_deferred *deferred, const tree *root, const io_pods *pods)
{
    const char *kind = deferred->info->name;
    uint64_t total = 0, present = io_owned(w->f->reader, kind, w->namespace_, w->name);
    karp_status status = KARP_OK;
    w->hash_label = pods->kind ? pods->kind->hash : NULL;
    for (size_t i = 0; i < pods->count; i++) {
        if (pods->sets[i].count > w->f->reader->limits.pods - total)
            return too_many(w->f->reader, deferred, w->place, NULL);
        total += pods->sets[i].count;
    }
    for (size_t i = 0; i < pods->count && status == KARP_OK; i++) {
        const io_pod_set *set = &pods->sets[i];
        w->name = set->name;
        w->template_ = set->template_;
        w->claims = set->claims;
        w->first = set->first;
        w->replicas = set->count;
        w->owners = owner_references(w->f->t, root);
        if (set->runs > 0) status = note_lasting(w->f->reader);
        if (status) break;
        w->f->reader->made_group = set->group;
        w->f->reader->made_group_source = set->group_source;
        status = w->hash_label ? expand_by_set(w, root, kind) : add_pods(w, present);
    }
    w->f->reader->made_group.len = 0;
    return status;
}

static karp_status expand_pods(workload *w, const io_deferred *deferred, const tree *root, const io_pods *pods)
{
    karp_reader *reader = w->f->reader;
    karp_status status = report(reader, deferred, pods);
    if (status == KARP_OK && strcmp(deferred->info->group, "batch.volcano.sh") == 0)
        status = io_enqueue_note(&w->f->queue, reader, deferred, pods);
    for (size_t i = 0; i < pods->group_count && status == KARP_OK; i++)
        status = karp_builder_add_pod_group(reader->builder, &pods->groups[i], &reader->error);
    if (status == KARP_OK) status = expand_sets(w, deferred, root, pods);
    return status;
}

/* Once an operator has acted, the pods in the input count, and nothing is added, unless the caller has scaled the
 * object. */
static karp_status expand_operated(workload *w, const io_deferred *deferred, const tree *root)
{
    karp_reader *reader = w->f->reader;
    io_decoder d;
    if (!deferred->changed && io_has_made(reader, deferred)) return KARP_OK;
    io_decoder_init(&d, &reader->scratch);
    io_pods pods = { .context = reader->context,
                     .d = &d,
                     .t = w->f->t,
                     .find = find_object,
                     .consumers = count_consumers,
                     .user = reader,
                     .now = reader->asked.now,
                     .kind = io_pod_kind_of(deferred->info),
                     .replicas_from = reader->options.replicas_from,
                     .queued = reader->options.queued != 0,
                     .object = root,
                     .namespace_ = w->namespace_,
                     .name = w->name };
    karp_status status = io_pods_of(&pods);
    if (status) status = io_reader_bad(reader, &d, w->place, root);
    if (status == KARP_OK && pods.count == 0 && !pods.notes && pods.later.len == 0)
        io_pods_problem(&pods, "it has no pod template");
    bool refused = false;
    if (status == KARP_OK && pods.refused.len && !io_is_stated(tree_get(deferred->root, "metadata"), "uid"))
        status = io_refuse(w->f, deferred, pods.refused.ptr, &refused);
    if (status == KARP_OK && !refused) status = expand_pods(w, deferred, root, &pods);
    io_pods_free(&pods);
    return status;
}

/* A Job that Kueue manages: its pods are the pod set of a Workload. */
static karp_status expand_queued_job(workload *w, const io_deferred *deferred, const tree *root)
{
    static const io_pod_kind kind = { .info = { "batch", "Job", IO_KIND_JOB, true, "v1", NULL } };
    karp_reader *reader = w->f->reader;
    io_decoder d;
    io_decoder_init(&d, &reader->scratch);
    io_pods pods = { .context = reader->context,
                     .d = &d,
                     .t = w->f->t,
                     .find = find_object,
                     .user = reader,
                     .now = reader->asked.now,
                     .kind = &kind,
                     .queued = true,
                     .object = root,
                     .namespace_ = w->namespace_,
                     .name = w->name };
    if (io_pods_add(&pods, w->template_, w->name, w->replicas)) io_pods_as_kueue(&pods);
    karp_status status = pods.t->status ? io_reader_nomem(reader) : d.status;
    if (status == KARP_OK) status = expand_pods(w, deferred, root, &pods);
    io_pods_free(&pods);
    return status;
}

/* The controller makes no ReplicaSet for a Deployment that is paused (sync() of
 * pkg/controller/deployment/sync.go, Kubernetes 1.36); one that ran before keeps its pods. A file says which by its
 * status. */
static karp_status note_paused(karp_reader *reader, const workload *w, const tree *root)
{
    bool paused = tree_is(tree_get(tree_get(root, "spec"), "paused"), TREE_TRUE) && w->replicas > 0;
    if (!paused || tree_get(root, "status")) return KARP_OK;
    return io_warn(reader,
                   "Deployment %.*s: paused (spec.paused): a new one creates no pods before it is resumed; "
                   "they are planned as if it ran",
                   str_shown(w->name, 100), w->name.ptr);
}

karp_status io_expand(io_filler *f, const io_deferred *deferred, tree *root, const io_place *place)
{
    karp_reader *reader = f->reader;
    const tree *spec = tree_get(root, "spec");
    bool job = deferred->info->kind == IO_KIND_JOB, stateful = deferred->info->kind == IO_KIND_STATEFUL_SET;
    workload w = { .f = f,
                   .place = place,
                   .namespace_ = deferred->namespace_,
                   .name = deferred->name,
                   .kind = deferred->info->name,
                   .number = (uint32_t)(deferred - reader->deferred),
                   .template_ = tree_get(spec, "template"),
                   .claims = stateful ? tree_get(spec, "volumeClaimTemplates") : NULL,
                   .replicas = count_of(spec, job ? "parallelism" : "replicas"),
                   .job = job,
                   .numbered = stateful,
                   .ordered = strcmp(deferred->info->name, "StatefulSet") == 0 &&
                              !str_is(tree_get_text(spec, "podManagementPolicy"), "Parallel") };
    int64_t start = 0;
    if (tree_get(tree_get(root, "metadata"), "deletionTimestamp"))
        return io_warn(reader, "%s %.*s: being deleted (deletionTimestamp), so it creates no pods", w.kind,
                       str_shown(w.name, 100), w.name.ptr);
    if (deferred->info->kind == IO_KIND_OPERATED) return expand_operated(&w, deferred, root);
    if (stateful && tree_integer(tree_get(tree_get(spec, "ordinals"), "start"), &start) && start > 0)
        w.first = (uint64_t)start;
    if (job && (is_finished(root) || is_suspended(reader, deferred, root))) return io_unused_job(reader, root);
    karp_status grouped = KARP_OK;
    if (job && io_owned(reader, "Job", w.namespace_, w.name) == 0)
        grouped = io_job_group(f, root, w.namespace_, w.name, &w.template_);
    if (job && grouped == KARP_OK && !io_job_ends(spec)) grouped = note_lasting(reader);
    if (grouped) return grouped;
    if (job && !deferred->scaled)
        w.replicas = io_job_active(io_job_counts_of(spec), succeeded_of(reader, root, w.namespace_, w.name));
    if (w.replicas > reader->limits.pods)
        return too_many(reader, deferred, place, job ? "spec.parallelism" : "spec.replicas");
    if (job && reader->options.queued && io_kueue_queue(root).len && w.replicas > 0 &&
        io_owned(reader, "Job", w.namespace_, w.name) == 0)
        return expand_queued_job(&w, deferred, root);
    if ((deferred->info->kind == IO_KIND_DEPLOYMENT || stateful || (job && w.replicas == 0)) && !deferred->scaled) {
        karp_status status = job ? io_unused_job(reader, root) : io_unused_workload(reader, root);
        if (status) return status;
    }
    if (deferred->info->kind == IO_KIND_DEPLOYMENT) {
        w.hash_label = "pod-template-hash";
        karp_status status = note_paused(reader, &w, root);
        return status ? status : expand_by_set(&w, root, "Deployment");
    }
    if (deferred->info->kind != IO_KIND_REPLICA_SET) return expand_plain(&w, root, deferred->info->name);
    /* A ReplicaSet that is controlled by a Deployment of the input gets its pods from that. */
    io_owner above = io_controller(root);
    if (strcmp(above.kind, "Deployment") == 0 && io_find(reader, "Deployment", w.namespace_, above.name) != IO_NONE)
        return KARP_OK;
    return expand_plain(&w, root, "ReplicaSet");
}
