/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws_dump.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <providers/aws/plugin.h>
#include <support/node_class.h>

#include <karp/inspect.h>

static void print_text(karp_str text)
{
    putchar('"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"' || text.ptr[i] == '\\') putchar('\\');
        putchar(text.ptr[i]);
    }
    putchar('"');
}

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

static void print_labels(const karp_requirement *list, size_t count)
{
    const char *separator = "";
    putchar('{');
    for (size_t i = 0; i < count; i++) {
        if (list[i].op != KARP_OP_IN || list[i].value_count == 0) continue;
        fputs(separator, stdout);
        separator = ",";
        print_text(list[i].key);
        fputs(":[", stdout);
        for (size_t k = 0; k < list[i].value_count; k++) {
            if (k) putchar(',');
            print_text(list[i].values[k]);
        }
        putchar(']');
    }
    putchar('}');
}

static void print_type(const karp_catalogue *catalogue, size_t index)
{
    const karp_instance_type *t = karp_catalogue_type(catalogue, index);
    size_t count = 0;
    const karp_resource *allocatable = karp_catalogue_allocatable(catalogue, index, &count);
    fputs("{\"name\":", stdout);
    print_text(t->name);
    fputs(",\"labels\":", stdout);
    print_labels(t->requirements, t->requirement_count);
    print_resources("capacity", t->capacity, t->capacity_count);
    print_resources("kubeReserved", t->overhead.kube_reserved, t->overhead.kube_reserved_count);
    print_resources("systemReserved", t->overhead.system_reserved, t->overhead.system_reserved_count);
    print_resources("evictionThreshold", t->overhead.eviction_threshold, t->overhead.eviction_threshold_count);
    print_resources("allocatable", allocatable, count);
    fputs(",\"offerings\":[", stdout);
    for (size_t i = 0; i < t->offering_count; i++) {
        const karp_offering *o = &t->offerings[i];
        printf("%s{\"price\":%.17g,\"available\":%s,\"labels\":", i ? "," : "", o->price,
               o->available ? "true" : "false");
        print_labels(o->requirements, o->requirement_count);
        putchar('}');
    }
    puts("]}");
}

static int stop(const char *what, const karp_error *error)
{
    fprintf(stderr, "%s: %s: %s %s\n", what, karp_status_name(error->status), error->field, error->message);
    return 1;
}

karp_status aws_catalogue_of(karp_context *context, karp_str region, const aws_settings *settings,
                             const aws_node_class *node_class, karp_catalogue **out, karp_error *error)
{
    aws_facts facts;
    aws_marks none = { .list = NULL };
    const karp_instance_type *types = NULL;
    size_t count = 0;
    scratch s;
    karp_status status = aws_facts_init(&facts, context, region, error);
    if (status) return status;
    scratch_init(&s, context);
    status = aws_instance_types(&s, &facts, &none, settings, node_class, &types, &count, error);
    if (status == KARP_OK) status = karp_catalogue_new(context, types, count, out, error);
    scratch_free(&s);
    aws_facts_free(&facts);
    return status;
}

int aws_dump(int argc, char **argv)
{
    if (argc != 5) {
        fputs("arguments: REGION RESERVED_ENIS VM_OVERHEAD NODE_CLASS_JSON\n", stderr);
        return 1;
    }
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_context *context = NULL;
    if (karp_context_new(NULL, &context, &error) != KARP_OK) return stop("context", &error);
    scratch s;
    scratch_init(&s, context);
    aws_node_class node_class;
    karp_catalogue *catalogue = NULL;
    karp_str region = { argv[1], strlen(argv[1]) };
    aws_settings settings = aws_settings_default();
    settings.options.reserved_enis = strtol(argv[2], NULL, 10);
    settings.options.vm_memory_overhead = strtod(argv[3], NULL);
    settings.all_types = true;
    int result = 0;
    if (read_node_class(&s, (karp_str){ argv[4], strlen(argv[4]) }, &node_class, &error) != KARP_OK) {
        result = stop("node class", &error);
    } else if (aws_catalogue_of(context, region, &settings, &node_class, &catalogue, &error) != KARP_OK) {
        result = stop("catalogue", &error);
    }
    for (size_t i = 0; result == 0 && i < karp_catalogue_count(catalogue); i++) print_type(catalogue, i);
    karp_catalogue_unref(catalogue);
    scratch_free(&s);
    karp_context_unref(context);
    return result;
}
