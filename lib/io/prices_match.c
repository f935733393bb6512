/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the requirements of rules and commitments in Prices: a misspelt name would silently disable a discount. */
#include <io/prices.h>

#include <base/admit.h>
#include <io/clouds.h>
#include <io/notes.h>
#include <stdio.h>

#include <karp/inspect.h>
#include <karp/library.h>

/* ---- requirements that can never match --------------------------------------------------------------------------- */

static const char *const capacity_types[] = { "on-demand", "spot", "reserved" };
static const char *const common_keys[] = {
    LABEL_CAPACITY_TYPE, LABEL_TYPE, LABEL_ZONE, LABEL_REGION, LABEL_ARCH, LABEL_OS, "node.kubernetes.io/windows-build",
};

/* Adds the names to `near`. Returns whether one of them is the wanted one. */
static bool is_one_of(nearest *near, const char *const names[], size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found = found || str_is(near->wanted, names[i]);
        nearest_offer(near, str(names[i]));
    }
    return found;
}

/* Whether the key has a domain of Kubernetes or Karpenter. Those keys are few, and no offering has others of these
 * domains. */
static bool is_of_common_domain(karp_str key)
{
    for (size_t i = 0; i < sizeof common_keys / sizeof *common_keys; i++) {
        if (equal_str(str_before(key, '/'), str_before(str(common_keys[i]), '/'))) return true;
    }
    return false;
}

void io_check_price_requirements(io_decoder *d, const karp_requirement *list, size_t count)
{
    char meant[MEANT], shown[96];
    io_push(d, "requirements");
    for (size_t i = 0; i < count && !d->status; i++) {
        io_push_index(d, i);
        nearest near = nearest_to(list[i].key);
        str_shorten(shown, sizeof shown, list[i].key);
        if (!is_one_of(&near, common_keys, sizeof common_keys / sizeof *common_keys) &&
            is_of_common_domain(near.wanted)) {
            io_push(d, "key");
            io_bad(d, KARP_E_INVALID, "%s is no label of instance types or offerings%s", shown, io_meant(&near, meant));
        }
        bool capacity_type = str_is(list[i].key, common_keys[0]);
        io_push(d, "values");
        for (size_t k = 0; capacity_type && k < list[i].value_count; k++) {
            near = nearest_to(list[i].values[k]);
            str_shorten(shown, sizeof shown, near.wanted);
            io_push_index(d, k);
            if (!is_one_of(&near, capacity_types, sizeof capacity_types / sizeof *capacity_types))
                io_bad(d, KARP_E_INVALID, "%s is no capacity type: these are on-demand, spot and reserved", shown);
            io_pop(d);
        }
        io_pop(d);
        io_pop(d);
    }
    io_pop(d);
}

/* ---- requirements that these catalogues do not meet -------------------------------------------------------------- */

static bool is_about_something(const karp_reader *reader, const karp_requirement *list, size_t count)
{
    for (size_t c = 0; c < reader->catalogues.count; c++) {
        const karp_catalogue *catalogue = reader->catalogues.list[c].catalogue;
        for (size_t i = 0; i < karp_catalogue_count(catalogue); i++) {
            const karp_instance_type *type = karp_catalogue_type(catalogue, i);
            for (size_t k = 0; k < type->offering_count; k++) {
                const karp_offering *offering = &type->offerings[k];
                if (requirements_served(list, count, offering->requirements, offering->requirement_count,
                                        type->requirements, type->requirement_count))
                    return true;
            }
        }
    }
    return false;
}

/* Whether some of the providers' types could have the key, although it is not in these catalogues. */
static bool is_known_to_provider(karp_reader *reader, karp_str key, bool *of_its_domain)
{
    karp_settings tables;
    karp_error error = { .size = sizeof error };
    karp_settings_init(&tables, sizeof tables);
    *of_its_domain = false;
    for (uint32_t c = 0; c < reader->clouds.count; c++) {
        karp_provider *provider = NULL;
        if (!reader->clouds.list[c].used) continue;
        if (io_cloud_open(reader, c, &provider) || karp_provider_settings(provider, &tables, &error)) return true;
        for (size_t i = 0; i < tables.well_known_count; i++) {
            if (equal_str(tables.well_known[i], key)) return true;
            *of_its_domain = *of_its_domain || equal_str(str_before(tables.well_known[i], '/'), str_before(key, '/'));
        }
    }
    return false;
}

static karp_status check_key(karp_reader *reader, const io_deferred *w, const char *field, const karp_requirement *r,
                             bool *noted)
{
    karp_str key = r->key;
    char meant[MEANT], shown[96], place[96];
    nearest near = nearest_to(key);
    bool of_its_domain;
    if (io_is_had(reader, key, &near)) return KARP_OK;
    *noted = true;
    str_shorten(shown, sizeof shown, key);
    bool possible = is_known_to_provider(reader, key, &of_its_domain) || !of_its_domain;
    if (possible && r->op == KARP_OP_DOES_NOT_EXIST) return KARP_OK; /* the requirement is met */
    if (possible)
        return io_warn(reader, "%.200s: %s.key: no instance type or offering of this catalogue has %s%s",
                       w->place.document.ptr, field, shown, io_meant(&near, meant));
    io_place at = io_place_whole(&w->place);
    (void)snprintf(place, sizeof place, "%s.key", field);
    (void)io_reader_fail(reader, KARP_E_INVALID, &at, place, "%s is no label of instance types or offerings%s", shown,
                         io_meant(&near, meant));
    io_reader_name(reader, str("Prices"), (karp_str){ "", 0 }, w->name);
    return KARP_E_INVALID;
}

/* Checks values of In and NotIn that no type or offering has. They are listed in one note. */
static karp_status check_values(karp_reader *reader, const io_deferred *w, const char *field, const karp_requirement *r)
{
    char key[128];
    io_absent absent;
    karp_status status = io_find_absent(reader, r, &absent);
    if (status || absent.count == 0) return status;
    str_shorten(key, sizeof key, r->key);
    return io_warn(reader, "%.150s: %s.values: no instance type or offering of this catalogue has %s as %s%s",
                   w->place.document.ptr, field, absent.list, key, absent.meant);
}

karp_status io_check_price_matches(karp_reader *reader, const io_deferred *w, const char *list, size_t index,
                                   const karp_requirement *requirements, size_t count)
{
    char field[64];
    if (reader->catalogues.count == 0) return KARP_OK;
    size_t offerings = 0, looks = count + 1;
    for (size_t i = 0; i < count; i++) looks += requirements[i].value_count;
    for (size_t c = 0; c < reader->catalogues.count; c++)
        offerings += 16 * karp_catalogue_count(reader->catalogues.list[c].catalogue);
    if (!karp_context_work(reader->context, offerings * looks)) return io_reader_nomem(reader);
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++) {
        bool by_values = requirements[i].op == KARP_OP_IN || requirements[i].op == KARP_OP_NOT_IN;
        bool no_key = false;
        (void)snprintf(field, sizeof field, "spec.%s[%zu].requirements[%zu]", list, index, i);
        status = check_key(reader, w, field, &requirements[i], &no_key);
        if (status == KARP_OK && by_values && !no_key) status = check_values(reader, w, field, &requirements[i]);
    }
    if (status || is_about_something(reader, requirements, count)) return status;
    return io_warn(reader, "%.200s: spec.%s[%zu] matches no offering of this catalogue and has no effect",
                   w->place.document.ptr, list, index);
}
