/* SPDX-License-Identifier: Apache-2.0 */
#include <io/foreign.h>

/* ---- what a text is ---------------------------------------------------------------------------------------------- */

typedef struct foreign {
    const char *what;
    const char *command; /* writes objects; %DIR and %FILE are the document's */
} foreign;

enum { HELM_TEMPLATE, HELM_CHART, KUSTOMIZATION, TERRAFORM, TERRAFORM_JSON, JSON5, JSONNET, RECORDING };

static const foreign kinds[] = {
    [HELM_TEMPLATE] = { "a template of Helm, not rendered", "helm template CHART | karp plan -f -" },
    [HELM_CHART] = { "a chart of Helm", "helm template %DIR | karp plan -f -" },
    [KUSTOMIZATION] = { "a kustomization, whose changes are not applied", "kubectl kustomize %DIR | karp plan -f -" },
    [TERRAFORM] = { "a configuration of Terraform",
                    "terraform show -json | jq -r '.. | .yaml_body? // empty | \"---\", .' | karp plan -f -" },
    [TERRAFORM_JSON] = { "a document of Terraform",
                         "jq -r '.. | .yaml_body? // empty | \"---\", .' %FILE | karp plan -f -" },
    [JSON5] = { "JSON5 or JSON with comments", "npx json5 %FILE | karp plan -f -" },
    [JSONNET] = { "Jsonnet", "jsonnet %FILE | karp plan -f -" },
    [RECORDING] = { "a recording of karp record", "karp replay %FILE" },
};

/* Files that are no text, by bytes that all files of their kind have. %INTO is where their content goes. */
static const struct {
    foreign kind;
    karp_str bytes;
    size_t at; /* where they are */
} binaries[] = {
    { { "a file compressed by gzip", "gunzip -c %FILE%INTO" }, { "\x1f\x8b", 2 }, 0 },
    { { "a file compressed by zstd", "zstd -dc %FILE%INTO" }, { "\x28\xb5\x2f\xfd", 4 }, 0 },
    { { "a file compressed by xz", "xz -dc %FILE%INTO" }, { "\xfd\x37zXZ", 6 }, 0 },
    { { "a file compressed by bzip2", "bunzip2 -c %FILE%INTO" }, { "1AY&SY", 6 }, 4 },
    { { "a file compressed by lz4", "lz4 -dc %FILE%INTO" }, { "\x04\x22\x4d\x18", 4 }, 0 },
    { { "an archive of zip", "unzip -d UNPACKED %FILE" }, { "PK\x03\x04", 4 }, 0 },
    { { "an archive of tar", "mkdir UNPACKED; tar -xf %FILE -C UNPACKED" }, { "ustar", 6 }, 257 },
    { { "an archive of tar", "mkdir UNPACKED; tar -xf %FILE -C UNPACKED" }, { "ustar  ", 8 }, 257 },
    { { "a PDF document", NULL }, { "%PDF-", 5 }, 0 },
    { { "a program or a library", NULL }, { "\x7f\x45LF", 4 }, 0 },
};

static karp_str directory_of(karp_str document)
{
    size_t n = document.len - str_after_last(document, '/').len;
    if (str_is(document, "-")) return str("DIRECTORY");
    if (n == 0) return str(".");
    return (karp_str){ document.ptr, n > 1 ? n - 1 : n };
}

/* `target` stands for %INTO. */
static void add_command(char *into, size_t room, const char *command, karp_str document, const char *target)
{
    for (const char *c = command; *c;) {
        bool directory = str_starts(str(c), "%DIR"), file = str_starts(str(c), "%FILE"),
             next = str_starts(str(c), "%INTO");
        karp_str part = directory ? directory_of(document) : file ? document : next ? str(target) : (karp_str){ c, 1 };
        str_append(into, room, "%.*s", str_shown(part, 200), part.ptr);
        c += directory ? 4 : file || next ? 5 : 1;
    }
}

/* "a template of Helm, not rendered: helm template CHART | karp plan -f -" */
static void describe(const foreign *kind, karp_str document, const char *target, char *out, size_t room)
{
    str_append(out, room, "%s%s", kind->what, kind->command ? ": " : "");
    if (kind->command) add_command(out, room, kind->command, document, target);
}

static void add_advice(karp_reader *reader, karp_str document, const foreign *kind)
{
    char *message = reader->error.message;
    size_t room = sizeof reader->error.message;
    str_append(message, room, "; this is ");
    describe(kind, document, "", message, room);
}

/* ---- what is no text --------------------------------------------------------------------------------------------- */

bool io_foreign_binary(karp_str document, karp_str bytes, bool objects, char *out, size_t room)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        karp_str wanted = binaries[i].bytes;
        size_t at = binaries[i].at;
        if (bytes.len < at + wanted.len || memcmp(bytes.ptr + at, wanted.ptr, wanted.len) != 0) continue;
        describe(&binaries[i].kind, document, objects ? " | karp plan -f -" : " >UNPACKED", out, room);
        return true;
    }
    return false;
}

/* ---- before and after parsing ------------------------------------------------------------------------------------ */

static karp_str rest(karp_str text, size_t from) { return (karp_str){ text.ptr + from, text.len - from }; }

static bool starts_with_one(karp_str text, const char *const *starts)
{
    for (; *starts; starts++) {
        if (str_starts(text, *starts)) return true;
    }
    return false;
}

enum { BRACES_AT_ONCE = 64 };

/* Whether "{{" begins in as many bytes; one more can be read. */
static bool any_braces(const char *text)
{
    unsigned char any = 0;
    for (size_t i = 0; i < BRACES_AT_ONCE; i++) any |= (unsigned char)((text[i] == '{') & (text[i + 1] == '{'));
    return any != 0;
}

/* The position of the next "{{"; the length of the text = none. Hardly any text has one. */
static size_t next_braces(karp_str text, size_t at)
{
    while (text.len - at > BRACES_AT_ONCE && !any_braces(text.ptr + at)) at += BRACES_AT_ONCE;
    while (at + 1 < text.len && (text.ptr[at] != '{' || text.ptr[at + 1] != '{')) at++;
    return at + 1 < text.len ? at : text.len;
}

/* Whether the text has an action of a template. `own`: one that only Helm has, since texts in objects may be templates
 * of other programs. */
static bool has_action(karp_str text, bool own)
{
    static const char *const helm[] = { ".Values", ".Release", ".Chart", ".Capabilities", "include ", "$.Values",
                                        "toYaml ", "tpl ",     NULL };
    for (size_t at = 0; at + 2 < text.len; at += 2) {
        at = next_braces(text, at);
        if (at == text.len) return false;
        if (!own) return true;
        size_t word = at + 2;
        while (word < text.len && memchr("- (", text.ptr[word], 3)) word++;
        while (str_starts(rest(text, word), "if ") || str_starts(rest(text, word), "with ") ||
               str_starts(rest(text, word), "range ") || str_starts(rest(text, word), "not "))
            word += str_before(rest(text, word), ' ').len + 1;
        if (starts_with_one(rest(text, word), helm)) return true;
    }
    return false;
}

static bool has_comment(karp_str text)
{
    static const char *const comments[] = { "//", "/*", NULL };
    for (size_t at = 0; at < text.len; at++) {
        bool first = at == 0 || text.ptr[at - 1] == '\n' || text.ptr[at - 1] == ' ' || text.ptr[at - 1] == '\t';
        if (first && text.ptr[at] == '/' && starts_with_one(rest(text, at), comments)) return true;
    }
    return false;
}

static bool is_terraform(karp_str text)
{
    static const char *const blocks[] = { "resource \"", "module \"", "data \"",     "provider \"", "variable \"",
                                          "output \"",   "locals {",  "terraform {", NULL };
    for (size_t at = 0; at < text.len;) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        if (starts_with_one(rest(text, at), blocks)) return true;
        at = end ? (size_t)(end - text.ptr) + 1 : text.len;
    }
    return false;
}

static karp_str without_spaces(karp_str text)
{
    size_t at = 0;
    while (at < text.len && memchr(" \t\r\n", text.ptr[at], 4)) at++;
    return rest(text, at);
}

static bool begins_with(karp_str text, const char *characters)
{
    text = without_spaces(text);
    return text.len > 0 && strchr(characters, text.ptr[0]);
}

/* "{name: 1}", which JSON does not allow */
static bool has_bare_name(karp_str text)
{
    text = without_spaces(text);
    if (text.len < 2 || text.ptr[0] != '{') return false;
    text = without_spaces(rest(text, 1));
    return text.len > 0 && (text.ptr[0] == '\'' || (text.ptr[0] >= 'a' && text.ptr[0] <= 'z'));
}

/* What a text is that could not be parsed. NULL = unknown. */
static const foreign *kind_of_text(karp_str document, karp_str text)
{
    if (str_ends(document, ".jsonnet") || str_ends(document, ".libsonnet")) return &kinds[JSONNET];
    if (str_ends(document, ".tf") || is_terraform(text)) return &kinds[TERRAFORM];
    if (has_action(text, false)) return &kinds[HELM_TEMPLATE];
    bool json5 = str_ends(document, ".json5") || str_ends(document, ".jsonc") || has_bare_name(text);
    return json5 || (begins_with(text, "{[/") && has_comment(text)) ? &kinds[JSON5] : NULL;
}

bool io_foreign_note(karp_reader *reader, karp_str document, karp_str text)
{
    return !has_action(text, true) || io_table_put(&reader->templates, document, 1);
}

void io_foreign_explain_object(karp_reader *reader)
{
    karp_str document = str(reader->error.document);
    bool known = document.len > 0 && io_table_get(&reader->templates, document) != IO_NONE &&
                 (strstr(reader->error.message, "{{") || strstr(reader->error.object, "{{"));
    if (known && !strstr(reader->error.message, kinds[HELM_TEMPLATE].what))
        add_advice(reader, document, &kinds[HELM_TEMPLATE]);
}

void io_foreign_explain_line(karp_reader *reader, karp_str document, karp_str text)
{
    for (uint32_t line = 1; line < reader->error.line && text.len > 0; line++) text = str_after(text, '\n');
    const char *end = text.len > 0 ? memchr(text.ptr, '\n', text.len) : NULL;
    if (end) text.len = (size_t)(end - text.ptr);
    if (has_action(text, false)) add_advice(reader, document, &kinds[HELM_TEMPLATE]);
}

/* ---- trees that are no objects ----------------------------------------------------------------------------------- */

static bool has_text(const tree *root, const char *member) { return tree_get_text(root, member).len > 0; }

bool io_foreign_version(karp_str api_version) { return str_starts(api_version, "kustomize.config.k8s.io/"); }

/* What a tree is that may be no Kubernetes object. NULL = unknown. */
static const foreign *kind_of_tree(const tree *root, const io_place *place)
{
    if (io_foreign_version(tree_get_text(root, "apiVersion"))) return &kinds[KUSTOMIZATION];
    if (str_is(tree_get_text(root, "kind"), "Recording")) return &kinds[RECORDING];
    if (has_text(root, "kind")) return NULL;
    if (str_starts(str_after_last(place->document, '/'), "kustomization.y")) return &kinds[KUSTOMIZATION];
    if (has_text(root, "terraform_version")) return &kinds[TERRAFORM_JSON];
    if (has_text(root, "apiVersion") && has_text(root, "name") && has_text(root, "version")) return &kinds[HELM_CHART];
    return NULL;
}

/* Whether a text that cannot be parsed has a field `kind`, as objects have. */
static bool has_kind_field(karp_str text)
{
    for (size_t at = 0; at + 5 < text.len; at++) {
        if (text.ptr[at] != 'k' || !str_starts(rest(text, at), "kind")) continue;
        if (at > 0 && !memchr("\n \t{,\"'", text.ptr[at - 1], 7)) continue;
        size_t end = at + 4;
        while (end < text.len && memchr("\"' \t", text.ptr[end], 4)) end++;
        if (end < text.len && text.ptr[end] == ':') return true;
    }
    return false;
}

karp_status io_foreign_text(karp_reader *reader, karp_str document, karp_str text)
{
    const foreign *kind = kind_of_text(document, text);
    if (reader->options.skip_unknown) {
        unsigned long line = reader->error.line;
        char why[400] = "";
        if (kind) describe(kind, document, "", why, sizeof why);
        else str_append(why, sizeof why, "this cannot be parsed: %.300s", reader->error.message);
        karp_error_init(&reader->error, sizeof reader->error);
        if (has_kind_field(text)) return io_problem_left_out(reader, document, line, why);
        return io_warn(reader, "%.*s:%lu: left out: %s", str_shown(document, 300), document.len ? document.ptr : "",
                       line, why);
    }
    if (kind && !strstr(reader->error.message, "; this is ")) add_advice(reader, document, kind);
    return reader->error.status;
}

/* Texts that other programs may read in an object, and that may be templates of theirs. */
static const char free_texts[] = "annotations args command data env envFrom status stringData";
/* Fields that name or size something, or choose a place for it. */
static const char plain_fields[] =
    "claimName image key labels limits matchLabels name namespace nodeSelector priorityClassName requests "
    "runtimeClassName serviceAccountName storageClassName values";

static bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/* The length of NAME, as variables are called, at a place of the text. */
static size_t variable_at(karp_str text, size_t at)
{
    size_t end = at;
    while (end < text.len && (is_capital(text.ptr[end]) || text.ptr[end] == '_' || is_digit(text.ptr[end]))) end++;
    return at < end && is_capital(text.ptr[at]) ? end - at : 0;
}

/* "{{ .image }}", "${IMAGE}", "$(IMAGE)", "$IMAGE", "__IMAGE__", "<image>" */
static bool is_placeholder(karp_str text)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        char c = text.ptr[i], next = text.ptr[i + 1];
        if (c == '{' && next == '{') return true;
        if (c == '$' && (next == '{' || next == '(' || variable_at(text, i + 1))) return true;
        if (c == '<' && memchr(text.ptr + i, '>', text.len - i)) return true;
        size_t length = c == '_' && next == '_' ? variable_at(text, i + 2) : 0;
        if (length > 2 && text.ptr[i + length] == '_' && text.ptr[i + length + 1] == '_') return true;
    }
    return false;
}

/* Whether any text is one. Hardly any object has them, and looking is cheaper than to tell the fields apart. */
static bool has_placeholder(const tree *value)
{
    if (tree_is(value, TREE_STRING)) return is_placeholder(tree_text(value));
    bool map = tree_is(value, TREE_MAP);
    for (size_t i = 0; i < tree_count(value); i++) {
        if (has_placeholder(map ? tree_member_at(value, i)->value : tree_item(value, i))) return true;
    }
    return false;
}

/* The first text that has to be replaced before the object can be applied; "" = there is none. `plain`: the value is
 * below a plain field. *field receives the name of the field. */
static karp_str placeholder_in(const tree *value, bool plain, karp_str *field)
{
    karp_str found = { "", 0 };
    if (tree_is(value, TREE_STRING) && plain && is_placeholder(tree_text(value))) return tree_text(value);
    for (size_t i = 0; i < tree_count(value) && found.len == 0; i++) {
        const tree_member *m = tree_is(value, TREE_MAP) ? tree_member_at(value, i) : NULL;
        karp_str name = m ? tree_member_name(m) : *field;
        if (m && str_in_list(name, free_texts)) continue;
        found = placeholder_in(m ? m->value : tree_item(value, i), plain || (m && str_in_list(name, plain_fields)),
                               &name);
        if (found.len) *field = name;
    }
    return found;
}

karp_status io_foreign_object(karp_reader *reader, const tree *root, const io_place *place, bool *left_out)
{
    char why[700] = "";
    const tree *metadata = tree_get(root, "metadata");
    karp_str kind = tree_get_text(root, "kind"), name = tree_get_text(metadata, "name"), field = { "", 0 };
    *left_out = false;
    karp_str text = has_placeholder(root) ? placeholder_in(root, false, &field) : field;
    if (text.len == 0) return KARP_OK;
    str_append(why, sizeof why, "%.*s %.*s is of ", str_shown(kind, 64), kind.ptr, str_shown(name, 100),
               name.len ? name.ptr : "");
    if (has_action(text, true)) describe(&kinds[HELM_TEMPLATE], place->document, "", why, sizeof why);
    else str_append(why, sizeof why, "a template whose values are not filled in");
    str_append(why, sizeof why, " (%.*s is \"%.*s\")", str_shown(field, 64), field.ptr, str_shown(text, 64), text.ptr);
    *left_out = reader->options.skip_unknown;
    return *left_out ? io_problem_left_out(reader, place->document, (unsigned long)place->line, why)
                     : io_not_understood_at(reader, place, "%s", why);
}

karp_status io_foreign_refuse(karp_reader *reader, const tree *root, const io_place *place, bool stated,
                              const char *field, const char *why)
{
    const foreign *kind = kind_of_tree(root, place);
    char where[IO_PLACE_TEXT];
    if (reader->options.skip_unknown && !stated)
        return io_warn(reader, "%s: left out: %s", io_place_text(place, where),
                       kind ? kind->what : "this is not a Kubernetes object");
    (void)io_reader_fail(reader, KARP_E_INVALID, place, kind ? NULL : field, "%s",
                         kind ? "not a Kubernetes object" : why);
    if (kind) add_advice(reader, place->document, kind);
    else if (!stated)
        str_append(reader->error.message, sizeof reader->error.message, " (--skip-unknown leaves it out)");
    return KARP_E_INVALID;
}
