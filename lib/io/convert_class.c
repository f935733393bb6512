/* SPDX-License-Identifier: Apache-2.0 */
/* AWSNodeTemplate -> EC2NodeClass, and what was renamed in other objects. */
#include <io/convert.h>

#include <string.h>

/* ---- selectors --------------------------------------------------------------------------------------------------- */

enum { TERMS_MOST = 1000, LISTS_MOST = 64 };

/* One key of an old selector: a comma list of values. */
typedef struct key_values {
    const char *key; /* of a tag; or "id", "name", "owner" */
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
            return from == to ? io_str("*") : (karp_str){ from, (size_t)(to - from) };
        }
        if (!comma) return io_str("*");
        from = comma + 1;
        index--;
    }
}

static const char *special(const char *key, bool images)
{
    if (strcmp(key, "aws-ids") == 0 || strcmp(key, "aws::ids") == 0) return "id";
    if (images && strcmp(key, "aws::name") == 0) return "name";
    if (images && strcmp(key, "aws::owners") == 0) return "owner";
    return NULL;
}

/* The term of one combination. NULL = no memory. */
static json_t *one_term(const key_values *lists, size_t count)
{
    json_t *term = io_map(), *tags = io_map();
    bool ok = term && tags;
    for (size_t i = 0; ok && i < count; i++) {
        json_t *into = lists[i].tag ? tags : term;
        ok = io_set(into, lists[i].key, io_text_value(value_at(lists[i].values, lists[i].at)));
    }
    if (ok && json_object_size(tags)) ok = json_object_set(term, "tags", tags) == 0;
    json_decref(tags);
    if (ok) return term;
    json_decref(term);
    return NULL;
}

/* A map of tags, each value perhaps a comma list, is one term for each combination. Appends to `terms`. */
static bool selector_terms(io_converter *c, const json_t *spec, const char *name, bool images, json_t *terms)
{
    key_values lists[LISTS_MOST];
    size_t n = 0, given = 0, combinations = 1;
    const karp_label *labels = io_labels(&c->d, spec, name, &given);
    if (c->d.status || !labels) return !c->d.status;
    if (given > LISTS_MOST) {
        io_bad_member(&c->d, name, KARP_E_LIMIT, "has too many tags");
        return false;
    }
    bool has_special = false;
    for (size_t i = 0; i < given; i++) has_special = has_special || special(labels[i].key.ptr, images);
    for (size_t i = 0; i < given; i++) {
        const char *word = special(labels[i].key.ptr, images);
        /* A term with an id cannot have tags too; they narrowed nothing when the id was given. */
        if (has_special && !word) continue;
        key_values *list = &lists[n++];
        *list = (key_values){ word ? word : labels[i].key.ptr, word == NULL, labels[i].value, 1, 0 };
        for (size_t k = 0; k < labels[i].value.len; k++) list->count += labels[i].value.ptr[k] == ',';
        combinations = list->count > TERMS_MOST / combinations ? TERMS_MOST + 1 : combinations * list->count;
        if (combinations > TERMS_MOST) {
            io_bad_member(&c->d, name, KARP_E_LIMIT, "stands for too many combinations of tags");
            return false;
        }
    }
    for (size_t made = 0; n && made < combinations; made++) {
        size_t rest = made;
        for (size_t i = n; i-- > 0;) {
            lists[i].at = rest % lists[i].count;
            rest /= lists[i].count;
        }
        if (!io_append(terms, one_term(lists, n))) {
            io_reader_nomem(c->reader);
            return false;
        }
    }
    return true;
}

static bool put_terms(io_converter *c, const json_t *spec, const char *old, const char *name, bool images, json_t *out)
{
    if (!io_get(spec, old)) return true;
    json_t *terms = io_list();
    bool ok = terms && selector_terms(c, spec, old, images, terms);
    if (!terms) io_reader_nomem(c->reader);
    if (ok && json_object_set(out, name, terms) != 0) {
        io_reader_nomem(c->reader);
        ok = false;
    }
    json_decref(terms);
    return ok;
}

/* Without a selector of images the family's newest are meant. */
static bool put_alias(const json_t *spec, json_t *out)
{
    karp_str family = io_get_text(spec, "amiFamily");
    char alias[64] = "al2";
    if (io_get(spec, "amiSelector")) return true;
    if (family.len) {
        size_t n = family.len < 40 ? family.len : 40;
        for (size_t i = 0; i < n; i++)
            alias[i] = (char)(family.ptr[i] >= 'A' && family.ptr[i] <= 'Z' ? family.ptr[i] | 0x20 : family.ptr[i]);
        alias[n] = '\0';
    }
    size_t n = strlen(alias);
    memcpy(alias + n, "@latest", sizeof "@latest");
    json_t *term = io_map(), *terms = io_list();
    bool ok = term && terms && io_set(term, "alias", json_string(alias)) && json_array_append(terms, term) == 0 &&
              json_object_set(out, "amiSelectorTerms", terms) == 0;
    json_decref(term);
    json_decref(terms);
    return ok;
}

/* What was implied then and is implied otherwise now. */
static bool put_metadata_options(const json_t *spec, json_t *out)
{
    json_t *given = io_get(spec, "metadataOptions");
    json_t *options = given ? json_copy(given) : io_map();
    bool ok = options != NULL;
    if (ok && !given) {
        ok = io_set(options, "httpEndpoint", json_string("enabled")) &&
             io_set(options, "httpProtocolIPv6", json_string("disabled")) &&
             io_set(options, "httpPutResponseHopLimit", json_integer(2)) &&
             io_set(options, "httpTokens", json_string("required"));
    } else if (ok && !io_get(given, "httpTokens")) {
        ok = io_set(options, "httpTokens", json_string("optional"));
    }
    ok = ok && json_object_set(out, "metadataOptions", options) == 0;
    json_decref(options);
    return ok;
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

static karp_status class_warnings(io_converter *c, const json_t *spec, const char *where)
{
    static const char *const idle[] = {
        "subnetSelector", "securityGroupSelector", "amiSelector", "userData",        "detailedMonitoring",
        "context",        "instanceProfile",       "tags",        "metadataOptions", "associatePublicIpAddress"
    };
    const char *known[sizeof idle / sizeof idle[0] + 6] = { NULL };
    karp_status status = KARP_OK;
    size_t n = 0;
    for (; n < sizeof idle / sizeof idle[0] && status == KARP_OK; n++) {
        known[n] = idle[n];
        if (!io_get(spec, idle[n])) continue;
        char field[80];
        io_error_text(field, sizeof field, io_str(where));
        size_t used = strlen(field);
        field[used] = '.';
        io_error_text(field + used + 1, sizeof field - used - 1, io_str(idle[n]));
        status = io_no_effect(c, field, "");
    }
    known[n++] = "amiFamily";
    known[n++] = "blockDeviceMappings";
    known[n++] = "launchTemplate";
    /* An inline provider is an object of its own kind. */
    known[n++] = "apiVersion";
    known[n++] = "kind";
    return status ? status : io_no_effect_unknown(c, spec, where, known);
}

static bool share(json_t *into, const char *name, const json_t *from, const char *old)
{
    json_t *value = io_get(from, old);
    return !value || json_object_set_nocheck(into, name, value) == 0;
}

json_t *io_convert_class_spec(io_converter *c, const json_t *spec, const char *where)
{
    static const char *const same[] = { "amiFamily",           "userData", "detailedMonitoring", "context",
                                        "blockDeviceMappings", "tags",     "instanceProfile" };
    size_t count = 0;
    (void)io_string(&c->d, spec, "amiFamily");
    (void)io_labels(&c->d, spec, "tags", &count);
    (void)io_array(&c->d, spec, "blockDeviceMappings", &count);
    (void)io_object(&c->d, spec, "metadataOptions");
    if (io_get(spec, "launchTemplate")) {
        io_bad_member(&c->d, "launchTemplate", KARP_E_UNSUPPORTED,
                      "has no counterpart in v1: state userData and amiSelector instead");
    }
    if (c->d.status || class_warnings(c, spec, where)) return NULL;
    json_t *out = io_map();
    bool ok = out != NULL;
    for (size_t i = 0; ok && i < sizeof same / sizeof same[0]; i++) ok = share(out, same[i], spec, same[i]);
    if (ok && !io_get(spec, "amiFamily")) ok = io_set(out, "amiFamily", json_string("AL2"));
    ok = ok && share(out, "associatePublicIPAddress", spec, "associatePublicIpAddress") && put_alias(spec, out) &&
         put_metadata_options(spec, out);
    if (!ok) io_reader_nomem(c->reader);
    ok = ok && put_terms(c, spec, "subnetSelector", "subnetSelectorTerms", false, out) &&
         put_terms(c, spec, "securityGroupSelector", "securityGroupSelectorTerms", false, out) &&
         put_terms(c, spec, "amiSelector", "amiSelectorTerms", true, out);
    if (ok) return out;
    json_decref(out);
    return NULL;
}

bool io_complete_class(json_t *tree, const json_t *base)
{
    json_t *metadata = io_get(tree, "metadata"), *spec = io_get(tree, "spec"), *from = io_get(base, "spec");
    (void)json_object_del(metadata, "annotations");
    return !from || json_object_update_missing(spec, from) == 0;
}

/* ---- what was renamed -------------------------------------------------------------------------------------------- */

#define OLD_POOL_LABEL "karpenter.sh/provisioner-name"
#define POOL_LABEL "karpenter.sh/nodepool"

/* Below `value`: members of that name, and requirements and topology keys that name it. */
static bool rename_label(json_t *value)
{
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (!rename_label(json_array_get(value, i))) return false;
        }
        return true;
    }
    if (!json_is_object(value)) return true;
    static const char *const naming[] = { "key", "topologyKey" };
    for (size_t i = 0; i < 2; i++) {
        json_t *text = json_object_get(value, naming[i]);
        if (json_is_string(text) && strcmp(json_string_value(text), OLD_POOL_LABEL) == 0 &&
            json_string_set(text, POOL_LABEL) != 0) {
            return false;
        }
    }
    json_t *old = json_object_get(value, OLD_POOL_LABEL);
    if (old) {
        if (!json_object_get(value, POOL_LABEL) && json_object_set(value, POOL_LABEL, old) != 0) return false;
        (void)json_object_del(value, OLD_POOL_LABEL);
    }
    for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at)) {
        if (!rename_label(json_object_iter_value(at))) return false;
    }
    return true;
}

static bool rename_annotation(json_t *metadata, const char *old)
{
    json_t *annotations = io_get(metadata, "annotations");
    if (!io_str_is(io_get_text(annotations, old), "true")) return true;
    if (io_get(annotations, "karpenter.sh/do-not-disrupt")) return true;
    return io_set(annotations, "karpenter.sh/do-not-disrupt", json_string("true"));
}

bool io_rename_old(const io_kind_info *info, json_t *tree)
{
    json_t *metadata = io_get(tree, "metadata"), *template_ = io_get(io_get(tree, "spec"), "template");
    bool ok = rename_label(io_get(metadata, "labels")) && rename_label(io_get(tree, "spec")) &&
              rename_annotation(metadata, "karpenter.sh/do-not-evict") &&
              rename_annotation(io_get(template_, "metadata"), "karpenter.sh/do-not-evict");
    if (ok && info->kind == IO_KIND_NODE) ok = rename_annotation(metadata, "karpenter.sh/do-not-consolidate");
    return ok;
}
