/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/cloud_dump.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/provider.h>

enum { MOST = 32, ORDER = 12 };

typedef struct dump {
    karp_context *context;
    karp_provider *provider;
    karp_provider_class *node_class;
    karp_catalogue *types;
    karp_error error;
} dump;

static karp_str text_of(const char *text) { return (karp_str){ text, strlen(text) }; }

static int stop(const dump *d, const char *what)
{
    fprintf(stderr, "%s: %s: %s %s\n", what, karp_status_name(d->error.status), d->error.field, d->error.message);
    return 1;
}

static void print_text(karp_str text) { printf("\"%.*s\"", (int)text.len, text.ptr); }

static void print_resources(const char *name, const karp_resource *list, size_t count)
{
    printf(",\"%s\":{", name);
    for (size_t i = 0; i < count; i++) {
        if (i) putchar(',');
        print_text(list[i].name);
        putchar(':');
        print_text(list[i].text);
    }
    putchar('}');
}

static void print_requirements(const karp_requirement *list, size_t count)
{
    putchar('{');
    for (size_t i = 0; i < count; i++) {
        if (i) putchar(',');
        print_text(list[i].key);
        putchar(':');
        if (list[i].op == KARP_OP_DOES_NOT_EXIST) fputs("\"DoesNotExist\"", stdout);
        for (size_t k = 0; list[i].op == KARP_OP_IN && k < list[i].value_count; k++) {
            putchar(k ? ',' : '[');
            print_text(list[i].values[k]);
        }
        if (list[i].op == KARP_OP_IN) putchar(']');
    }
    putchar('}');
}

static void print_offerings(const karp_instance_type *t)
{
    fputs(",\"offerings\":[", stdout);
    for (size_t i = 0; i < t->offering_count; i++) {
        const karp_offering *o = &t->offerings[i];
        printf("%s{\"price\":%.17g,\"available\":%s,\"requirements\":", i ? "," : "", o->price,
               o->available ? "true" : "false");
        print_requirements(o->requirements, o->requirement_count);
        putchar('}');
    }
    putchar(']');
}

static void print_type(const dump *d, size_t index, bool all)
{
    const karp_instance_type *t = karp_catalogue_type(d->types, index);
    size_t count = 0;
    const karp_resource *allocatable = karp_catalogue_allocatable(d->types, index, &count);
    fputs("{\"name\":", stdout);
    print_text(t->name);
    if (all) {
        fputs(",\"requirements\":", stdout);
        print_requirements(t->requirements, t->requirement_count);
        print_resources("capacity", t->capacity, t->capacity_count);
        print_resources("kubeReserved", t->overhead.kube_reserved, t->overhead.kube_reserved_count);
        print_resources("systemReserved", t->overhead.system_reserved, t->overhead.system_reserved_count);
        print_resources("evictionThreshold", t->overhead.eviction_threshold, t->overhead.eviction_threshold_count);
        print_resources("allocatable", allocatable, count);
    }
    print_offerings(t);
    puts("}");
}

static karp_str value_of(const karp_offering *o, const char *key)
{
    for (size_t i = 0; i < o->requirement_count; i++) {
        karp_str k = o->requirements[i].key;
        if (k.len == strlen(key) && memcmp(k.ptr, key, k.len) == 0) return o->requirements[i].values[0];
    }
    return text_of("");
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

typedef struct mix {
    karp_requirement requirements[MOST];
    karp_str values[MOST][MOST];
    karp_resource requests[MOST];
    size_t requirement_count, request_count;
    char text[16384]; /* of its lines */
    size_t used;
} mix;

/* The cheapest usable offering of the type that the candidate is of. */
static double best_price(const karp_provider_launch *launch, uint32_t type)
{
    double best = -1;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        karp_provider_candidate c = launch->candidates[i];
        double price = launch->types[c.type]->offerings[c.offering].price;
        if (c.type == type && c.usable && (best < 0 || price < best)) best = price;
    }
    return best;
}

static size_t count_types(const karp_provider_launch *launch)
{
    size_t n = 0;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        n += i == 0 || launch->candidates[i].type != launch->candidates[i - 1].type;
    }
    return n;
}

static void drop_type(karp_provider_launch *launch, uint32_t type)
{
    size_t left = 0;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        if (launch->candidates[i].type != type) launch->candidates[left++] = launch->candidates[i];
    }
    launch->candidate_count = left;
}

/* The order is seen by taking away what is picked, again and again. */
static int print_order(dump *d, karp_provider_launch *launch)
{
    karp_provider_candidate c = { 0, 0, 0, 0 };
    fputs(",\"order\":[", stdout);
    for (size_t i = 0; i < ORDER && launch->candidate_count > 0; i++) {
        if (karp_provider_launch_pick(d->provider, d->node_class, launch, &c, &d->error) != KARP_OK)
            return stop(d, "pick");
        fputs(i ? ",[" : "[", stdout);
        print_text(launch->types[c.type]->name);
        printf(",%.17g]", best_price(launch, c.type));
        drop_type(launch, c.type);
    }
    putchar(']');
    return 0;
}

static int print_launch(dump *d, const mix *m, const char *name)
{
    karp_provider_memory *memory = NULL;
    karp_provider_launch launch = { .size = sizeof launch,
                                    .requirements = m->requirements,
                                    .requirement_count = m->requirement_count,
                                    .requests = m->requests,
                                    .request_count = m->request_count };
    karp_provider_candidate c;
    int result = 0;
    if (karp_provider_memory_new(d->context, &memory, NULL) != KARP_OK) return 1;
    printf("{\"name\":\"%s\"", name);
    if (karp_provider_launch_filter(d->provider, d->node_class, memory, &launch, &d->error) != KARP_OK) {
        fputs(",\"candidates\":0,\"order\":[]}\n", stdout);
    } else if (karp_provider_launch_pick(d->provider, d->node_class, &launch, &c, &d->error) != KARP_OK) {
        result = stop(d, "pick");
    } else {
        const karp_offering *o = &launch.types[c.type]->offerings[c.offering];
        printf(",\"candidates\":%zu,\"capacityType\":", count_types(&launch));
        print_text(launch.capacity_type);
        fputs(",\"zone\":", stdout);
        print_text(value_of(o, "topology.kubernetes.io/zone"));
        fputs(",\"placementScope\":", stdout);
        print_text(value_of(o, "karpenter.azure.com/placement-scope"));
        result = print_order(d, &launch);
        puts("}");
    }
    karp_provider_memory_free(memory);
    return result;
}

static uint32_t operator_of(const char *word)
{
    static const struct {
        const char *word;
        uint32_t op;
    } all[] = { { "In", KARP_OP_IN },         { "NotIn", KARP_OP_NOT_IN },
                { "Exists", KARP_OP_EXISTS }, { "DoesNotExist", KARP_OP_DOES_NOT_EXIST },
                { "Gt", KARP_OP_GT },         { "Lt", KARP_OP_LT } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].word, word) == 0) return all[i].op;
    }
    return 0;
}

static void add_requirement(mix *m, char *words)
{
    karp_requirement *r = &m->requirements[m->requirement_count];
    karp_str *values = m->values[m->requirement_count++];
    char *save = NULL;
    memset(r, 0, sizeof *r);
    r->key = text_of(strtok_r(words, " ", &save));
    r->op = operator_of(strtok_r(NULL, " ", &save));
    r->values = values;
    for (char *value = strtok_r(NULL, " ", &save); value; value = strtok_r(NULL, " ", &save)) {
        values[r->value_count++] = text_of(value);
    }
}

static int launches(dump *d)
{
    static mix m;
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "launch ", 7) == 0) {
            if (print_launch(d, &m, line + 7) != 0) return 1;
            m.requirement_count = m.request_count = m.used = 0;
            continue;
        }
        char *copy = m.text + m.used;
        m.used += strlen(line) + 1;
        if (m.used > sizeof m.text || m.requirement_count == MOST || m.request_count == MOST) return 1;
        memcpy(copy, line, strlen(line) + 1);
        if (strncmp(copy, "req ", 4) == 0) {
            add_requirement(&m, copy + 4);
        } else if (strncmp(copy, "request ", 8) == 0) {
            char *quantity = strchr(copy + 8, ' ');
            *quantity++ = '\0';
            m.requests[m.request_count++] = (karp_resource){ .name = text_of(copy + 8), .text = text_of(quantity) };
        }
    }
    return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int print_hash(dump *d)
{
    karp_provider_memory *memory = NULL;
    karp_str version, hash;
    if (karp_provider_memory_new(d->context, &memory, NULL) != KARP_OK) return 1;
    int result = 0;
    if (karp_provider_class_hash(d->provider, d->node_class, memory, &version, &hash, &d->error) != KARP_OK)
        result = stop(d, "hash");
    else printf("{\"version\":\"%.*s\",\"hash\":\"%.*s\"}\n", (int)version.len, version.ptr, (int)hash.len, hash.ptr);
    karp_provider_memory_free(memory);
    return result;
}

static size_t read_settings(char *text, karp_label *list)
{
    size_t n = 0;
    char *save = NULL;
    for (char *word = strtok_r(text, ";", &save); word && n < MOST; word = strtok_r(NULL, ";", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        list[n++] = (karp_label){ text_of(word), text_of(value) };
    }
    return n;
}

static bool open_all(dump *d, char **argv, int argc)
{
    karp_label settings[MOST];
    karp_provider_options options;
    karp_provider_options_init(&options, sizeof options);
    options.region = text_of(argv[2]);
    options.settings = settings;
    options.setting_count = read_settings(argv[4], settings);
    if (karp_provider_open(d->context, text_of(argv[1]), &options, &d->provider, &d->error) != KARP_OK) return false;
    for (int i = 6; i < argc; i++) {
        char *path = strchr(argv[i], '=');
        *path++ = '\0';
        if (karp_provider_load_facts_file(d->context, d->provider, text_of(argv[i]), path, &d->error) != KARP_OK)
            return false;
    }
    if (argv[3][0] && karp_provider_class_new(d->provider, text_of("class.json"), text_of(argv[3]), &d->node_class,
                                              &d->error) != KARP_OK)
        return false;
    return strcmp(argv[5], "hash") == 0 ||
           karp_provider_catalogue(d->provider, d->node_class, &d->types, &d->error) == KARP_OK;
}

int cloud_dump(int argc, char **argv)
{
    dump d = { .context = NULL };
    int result = 0;
    karp_error_init(&d.error, sizeof d.error);
    if (argc < 6 || karp_context_new(NULL, &d.context, &d.error) != KARP_OK) return 1;
    if (!open_all(&d, argv, argc)) result = stop(&d, argv[1]);
    else if (strcmp(argv[5], "hash") == 0) result = print_hash(&d);
    else if (strcmp(argv[5], "launch") == 0) result = launches(&d);
    else
        for (size_t i = 0; i < karp_catalogue_count(d.types); i++) print_type(&d, i, strcmp(argv[5], "types") == 0);
    karp_catalogue_unref(d.types);
    karp_provider_class_free(d.node_class);
    karp_provider_close(d.provider);
    karp_context_unref(d.context);
    return result;
}
