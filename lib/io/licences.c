/* SPDX-License-Identifier: Apache-2.0 */
/* Notes what clouds charge beside the price of an instance: licences of operating systems, and the fee of EKS Auto
 * Mode. The built-in prices are those of Linux without either. */
#include <io/clouds.h>
#include <base/labels.h>
#include <base/licence_words.h>
#include <io/notes.h>

typedef struct licensed {
    const char *name;
    const char *words[2]; /* one of them is in the name of an image or of its family, in any case of letters */
} licensed;

static const licensed systems[] = {
    { "Windows", { "windows", NULL } },
    { "Red Hat Enterprise Linux", { "rhel", "red hat enterprise" } },
    { "SUSE Linux Enterprise Server", { "sles", "suse linux enterprise" } },
    { "Ubuntu Pro", { "ubuntu-pro", "ubuntu pro" } },
    { AUTO_MODE, { NULL, NULL } }, /* a fee for each instance (aws.amazon.com/eks/pricing) */
};

enum { SYSTEMS = sizeof systems / sizeof systems[0], NONE = SYSTEMS, AUTO = SYSTEMS - 1 };

static bool contains(karp_str text, const char *word)
{
    size_t length = word ? strlen(word) : text.len + 1;
    for (size_t at = 0; at + length <= text.len; at++) {
        size_t i = 0;
        while (i < length && ascii_lower(text.ptr[at + i]) == word[i]) i++;
        if (i == length) return true;
    }
    return false;
}

static size_t system_in(karp_str text)
{
    /* OpenShift's own system has no licence of the cloud. */
    for (size_t i = 0; text.len > 0 && !contains(text, "coreos") && i < SYSTEMS; i++) {
        if (contains(text, systems[i].words[0]) || contains(text, systems[i].words[1])) return i;
    }
    return NONE;
}

static size_t system_of_class(const tree *spec)
{
    static const char *const families[] = { "amiFamily", "imageFamily" };
    const tree *terms = tree_get(spec, "amiSelectorTerms");
    size_t found = NONE;
    for (size_t i = 0; i < 2 && found == NONE; i++) found = system_in(tree_get_text(spec, families[i]));
    for (size_t i = 0; i < tree_count(terms) && found == NONE; i++) {
        found = system_in(tree_get_text(tree_item(terms, i), "alias"));
        if (found == NONE) found = system_in(tree_get_text(tree_item(terms, i), "name"));
    }
    return found;
}

static size_t system_of_pool(const tree *spec)
{
    if (str_is(tree_get_text(tree_get(spec, "nodeClassRef"), "group"), "eks.amazonaws.com")) return AUTO;
    const tree *requirements = tree_get(spec, "requirements");
    for (size_t i = 0; i < tree_count(requirements); i++) {
        const tree *one = tree_item(requirements, i), *values = tree_get(one, "values");
        bool listed = str_is(tree_get_text(one, "key"), LABEL_OS) && str_is(tree_get_text(one, "operator"), "In");
        for (size_t k = 0; listed && k < tree_count(values); k++) {
            if (str_is(tree_text(tree_item(values, k)), "windows")) return 0;
        }
    }
    return NONE;
}

static size_t system_of_node(const tree *root)
{
    const tree *labels = tree_get(tree_get(root, "metadata"), "labels");
    if (!tree_find_str(labels, str(LABEL_NODE_POOL))) return NONE; /* it has no price */
    if (str_is(tree_text(tree_find_str(labels, str("eks.amazonaws.com/compute-type"))), "auto")) return AUTO;
    if (str_is(tree_text(tree_find_str(labels, str(LABEL_OS))), "windows")) return 0;
    return system_in(tree_get_text(tree_get(tree_get(root, "status"), "nodeInfo"), "osImage"));
}

static size_t system_of(const io_deferred *w)
{
    const tree *spec = w->root ? tree_get(w->root, "spec") : NULL;
    if (!spec || w->gone || w->stated) return NONE;
    if (w->info->kind == IO_KIND_NODE_CLASS) return system_of_class(spec);
    if (w->info->kind == IO_KIND_NODE_POOL) return system_of_pool(io_template_spec(w->root));
    return w->info->kind == IO_KIND_NODE ? system_of_node(w->root) : NONE;
}

/* Prices of the caller have what he wants them to have. */
static bool has_own_prices(const karp_reader *reader)
{
    bool any = reader->catalogues.own;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && !any; i = io_other(reader, i + 1))
        any = reader->deferred[i].info->kind == IO_KIND_PRICES;
    return any;
}

karp_status io_licences_keep(karp_reader *reader, karp_str licences)
{
    trees *t = &reader->passing;
    str_shorten(reader->catalogues.licences, sizeof reader->catalogues.licences, licences);
    if (!reader->options.keep_documents || licences.len == 0 || reader->asked.state.len) return KARP_OK;
    trees_clear(t);
    tree *state = tree_new(t, TREE_MAP);
    tree_set_text(t, state, "withoutLicences", str(reader->catalogues.licences));
    if (t->status == KARP_OK) reader->asked.state = io_keep_json(reader, state);
    return reader->asked.state.ptr ? KARP_OK : io_reader_nomem(reader);
}

karp_status io_licences_note(karp_reader *reader)
{
    size_t counts[SYSTEMS + 1] = { 0 };
    const io_deferred *first[SYSTEMS + 1] = { NULL };
    char names[sizeof reader->catalogues.licences] = "";
    karp_status status = KARP_OK;
    bool own = has_own_prices(reader);
    if (own) reader->catalogues.licences[0] = '\0';
    if (own || !io_builtin_types(reader) || reader->options.no_lint_notes) return KARP_OK;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        size_t found = system_of(w);
        if (counts[found]++ == 0) first[found] = w;
    }
    for (size_t i = 0; i < SYSTEMS && status == KARP_OK; i++) {
        char more[40] = "";
        if (counts[i] > 0) str_append(names, sizeof names, "%s%s", names[0] ? ", " : "", systems[i].name);
        if (counts[i] == 0) continue;
        karp_str kind = tree_get_text(first[i]->root, "kind"), name = first[i]->name;
        if (counts[i] > 1) str_append(more, sizeof more, " and %zu more", counts[i] - 1);
        status = io_warn(reader,
                         "%.*s %.*s%s: costs are without %s%s, since the built-in prices are those of %s; Prices may "
                         "add %s (--prices)",
                         str_shown(kind, 64), kind.ptr, str_shown(name, 100), name.ptr, more,
                         licence_words(str(systems[i].name)), systems[i].name, i == AUTO ? "EC2" : "Linux",
                         i == AUTO ? "it" : "them");
    }
    return status || names[0] == '\0' ? status : io_licences_keep(reader, str(names));
}

karp_str karp_reader_missing_licences(const karp_reader *reader)
{
    return reader ? str(reader->catalogues.licences) : (karp_str){ NULL, 0 };
}
