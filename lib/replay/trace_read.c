/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/trace_read.h>

#include <replay/document.h>

/* The first line of a table contains commas and the name of a required column; that of a story has neither. */
static bool looks_like_table(karp_str text, const char *column)
{
    const char *end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    karp_str line = { text.ptr, end ? (size_t)(end - text.ptr) : text.len };
    return str_contains(line, str(column)) && str_contains(line, str(",")) && !str_contains(line, str(":"));
}

/* The end of the JSON string that begins at `at`, behind its quote, or the end of the text. */
static size_t end_of_string(karp_str text, size_t at)
{
    for (at++; at < text.len && text.ptr[at] != '"'; at++) {
        if (text.ptr[at] == '\\') at++;
    }
    return at < text.len ? at + 1 : text.len;
}

/* Whether the first 4096 bytes of a JSON document contain this string, as a key or as a value, in at most `depth` lists
 * and objects. */
static bool mentions(karp_str text, const char *word, bool key, int depth)
{
    int inside = 0;
    if (text.len > 4096) text.len = 4096;
    for (size_t at = 0, end; at < text.len; at = end) {
        char c = text.ptr[at];
        end = c == '"' ? end_of_string(text, at) : at + 1;
        inside += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c != '"' || inside > depth || end - at < 2) continue;
        size_t next = end;
        while (next < text.len && strchr(" \t\r\n", text.ptr[next])) next++;
        bool is_key = next < text.len && text.ptr[next] == ':';
        if (is_key == key && str_is((karp_str){ text.ptr + at + 1, end - at - 2 }, word)) return true;
    }
    return false;
}

static const char *format_of_json(karp_str text)
{
    if (mentions(text, "applied_objs", true, 3) || mentions(text, "trackedObjects", true, 2)) return "simkube";
    if (mentions(text, "captured", true, 1) && mentions(text, "events", true, 1)) return "kubereplay";
    if (mentions(text, "Recording", false, 1)) return "recording";
    if (mentions(text, "items", true, 1) || mentions(text, "Snapshot", false, 1) ||
        mentions(text, "instanceTypes", true, 1))
        return "dumps";
    return "story";
}

static const char *format_of(karp_str text)
{
    size_t at = 0;
    if (text.len && (unsigned char)text.ptr[0] >= 0x80 && (unsigned char)text.ptr[0] < 0x90) return "simkube";
    if (looks_like_table(text, "cpu_milli")) return "openb";
    if (looks_like_table(text, "vmTypeId")) return "azure-packing";
    if (looks_like_table(text, "start")) return "csv";
    while (at < text.len &&
           (text.ptr[at] == ' ' || text.ptr[at] == '\n' || text.ptr[at] == '\r' || text.ptr[at] == '\t'))
        at++;
    return at < text.len && text.ptr[at] == '{' ? format_of_json(text) : "story";
}

static karp_status read_text(trace *t, karp_str format, const karp_replay_document *document, karp_str text,
                             bool lenient, karp_error *error)
{
    static const char azure[] = "azure-packing";
    karp_str name = document->name;
    if (format.len == 0) format = str(format_of(text));
    if (str_is(format, "csv")) return trace_read_csv(t, false, name, text, lenient, error);
    if (str_is(format, "openb")) return trace_read_csv(t, true, name, text, lenient, error);
    if (str_is(format, "simkube")) return trace_read_simkube(t, name, text, lenient, error);
    if (str_is(format, "kubereplay")) return trace_read_kubereplay(t, name, text, lenient, error);
    if (str_is(format, "dumps")) return trace_read_dump(t, name, text, lenient, error);
    if (str_is(format, "recording")) return trace_read_recording(t, name, text, lenient, error);
    if (str_is(format, "story") || str_is(format, "load")) return trace_read_story(t, document, text, error);
    size_t length = sizeof azure - 1;
    if (str_starts(format, azure) && (format.len == length || format.ptr[length] == ':')) {
        size_t skipped = format.len == length ? length : length + 1;
        return trace_read_azure(t, (karp_str){ format.ptr + skipped, format.len - skipped }, name, text, lenient,
                                error);
    }
    return fail(error, KARP_E_UNSUPPORTED,
                "no such format of traces: csv, openb, azure-packing, simkube, kubereplay, dumps, recording, story and "
                "load are "
                "known");
}

karp_status trace_read(trace *t, karp_str format, const karp_replay_document *document, bool lenient, karp_error *error)
{
    strbuf file;
    karp_str text;
    karp_status status = document_text(t->context, document, &file, &text, error);
    if (!status) status = read_text(t, format, document, text, lenient, error);
    strbuf_free(&file);
    return status;
}
