/* SPDX-License-Identifier: Apache-2.0 */
/* The label tables and the test of what a pod may ask for (scheduling.md 7). They are constants of one run. */
#include <string.h>

#include "memory.h"
#include "requirements.h"

static _Thread_local struct {
    struct names well_known, restricted, restricted_domains;
    struct labels normalized;
    const char *reservation;
} tables;

static const char *const own_well_known[] = {
    NODEPOOL,           ZONE,          "topology.kubernetes.io/region",    INSTANCE_TYPE, "kubernetes.io/arch",
    "kubernetes.io/os", CAPACITY_TYPE, "node.kubernetes.io/windows-build",
};

static struct names table(const char *const *own, size_t count, const json_t *provider)
{
    struct names theirs = ref_list(provider);
    const char **all = ref_alloc((count + theirs.count + 1) * sizeof *all);
    for (size_t i = 0; i < count + theirs.count; i++) {
        all[i] = i < count ? own[i] : theirs.items[i - count];
    }
    return ref_names_sorted(all, count + theirs.count);
}

void ref_tables_read(const json_t *document)
{
    static const char *const hostname[] = { HOSTNAME }, *const domains[] = { "karpenter.sh" };
    struct label own[] = {
        { "beta.kubernetes.io/arch", "kubernetes.io/arch" },
        { "beta.kubernetes.io/instance-type", INSTANCE_TYPE },
        { "beta.kubernetes.io/os", "kubernetes.io/os" },
        { "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region" },
        { "failure-domain.beta.kubernetes.io/zone", ZONE },
    };
    tables.well_known = table(own_well_known, sizeof own_well_known / sizeof own_well_known[0],
                              ref_at(document, "wellKnown"));
    tables.restricted = table(hostname, 1, ref_at(document, "restricted"));
    tables.restricted_domains = table(domains, 1, ref_at(document, "restrictedDomains"));
    tables.normalized = ref_labels_merge((struct labels){ own, sizeof own / sizeof own[0] },
                                         ref_labels_read(ref_at(document, "normalized")));
    tables.reservation = ref_text(document, "reservationID");
}

bool ref_well_known(const char *key) { return ref_names_has(tables.well_known, key); }

const char *ref_normalized(const char *key)
{
    const char *to = ref_label(tables.normalized, key);
    return to != NULL ? to : key;
}

const char *ref_reservation_label(void) { return tables.reservation; }

static bool is_restricted(const char *key)
{
    const char *slash = strchr(key, '/');
    size_t length = slash != NULL ? (size_t)(slash - key) : 0;
    if (ref_well_known(key)) {
        return false;
    }
    for (size_t i = 0; i < tables.restricted_domains.count && slash != NULL; i++) {
        const char *domain = tables.restricted_domains.items[i];
        size_t n = strlen(domain);
        if (length >= n && strncmp(key + length - n, domain, n) == 0 && (length == n || key[length - n - 1] == '.')) {
            return true;
        }
    }
    return ref_names_has(tables.restricted, key);
}

static bool alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/** The form of label values and of the name part of keys. */
static bool is_name(const char *s)
{
    size_t length = strlen(s);
    if (length == 0 || length > 63 || !alphanumeric(s[0]) || !alphanumeric(s[length - 1])) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!alphanumeric(s[i]) && strchr("-_.", s[i]) == NULL) {
            return false;
        }
    }
    return true;
}

/** A DNS subdomain of @p length characters. */
static bool is_subdomain(const char *s, size_t length)
{
    if (length == 0 || length > 253) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        bool lower = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= '0' && s[i] <= '9');
        bool edge = i == 0 || i == length - 1 || s[i - 1] == '.' || s[i + 1] == '.';
        if (!lower && (edge || (s[i] != '-' && s[i] != '.'))) {
            return false;
        }
    }
    return true;
}

static bool is_qualified(const char *key)
{
    const char *slash = strchr(key, '/');
    return slash == NULL ? is_name(key) : is_subdomain(key, (size_t)(slash - key)) && is_name(slash + 1);
}

static bool lists_known_capacity_type(struct names values)
{
    static const char *const known[] = { "on-demand", "spot", "reserved" };
    for (size_t i = 0; i < values.count; i++) {
        for (size_t j = 0; j < 3; j++) {
            if (strcmp(values.items[i], known[j]) == 0) {
                return true;
            }
        }
    }
    return false;
}

const char *ref_invalid(const char *key, const char *op, struct names values)
{
    static const char *const numeric = " Gt Lt Gte Lte ", *const all = " In NotIn Exists DoesNotExist Gt Lt Gte Lte ";
    const char *word = ref_format(" %s ", op);
    int64_t n;
    key = ref_normalized(key);
    if (*op == '\0' || strstr(all, word) == NULL) {
        return "unsupported operator";
    }
    if (is_restricted(key)) {
        return "restricted label";
    }
    if (strcmp(op, "In") == 0 && strcmp(key, CAPACITY_TYPE) == 0 && !lists_known_capacity_type(values)) {
        return "no known value";
    }
    if (!is_qualified(key)) {
        return "not a qualified name";
    }
    for (size_t i = 0; i < values.count; i++) {
        if (values.items[i][0] != '\0' && !is_name(values.items[i])) {
            return "invalid value";
        }
    }
    if (strcmp(op, "In") == 0 && values.count == 0) {
        return "no value";
    }
    if (strstr(numeric, word) != NULL && (values.count != 1 || !ref_atoi(values.items[0], &n) || n < 0)) {
        return "not one integer";
    }
    return NULL;
}
