/* SPDX-License-Identifier: Apache-2.0 */
/* Which instance types remain, and why none does (scheduling.md 22). */
#include <string.h>

#include "memory.h"
#include "scheduler.h"

void ref_usages_add(struct usages *usages, const struct pod *pod)
{
    for (size_t i = 0; i < usages->count; i++) {
        if (strcmp(usages->items[i].key, pod->key) == 0) {
            usages->items[i].ports = pod->ports;
            return;
        }
    }
    usages->items = ref_push(usages->items, usages->count, sizeof usages->items[0]);
    usages->items[usages->count++] = (struct usage){ pod->key, pod->ports };
}

bool ref_usages_clash(struct usages usages, const struct pod *pod)
{
    for (size_t i = 0; i < usages.count && pod->ports.count > 0; i++) {
        if (strcmp(usages.items[i].key, pod->key) != 0 && ref_ports_clash(usages.items[i].ports, pod->ports)) {
            return true;
        }
    }
    return false;
}

/** The daemons' ports, with those of the pods that have been put there: of the same name, the pod's replace the
 * daemon's. */
static struct usages replaced(struct usages daemons, struct usages pods)
{
    struct usages all = { NULL, 0 };
    for (size_t i = 0; i < daemons.count + pods.count; i++) {
        const struct usage *u = i < daemons.count ? &daemons.items[i] : &pods.items[i - daemons.count];
        size_t at = 0;
        while (at < all.count && strcmp(all.items[at].key, u->key) != 0) {
            at++;
        }
        if (at == all.count) {
            all.items = ref_push(all.items, all.count++, sizeof all.items[0]);
        }
        all.items[at] = *u;
    }
    return all;
}

/** What was true of some type: compatible, fits, has an offering; and pairs without the third. */
struct tally {
    bool c, f, h, cf, ch, fh;
};

static bool test_type(const struct instance_type *type, struct requirements requirements, struct resources requests,
                      struct tally *tally)
{
    bool f, h, c = ref_intersects(type->requirements, requirements);
    ref_type_fit(type, requests, requirements, &f, &h);
    tally->c = tally->c || c;
    tally->f = tally->f || f;
    tally->h = tally->h || h;
    tally->cf = tally->cf || (c && f && !h);
    tally->ch = tally->ch || (c && h && !f);
    tally->fh = tally->fh || (f && h && !c);
    return c && f && h;
}

static refusal why_none(const struct tally *t)
{
    const struct {
        bool applies;
        refusal code;
    } table[] = {
        { !t->c && !t->f && !t->h, "NOTHING_MATCHED" },
        { !t->c && !t->f, "REQUIREMENTS_AND_RESOURCES" },
        { !t->c && !t->h, "REQUIREMENTS_AND_OFFERING" },
        { !t->f && !t->h, "RESOURCES_AND_OFFERING" },
        { !t->c, "REQUIREMENTS" },
        { !t->f, "RESOURCES" },
        { !t->h, "OFFERING" },
        { t->cf, "FITS_COMPATIBLE_NO_OFFERING" },
        { t->fh, "FITS_OFFERING_NOT_COMPATIBLE" },
        { t->ch, "COMPATIBLE_OFFERING_NO_FIT" },
        { true, "TUPLE" },
    };
    size_t i = 0;
    while (!table[i].applies) {
        i++;
    }
    return table[i].code;
}

refusal ref_filter_types(const struct scheduler *s, struct types present, struct requirements requirements,
                         const struct pod *pod, struct resources requests, const struct template *template,
                         struct usages ports, bool relax, struct types *kept)
{
    bool *is_present = ref_alloc(s->type_count + 1);
    struct tally tally = { false, false, false, false, false, false };
    for (size_t i = 0; i < present.count; i++) {
        is_present[present.items[i]->index] = true;
    }
    *kept = (struct types){ ref_alloc((present.count + 1) * sizeof(void *)), 0 };
    for (size_t g = 0; g < template->group_count; g++) {
        const struct daemon_group *group = &template->groups[g];
        if (pod != NULL && ref_usages_clash(replaced(group->ports, ports), pod)) {
            continue;
        }
        struct resources total = ref_resources_sum(requests, group->overhead);
        for (size_t i = 0; i < group->types.count; i++) {
            const struct instance_type *type = group->types.items[i];
            if (is_present[type->index] && test_type(type, requirements, total, &tally)) {
                kept->items[kept->count++] = type;
            }
        }
    }
    if (!relax && ref_lacks_values(*kept, requirements)) {
        return "MIN_VALUES";
    }
    return kept->count > 0 ? NULL : why_none(&tally);
}
