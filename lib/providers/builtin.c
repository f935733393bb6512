/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/builtin.h>

#include <base/str.h>

static const builtin_plugin *const builtins[] = { BUILTIN_PLUGINS };

const builtin_plugin *plugin_builtin(size_t index)
{
    return index < sizeof builtins / sizeof *builtins ? builtins[index] : NULL;
}

uint32_t plugin_builtin_index(const builtin_plugin *builtin)
{
    uint32_t i = 0;
    while (builtins[i] != builtin) i++;
    return i;
}

const builtin_plugin *plugin_builtin_named(karp_str name)
{
    const builtin_plugin *one = NULL;
    for (size_t i = 0; (one = plugin_builtin(i)) != NULL && !str_is(name, one->plugin->name); i++) continue;
    return one;
}

static bool is_text(const char *text, karp_str value) { return text && str_is(value, text); }

const builtin_plugin *plugin_builtin_for_class(karp_str group, karp_str kind)
{
    const builtin_plugin *one = NULL;
    for (size_t i = 0; (one = plugin_builtin(i)) != NULL; i++) {
        bool own = group.len ? is_text(one->plugin->class_group, group) || is_text(one->other_group, group)
                             : is_text(one->plugin->class_kind, kind);
        if (own) break;
    }
    return one;
}

bool plugin_has_id(const builtin_plugin *builtin, karp_str provider_id)
{
    return builtin->scheme && str_starts(provider_id, builtin->scheme);
}

bool plugin_make_id(const builtin_plugin *builtin, karp_str zone, karp_str id, char *into, size_t room)
{
    if (!builtin->before_zone) return false;
    into[0] = '\0';
    str_append(into, room, "%s%.*s%s%.*s", builtin->before_zone, str_shown(zone, 256), zone.ptr, builtin->before_id,
               str_shown(id, 128), id.ptr);
    return true;
}

bool plugin_has_label(const builtin_plugin *builtin, karp_str key)
{
    karp_str domain = str_before(key, '/');
    if (domain.len == 0 || !builtin->domains) return false;
    for (const char *const *own = builtin->domains; *own; own++) {
        size_t length = str(*own).len;
        if (!str_ends(domain, *own)) continue;
        if (domain.len == length || domain.ptr[domain.len - length - 1] == '.') return true;
    }
    return false;
}

size_t plugin_region_length(const builtin_plugin *builtin, karp_str place, bool zone)
{
    return builtin->region_length ? builtin->region_length(place, zone) : 0;
}
