/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/builtin.h>

#include <providers/aws/defaults.h>
#include <providers/azure/facts.h>
#include <providers/gcp/facts.h>

/* ---- names of regions and zones ---------------------------------------------------------------------------------- */

static size_t skip_letters(karp_str text, size_t at)
{
    while (at < text.len && text.ptr[at] >= 'a' && text.ptr[at] <= 'z') at++;
    return at;
}

static size_t skip_digits(karp_str text, size_t at)
{
    while (at < text.len && is_digit(text.ptr[at])) at++;
    return at;
}

/* Regions end after their first number: "us-west-2a" and "us-west-2-lax-1a" are zones of "us-west-2". */
static size_t aws_region_length(karp_str place, bool zone)
{
    size_t at = 0, words = 0;
    for (size_t end; (end = skip_letters(place, at)) > at; words++) {
        if (end == place.len || place.ptr[end] != '-') return 0;
        at = end + 1;
    }
    size_t end = skip_digits(place, at);
    return words >= 2 && end > at && (zone ? end < place.len : end == place.len) ? end : 0;
}

/* "eastus2", with the zones "eastus2-1" and more. */
static size_t azure_region_length(karp_str place, bool zone)
{
    size_t letters = skip_letters(place, 0), end = skip_digits(place, letters);
    if (letters == 0) return 0;
    if (!zone) return end == place.len ? end : 0;
    if (end == place.len || place.ptr[end] != '-') return 0;
    return end + 1 < place.len && skip_digits(place, end + 1) == place.len ? end : 0;
}

/* "us-central1", with the zones "us-central1-a" and more. */
static size_t gcp_region_length(karp_str place, bool zone)
{
    size_t first = skip_letters(place, 0);
    if (first == 0 || first == place.len || place.ptr[first] != '-') return 0;
    size_t second = skip_letters(place, first + 1), end = skip_digits(place, second);
    if (second == first + 1 || end == second) return 0;
    if (!zone) return end == place.len ? end : 0;
    if (end == place.len || place.ptr[end] != '-') return 0;
    return end + 1 < place.len && skip_letters(place, end + 1) == place.len ? end : 0;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const char *const aws_domains[] = { "karpenter.k8s.aws", "eks.amazonaws.com", "k8s.amazonaws.com", NULL };
static const char *const azure_domains[] = { "karpenter.azure.com", "kubernetes.azure.com", NULL };
static const char *const gcp_domains[] = { "karpenter.k8s.gcp", "cloud.google.com", NULL };

/* The first one is that of an input that shows none. */
static const builtin_plugin builtins[] = {
    { .plugin = &aws_plugin,
      .read_class = aws_read_class,
      .usual_region = AWS_USUAL_REGION,
      .region_length = aws_region_length,
      .scheme = "aws://",
      .before_zone = "aws:///",
      .before_id = "/i-",
      .domains = aws_domains,
      .zones_setting = "zones",
      .release_1_14 = "1.14.3",
      .other_group = "eks.amazonaws.com",
      .usual_class = "its nodes are assumed to run AL2023 with default settings" },
    { .plugin = &azure_plugin,
      .read_class = azure_read_class,
      .usual_region = AZURE_USUAL_REGION,
      .region_length = azure_region_length,
      .scheme = "azure://",
      .domains = azure_domains },
    { .plugin = &file_plugin },
    { .plugin = &gcp_plugin,
      .read_class = gcp_read_class,
      .usual_region = GCP_USUAL_REGION,
      .region_length = gcp_region_length,
      .scheme = "gce://",
      .domains = gcp_domains },
};

const builtin_plugin *plugin_builtin(size_t index)
{
    return index < sizeof builtins / sizeof *builtins ? &builtins[index] : NULL;
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
