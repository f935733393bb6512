/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/config.h>

#include <io/notes.h>
#include <kube/profile.h>

#define DEFAULT_NAME "default-scheduler"

void kube_config_members(io_decoder *d, const tree *object, const char *known)
{
    for (size_t i = 0; i < tree_count(object) && !d->status; i++) {
        karp_str name = tree_member_name(tree_member_at(object, i));
        if (str_in_list(name, known)) continue;
        char meant[MEANT];
        nearest near = nearest_to(name);
        for (const char *at = known; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
            nearest_offer(&near, (karp_str){ at, strcspn(at, " ") });
        io_push_key(d, name);
        if (near.best.ptr) io_bad(d, KARP_E_UNSUPPORTED, "is not modelled%s", io_meant(&near, meant));
        else io_bad(d, KARP_E_UNSUPPORTED, "is not modelled; known: %s", known);
        io_pop(d);
    }
}

/* ---- profiles ---------------------------------------------------------------------------------------------------- */

static int32_t percentage(io_decoder *d, const tree *object, int32_t absent)
{
    return (int32_t)io_integer(d, object, "percentageOfNodesToScore", 0, 100, absent);
}

static void read_profile(io_decoder *d, const tree *object, kube_profile *p, bool alone)
{
    kube_config_members(d, object, "schedulerName percentageOfNodesToScore plugins pluginConfig");
    karp_str name = io_string(d, object, "schedulerName");
    if (name.len == 0 && !alone)
        io_bad_member(d, "schedulerName", KARP_E_INVALID, "is missing: with several profiles each has one");
    if (name.len) p->name = name;
    p->percentage = percentage(d, object, p->percentage);
    kube_config_plugins(d, io_enter(d, object, "plugins"), p);
    io_pop(d);
    size_t count;
    const tree *args = io_array(d, object, "pluginConfig", &count);
    io_push(d, "pluginConfig");
    kube_config_args(d, args, p);
    io_pop(d);
}

static void read_profiles(io_decoder *d, const tree *root, kube_config *c, const kube_profile *first)
{
    size_t count;
    const tree *list = io_array(d, root, "profiles", &count);
    c->count = count ? count : 1;
    c->profiles = io_make(d, c->count, sizeof *c->profiles);
    io_push(d, "profiles");
    for (size_t i = 0; i < c->count && !d->status; i++) {
        c->profiles[i] = *first;
        if (count == 0) break;
        read_profile(d, io_element(d, list, i), &c->profiles[i], count == 1);
        for (size_t k = 0; k < i && !d->status; k++) {
            if (equal_str(c->profiles[k].name, c->profiles[i].name))
                io_bad_member(d, "schedulerName", KARP_E_INVALID, "another profile has this name");
        }
        io_pop(d);
    }
    io_pop(d);
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static void refuse_extenders(io_decoder *d, const tree *root)
{
    size_t count;
    const tree *list = io_array(d, root, "extenders", &count);
    if (count == 0) return;
    karp_str url = tree_get_text(tree_item(list, 0), "urlPrefix");
    io_push(d, "extenders");
    io_push_index(d, 0);
    io_bad(d, KARP_E_UNSUPPORTED,
           "extender %.*s cannot be modelled: remove it to see what kube-scheduler does without it", str_shown(url, 80),
           url.ptr);
    io_pop(d);
    io_pop(d);
}

static void read_document(io_decoder *d, const tree *root, kube_config *c)
{
    kube_profile first;
    if (!str_is(tree_get_text(root, "kind"), "KubeSchedulerConfiguration"))
        io_bad_member(d, "kind", KARP_E_INVALID, "expected a document of kind KubeSchedulerConfiguration");
    else if (!str_is(tree_get_text(root, "apiVersion"), "kubescheduler.config.k8s.io/v1"))
        io_bad_member(d, "apiVersion", KARP_E_UNSUPPORTED, "expected kubescheduler.config.k8s.io/v1");
    kube_config_members(d, root,
                        "apiVersion kind profiles extenders percentageOfNodesToScore podInitialBackoffSeconds "
                        "podMaxBackoffSeconds parallelism leaderElection clientConnection enableProfiling "
                        "enableContentionProfiling delayCacheUntilActive");
    refuse_extenders(d, root);
    kube_profile_default(&first, c->minor);
    first.name = str(DEFAULT_NAME);
    first.percentage = percentage(d, root, 0);
    first.backoff = io_integer(d, root, "podInitialBackoffSeconds", 1, INT32_MAX, first.backoff);
    first.backoff_most = io_integer(d, root, "podMaxBackoffSeconds", 1, INT32_MAX, first.backoff_most);
    if (first.backoff_most < first.backoff)
        io_bad_member(d, "podMaxBackoffSeconds", KARP_E_INVALID, "is less than podInitialBackoffSeconds");
    read_profiles(d, root, c, &first);
}

static karp_status take(karp_reader *reader, tree *root, const io_place *place, void *user)
{
    kube_config *c = user;
    io_decoder d;
    if (c->met) return fail(&reader->error, KARP_E_INVALID, "a configuration of kube-scheduler is one document");
    c->met = true;
    io_decoder_init(&d, &c->memory);
    read_document(&d, root, c);
    return d.status ? io_reader_bad(reader, &d, place, root) : KARP_OK;
}

karp_status kube_config_read(kube_config *c, karp_context *context, karp_str name, karp_str text, uint32_t minor,
                             karp_error *error)
{
    *c = (kube_config){ .minor = minor };
    arena_init(&c->memory, context);
    karp_status status = karp_reader_new(context, NULL, &c->reader, error);
    if (status) return status;
    strbuf path = strbuf_on(context);
    strbuf_addstr(&path, name);
    c->reader->take = take;
    c->reader->take_user = c;
    if (path.failed) status = fail_nomem(&c->reader->error);
    else status = text.ptr ? io_reader_text(c->reader, name, text, NULL) : io_read_path(c->reader, path.ptr);
    if (!status && !c->met) status = fail(&c->reader->error, KARP_E_INVALID, "the document is empty");
    if (status) {
        c->reader->error.status = status;
        if (c->reader->error.document[0] == '\0') error_set_place(&c->reader->error, name, 1, 0, KARP_NO_OFFSET);
        (void)error_give(&c->reader->error, error);
    }
    strbuf_free(&path);
    return status;
}

void kube_config_free(kube_config *c)
{
    if (!c->reader) return;
    karp_reader_free(c->reader);
    arena_free(&c->memory);
}
