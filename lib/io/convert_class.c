/* SPDX-License-Identifier: Apache-2.0 */
/* Converts AWSNodeTemplates to EC2NodeClasses, and renames old labels in other objects. */
#include <io/convert.h>

#include <base/labels.h>

/* ---- selectors --------------------------------------------------------------------------------------------------- */

enum { TERMS_MOST = 1000, LISTS_MOST = 64 };

/* One key of an old selector, with its comma-separated values. */
typedef struct key_values {
    karp_str key; /* key of a tag; or "id", "name", "owner" */
    bool tag;
    karp_str values;
    size_t count, at;
} key_values;

static karp_str value_at(karp_str list, size_t index)
{
    const char *from = list.ptr, *end = list.ptr + list.len;
    for (;;) {
        const char *comma = from < end ? memchr(from, ',', (size_t)(end - from)) : NULL;
        const char *to = comma ? comma : end;
        if (index == 0) {
            while (from < to && *from == ' ') from++;
            while (to > from && to[-1] == ' ') to--;
            return from == to ? str("*") : (karp_str){ from, (size_t)(to - from) };
        }
        if (!comma) return str("*");
        from = comma + 1;
        index--;
    }
}

static karp_str special(karp_str key, bool images)
{
    if (str_is(key, "aws-ids") || str_is(key, "aws::ids")) return str("id");
    if (images && str_is(key, "aws::name")) return str("name");
    if (images && str_is(key, "aws::owners")) return str("owner");
    return str("");
}

/* Creates the term of one combination of values. */
static tree *one_term(trees *t, const key_values *lists, size_t count)
{
    tree *term = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < count; i++) {
        tree *into = lists[i].tag ? tree_get_or_make(t, term, "tags") : term;
        tree_set_str(t, into, lists[i].key, tree_new_text(t, value_at(lists[i].values, lists[i].at)));
    }
    return term;
}

/* Converts a map of tags, whose values may be comma-separated lists, to one term for each combination. Failures are
 * recorded in the decoder. */
static tree *selector_terms(io_converter *c, const tree *spec, const char *name, bool images)
{
    key_values lists[LISTS_MOST];
    size_t n = 0, given = 0, combinations = 1;
    tree *terms = tree_new(c->t, TREE_LIST);
    const karp_label *labels = io_labels(&c->d, spec, name, &given);
    if (given > LISTS_MOST) io_bad_member(&c->d, name, KARP_E_LIMIT, "has too many tags");
    if (c->d.status) return NULL;
    bool has_special = false;
    for (size_t i = 0; i < given; i++) has_special = has_special || special(labels[i].key, images).len;
    for (size_t i = 0; i < given; i++) {
        karp_str word = special(labels[i].key, images);
        /* A term with an id cannot have tags as well. In the old API tags had no effect if an id was given. */
        if (has_special && !word.len) continue;
        key_values *list = &lists[n++];
        *list = (key_values){ word.len ? word : labels[i].key, word.len == 0, labels[i].value, 1, 0 };
        for (size_t k = 0; k < labels[i].value.len; k++) list->count += labels[i].value.ptr[k] == ',';
        combinations = list->count > TERMS_MOST / combinations ? TERMS_MOST + 1 : combinations * list->count;
        if (combinations > TERMS_MOST) {
            io_bad_member(&c->d, name, KARP_E_LIMIT, "stands for too many combinations of tags");
            return NULL;
        }
    }
    for (size_t made = 0; n && made < combinations; made++) {
        size_t rest = made;
        for (size_t i = n; i-- > 0;) {
            lists[i].at = rest % lists[i].count;
            rest /= lists[i].count;
        }
        tree_append(c->t, terms, one_term(c->t, lists, n));
    }
    return terms;
}

static void put_terms(io_converter *c, const tree *spec, const char *old, const char *name, bool images, tree *out)
{
    if (tree_get(spec, old)) tree_set(c->t, out, name, selector_terms(c, spec, old, images));
}

/* Without an image selector, the newest images of the family are used. */
static void put_alias(trees *t, const tree *spec, tree *out)
{
    karp_str family = tree_get_text(spec, "amiFamily");
    char alias[64] = "al2";
    if (tree_get(spec, "amiSelector")) return;
    if (family.len) {
        size_t n = family.len < 40 ? family.len : 40;
        for (size_t i = 0; i < n; i++) alias[i] = ascii_lower(family.ptr[i]);
        alias[n] = '\0';
    }
    memcpy(alias + strlen(alias), "@latest", sizeof "@latest");
    tree *term = tree_new(t, TREE_MAP), *terms = tree_new(t, TREE_LIST);
    tree_set_text(t, term, "alias", str(alias));
    tree_append(t, terms, term);
    tree_set(t, out, "amiSelectorTerms", terms);
}

/* Old defaults that are different in v1. */
static void put_metadata_options(trees *t, const tree *spec, tree *out)
{
    const tree *given = tree_get(spec, "metadataOptions");
    tree *options = tree_copy_or_new(t, given, TREE_MAP);
    if (!given) {
        tree_set_text(t, options, "httpEndpoint", str("enabled"));
        tree_set_text(t, options, "httpProtocolIPv6", str("disabled"));
        tree_set(t, options, "httpPutResponseHopLimit", tree_new_integer(t, 2));
    }
    tree_default_text(t, options, "httpTokens", str(given ? "optional" : "required"));
    tree_set(t, out, "metadataOptions", options);
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

static karp_status class_warnings(io_converter *c, const tree *spec, const char *where)
{
    static const char idle[] = "subnetSelector securityGroupSelector amiSelector userData detailedMonitoring context "
                               "instanceProfile tags metadataOptions associatePublicIpAddress";
    /* An inline provider has the apiVersion and kind of an object. */
    static const char known[] = "amiFamily blockDeviceMappings launchTemplate apiVersion kind";
    karp_status status = io_no_effect_words(c, spec, where, idle);
    return status ? status : io_no_effect_unknown(c, spec, where, known, idle);
}

karp_status io_convert_class_spec(io_converter *c, const tree *spec, const char *where, tree **into)
{
    static const char *const same[] = { "amiFamily",           "userData", "detailedMonitoring", "context",
                                        "blockDeviceMappings", "tags",     "instanceProfile" };
    trees *t = c->t;
    size_t count = 0;
    (void)io_string(&c->d, spec, "amiFamily");
    (void)io_labels(&c->d, spec, "tags", &count);
    (void)io_array(&c->d, spec, "blockDeviceMappings", &count);
    (void)io_object(&c->d, spec, "metadataOptions");
    if (tree_get(spec, "launchTemplate")) {
        io_bad_member(&c->d, "launchTemplate", KARP_E_UNSUPPORTED,
                      "has no counterpart in v1: state userData and amiSelector instead");
    }
    if (c->d.status) return c->d.status;
    karp_status status = class_warnings(c, spec, where);
    if (status) return status;
    tree *out = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) tree_set(t, out, same[i], tree_get(spec, same[i]));
    tree_default_text(t, out, "amiFamily", str("AL2"));
    tree_set(t, out, "associatePublicIPAddress", tree_get(spec, "associatePublicIpAddress"));
    put_alias(t, spec, out);
    put_metadata_options(t, spec, out);
    put_terms(c, spec, "subnetSelector", "subnetSelectorTerms", false, out);
    put_terms(c, spec, "securityGroupSelector", "securityGroupSelectorTerms", false, out);
    put_terms(c, spec, "amiSelector", "amiSelectorTerms", true, out);
    *into = out;
    return t->status ? io_reader_nomem(c->reader) : c->d.status;
}

void io_complete_class(trees *t, tree *root, const tree *base)
{
    tree_remove(t, tree_get(root, "metadata"), "annotations");
    tree_set_missing(t, tree_get(root, "spec"), tree_get(base, "spec"));
}

/* ---- renamed labels ---------------------------------------------------------------------------------------------- */

#define OLD_POOL_LABEL "karpenter.sh/provisioner-name"

/* Renames the label below `value`: in members' names, and in requirements and topology keys. */
static void rename_label(trees *t, tree *value)
{
    static const char *const naming[] = { "key", "topologyKey" };
    for (size_t i = 0; tree_is(value, TREE_LIST) && i < tree_count(value); i++) rename_label(t, tree_item(value, i));
    if (!tree_is(value, TREE_MAP)) return;
    for (size_t i = 0; i < 2; i++) {
        if (str_is(tree_get_text(value, naming[i]), OLD_POOL_LABEL))
            tree_set_text(t, value, naming[i], str(LABEL_NODE_POOL));
    }
    tree *old = tree_get(value, OLD_POOL_LABEL);
    if (tree_is(old, TREE_STRING)) { /* the decoder reports a wrong value */
        tree_default(t, value, LABEL_NODE_POOL, old);
        tree_remove(t, value, OLD_POOL_LABEL);
    }
    for (size_t i = 0; i < tree_count(value); i++) rename_label(t, tree_member_at(value, i)->value);
}

static void rename_annotation(trees *t, const tree *metadata, const char *old)
{
    tree *annotations = tree_get(metadata, "annotations");
    if (str_is(tree_get_text(annotations, old), "true"))
        tree_default_text(t, annotations, "karpenter.sh/do-not-disrupt", str("true"));
}

void io_rename_old(trees *t, const io_kind_info *info, tree *root)
{
    const tree *metadata = tree_get(root, "metadata"), *template_ = tree_get(tree_get(root, "spec"), "template");
    rename_label(t, tree_get(metadata, "labels"));
    rename_label(t, tree_get(root, "spec"));
    rename_annotation(t, metadata, "karpenter.sh/do-not-evict");
    rename_annotation(t, tree_get(template_, "metadata"), "karpenter.sh/do-not-evict");
    if (info->kind == IO_KIND_NODE) rename_annotation(t, metadata, "karpenter.sh/do-not-consolidate");
}
