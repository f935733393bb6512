/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VerticalPodAutoscalers, and what Karpenter predicts from them with the preview vpa-prediction. The rules are those of
 * pkg/controllers/state/informer/vpa.go (kubernetes-sigs/karpenter#3134).
 */
#include <io/fill.h>
#include <io/owner.h>
#include <io/previews.h>
#include <io/sizes.h>
#include <io/verticals.h>

/* ---- reading them ------------------------------------------------------------------------------------------------ */

const tree *io_vertical_policy(const io_deferred *w, karp_str container)
{
    const tree *list = io_at_path(w->root, "/spec/resourcePolicy/containerPolicies"), *found = NULL;
    for (size_t i = 0; i < tree_count(list); i++) {
        karp_str name = tree_get_text(tree_item(list, i), "containerName");
        if (equal_str(name, container)) return tree_item(list, i);
        if (str_is(name, "*")) found = tree_item(list, i);
    }
    return found;
}

bool io_vertical_controls(const tree *policy, const char *resource)
{
    const tree *list = tree_get(policy, "controlledResources");
    for (size_t i = 0; i < tree_count(list); i++) {
        if (str_is(tree_text(tree_item(list, i)), resource)) return true;
    }
    return !list;
}

static int by_age(const void *a, const void *b)
{
    const io_deferred *x = a, *y = b;
    int64_t one = io_creation(x->root), other = io_creation(y->root);
    if (one == KARP_NO_TIME) one = INT64_MAX;
    if (other == KARP_NO_TIME) other = INT64_MAX;
    return one != other ? (one < other ? -1 : 1) : compare_str(x->name, y->name);
}

karp_status io_each_vertical(karp_reader *reader, karp_status (*take)(karp_reader *reader, const io_deferred *w))
{
    const void **list = NULL;
    size_t count = 0, capacity = 0;
    karp_status status = KARP_OK;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && !status; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->gone || w->info->kind != IO_KIND_VERTICAL_AUTOSCALER) continue;
        if (!grow(reader->context, (void **)&list, &capacity, count + 1, sizeof *list))
            status = io_reader_nomem(reader);
        else list[count++] = w;
    }
    if (!status && !sort_pointers(reader->context, list, count, by_age)) status = io_reader_nomem(reader);
    for (size_t i = 0; i < count && !status; i++) status = take(reader, list[i]);
    mem_free(reader->context, list, capacity * sizeof *list);
    return status;
}

/* ---- predictions ------------------------------------------------------------------------------------------------- */

typedef struct io_predictions {
    io_table workloads; /* "Kind\nnamespace/name" -> 0 */
    io_table containers; /* the same and "\nCONTAINER" -> index in `list` */
    karp_container *list; /* name and requests; the rest is in reader->keep */
    size_t count, capacity;
} io_predictions;

/* "Kind\nnamespace/name", and the container, if there is one. Empty = out of memory. */
static strbuf key_of(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name, const karp_str *container)
{
    strbuf key = strbuf_on(reader->context);
    strbuf_addstr(&key, kind);
    strbuf_addc(&key, '\n');
    strbuf_addname(&key, namespace_, name);
    if (container) {
        strbuf_addc(&key, '\n');
        strbuf_addstr(&key, *container);
    }
    return key;
}

karp_status io_vertical_no_amount(karp_reader *reader, const io_deferred *w, karp_str text)
{
    io_place place = io_place_whole(&w->place);
    io_reader_fail(reader, KARP_E_INVALID, &place, "status.recommendation.containerRecommendations",
                   "%.*s is no amount of 0 or more", str_shown(text, 60), text.ptr);
    io_reader_name(reader, str(w->info->name), w->namespace_, w->name);
    return KARP_E_INVALID;
}

/* A bound of the policy takes the place of an amount beyond it. */
static void bound(const tree *policy, const char *list, karp_str resource, int beyond, karp_str *text, amount *value)
{
    amount limit;
    char name[64];
    str_shorten(name, sizeof name, resource);
    karp_str given = tree_text_or_digits(tree_get(tree_get(policy, list), name));
    if (!io_exact(given, &limit) || amount_cmp(*value, limit) != beyond) return;
    *value = limit;
    *text = given;
}

/* The CPU that a container has while it starts, "" = overflow; without a boost, the text of the amount. */
static karp_str boosted(const tree *boost, amount value, karp_str text, char room[KARP_VALUE_TEXT])
{
    const tree *cpu = tree_get(boost, "cpu");
    karp_str type = tree_get_text(cpu, "type"), quantity = tree_text_or_digits(tree_get(cpu, "quantity"));
    int64_t factor = 0;
    amount more;
    bool fine = io_exact_up(&value, UINT64_C(1000000));
    if (str_is(type, "Factor") && tree_integer(tree_get(cpu, "factor"), &factor) && factor > 1)
        fine = fine && amount_mul(value, (uint64_t)factor, &value);
    else if (str_is(type, "Quantity") && io_exact(quantity, &more))
        fine = fine && amount_add(value, more, &value) && io_exact_up(&value, UINT64_C(1000000));
    else return text;
    return fine ? str(io_exact_text(value, SIZE_CPU, room)) : str("");
}

/* What admission sets for one resource. KARP_OK with resource->name "" = nothing. */
static karp_status predict_resource(karp_reader *reader, const io_deferred *w, const tree *recommended,
                                    const tree *policy, karp_str resource, karp_resource *out)
{
    char name[64], raised[KARP_VALUE_TEXT];
    amount value;
    str_shorten(name, sizeof name, resource);
    karp_str text = tree_text_or_digits(tree_get(tree_get(recommended, "target"), name));
    *out = (karp_resource){ .name = { "", 0 } };
    if (text.len == 0) return KARP_OK;
    if (!io_exact(text, &value)) return io_vertical_no_amount(reader, w, text);
    amount target = value;
    bound(policy, "minAllowed", resource, -1, &text, &value);
    if (amount_cmp(value, target) == 0) bound(policy, "maxAllowed", resource, 1, &text, &value);
    const tree *boost = tree_get(policy, "startupBoost");
    if (!boost) boost = tree_get(tree_get(w->root, "spec"), "startupBoost");
    if (str_is(resource, "cpu")) text = boosted(boost, value, text, raised);
    if (text.len == 0) return io_vertical_no_amount(reader, w, str("the boosted amount"));
    *out = (karp_resource){ .name = io_keep(reader, resource), .text = io_keep(reader, text) };
    return out->name.ptr && out->text.ptr ? KARP_OK : io_reader_nomem(reader);
}

/* The requests that the admission of the autoscaler sets; none = nothing is controlled. */
static karp_status predict_container(karp_reader *reader, const io_deferred *w, const tree *recommended,
                                     karp_container *out)
{
    static const char *const usual[] = { "cpu", "memory" };
    const tree *policy = io_vertical_policy(w, out->name), *controlled = tree_get(policy, "controlledResources");
    size_t most = controlled ? tree_count(controlled) : 2;
    if (str_is(tree_get_text(policy, "mode"), "Off")) return KARP_OK;
    karp_resource *list = arena_array(&reader->keep, most + 1, sizeof *list);
    if (!list) return io_reader_nomem(reader);
    out->requests = list;
    for (size_t i = 0; i < most; i++) {
        karp_str resource = controlled ? tree_text(tree_item(controlled, i)) : str(usual[i]);
        karp_status status = predict_resource(reader, w, recommended, policy, resource, &list[out->request_count]);
        if (status) return status;
        if (list[out->request_count].name.len > 0) out->request_count++;
    }
    return KARP_OK;
}

static karp_status keep_prediction(karp_reader *reader, karp_str kind, const io_deferred *w, karp_str name,
                                   const karp_container *one)
{
    io_predictions *p = reader->predictions;
    strbuf key = key_of(reader, kind, w->namespace_, name, &one->name);
    bool fine = !key.failed && io_table_put(&p->containers, (karp_str){ key.ptr, key.len }, (uint32_t)p->count) &&
                grow(reader->context, (void **)&p->list, &p->capacity, p->count + 1, sizeof *p->list);
    strbuf_free(&key);
    if (fine) p->list[p->count++] = *one;
    return fine ? KARP_OK : io_reader_nomem(reader);
}

/* Takes the target of an autoscaler that changes pods, if no older one has predicted for the workload. */
static karp_status predict_vertical(karp_reader *reader, const io_deferred *w)
{
    const tree *ref = io_at_path(w->root, "/spec/targetRef"),
               *list = io_at_path(w->root, "/status/recommendation/containerRecommendations");
    karp_str kind = tree_get_text(ref, "kind"), name = tree_get_text(ref, "name");
    if (!ref || str_is(tree_get_text(tree_get(tree_get(w->root, "spec"), "updatePolicy"), "updateMode"), "Off"))
        return KARP_OK;
    strbuf key = key_of(reader, kind, w->namespace_, name, NULL);
    uint32_t *taken = key.failed ? NULL : io_table_at(&reader->predictions->workloads, (karp_str){ key.ptr, key.len });
    karp_status status = taken ? KARP_OK : io_reader_nomem(reader);
    bool first = taken && *taken == IO_NONE, any = false;
    for (size_t i = 0; first && i < tree_count(list) && !status; i++) {
        const tree *one = tree_item(list, i);
        karp_container container = { .name = io_keep(reader, tree_get_text(one, "containerName")) };
        status = container.name.ptr ? predict_container(reader, w, one, &container) : io_reader_nomem(reader);
        if (status || container.request_count == 0) continue;
        any = true;
        status = keep_prediction(reader, kind, w, name, &container);
    }
    if (any && !status && !io_table_put(&reader->predictions->workloads, (karp_str){ key.ptr, key.len }, 0))
        status = io_reader_nomem(reader);
    strbuf_free(&key);
    return status;
}

karp_status io_settle_predictions(karp_reader *reader)
{
    if (reader->predictions || !io_preview(reader->options.previews, "vpa-prediction")) return KARP_OK;
    reader->predictions = mem_zalloc(reader->context, sizeof *reader->predictions);
    if (!reader->predictions) return io_reader_nomem(reader);
    io_table_init(&reader->predictions->workloads, reader->context);
    io_table_init(&reader->predictions->containers, reader->context);
    return io_each_vertical(reader, predict_vertical);
}

void io_predictions_free(karp_reader *reader)
{
    io_predictions *p = reader->predictions;
    if (!p) return;
    io_table_free(&p->workloads);
    io_table_free(&p->containers);
    mem_free(reader->context, p->list, p->capacity * sizeof *p->list);
    mem_free(reader->context, p, sizeof *p);
    reader->predictions = NULL;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* A copy in the decoder's memory, which may outlive the reader. false = out of memory. */
static bool copy_prediction(io_decoder *d, const karp_container *from, karp_str name, karp_container *to)
{
    karp_resource *list = io_make(d, from->request_count, sizeof *list);
    *to = (karp_container){ .name = name, .requests = list, .request_count = from->request_count };
    for (size_t i = 0; list && i < from->request_count; i++) {
        const karp_resource *r = &from->requests[i];
        const char *resource = arena_string(d->arena, r->name.ptr, r->name.len),
                   *text = arena_string(d->arena, r->text.ptr, r->text.len);
        if (!resource || !text) return false;
        list[i] = (karp_resource){ .name = { resource, r->name.len }, .text = { text, r->text.len } };
    }
    return list != NULL;
}

/* Adds the predictions for the containers of a list, in its order. false = out of memory. */
static bool find_containers(karp_reader *reader, io_decoder *d, strbuf *key, const karp_container *list, size_t count,
                            karp_container *out, size_t *found)
{
    const io_predictions *p = reader->predictions;
    size_t length = key->len;
    for (size_t i = 0; i < count && !key->failed; i++) {
        strbuf_addc(key, '\n');
        strbuf_addstr(key, list[i].name);
        uint32_t at = key->failed ? IO_NONE : io_table_get(&p->containers, (karp_str){ key->ptr, key->len });
        if (at != IO_NONE && !copy_prediction(d, &p->list[at], list[i].name, &out[(*found)++])) return false;
        key->len = length;
    }
    return !key->failed;
}

void io_predict(karp_reader *reader, io_decoder *d, karp_str kind, karp_str namespace_, karp_str name, karp_pod *pod)
{
    const io_predictions *p = reader->predictions;
    if (!p || p->count == 0 || d->status) return;
    if (namespace_.len == 0) namespace_ = str("default");
    strbuf key = key_of(reader, kind, namespace_, name, NULL);
    bool fine = !key.failed;
    if (fine && io_table_get(&p->workloads, (karp_str){ key.ptr, key.len }) == 0) {
        karp_container *list = io_make(d, pod->container_count + pod->init_container_count + 1, sizeof *list);
        size_t found = 0;
        fine = list && find_containers(reader, d, &key, pod->containers, pod->container_count, list, &found) &&
               find_containers(reader, d, &key, pod->init_containers, pod->init_container_count, list, &found);
        pod->predicted_containers = list;
        pod->predicted_container_count = fine ? found : 0;
    }
    if (!fine) d->status = fail_nomem(&d->error);
    strbuf_free(&key);
}

void io_predict_pod(karp_reader *reader, io_decoder *d, const tree *root, karp_pod *pod)
{
    static const char *const kinds[] = { "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob" };
    if (!reader->predictions || reader->predictions->count == 0) return;
    io_top top = io_top_owner(reader, root);
    karp_str space = io_namespace(root);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (str_is(top.kind, kinds[i])) io_predict(reader, d, top.kind, space, top.name, pod);
    }
    /* A ReplicaSet that the input does not have stands for the Deployment of its name, as in traces. */
    if (pod->predicted_container_count == 0 && str_is(top.kind, "ReplicaSet") &&
        !io_find_tree(reader, top.kind, space, top.name))
        io_predict(reader, d, str("Deployment"), space, top.name, pod);
}
