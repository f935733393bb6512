/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of devices.h for a build without devices (KARP_NO_DEVICES). Such a build rejects settings with
 * dra_requests. Pods with resource claims are then unschedulable for the reason that Karpenter gives when it ignores
 * them.
 */
#include <schedule/devices.h>

#ifdef KARP_NO_DEVICES
bool devices_init(scheduler *s) { return s != NULL; }

bool devices_begin_round(scheduler *s) { return s != NULL; }

void devices_free(scheduler *s) { (void)s; }

/* Called only for pods with resource claims. */
uint32_t devices_refuse(scheduler *s, uint32_t class_number)
{
    (void)s, (void)class_number;
    return KARP_REASON_DRA;
}

uint32_t devices_on_host(scheduler *s, uint32_t host_index, uint32_t class_number)
{
    (void)host_index;
    return devices_refuse(s, class_number);
}

uint32_t devices_on_claim(scheduler *s, const claim *c, uint32_t class_number, uint32_t *set)
{
    (void)c, (void)set;
    return devices_refuse(s, class_number);
}

uint32_t devices_keep(scheduler *s, uint32_t types) { return s != NULL ? types : NO_ID; }

void devices_take_host(scheduler *s) { (void)s; }

void devices_take_claim(scheduler *s, const claim *c) { (void)s, (void)c; }

bool devices_gave_up(const scheduler *s) { return s == NULL; }

bool devices_drivers(scheduler *s, uint32_t claim_number, arena *a, karp_str *out)
{
    (void)s, (void)claim_number, (void)a;
    *out = (karp_str){ NULL, 0 };
    return true;
}

karp_str devices_unknown_expression(const scheduler *s, uint32_t class_number)
{
    (void)s, (void)class_number;
    return (karp_str){ NULL, 0 };
}

karp_str devices_missing_claim(const scheduler *s, uint32_t class_number)
{
    (void)s, (void)class_number;
    return (karp_str){ NULL, 0 };
}

/* Never called: nothing is held. */
const struct saved_devices *devices_save(scheduler *s)
{
    (void)s;
    return NULL;
}

bool devices_restore(scheduler *s, const struct saved_devices *from) { return s != NULL && from == NULL; }
#endif
