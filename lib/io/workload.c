/* SPDX-License-Identifier: Apache-2.0 */
/* Deployments, ReplicaSets, StatefulSets and Jobs become the pods that their controllers would make, less those that
 * are in the input. */
#include <io/fill.h>

#include <string.h>

static const karp_str nothing = { "", 0 };

typedef struct workload {
    io_filler *f;
    const io_place *place;
    karp_str namespace_, name;
    const json_t *template_;
    const json_t *claims; /* of a StatefulSet */
    json_t *owner; /* what pods carry as ownerReferences */
    const char *hash; /* of a Deployment's template; NULL = none */
    bool numbered; /* a StatefulSet: pods are labelled with name and number */
    bool job;
    uint64_t first, replicas;
} workload;

/* ---- who owns what ----------------------------------------------------------------------------------------------- */

bool io_note_owned(karp_reader *reader, const json_t *pod)
{
    const json_t *metadata = io_get(pod, "metadata"), *owners = io_get(metadata, "ownerReferences");
    karp_str phase = io_get_text(io_get(pod, "status"), "phase");
    karp_str space = io_get_text(metadata, "namespace");
    if (io_str_is(phase, "Succeeded") || io_str_is(phase, "Failed")) return true;
    if (space.len == 0) space = io_str("default");
    for (size_t i = 0; i < json_array_size(owners); i++) {
        const json_t *owner = json_array_get(owners, i);
        if (!json_is_true(io_get(owner, "controller"))) continue;
        static const char *const keys[][2] = { { "ReplicaSet", "owned ReplicaSet" },
                                               { "StatefulSet", "owned StatefulSet" },
                                               { "Job", "owned Job" } };
        for (size_t k = 0; k < 3; k++) {
            if (!io_str_is(io_get_text(owner, "kind"), keys[k][0])) continue;
            karp_str name = io_get_text(owner, "name");
            uint32_t so_far = io_find(reader, keys[k][1], space, name);
            return io_note_name(reader, keys[k][1], space, name, so_far == IO_NONE ? 1 : so_far + 1);
        }
    }
    return true;
}

static uint32_t owned(const karp_reader *reader, const char *key, karp_str space, karp_str name)
{
    uint32_t count = io_find(reader, key, space, name);
    return count == IO_NONE ? 0 : count;
}

/* The Deployment that controls a ReplicaSet; "" = none. */
static karp_str deployment_of(const json_t *replica_set)
{
    const json_t *owners = io_get(io_get(replica_set, "metadata"), "ownerReferences");
    for (size_t i = 0; i < json_array_size(owners); i++) {
        const json_t *owner = json_array_get(owners, i);
        bool controls = json_is_true(io_get(owner, "controller")) &&
                        io_str_is(io_get_text(owner, "kind"), "Deployment");
        if (controls) return io_get_text(owner, "name");
    }
    return nothing;
}

bool io_note_replica_set(io_filler *f, const io_waiting *w, const json_t *tree)
{
    karp_str deployment = deployment_of(tree);
    uint32_t count = owned(f->reader, "owned ReplicaSet", w->namespace_, w->name);
    if (deployment.len == 0 || count == 0) return true;
    count += owned(f->reader, "owned Deployment", w->namespace_, deployment);
    return io_note_name(f->reader, "owned Deployment", w->namespace_, deployment, count);
}

static json_t *owner_reference(const json_t *owner, const char *api_version, const char *kind)
{
    json_t *list = io_list(), *one = io_map();
    const json_t *metadata = io_get(owner, "metadata");
    karp_str uid = io_get_text(metadata, "uid");
    bool ok = list && one && io_set(one, "apiVersion", json_string(api_version)) &&
              io_set(one, "kind", json_string(kind)) &&
              io_set(one, "name", io_text_value(io_get_text(metadata, "name"))) &&
              (uid.len == 0 || io_set(one, "uid", io_text_value(uid))) && io_set(one, "controller", json_true()) &&
              io_set(one, "blockOwnerDeletion", json_true()) && json_array_append(list, one) == 0;
    json_decref(one);
    if (ok) return list;
    json_decref(list);
    return NULL;
}

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

static bool set_number(json_t *object, const char *name, uint64_t number, karp_context *context)
{
    io_text text;
    io_text_init(&text, context);
    io_text_addu(&text, number);
    bool ok = !text.failed && io_set(object, name, json_stringn(text.ptr, text.len));
    io_text_free(&text);
    return ok;
}

static bool pod_labels(const workload *w, json_t *metadata, karp_str pod_name, uint64_t number)
{
    const json_t *given = io_get(w->template_, "metadata");
    json_t *stated = io_get(given, "labels");
    json_t *labels = stated ? json_copy(stated) : io_map();
    bool ok = io_set(metadata, "labels", labels);
    if (ok && w->hash) ok = io_default_text(labels, "pod-template-hash", w->hash);
    if (ok && w->numbered) {
        ok = io_set(labels, "statefulset.kubernetes.io/pod-name", io_text_value(pod_name)) &&
             set_number(labels, "apps.kubernetes.io/pod-index", number, w->f->reader->context);
    }
    if (ok && w->job) {
        ok = io_default_str(labels, "batch.kubernetes.io/job-name", w->name) &&
             io_default_str(labels, "job-name", w->name);
    }
    json_t *annotations = io_get(given, "annotations");
    return ok && (!annotations || json_object_set(metadata, "annotations", annotations) == 0);
}

static bool claim_name(const workload *w, const json_t *template_, karp_str pod_name, io_text *out)
{
    karp_str own = io_get_text(io_get(template_, "metadata"), "name");
    io_text_init(out, w->f->reader->context);
    io_text_add(out, own.ptr, own.len);
    io_text_addc(out, '-');
    io_text_add(out, pod_name.ptr, pod_name.len);
    return !out->failed;
}

static bool mount(json_t *volumes, karp_str name, karp_str claim)
{
    for (size_t i = json_array_size(volumes); i-- > 0;) {
        if (io_str_equal(io_get_text(json_array_get(volumes, i), "name"), name)) (void)json_array_remove(volumes, i);
    }
    json_t *volume = io_map(), *source = io_map();
    bool ok = volume && source && io_set(volume, "name", io_text_value(name)) &&
              io_set(source, "claimName", io_text_value(claim)) &&
              json_object_set(volume, "persistentVolumeClaim", source) == 0 && json_array_append(volumes, volume) == 0;
    json_decref(source);
    json_decref(volume);
    return ok;
}

/* The spec with the claims' volumes; shared with the template when there are none. */
static json_t *pod_spec(const workload *w, karp_str pod_name)
{
    json_t *given = io_get(w->template_, "spec");
    if (!given) return io_map();
    if (json_array_size(w->claims) == 0) return json_incref(given);
    json_t *spec = json_copy(given), *stated = io_get(given, "volumes");
    json_t *volumes = stated ? json_copy(stated) : io_list();
    bool ok = spec && io_set(spec, "volumes", volumes);
    for (size_t i = 0; ok && i < json_array_size(w->claims); i++) {
        const json_t *template_ = json_array_get(w->claims, i);
        io_text claim;
        ok = claim_name(w, template_, pod_name, &claim) &&
             mount(volumes, io_get_text(io_get(template_, "metadata"), "name"), (karp_str){ claim.ptr, claim.len });
        io_text_free(&claim);
    }
    if (ok) return spec;
    json_decref(spec);
    return NULL;
}

static karp_status add_pod(const workload *w, karp_str pod_name, uint64_t number)
{
    const io_kind_info *info = io_kind_find(io_str("v1"), io_str("Pod"));
    json_t *pod = io_new_object("v1", "Pod", w->namespace_, pod_name);
    json_t *metadata = io_get(pod, "metadata");
    bool ok = pod && pod_labels(w, metadata, pod_name, number) &&
              json_object_set(metadata, "ownerReferences", w->owner) == 0 &&
              io_set(pod, "spec", pod_spec(w, pod_name)) && io_identify(w->f, info, pod);
    karp_status status = ok ? io_fill_and_add_pod(w->f, pod, w->place) : io_reader_nomem(w->f->reader);
    json_decref(pod);
    return status;
}

static karp_status add_claims(const workload *w, karp_str pod_name)
{
    const io_kind_info *info = io_kind_find(io_str("v1"), io_str("PersistentVolumeClaim"));
    karp_status status = KARP_OK;
    for (size_t i = 0; i < json_array_size(w->claims) && status == KARP_OK; i++) {
        const json_t *template_ = json_array_get(w->claims, i);
        const json_t *given = io_get(template_, "metadata");
        json_t *labels = io_get(given, "labels"), *annotations = io_get(given, "annotations"),
               *spec = io_get(template_, "spec");
        io_text name;
        bool ok = claim_name(w, template_, pod_name, &name);
        karp_str text = { name.ptr, name.len };
        if (ok && io_find(w->f->reader, info->name, w->namespace_, text) == IO_NONE) {
            json_t *claim = io_new_object("v1", info->name, w->namespace_, text);
            json_t *metadata = io_get(claim, "metadata");
            ok = claim && (!labels || json_object_set(metadata, "labels", labels) == 0) &&
                 (!annotations || io_set(metadata, "annotations", json_copy(annotations))) &&
                 (!spec || io_set(claim, "spec", json_copy(spec))) && io_identify(w->f, info, claim) &&
                 (!w->f->fill || io_fill_claim_volume(w->f, claim));
            status = ok ? io_add_filled(w->f->reader, info, claim, w->place) : KARP_OK;
            json_decref(claim);
        }
        if (!ok) status = io_reader_nomem(w->f->reader);
        io_text_free(&name);
    }
    return status;
}

/* NAME-0 … NAME-(n-1), less those that the input has; never more than are missing. */
static karp_status add_pods(const workload *w, uint64_t present)
{
    uint64_t missing = w->replicas > present ? w->replicas - present : 0;
    karp_status status = KARP_OK;
    for (uint64_t i = 0; i < w->replicas && status == KARP_OK; i++) {
        if (missing == 0 && json_array_size(w->claims) == 0) break;
        io_text name;
        io_text_init(&name, w->f->reader->context);
        io_text_add(&name, w->name.ptr, w->name.len);
        io_text_addc(&name, '-');
        io_text_addu(&name, w->first + i);
        karp_str text = { name.ptr, name.len };
        if (name.failed) {
            status = io_reader_nomem(w->f->reader);
        } else if (missing && io_find(w->f->reader, "Pod", w->namespace_, text) == IO_NONE) {
            status = add_pod(w, text, w->first + i);
            missing--;
        }
        if (status == KARP_OK) status = add_claims(w, text);
        io_text_free(&name);
    }
    return status;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static uint64_t count_of(const json_t *spec, const char *name)
{
    const json_t *value = io_get(spec, name);
    if (!json_is_integer(value)) return 1;
    return json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;
}

/* Five bytes of the template's digest, as Deployments tell their ReplicaSets apart. false = no memory. */
static bool template_hash(karp_context *context, const json_t *template_, char hash[11])
{
    io_text text;
    karp_digest s;
    char hex[KARP_DIGEST_TEXT];
    io_text_init(&text, context);
    if (template_) io_write_json(&text, template_);
    bool ok = !text.failed;
    if (ok) {
        karp_digest_init(&s, sizeof s);
        karp_digest_add(&s, text.ptr, text.len);
        karp_digest_text(&s, hex);
        memcpy(hash, hex, 10);
        hash[10] = '\0';
    }
    io_text_free(&text);
    return ok;
}

static json_t *replica_set_spec(const json_t *spec, const char *hash)
{
    json_t *out = io_map(), *given = io_get(spec, "selector"), *template_ = io_get(spec, "template"),
           *replicas = io_get(spec, "replicas");
    json_t *selector = given ? json_deep_copy(given) : io_map();
    bool ok = out && io_set(out, "selector", selector);
    json_t *match = ok ? io_get_or_make(selector, "matchLabels") : NULL;
    ok = match && io_set(match, "pod-template-hash", json_string(hash)) &&
         (!template_ || json_object_set(out, "template", template_) == 0) &&
         (!replicas || json_object_set(out, "replicas", replicas) == 0);
    if (ok) return out;
    json_decref(out);
    return NULL;
}

/* The ReplicaSet that a Deployment would have made: it owns the pods and lends them its selector. */
static json_t *make_replica_set(const workload *w, const json_t *deployment)
{
    io_text name;
    io_text_init(&name, w->f->reader->context);
    io_text_add(&name, w->name.ptr, w->name.len);
    io_text_addc(&name, '-');
    io_text_adds(&name, w->hash);
    const io_kind_info *info = io_kind_find(io_str("apps/v1"), io_str("ReplicaSet"));
    json_t *set = name.failed ? NULL
                              : io_new_object("apps/v1", "ReplicaSet", w->namespace_, (karp_str){ name.ptr, name.len });
    json_t *metadata = io_get(set, "metadata");
    bool ok = set && io_set(set, "spec", replica_set_spec(io_get(deployment, "spec"), w->hash)) &&
              io_set(metadata, "ownerReferences", owner_reference(deployment, "apps/v1", "Deployment")) &&
              io_identify(w->f, info, set);
    io_text_free(&name);
    if (ok) return set;
    json_decref(set);
    return NULL;
}

static bool is_finished(const json_t *job)
{
    const json_t *conditions = io_get(io_get(job, "status"), "conditions");
    return json_is_true(io_get(io_get(job, "spec"), "suspend")) ||
           io_str_is(io_condition_status(conditions, "Complete"), "True") ||
           io_str_is(io_condition_status(conditions, "Failed"), "True");
}

static karp_status expand_deployment(workload *w, const json_t *tree)
{
    karp_reader *reader = w->f->reader;
    const io_kind_info *info = io_kind_find(io_str("apps/v1"), io_str("ReplicaSet"));
    char hash[11];
    if (!template_hash(reader->context, w->template_, hash)) return io_reader_nomem(reader);
    w->hash = hash;
    json_t *set = make_replica_set(w, tree);
    if (!set) return io_reader_nomem(reader);
    karp_str name = io_get_text(io_get(set, "metadata"), "name");
    karp_status status = KARP_OK;
    if (io_find(reader, "ReplicaSet", w->namespace_, name) == IO_NONE)
        status = io_add_filled(reader, info, set, w->place);
    w->owner = status ? NULL : owner_reference(set, "apps/v1", "ReplicaSet");
    if (status == KARP_OK) {
        status = w->owner ? add_pods(w, owned(reader, "owned Deployment", w->namespace_, w->name))
                          : io_reader_nomem(reader);
    }
    json_decref(set);
    return status;
}

static karp_status expand_plain(workload *w, const json_t *tree, const char *api_version, const char *kind,
                                const char *key)
{
    w->owner = owner_reference(tree, api_version, kind);
    if (!w->owner) return io_reader_nomem(w->f->reader);
    return add_pods(w, owned(w->f->reader, key, w->namespace_, w->name));
}

karp_status io_expand(io_filler *f, const io_waiting *waiting, json_t *tree, const io_place *place)
{
    karp_reader *reader = f->reader;
    const json_t *spec = io_get(tree, "spec");
    bool job = waiting->info->kind == IO_KIND_JOB, stateful = waiting->info->kind == IO_KIND_STATEFUL_SET;
    workload w = { .f = f,
                   .place = place,
                   .namespace_ = waiting->namespace_,
                   .name = waiting->name,
                   .job = job,
                   .numbered = stateful };
    w.template_ = io_get(spec, "template");
    w.claims = stateful ? io_get(spec, "volumeClaimTemplates") : NULL;
    w.replicas = count_of(spec, job ? "parallelism" : "replicas");
    const json_t *start = io_get(io_get(spec, "ordinals"), "start");
    if (stateful && json_is_integer(start) && json_integer_value(start) > 0)
        w.first = (uint64_t)json_integer_value(start);
    if (job && is_finished(tree)) return KARP_OK;
    if (w.replicas > reader->max_pods) {
        io_reader_fail(reader, KARP_E_LIMIT, place, job ? "spec.parallelism" : "spec.replicas",
                       "more pods than the limit");
        io_reader_name(reader, io_str(waiting->info->name), w.namespace_, w.name);
        return KARP_E_LIMIT;
    }
    karp_status status = KARP_OK;
    if (waiting->info->kind == IO_KIND_DEPLOYMENT) {
        status = expand_deployment(&w, tree);
    } else if (waiting->info->kind == IO_KIND_REPLICA_SET) {
        /* One that a Deployment of the input controls has its pods from there. */
        karp_str deployment = deployment_of(tree);
        if (deployment.len == 0 || io_find(reader, "Deployment", w.namespace_, deployment) == IO_NONE) {
            status = expand_plain(&w, tree, "apps/v1", "ReplicaSet", "owned ReplicaSet");
        }
    } else if (stateful) {
        status = expand_plain(&w, tree, "apps/v1", "StatefulSet", "owned StatefulSet");
    } else {
        status = expand_plain(&w, tree, "batch/v1", "Job", "owned Job");
    }
    json_decref(w.owner);
    return status;
}
