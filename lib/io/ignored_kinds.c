/* SPDX-License-Identifier: Apache-2.0 */
#include <io/notes.h>

static const char table[] = "ignored kinds";
static const karp_str no_space = { "", 0 };

static karp_status wrong(karp_reader *reader, karp_str part, const char *why)
{
    return fail(&reader->error, KARP_E_INVALID, "%.*s: %s", str_shown(part, 100), part.len ? part.ptr : "", why);
}

static karp_status read_one(karp_reader *reader, karp_str part)
{
    karp_str kind = str_before(part, '.'), group = { part.ptr + kind.len, part.len - kind.len };
    char version[300] = "";
    if (kind.len == 0 || group.len < 2 || part.len > 250)
        return wrong(reader, part, "a kind to ignore is Kind.group, or *.group for all kinds of a group");
    str_append(version, sizeof version, "%.*s/v1", str_shown(group, 253) - 1, group.ptr + 1);
    if (io_kind_find(str(version), kind)->kind != IO_KIND_UNKNOWN)
        return wrong(reader, part,
                     "this kind is read, so it cannot be ignored (--delete KIND/NAME leaves out an object)");
    return io_note_name(reader, str(table), no_space, part, 1) ? KARP_OK : io_reader_nomem(reader);
}

karp_status io_ignored_read(karp_reader *reader)
{
    karp_str all = reader->options.ignored_kinds;
    karp_status status = KARP_OK;
    while (all.len && status == KARP_OK) status = read_one(reader, str_until(&all, ','));
    return status;
}

bool io_is_ignored(const karp_reader *reader, karp_str api_version, karp_str kind)
{
    karp_str group = str_before(api_version, '/');
    char name[300] = "";
    if (reader->options.ignored_kinds.len == 0 || kind.len == 0 || kind.len + group.len > 250) return false;
    str_append(name, sizeof name, "%.*s.%.*s", (int)kind.len, kind.ptr, (int)group.len, group.len ? group.ptr : "");
    if (io_find(reader, table, no_space, str(name)) != IO_NONE) return true;
    name[0] = '\0';
    str_append(name, sizeof name, "*.%.*s", (int)group.len, group.len ? group.ptr : "");
    return io_find(reader, table, no_space, str(name)) != IO_NONE;
}
