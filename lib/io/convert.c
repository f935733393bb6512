/* SPDX-License-Identifier: Apache-2.0 */
#include <io/convert.h>

#include <providers/members.h>
#include <string.h>

#include <providers/aws/defaults.h>

karp_status io_no_effect(io_converter *c, const char *field, const char *why)
{
    return io_warn(c->reader, "%s %.*s: %s has no effect on decisions%s%s", c->kind,
                   (int)(c->name.len < 100 ? c->name.len : 100), c->name.ptr, field, *why ? ": " : "", why);
}

karp_status io_no_effect_unknown(io_converter *c, const json_t *object, const char *where, const char *const *known)
{
    for (void *at = first_member(object); at; at = next_member(object, at)) {
        const char *key = json_object_iter_key(at);
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0) i++;
        if (known[i]) continue;
        io_text field;
        io_text_init(&field, c->reader->context);
        io_text_adds(&field, where);
        io_text_addc(&field, '.');
        io_text_add(&field, key, strlen(key) < 100 ? strlen(key) : 100);
        karp_status status = field.failed ? io_reader_nomem(c->reader) : io_no_effect(c, field.ptr, "it is not known");
        io_text_free(&field);
        if (status) return status;
    }
    return KARP_OK;
}

/* ---- requirements ------------------------------------------------------------------------------------------------ */

static bool add_requirement(json_t *list, const karp_requirement *r)
{
    json_t *entry = io_map(), *array = io_list();
    bool ok = entry && array;
    for (size_t i = 0; ok && i < r->value_count; i++) ok = io_append(array, io_text_value(r->values[i]));
    ok = ok && io_set(entry, "key", io_text_value(r->key)) &&
         io_set(entry, "operator", json_string(r->op == KARP_OP_GT ? "Gt" : "In"));
    if (!ok) {
        json_decref(array);
        json_decref(entry);
        return false;
    }
    if (!io_set(entry, "values", array)) {
        json_decref(entry);
        return false;
    }
    return io_append(list, entry);
}

/* The webhook of that time wrote the provider's additions into every Provisioner that said nothing else. */
static json_t *requirements(io_converter *c, const json_t *spec)
{
    size_t n = 0;
    const karp_requirement *given = io_requirements(&c->d, spec, "requirements", IO_FOR_POOL, &n);
    if (c->d.status) return NULL;
    const json_t *stated = io_get(spec, "requirements");
    json_t *list = stated ? json_copy(io_get(spec, "requirements")) : io_list();
    karp_requirement added[AWS_POOL_DEFAULTS];
    size_t more = aws_pool_defaults(given, n, added);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < more; i++) ok = add_requirement(list, &added[i]);
    if (ok) return list;
    json_decref(list);
    io_reader_nomem(c->reader);
    return NULL;
}

/* ---- the rest of a Provisioner's spec ----------------------------------------------------------------------------- */

static json_t *seconds(int64_t n, karp_context *context)
{
    io_text text;
    io_text_init(&text, context);
    io_text_addi(&text, n);
    io_text_addc(&text, 's');
    json_t *value = text.failed ? NULL : json_stringn(text.ptr, text.len);
    io_text_free(&text);
    return value;
}

/* Nanoseconds of a duration are what fits 64 bits. */
static const int64_t most_seconds = INT64_MAX / 1000000000;

static json_t *disruption(io_converter *c, const json_t *spec)
{
    int64_t after_empty = io_integer(&c->d, spec, "ttlSecondsAfterEmpty", 0, most_seconds, -1);
    const json_t *consolidation = io_enter(&c->d, spec, "consolidation");
    bool enabled = io_boolean(&c->d, consolidation, "enabled", false);
    if (enabled && after_empty >= 0) {
        io_bad_member(&c->d, "enabled", KARP_E_INVALID, "excludes ttlSecondsAfterEmpty");
    }
    io_pop(&c->d);
    if (c->d.status) return NULL;
    json_t *out = io_map(), *budget = io_map(), *budgets = io_list();
    bool ok = out && budget && budgets && io_set(budget, "nodes", json_string("100%"));
    if (ok) {
        ok = json_array_append(budgets, budget) == 0 && json_object_set(out, "budgets", budgets) == 0;
    }
    ok = ok &&
         io_set(out, "consolidationPolicy", json_string(after_empty >= 0 ? "WhenEmpty" : "WhenEmptyOrUnderutilized"));
    ok = ok && io_set(out, "consolidateAfter",
                      after_empty >= 0 ? seconds(after_empty, c->reader->context)
                      : enabled        ? json_string("0s")
                                       : json_string("Never"));
    json_decref(budget);
    json_decref(budgets);
    if (ok) return out;
    json_decref(out);
    io_reader_nomem(c->reader);
    return NULL;
}

static karp_status kubelet_warnings(io_converter *c, const json_t *kubelet)
{
    static const char *const acting[] = { "maxPods", "podsPerCore", "kubeReserved", "systemReserved", "evictionHard" };
    static const char *const idle[] = { "clusterDNS",
                                        "evictionSoft",
                                        "evictionSoftGracePeriod",
                                        "evictionMaxPodGracePeriod",
                                        "imageGCHighThresholdPercent",
                                        "imageGCLowThresholdPercent",
                                        "cpuCFSQuota" };
    const char *known[sizeof acting / sizeof acting[0] + sizeof idle / sizeof idle[0] + 2] = { NULL };
    size_t n = 0;
    for (size_t i = 0; i < sizeof acting / sizeof acting[0]; i++) known[n++] = acting[i];
    karp_status status = KARP_OK;
    for (size_t i = 0; i < sizeof idle / sizeof idle[0] && status == KARP_OK; i++) {
        char field[96] = "spec.kubeletConfiguration.";
        known[n++] = idle[i];
        if (!io_get(kubelet, idle[i])) continue;
        io_error_text(field + strlen(field), sizeof field - strlen(field), io_str(idle[i]));
        status = io_no_effect(c, field, "");
    }
    known[n] = "containerRuntime";
    if (status == KARP_OK && io_get(kubelet, "containerRuntime")) {
        bool usual = io_str_is(io_get_text(kubelet, "containerRuntime"), "containerd");
        status = io_no_effect(c, "spec.kubeletConfiguration.containerRuntime", usual ? "" : "v1 knows only containerd");
    }
    return status ? status : io_no_effect_unknown(c, kubelet, "spec.kubeletConfiguration", known);
}

/* Without containerRuntime, which has no place in v1. */
static json_t *kubelet_of(io_converter *c, const json_t *spec)
{
    const json_t *kubelet = io_object(&c->d, spec, "kubeletConfiguration");
    if (!kubelet) return NULL;
    size_t count = 0;
    io_push(&c->d, "kubeletConfiguration");
    (void)io_resources(&c->d, kubelet, "kubeReserved", &count);
    (void)io_resources(&c->d, kubelet, "systemReserved", &count);
    (void)io_labels(&c->d, kubelet, "evictionHard", &count);
    (void)io_labels(&c->d, kubelet, "evictionSoft", &count);
    (void)io_integer(&c->d, kubelet, "maxPods", 0, INT32_MAX, 0);
    (void)io_integer(&c->d, kubelet, "podsPerCore", 0, INT32_MAX, 0);
    io_pop(&c->d);
    if (c->d.status || kubelet_warnings(c, kubelet)) return NULL;
    json_t *copy = json_copy(io_get(spec, "kubeletConfiguration"));
    if (!copy) {
        io_reader_nomem(c->reader);
        return NULL;
    }
    (void)json_object_del(copy, "containerRuntime");
    return copy;
}

/* ---- the node class a Provisioner names, or gets -------------------------------------------------------------------- */

static json_t *class_object(const char *name, size_t length, json_t *spec)
{
    json_t *object = io_map(), *metadata = io_map();
    bool ok = object && metadata && io_set(metadata, "name", json_stringn(name, length)) &&
              io_set(object, "apiVersion", json_string("karpenter.k8s.aws/v1")) &&
              io_set(object, "kind", json_string("EC2NodeClass")) && json_object_set(object, "metadata", metadata) == 0;
    json_decref(metadata);
    if (ok) ok = io_set(object, "spec", spec);
    else json_decref(spec);
    if (ok) return object;
    json_decref(object);
    return NULL;
}

/* A field of the node class is one of the object that was read. */
static void blame_original(io_converter *c, bool inline_)
{
    static const char kubelet[] = "spec.kubelet", spec[] = "spec.";
    karp_error *error = &c->reader->error;
    char field[sizeof error->field];
    const char *rest = error->field, *before = "";
    if (strncmp(rest, kubelet, sizeof kubelet - 1) == 0) {
        rest += sizeof kubelet - 1;
        before = "spec.kubeletConfiguration";
    } else if (inline_ && strncmp(rest, spec, sizeof spec - 1) == 0) {
        rest += sizeof spec - 1;
        before = "spec.provider.";
    }
    size_t length = strlen(before);
    memcpy(field, before, length + 1);
    io_error_text(field + length, sizeof field - length, io_str(rest));
    memcpy(error->field, field, sizeof field);
    io_reader_name(c->reader, io_str(c->kind), (karp_str){ "", 0 }, c->name);
}

static karp_status wait_class(io_converter *c, const json_t *object, bool inline_)
{
    const io_kind_info *info = io_kind_find(io_str("karpenter.k8s.aws/v1"), io_str("EC2NodeClass"));
    karp_status status = io_wait(c->reader, info, object, c->place);
    if (status && status != KARP_E_NOMEM) blame_original(c, inline_);
    return status;
}

/* The generated class of a Provisioner with an inline provider or its own kubelet block. `name` becomes its name. */
static karp_status generate_class(io_converter *c, const json_t *spec, json_t *kubelet, karp_str reference,
                                  io_text *name)
{
    const json_t *provider = io_object(&c->d, spec, "provider");
    json_t *class_spec = NULL;
    if (provider) {
        io_push(&c->d, "provider");
        class_spec = io_convert_class_spec(c, provider, "spec.provider");
        io_pop(&c->d);
    } else {
        class_spec = io_map();
        if (!class_spec) io_reader_nomem(c->reader);
    }
    if (!class_spec) return c->d.status ? c->d.status : c->reader->error.status;
    if (kubelet && json_object_set(class_spec, "kubelet", kubelet) != 0) {
        json_decref(class_spec);
        return io_reader_nomem(c->reader);
    }
    if (reference.len) {
        io_text_add(name, reference.ptr, reference.len);
        io_text_addc(name, '-');
    }
    io_text_add(name, c->name.ptr, c->name.len);
    if (name->failed) {
        json_decref(class_spec);
        return io_reader_nomem(c->reader);
    }
    json_t *object = class_object(name->ptr, name->len, class_spec);
    karp_status status = object ? KARP_OK : io_reader_nomem(c->reader);
    if (status == KARP_OK && reference.len) {
        json_t *annotations = io_map();
        if (!io_set(annotations, IO_BASE_CLASS, io_text_value(reference))) {
            json_decref(annotations);
            status = io_reader_nomem(c->reader);
        } else if (!io_set(io_get(object, "metadata"), "annotations", annotations)) {
            status = io_reader_nomem(c->reader);
        }
    }
    if (status == KARP_OK) status = wait_class(c, object, provider != NULL);
    json_decref(object);
    return status;
}

static karp_status class_name(io_converter *c, const json_t *spec, io_text *name)
{
    const json_t *reference = io_object(&c->d, spec, "providerRef");
    karp_str to = { "", 0 };
    if (reference) {
        io_push(&c->d, "providerRef");
        to = io_required_string(&c->d, reference, "name");
        io_pop(&c->d);
        if (io_get(spec, "provider")) io_bad_member(&c->d, "provider", KARP_E_INVALID, "excludes providerRef");
    }
    json_t *kubelet = kubelet_of(c, spec);
    karp_status status = c->d.status;
    if (status == KARP_OK && !kubelet && io_get(spec, "kubeletConfiguration")) return c->reader->error.status;
    if (status == KARP_OK && (kubelet || io_get(spec, "provider"))) {
        status = generate_class(c, spec, kubelet, to, name);
    } else if (status == KARP_OK && to.len) {
        io_text_add(name, to.ptr, to.len);
    } else if (status == KARP_OK) {
        io_text_adds(name, "default");
    }
    json_decref(kubelet);
    return status == KARP_OK && name->failed ? io_reader_nomem(c->reader) : status;
}

/* ---- Provisioner ------------------------------------------------------------------------------------------------- */

static bool share(json_t *into, const char *name, const json_t *from, const char *old)
{
    json_t *value = io_get(from, old);
    return !value || json_object_set_nocheck(into, name, value) == 0;
}

static json_t *class_reference(const io_text *name)
{
    json_t *ref = io_map();
    bool ok = ref && io_set(ref, "group", json_string("karpenter.k8s.aws")) &&
              io_set(ref, "kind", json_string("EC2NodeClass")) &&
              io_set(ref, "name", json_stringn(name->ptr, name->len));
    if (ok) return ref;
    json_decref(ref);
    return NULL;
}

/* spec.template; takes over `list`. NULL = no memory. */
static json_t *pool_template(io_converter *c, const json_t *spec, json_t *list, const io_text *name,
                             int64_t until_expired)
{
    json_t *out = io_map(), *metadata = io_map(), *inner = io_map();
    bool ok = out && metadata && inner && share(metadata, "labels", spec, "labels") &&
              share(metadata, "annotations", spec, "annotations") && share(inner, "taints", spec, "taints") &&
              share(inner, "startupTaints", spec, "startupTaints") &&
              json_object_set(inner, "requirements", list) == 0 &&
              io_set(inner, "nodeClassRef", class_reference(name)) &&
              io_set(inner, "expireAfter",
                     until_expired >= 0 ? seconds(until_expired, c->reader->context) : json_string("Never")) &&
              json_object_set(out, "metadata", metadata) == 0 && json_object_set(out, "spec", inner) == 0;
    json_decref(metadata);
    json_decref(inner);
    json_decref(list);
    if (ok) return out;
    json_decref(out);
    return NULL;
}

static karp_status spec_warnings(io_converter *c, const json_t *spec)
{
    static const char *const known[] = { "annotations",
                                         "labels",
                                         "taints",
                                         "startupTaints",
                                         "requirements",
                                         "kubeletConfiguration",
                                         "provider",
                                         "providerRef",
                                         "ttlSecondsAfterEmpty",
                                         "ttlSecondsUntilExpired",
                                         "consolidation",
                                         "limits",
                                         "weight",
                                         NULL };
    static const char *const in_limits[] = { "resources", NULL };
    karp_status status = io_no_effect_unknown(c, spec, "spec", known);
    return status ? status : io_no_effect_unknown(c, io_get(spec, "limits"), "spec.limits", in_limits);
}

static karp_status convert_provisioner(io_converter *c, const json_t *tree)
{
    const json_t *spec = io_object(&c->d, tree, "spec");
    size_t count = 0;
    io_push(&c->d, "spec");
    (void)io_labels(&c->d, spec, "labels", &count);
    (void)io_labels(&c->d, spec, "annotations", &count);
    (void)io_taints(&c->d, spec, "taints", &count);
    (void)io_taints(&c->d, spec, "startupTaints", &count);
    (void)io_integer(&c->d, spec, "weight", 0, 100, 0);
    const json_t *limits = io_enter(&c->d, spec, "limits");
    (void)io_resources(&c->d, limits, "resources", &count);
    io_pop(&c->d);
    int64_t until_expired = io_integer(&c->d, spec, "ttlSecondsUntilExpired", 0, most_seconds, -1);
    if (c->d.status) return c->d.status;

    io_text name;
    io_text_init(&name, c->reader->context);
    json_t *pool = NULL, *out_spec = NULL, *list = NULL, *how = NULL;
    karp_status status = spec_warnings(c, spec);
    if (status == KARP_OK) status = class_name(c, spec, &name);
    if (status == KARP_OK) {
        list = requirements(c, spec);
        how = list ? disruption(c, spec) : NULL;
        if (!how) status = c->d.status ? c->d.status : c->reader->error.status;
    }
    if (status == KARP_OK) {
        pool = io_map();
        out_spec = io_map();
        json_incref(list);
        bool ok = pool && out_spec &&
                  io_set(out_spec, "template", pool_template(c, spec, list, &name, until_expired)) &&
                  json_object_set(out_spec, "disruption", how) == 0 && share(out_spec, "limits", limits, "resources") &&
                  share(out_spec, "weight", spec, "weight") &&
                  io_set(pool, "apiVersion", json_string("karpenter.sh/v1")) &&
                  io_set(pool, "kind", json_string("NodePool")) && share(pool, "metadata", tree, "metadata") &&
                  json_object_set(pool, "spec", out_spec) == 0;
        status = ok ? io_wait(c->reader, io_kind_find(io_str("karpenter.sh/v1"), io_str("NodePool")), pool, c->place)
                    : io_reader_nomem(c->reader);
    }
    json_decref(how);
    json_decref(list);
    json_decref(out_spec);
    json_decref(pool);
    io_text_free(&name);
    return status;
}

static karp_status convert_template(io_converter *c, const json_t *tree)
{
    const json_t *spec = io_enter(&c->d, tree, "spec");
    json_t *converted = io_convert_class_spec(c, spec, "spec");
    if (!converted) return c->d.status ? c->d.status : c->reader->error.status;
    json_t *object = class_object(c->name.ptr, c->name.len, converted);
    bool ok = object && share(object, "metadata", tree, "metadata") && share(object, "status", tree, "status");
    karp_status status = ok ? wait_class(c, object, false) : io_reader_nomem(c->reader);
    json_decref(object);
    return status;
}

karp_status io_convert(karp_reader *reader, const io_kind_info *info, const json_t *tree, const io_place *place)
{
    io_converter c = { .reader = reader, .kind = info->name, .place = place };
    io_arena_reset(&reader->scratch);
    io_arena arena; /* the scratch one is used again while this one's strings are needed */
    io_arena_init(&arena, reader->context);
    io_decoder_init(&c.d, &arena);
    c.name = io_meta(&c.d, tree, false).name;
    reader->old_objects = true;
    karp_status status = io_survey(reader, tree, 1);
    if (status == KARP_OK && !c.d.status) {
        status = info->kind == IO_KIND_PROVISIONER ? convert_provisioner(&c, tree) : convert_template(&c, tree);
    }
    if (c.d.status) {
        status = io_reader_bad(reader, &c.d, place, tree);
        if (status != KARP_E_NOMEM) io_reader_name(reader, io_str(info->name), (karp_str){ "", 0 }, c.name);
    }
    io_arena_free(&arena);
    return status;
}
