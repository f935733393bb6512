/* SPDX-License-Identifier: Apache-2.0 */
#include <io/clouds.h>
#include <io/convert.h>

#include <stdio.h>

#include <providers/aws/defaults.h>

static karp_status no_effect(io_converter *c, const char *field, const char *why)
{
    return io_warn(c->reader, "%s %.*s: %s has no effect on decisions%s%s", c->kind, str_shown(c->name, 100),
                   c->name.ptr, field, *why ? ": " : "", why);
}

static karp_status no_effect_at(io_converter *c, const char *where, karp_str key, const char *why)
{
    strbuf field = strbuf_on(c->reader->context);
    strbuf_adds(&field, where);
    strbuf_addc(&field, '.');
    strbuf_add(&field, key.ptr, key.len < 100 ? key.len : 100);
    karp_status status = field.failed ? io_reader_nomem(c->reader) : no_effect(c, field.ptr, why);
    strbuf_free(&field);
    return status;
}

karp_status io_no_effect_words(io_converter *c, const tree *object, const char *where, const char *fields)
{
    karp_status status = KARP_OK;
    for (karp_str rest = str(fields); rest.len > 0 && status == KARP_OK;) {
        karp_str word = str_until(&rest, ' ');
        if (tree_find_str(object, word)) status = no_effect_at(c, where, word, "");
    }
    return status;
}

karp_status io_no_effect_unknown(io_converter *c, const tree *object, const char *where, const char *known,
                                 const char *idle)
{
    karp_status status = KARP_OK;
    for (size_t n = 0; tree_is(object, TREE_MAP) && n < tree_count(object) && status == KARP_OK; n++) {
        karp_str key = tree_member_name(tree_member_at(object, n));
        if (!str_in_list(key, known) && !str_in_list(key, idle))
            status = no_effect_at(c, where, key, "it is not known");
    }
    return status;
}

/* ---- requirements ------------------------------------------------------------------------------------------------ */

static void add_requirement(trees *t, tree *list, const karp_requirement *r)
{
    tree *entry = tree_new(t, TREE_MAP), *values = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < r->value_count; i++) tree_append(t, values, tree_new_text(t, r->values[i]));
    tree_set_text(t, entry, "key", r->key);
    tree_set_text(t, entry, "operator", str(r->op == KARP_OP_GT ? "Gt" : "In"));
    tree_set(t, entry, "values", values);
    tree_append(t, list, entry);
}

/* The v1alpha5 webhook added the provider's default requirements to every Provisioner that did not have them. */
static tree *requirements(io_converter *c, const tree *spec)
{
    size_t n = 0;
    const karp_requirement *given = io_requirements(&c->d, spec, "requirements", IO_FOR_POOL, &n);
    if (c->d.status) return NULL;
    tree *list = tree_copy_or_new(c->t, tree_get(spec, "requirements"), TREE_LIST);
    karp_requirement added[AWS_POOL_DEFAULTS];
    size_t more = aws_pool_defaults(given, n, added);
    for (size_t i = 0; i < more; i++) add_requirement(c->t, list, &added[i]);
    return list;
}

/* ---- the rest of a Provisioner's spec ---------------------------------------------------------------------------- */

static tree *seconds(trees *t, int64_t n)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%llds", (long long)n);
    return tree_new_text(t, str(text));
}

/* A duration has to fit in 64 bits as nanoseconds. */
static const int64_t most_seconds = INT64_MAX / 1000000000;

static tree *disruption(io_converter *c, const tree *spec)
{
    int64_t after_empty = io_integer(&c->d, spec, "ttlSecondsAfterEmpty", 0, most_seconds, -1);
    const tree *consolidation = io_enter(&c->d, spec, "consolidation");
    bool enabled = io_boolean(&c->d, consolidation, "enabled", false);
    if (enabled && after_empty >= 0) io_bad_member(&c->d, "enabled", KARP_E_INVALID, "excludes ttlSecondsAfterEmpty");
    io_pop(&c->d);
    trees *t = c->t;
    tree *out = tree_new(t, TREE_MAP), *budget = tree_new(t, TREE_MAP), *budgets = tree_new(t, TREE_LIST);
    tree_set_text(t, budget, "nodes", str("100%"));
    tree_append(t, budgets, budget);
    tree_set(t, out, "budgets", budgets);
    tree_set_text(t, out, "consolidationPolicy", str(after_empty >= 0 ? "WhenEmpty" : "WhenEmptyOrUnderutilized"));
    tree_set(t, out, "consolidateAfter",
             after_empty >= 0 ? seconds(t, after_empty) : tree_new_text(t, str(enabled ? "0s" : "Never")));
    return out;
}

static karp_status kubelet_warnings(io_converter *c, const tree *kubelet)
{
    static const char known[] = "maxPods podsPerCore kubeReserved systemReserved evictionHard containerRuntime";
    static const char idle[] = "clusterDNS evictionSoft evictionSoftGracePeriod evictionMaxPodGracePeriod "
                               "imageGCHighThresholdPercent imageGCLowThresholdPercent cpuCFSQuota";
    karp_status status = io_no_effect_words(c, kubelet, "spec.kubeletConfiguration", idle);
    if (status == KARP_OK && tree_get(kubelet, "containerRuntime")) {
        bool usual = str_is(tree_get_text(kubelet, "containerRuntime"), "containerd");
        status = no_effect(c, "spec.kubeletConfiguration.containerRuntime", usual ? "" : "v1 knows only containerd");
    }
    return status ? status : io_no_effect_unknown(c, kubelet, "spec.kubeletConfiguration", known, idle);
}

/* The kubelet configuration without containerRuntime, which v1 does not have; NULL = there is none. */
static karp_status kubelet_of(io_converter *c, const tree *spec, tree **out)
{
    const tree *kubelet = io_object(&c->d, spec, "kubeletConfiguration");
    *out = NULL;
    if (!kubelet) return c->d.status;
    size_t count = 0;
    io_push(&c->d, "kubeletConfiguration");
    (void)io_resources(&c->d, kubelet, "kubeReserved", &count);
    (void)io_resources(&c->d, kubelet, "systemReserved", &count);
    (void)io_labels(&c->d, kubelet, "evictionHard", &count);
    (void)io_labels(&c->d, kubelet, "evictionSoft", &count);
    (void)io_integer(&c->d, kubelet, "maxPods", 0, INT32_MAX, 0);
    (void)io_integer(&c->d, kubelet, "podsPerCore", 0, INT32_MAX, 0);
    io_pop(&c->d);
    if (c->d.status) return c->d.status;
    *out = tree_copy(c->t, kubelet);
    tree_remove(c->t, *out, "containerRuntime");
    return kubelet_warnings(c, kubelet);
}

/* ---- the node class that a Provisioner names, or that is generated ----------------------------------------------- */

static tree *class_object(trees *t, karp_str name, tree *spec)
{
    tree *object = tree_new(t, TREE_MAP);
    tree_set_text(t, object, "apiVersion", str("karpenter.k8s.aws/v1"));
    tree_set_text(t, object, "kind", str("EC2NodeClass"));
    tree_set_text(t, tree_get_or_make(t, object, "metadata"), "name", name);
    tree_set(t, object, "spec", spec);
    return object;
}

/* Maps the field in an error about the node class to the field of the original object. */
static void blame_original(io_converter *c, bool inline_)
{
    static const char kubelet[] = "spec.kubelet", spec[] = "spec.";
    karp_error *error = &c->reader->error;
    char field[sizeof error->field];
    const char *rest = error->field, *before = "";
    if (str_starts(str(rest), kubelet)) {
        rest += sizeof kubelet - 1;
        before = "spec.kubeletConfiguration";
    } else if (inline_ && str_starts(str(rest), spec)) {
        rest += sizeof spec - 1;
        before = "spec.provider.";
    }
    size_t length = strlen(before);
    memcpy(field, before, length + 1);
    str_shorten(field + length, sizeof field - length, str(rest));
    memcpy(error->field, field, sizeof field);
    io_reader_name(c->reader, str(c->kind), (karp_str){ "", 0 }, c->name);
}

static karp_status postpone_class(io_converter *c, tree *object, bool inline_)
{
    const io_kind_info *info = io_kind_find(str("karpenter.k8s.aws/v1"), str("EC2NodeClass"));
    if (c->t->status) return io_reader_nomem(c->reader);
    karp_status status = io_postpone(c->reader, info, object, c->place);
    if (status && status != KARP_E_NOMEM) blame_original(c, inline_);
    return status;
}

/* Generates the class of a Provisioner with an inline provider or its own kubelet configuration. `name` receives the
 * class's name. */
static karp_status generate_class(io_converter *c, const tree *spec, tree *kubelet, karp_str reference, strbuf *name)
{
    const tree *provider = io_object(&c->d, spec, "provider");
    tree *class_spec = NULL;
    karp_status status = c->d.status;
    if (status) return status;
    if (provider) {
        io_push(&c->d, "provider");
        status = io_convert_class_spec(c, provider, "spec.provider", &class_spec);
        io_pop(&c->d);
        if (status) return status;
    } else {
        class_spec = tree_new(c->t, TREE_MAP);
    }
    tree_set(c->t, class_spec, "kubelet", kubelet);
    if (reference.len) {
        strbuf_addstr(name, reference);
        strbuf_addc(name, '-');
    }
    strbuf_addstr(name, c->name);
    if (name->failed) return io_reader_nomem(c->reader);
    tree *object = class_object(c->t, (karp_str){ name->ptr, name->len }, class_spec);
    if (reference.len) {
        tree *annotations = tree_get_or_make(c->t, tree_get(object, "metadata"), "annotations");
        tree_set_text(c->t, annotations, IO_BASE_CLASS, reference);
    }
    return postpone_class(c, object, provider != NULL);
}

static karp_status class_name(io_converter *c, const tree *spec, strbuf *name)
{
    const tree *reference = io_object(&c->d, spec, "providerRef");
    karp_str to = { "", 0 };
    if (reference) {
        io_push(&c->d, "providerRef");
        to = io_required_string(&c->d, reference, "name");
        io_pop(&c->d);
        if (tree_get(spec, "provider")) io_bad_member(&c->d, "provider", KARP_E_INVALID, "excludes providerRef");
    }
    tree *kubelet = NULL;
    karp_status status = kubelet_of(c, spec, &kubelet);
    if (status == KARP_OK && (kubelet || tree_get(spec, "provider")))
        status = generate_class(c, spec, kubelet, to, name);
    else if (status == KARP_OK) strbuf_addstr(name, to.len ? to : str("default"));
    return status == KARP_OK && name->failed ? io_reader_nomem(c->reader) : status;
}

/* ---- Provisioner ------------------------------------------------------------------------------------------------- */

static tree *class_reference(trees *t, karp_str name)
{
    tree *ref = tree_new(t, TREE_MAP);
    tree_set_text(t, ref, "group", str("karpenter.k8s.aws"));
    tree_set_text(t, ref, "kind", str("EC2NodeClass"));
    tree_set_text(t, ref, "name", name);
    return ref;
}

/* spec.template */
static tree *pool_template(trees *t, const tree *spec, tree *list, karp_str class_name_, int64_t until_expired)
{
    tree *out = tree_new(t, TREE_MAP);
    tree *metadata = tree_get_or_make(t, out, "metadata"), *inner = tree_get_or_make(t, out, "spec");
    tree_set(t, metadata, "labels", tree_get(spec, "labels"));
    tree_set(t, metadata, "annotations", tree_get(spec, "annotations"));
    tree_set(t, inner, "taints", tree_get(spec, "taints"));
    tree_set(t, inner, "startupTaints", tree_get(spec, "startupTaints"));
    tree_set(t, inner, "requirements", list);
    tree_set(t, inner, "nodeClassRef", class_reference(t, class_name_));
    tree_set(t, inner, "expireAfter", until_expired >= 0 ? seconds(t, until_expired) : tree_new_text(t, str("Never")));
    return out;
}

static karp_status spec_warnings(io_converter *c, const tree *spec)
{
    static const char known[] = "annotations labels taints startupTaints requirements kubeletConfiguration provider "
                                "providerRef ttlSecondsAfterEmpty ttlSecondsUntilExpired consolidation limits weight";
    karp_status status = io_no_effect_unknown(c, spec, "spec", known, "");
    return status ? status : io_no_effect_unknown(c, tree_get(spec, "limits"), "spec.limits", "resources", "");
}

static karp_status convert_provisioner(io_converter *c, const tree *root)
{
    const tree *spec = io_object(&c->d, root, "spec");
    size_t count = 0;
    io_push(&c->d, "spec");
    (void)io_labels(&c->d, spec, "labels", &count);
    (void)io_labels(&c->d, spec, "annotations", &count);
    (void)io_taints(&c->d, spec, "taints", &count);
    (void)io_taints(&c->d, spec, "startupTaints", &count);
    (void)io_integer(&c->d, spec, "weight", 0, 100, 0);
    const tree *limits = io_enter(&c->d, spec, "limits");
    (void)io_resources(&c->d, limits, "resources", &count);
    io_pop(&c->d);
    int64_t until_expired = io_integer(&c->d, spec, "ttlSecondsUntilExpired", 0, most_seconds, -1);
    if (c->d.status) return c->d.status;

    strbuf name = strbuf_on(c->reader->context);
    trees *t = c->t;
    tree *list = NULL, *how = NULL;
    karp_status status = spec_warnings(c, spec);
    if (status == KARP_OK) status = class_name(c, spec, &name);
    if (status == KARP_OK) {
        list = requirements(c, spec);
        how = disruption(c, spec);
        status = c->d.status;
    }
    if (status == KARP_OK) {
        tree *pool = tree_new(t, TREE_MAP), *out_spec = tree_get_or_make(t, pool, "spec");
        tree_set(t, out_spec, "template",
                 pool_template(t, spec, list, (karp_str){ name.ptr, name.len }, until_expired));
        tree_set(t, out_spec, "disruption", how);
        tree_set(t, out_spec, "limits", tree_get(limits, "resources"));
        tree_set(t, out_spec, "weight", tree_get(spec, "weight"));
        tree_set_text(t, pool, "apiVersion", str("karpenter.sh/v1"));
        tree_set_text(t, pool, "kind", str("NodePool"));
        tree_set(t, pool, "metadata", tree_get(root, "metadata"));
        status = t->status
                     ? io_reader_nomem(c->reader)
                     : io_postpone(c->reader, io_kind_find(str("karpenter.sh/v1"), str("NodePool")), pool, c->place);
    }
    strbuf_free(&name);
    return status;
}

static karp_status convert_template(io_converter *c, const tree *root)
{
    const tree *spec = io_enter(&c->d, root, "spec");
    tree *converted = NULL;
    karp_status status = io_convert_class_spec(c, spec, "spec", &converted);
    if (status) return status;
    tree *object = class_object(c->t, c->name, converted);
    tree_set(c->t, object, "metadata", tree_get(root, "metadata"));
    tree_set(c->t, object, "status", tree_get(root, "status"));
    return postpone_class(c, object, false);
}

karp_status io_convert(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place)
{
    io_converter c = { .reader = reader, .t = &reader->trees, .kind = info->name, .place = place };
    arena memory; /* the reader's scratch arena is reset while these strings are needed */
    arena_init(&memory, reader->context);
    io_decoder_init(&c.d, &memory);
    c.name = io_meta(&c.d, root, false).name;
    reader->mode.old = true;
    karp_status status = io_survey(reader, root, IO_RANK_POOL);
    if (status == KARP_OK)
        status = io_warn_once(reader, "%s is of Karpenter before 0.32: it is read as %s", info->name,
                              info->kind == IO_KIND_PROVISIONER ? "a NodePool" : "an EC2NodeClass");
    if (status == KARP_OK && !c.d.status)
        status = info->kind == IO_KIND_PROVISIONER ? convert_provisioner(&c, root) : convert_template(&c, root);
    if (c.d.status) {
        status = io_reader_bad(reader, &c.d, place, root);
        if (status != KARP_E_NOMEM) io_reader_name(reader, str(info->name), (karp_str){ "", 0 }, c.name);
    }
    arena_free(&memory);
    return status;
}
