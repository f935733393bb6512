/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/amount.h>

#include <math.h>

#define MOST (INT64_C(1) << 53)

static int64_t times(int64_t a, int64_t b) { return a > MOST / b ? MOST : a * b; }

/* The factor of a suffix: *up multiplies, *down divides. false = it is an exponent. */
static bool suffix_of(karp_str s, int64_t *up, int64_t *down)
{
    static const struct {
        const char *text;
        int64_t up, down;
    } known[] = { { "", 1, 1 },
                  { "n", 1, 1000000000 },
                  { "u", 1, 1000000 },
                  { "m", 1, 1000 },
                  { "k", 1000, 1 },
                  { "M", 1000000, 1 },
                  { "G", 1000000000, 1 },
                  { "T", INT64_C(1000000000000), 1 },
                  { "P", INT64_C(1000000000000000), 1 },
                  { "E", INT64_C(1000000000000000000), 1 },
                  { "Ki", INT64_C(1) << 10, 1 },
                  { "Mi", INT64_C(1) << 20, 1 },
                  { "Gi", INT64_C(1) << 30, 1 },
                  { "Ti", INT64_C(1) << 40, 1 },
                  { "Pi", INT64_C(1) << 50, 1 },
                  { "Ei", INT64_C(1) << 60, 1 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!str_is(s, known[i].text)) continue;
        *up = known[i].up;
        *down = known[i].down;
        return true;
    }
    return false;
}

/* Of a canonical quantity, which has no decimals. */
static int64_t rounded_up(karp_str text, bool milli)
{
    int64_t number = 0, up = 1, down = 1;
    size_t i = 0;
    if (text.len && text.ptr[0] == '-') return 0;
    for (; i < text.len && is_digit(text.ptr[i]); i++) {
        number = times(number, 10) + (text.ptr[i] - '0');
        if (number > MOST) number = MOST;
    }
    karp_str suffix = { text.ptr + i, text.len - i };
    if (!suffix_of(suffix, &up, &down)) {
        bool negative = suffix.len > 1 && suffix.ptr[1] == '-';
        int64_t exponent = 0;
        for (size_t k = 1; k < suffix.len; k++)
            exponent = exponent * 10 + (is_digit(suffix.ptr[k]) ? suffix.ptr[k] - '0' : 0);
        for (int64_t k = 0; k < exponent && k < 18; k++) {
            if (negative) down *= 10;
            else up *= 10;
        }
    }
    if (milli && down >= 1000) down /= 1000;
    else if (milli && down > 1) up = 1000 / down, down = 1;
    else if (milli) number = times(number, 1000);
    number = times(number, up);
    return number / down + (number % down != 0);
}

int64_t kube_amount_of(const karp_resource *r, bool milli)
{
    char text[KARP_VALUE_TEXT];
    if (r->text.ptr) return karp_quantity_canonical(r->text, text) ? 0 : rounded_up(str(text), milli);
    double value = ceil((double)r->value * pow(10, r->scale + (milli ? 3 : 0)));
    return value < 0 ? 0 : value > (double)MOST ? MOST : (int64_t)value;
}

uint32_t kube_resource(kube_cluster *c, karp_str name)
{
    uint32_t id = strings_find(&c->resources, name.ptr, name.len);
    if (id != NO_ID) return id;
    if (c->resources.count == KUBE_RESOURCES_MOST) {
        if (!c->status)
            c->status = fail(&c->error, KARP_E_LIMIT, "pods ask for more than %d resources", (int)KUBE_RESOURCES_MOST);
        return KUBE_NONE;
    }
    id = strings_add(&c->resources, name.ptr, name.len);
    if (id == NO_ID && !c->status) c->status = fail_nomem(&c->error);
    return id;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static void add_list(kube_cluster *c, const karp_resource *list, size_t count, int64_t out[KUBE_RESOURCES_MOST],
                     bool replace)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t id = kube_resource(c, list[i].name);
        if (id == KUBE_NONE) return;
        int64_t amount = kube_amount_of(&list[i], id == KUBE_CPU);
        out[id] = replace ? amount : out[id] + amount;
    }
}

static bool states(const karp_container *one, uint32_t resource)
{
    for (size_t i = 0; i < one->request_count; i++) {
        if (str_is(one->requests[i].name, resource == KUBE_CPU ? "cpu" : "memory")) return true;
    }
    return false;
}

static void add_container(kube_cluster *c, const karp_container *one, const int64_t missing[2],
                          int64_t out[KUBE_RESOURCES_MOST])
{
    add_list(c, one->requests, one->request_count, out, false);
    for (uint32_t i = KUBE_CPU; i <= KUBE_MEMORY; i++) {
        if (!states(one, i)) out[i] += missing[i];
    }
}

void kube_requests(kube_cluster *c, const karp_pod *pod, const int64_t missing[2], bool whole,
                   int64_t out[KUBE_RESOURCES_MOST])
{
    int64_t largest[KUBE_RESOURCES_MOST] = { 0 }, sidecars[KUBE_RESOURCES_MOST] = { 0 };
    memset(out, 0, KUBE_RESOURCES_MOST * sizeof *out);
    for (size_t i = 0; i < pod->container_count; i++) add_container(c, &pod->containers[i], missing, out);
    for (size_t i = 0; i < pod->init_container_count; i++) {
        const karp_container *one = &pod->init_containers[i];
        int64_t now[KUBE_RESOURCES_MOST] = { 0 };
        add_container(c, one, missing, now);
        for (size_t k = 0; k < KUBE_RESOURCES_MOST; k++) {
            if (one->restart_always) out[k] += now[k];
            if (one->restart_always) sidecars[k] += now[k];
            int64_t then = one->restart_always ? sidecars[k] : sidecars[k] + now[k];
            if (then > largest[k]) largest[k] = then;
        }
    }
    for (size_t k = 0; k < KUBE_RESOURCES_MOST; k++) {
        if (largest[k] > out[k]) out[k] = largest[k];
    }
    if (whole) add_list(c, pod->pod_requests, pod->pod_request_count, out, true);
    add_list(c, pod->overhead, pod->overhead_count, out, false);
}
