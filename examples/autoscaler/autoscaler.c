/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second autoscaler: it watches a cluster, plans with libkarp, and creates NodeClaims.
 *
 *     autoscaler 127.0.0.1 8001        (the address of kubectl proxy)
 *
 * It keeps nothing of its own: after a restart, what the API server has is all that it knows. It plans only while every
 * NodeClaim has a provider ID, as Karpenter does, since nobody knows before how large a node will be. It speaks
 * HTTP/1.0, in which a body, also that of a watch, ends with the connection.
 */
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <karp/catalogue.h>
#include <karp/jansson.h>
#include <karp/karp.h>
#include <karp/provider.h>
#include <karp/reasons.h>

enum { KINDS = 9, QUIET = 200 }; /* milliseconds without an event before it plans: pods come in batches */

static const char *const kinds[KINDS][2] = {
    { "Pod", "/api/v1/pods" },
    { "Node", "/api/v1/nodes" },
    { "Namespace", "/api/v1/namespaces" },
    { "DaemonSet", "/apis/apps/v1/daemonsets" },
    { "PersistentVolumeClaim", "/api/v1/persistentvolumeclaims" },
    { "PersistentVolume", "/api/v1/persistentvolumes" },
    { "StorageClass", "/apis/storage.k8s.io/v1/storageclasses" },
    { "NodePool", "/apis/karpenter.sh/v1/nodepools" },
    { "NodeClaim", "/apis/karpenter.sh/v1/nodeclaims" },
};
enum { NODE_CLAIM = 8 };

__attribute__((format(printf, 1, 2))) static _Noreturn void die(const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vfprintf(stderr, format, words);
    va_end(words);
    fputc('\n', stderr);
    exit(1); /* whoever runs it starts it again, and it begins with what the API server has */
}

/* ---- HTTP -------------------------------------------------------------------------------------------------------- */

struct text {
    char *at;
    size_t length, room;
};

static void append(struct text *t, const char *from, size_t length)
{
    if (t->length + length + 1 > t->room) {
        t->room = 2 * (t->length + length + 1);
        t->at = realloc(t->at, t->room);
        if (t->at == NULL) die("out of memory");
    }
    memcpy(t->at + t->length, from, length);
    t->length += length;
    t->at[t->length] = '\0';
}

static const char *host, *port;

static int send_request(const char *method, const char *path, const char *body, size_t length)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0) die("no address for %s", host);
    int fd = socket(found->ai_family, found->ai_socktype, 0);
    if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0) die("%s:%s does not answer", host, port);
    freeaddrinfo(found);
    char head[512];
    int size = snprintf(head, sizeof head,
                        "%s %s HTTP/1.0\r\nHost: %s\r\nAccept: application/json\r\nContent-Type: application/yaml\r\n"
                        "Content-Length: %zu\r\n\r\n",
                        method, path, host, length);
    struct text request = { 0 };
    append(&request, head, (size_t)size);
    append(&request, body, length);
    for (size_t sent = 0; sent < request.length;) {
        ssize_t n = send(fd, request.at + sent, request.length - sent, MSG_NOSIGNAL);
        if (n <= 0) die("%s %s: the connection broke", method, path);
        sent += (size_t)n;
    }
    free(request.at);
    return fd;
}

/* Reads more of an answer; false at its end. */
static int more(int fd, struct text *into)
{
    char part[65536];
    ssize_t n = read(fd, part, sizeof part);
    if (n > 0) append(into, part, (size_t)n);
    return n > 0;
}

/* Takes the head off an answer when it is there. */
static int headless(struct text *answer, const char *what)
{
    char *end = answer->at == NULL ? NULL : strstr(answer->at, "\r\n\r\n");
    if (end == NULL) return 0;
    if (strncmp(answer->at, "HTTP/1.", 7) != 0 || answer->at[9] != '2') die("%s: %s", what, answer->at);
    answer->length -= (size_t)(end + 4 - answer->at);
    memmove(answer->at, end + 4, answer->length + 1);
    return 1;
}

static json_t *ask(const char *method, const char *path, const char *body, size_t length)
{
    struct text answer = { 0 };
    int fd = send_request(method, path, body, length);
    while (more(fd, &answer)) {
    }
    close(fd);
    if (!headless(&answer, path)) die("%s %s: no answer", method, path);
    json_error_t error;
    json_t *found = json_loadb(answer.at, answer.length, 0, &error);
    if (found == NULL) die("%s %s: %s", method, path, error.text);
    free(answer.at);
    return found;
}

/* ---- what the cluster has ---------------------------------------------------------------------------------------- */

static struct followed {
    json_t *objects; /* by "namespace/name" */
    int watch;
    int begun; /* the head of the answer was read */
    struct text rest;
} followed[KINDS];

static const char *member(const json_t *object, const char *part, const char *name)
{
    const char *value = json_string_value(json_object_get(json_object_get(object, part), name));
    return value == NULL ? "" : value;
}

static void take(int kind, json_t *object, int deleted)
{
    char key[600];
    snprintf(key, sizeof key, "%s/%s", member(object, "metadata", "namespace"), member(object, "metadata", "name"));
    if (deleted) json_object_del(followed[kind].objects, key);
    else json_object_set(followed[kind].objects, key, object);
}

static void list(int kind)
{
    struct followed *f = &followed[kind];
    json_t *found = ask("GET", kinds[kind][1], "", 0), *item;
    size_t i;
    json_decref(f->objects);
    f->objects = json_object();
    json_array_foreach(json_object_get(found, "items"), i, item)
    {
        json_object_set(item, "apiVersion", json_object_get(found, "apiVersion"));
        json_object_set_new(item, "kind", json_string(kinds[kind][0]));
        take(kind, item, 0);
    }
    char path[300];
    snprintf(path, sizeof path, "%s?watch=1&resourceVersion=%s", kinds[kind][1],
             member(found, "metadata", "resourceVersion"));
    f->watch = send_request("GET", path, "", 0);
    f->begun = 0;
    f->rest.length = 0;
    json_decref(found);
}

/* Events of a watch that is readable. When it ends, or has missed something, it begins anew with a list. */
static void read_events(int kind)
{
    struct followed *f = &followed[kind];
    int open = more(f->watch, &f->rest), missed = 0;
    if (!f->begun) f->begun = headless(&f->rest, kinds[kind][1]);
    char *line = f->rest.at, *end;
    while (f->begun && !missed && line != NULL && (end = strchr(line, '\n')) != NULL) {
        json_t *event = json_loadb(line, (size_t)(end - line), 0, NULL);
        const char *type = json_string_value(json_object_get(event, "type"));
        missed = type == NULL || strcmp(type, "ERROR") == 0; /* 410 Gone: the version is too old */
        if (!missed && strcmp(type, "BOOKMARK") != 0)
            take(kind, json_object_get(event, "object"), strcmp(type, "DELETED") == 0);
        json_decref(event);
        line = end + 1;
    }
    if (f->begun && line != NULL) {
        f->rest.length -= (size_t)(line - f->rest.at);
        memmove(f->rest.at, line, f->rest.length + 1);
    }
    if (open && !missed) return;
    close(f->watch);
    list(kind);
}

/* Every NodeClaim has a provider ID. */
static int settled(void)
{
    const char *key;
    json_t *claim;
    json_object_foreach(followed[NODE_CLAIM].objects, key, claim)
    {
        if (*member(claim, "status", "providerID") == '\0') return 0;
    }
    return 1;
}

/* ---- planning ---------------------------------------------------------------------------------------------------- */

static karp_status read_all(karp_context *context, karp_catalogue *catalogue, karp_snapshot **out, karp_error *error)
{
    karp_reader *reader = NULL;
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.now = (int64_t)time(NULL) * 1000000000;
    karp_status status = karp_reader_new(context, &options, &reader, error);
    if (status == KARP_OK) status = karp_reader_add_catalogue(reader, catalogue, error);
    for (int kind = 0; kind < KINDS && status == KARP_OK; kind++) {
        json_t *items = json_array(), *object;
        const char *key;
        json_object_foreach(followed[kind].objects, key, object) json_array_append(items, object);
        json_t *all = json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
        const karp_str name = { kinds[kind][0], strlen(kinds[kind][0]) };
        status = karp_reader_add_json(reader, name, all, error);
        json_decref(all);
    }
    if (status == KARP_OK) status = karp_reader_finish(reader, out, error);
    karp_reader_free(reader);
    return status;
}

/* Creates a NodeClaim of a plan, with a name that the server gives it, and remembers it: the watch may be late, and the
 * next round would launch for the same pods again. */
static void create(char *claim)
{
    struct text body = { 0 };
    char *name = strstr(claim, "\n  name: "), *end = name == NULL ? NULL : strchr(name + 1, '\n');
    if (end == NULL) die("a NodeClaim without a name");
    *name = *end = '\0';
    char *pool = name + strlen("\n  name: "), *dash = strrchr(pool, '-'); /* POOL-NUMBER */
    if (dash != NULL) dash[1] = '\0';
    const char *const parts[] = { claim, "\n  generateName: ", pool, "\n", end + 1 };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) append(&body, parts[i], strlen(parts[i]));
    json_t *made = ask("POST", kinds[NODE_CLAIM][1], body.at, body.length);
    take(NODE_CLAIM, made, 0);
    printf("created %s\n", member(made, "metadata", "name"));
    fflush(stdout);
    json_decref(made);
    free(body.at);
}

static void create_all(char *claims)
{
    while (claims != NULL) {
        char *next = strstr(claims, "\n---\n");
        if (next != NULL) *next = '\0';
        create(claims);
        claims = next == NULL ? NULL : next + strlen("\n---\n");
    }
}

static void print_left(const karp_decision *decision)
{
    for (size_t i = 0; i < karp_decision_unschedulable_count(decision); i++) {
        karp_unschedulable left = { .size = sizeof left };
        if (karp_decision_unschedulable(decision, i, &left) != KARP_OK) return;
        const karp_str pod = karp_decision_pod_name(decision, left.pod);
        printf("%.*s %s: %.*s\n", (int)pod.len, pod.ptr, karp_reason_name(left.code), (int)left.message.len,
               left.message.ptr);
    }
}

static void plan(karp_context *context, karp_catalogue *catalogue)
{
    karp_error error;
    karp_snapshot *snapshot = NULL;
    karp_decision *decision = NULL;
    karp_write_options options;
    karp_text claims = { 0 };
    karp_error_init(&error, sizeof error);
    karp_write_options_init(&options, sizeof options);
    options.format = KARP_FORMAT_YAML;
    karp_status status = read_all(context, catalogue, &snapshot, &error);
    if (status == KARP_OK) status = karp_provision(snapshot, NULL, &decision, &error);
    if (status == KARP_OK && karp_decision_launch_count(decision) > 0)
        status = karp_write_plan(context, decision, NULL, &options, &claims, &error);
    if (status == KARP_OK) print_left(decision);
    karp_decision_unref(decision);
    karp_snapshot_unref(snapshot);
    if (status != KARP_OK) fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);
    else if (claims.ptr != NULL) create_all(claims.ptr);
    karp_text_free(&claims);
}

int main(int argc, char **argv)
{
    if (argc != 3) die("usage: autoscaler HOST PORT");
    host = argv[1];
    port = argv[2];
    karp_error error;
    karp_context *context = NULL;
    karp_catalogue *catalogue = NULL;
    karp_catalogue_options options;
    karp_error_init(&error, sizeof error);
    karp_catalogue_options_init(&options, sizeof options);
    options.region = (karp_str){ "us-west-2", 9 };
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_catalogue_aws(context, &options, &catalogue, &error);
    if (status != KARP_OK) die("%s", error.message);
    for (int kind = 0; kind < KINDS; kind++) list(kind);
    for (int changed = 1;;) {
        struct pollfd ready[KINDS];
        for (int kind = 0; kind < KINDS; kind++) ready[kind] = (struct pollfd){ followed[kind].watch, POLLIN, 0 };
        if (poll(ready, KINDS, changed ? QUIET : -1) == 0) {
            if (settled()) plan(context, catalogue);
            changed = 0;
            continue;
        }
        for (int kind = 0; kind < KINDS; kind++)
            if (ready[kind].revents != 0) read_events(kind);
        changed = 1;
    }
}
