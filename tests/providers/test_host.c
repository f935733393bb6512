/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side: the registry, plugins that are not what they should be, answers that cannot be, a mock host whose
 * cloud is a list of names, and refused memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <karp/inspect.h>
#include <karp/provider.h>
#include <providers/mock_cloud.h>
#include <providers/builtin.h>
#include <support/fault.h>
#include <support/plain.h>

static int fresh(void **state)
{
    memset(&mock, 0, sizeof mock);
    return set_up(state);
}

static int gone(void **state)
{
    assert_int_equal(mock.open_handles, 0);
    return tear_down(state);
}

static karp_provider *open_mock(const karp_provider_plugin *plugin)
{
    karp_provider_registry *registry = NULL;
    karp_provider *provider = NULL;
    assert_int_equal(karp_provider_registry_new(context, &registry, NULL), KARP_OK);
    assert_int_equal(karp_provider_registry_add(registry, plugin, NULL), KARP_OK);
    assert_int_equal(karp_provider_registry_open(registry, text_of(plugin->name), NULL, &provider, NULL), KARP_OK);
    karp_provider_registry_free(registry);
    return provider;
}

/* ---- registry ---------------------------------------------------------------------------------------------------- */

static const char *object_path(const char *file)
{
    static char path[4096];
    const char *build = getenv("KARP_BUILD");
    (void)snprintf(path, sizeof path, "%s/%s", build ? build : "build", file);
    return path;
}

static void registry(void **state)
{
    (void)state;
    karp_provider_registry *r = NULL;
    karp_provider *provider = NULL;
    karp_error error;
    karp_str name;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_provider_registry_new(context, &r, &error), KARP_OK);
    assert_int_equal(karp_provider_registry_count(r), 5);
    assert_string_equal(karp_provider_registry_name(r, 0).ptr, "aws");
    assert_string_equal(karp_provider_registry_name(r, 1).ptr, "azure");
    assert_string_equal(karp_provider_registry_name(r, 2).ptr, "gcp");
    assert_null(karp_provider_registry_name(r, 5).ptr);
    for (size_t i = 0; i < 6; i++)
        assert_ptr_equal(karp_provider_registry_name(NULL, i).ptr, karp_provider_registry_name(r, i).ptr);
    assert_int_equal(karp_provider_registry_add(r, &mock_plugin, &error), KARP_OK);
    assert_int_equal(karp_provider_registry_add(r, &mock_plugin, &error), KARP_E_DUPLICATE);
    assert_int_equal(karp_provider_registry_load(r, object_path("examples/tiny.so"), &name, &error), KARP_OK);
    assert_int_equal(karp_provider_registry_load(r, object_path("examples/tiny.so"), &name, &error), KARP_E_DUPLICATE);
    assert_string_equal(name.ptr, "tiny");
    assert_int_equal(karp_provider_registry_count(r), 7);
    assert_int_equal(karp_provider_registry_open(r, text_of("moon"), NULL, &provider, &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_provider_registry_open(r, name, NULL, &provider, &error), KARP_OK);
    karp_provider_registry_free(r); /* the object stays as long as what was opened of it */
    assert_string_equal(karp_provider_name(provider).ptr, "tiny");
    assert_int_equal(karp_provider_class_kind(provider).len, 0);
    assert_int_equal(karp_provider_load_facts(provider, text_of("machines"), text_of("m.txt"),
                                              text_of("a 2 1024 0.5\nb 4 many 1\n"), &error),
                     KARP_E_INVALID);
    assert_int_equal(error.line, 2);
    assert_string_equal(error.document, "m.txt");
    assert_non_null(strstr(error.message, "provider tiny"));
    assert_int_equal(
        karp_provider_load_facts(provider, text_of("machines"), text_of("m.txt"), text_of("a 2 1024 0.5\n"), &error),
        KARP_OK);
    karp_catalogue *types = NULL;
    assert_int_equal(karp_provider_catalogue(provider, NULL, &types, &error), KARP_OK);
    assert_int_equal(karp_catalogue_count(types), 1);
    karp_catalogue_unref(types);
    karp_provider_close(provider);
}

static void bad_objects(void **state)
{
    (void)state;
    karp_provider *provider = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_provider_open(context, text_of("/nowhere/cloud.so"), NULL, &provider, &error), KARP_E_IO);
    assert_string_equal(error.document, "/nowhere/cloud.so");
    assert_int_equal(karp_provider_open(context, text_of("nowhere.so"), NULL, &provider, &error), KARP_E_IO);
    /* A library that is no provider. */
    assert_int_equal(karp_provider_open(context, text_of(object_path("lib/libkarp.so")), NULL, &provider, &error),
                     KARP_E_INVALID);
    assert_non_null(strstr(error.message, "karp_provider_entry"));
    assert_int_equal(karp_provider_open(context, text_of(""), NULL, &provider, &error), KARP_E_NOT_FOUND);
    assert_null(provider);
}

/* Tables that are not what they should be. */
static void bad_tables(void **state)
{
    (void)state;
    karp_provider_registry *r = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_provider_registry_new(context, &r, NULL), KARP_OK);
    struct {
        karp_provider_plugin table;
        karp_status status;
        const char *field;
    } cases[12];
    for (size_t i = 0; i < 12; i++) cases[i].table = mock_plugin;
#define CASE(n, change, want, named) cases[n].table.change, cases[n].status = want, cases[n].field = named
    CASE(0, abi_version = 0, KARP_E_ABI_OLD, "abi_version");
    CASE(1, abi_version = KARP_PROVIDER_ABI + 1, KARP_E_ABI_NEW, "abi_version");
    CASE(2, size = 0, KARP_E_ABI_SIZE, "size");
    CASE(3, size = offsetof(karp_provider_plugin, instance_types), KARP_E_ABI_SIZE, "size");
    CASE(4, size = sizeof(karp_provider_plugin) + 4, KARP_E_ABI_SIZE, "size");
    CASE(5, size = 1u << 20, KARP_E_ABI_SIZE, "size");
    CASE(6, name = "", KARP_E_INVALID, "name");
    CASE(7, name = "A cloud", KARP_E_INVALID, "name");
    CASE(8, open = NULL, KARP_E_INVALID, "open");
    CASE(9, close = NULL, KARP_E_INVALID, "close");
    CASE(10, instance_types = NULL, KARP_E_INVALID, "instance_types");
    CASE(11, class_parse = aws_builtin.plugin->class_parse, KARP_E_INVALID, "class_free");
    for (size_t i = 0; i < 12; i++) {
        karp_status status = karp_provider_registry_add(r, &cases[i].table, &error);
        if (status != cases[i].status || strcmp(error.field, cases[i].field) != 0)
            fail_msg("%zu: %s, %s", i, karp_status_name(status), error.field);
    }
    karp_provider_plugin half = mock_plugin;
    half.generation = NULL;
    half.mark = aws_builtin.plugin->mark;
    assert_int_equal(karp_provider_registry_add(r, &half, &error), KARP_E_INVALID);
    assert_int_equal(karp_provider_registry_add(r, NULL, &error), KARP_E_INVALID);
    assert_int_equal(karp_provider_registry_count(r), 5);
    karp_provider_registry_free(r);
}

/* A shorter table is an older plugin: what it lacks is not there. A longer one is newer: what is beyond is not read. */
static void other_sizes(void **state)
{
    (void)state;
    struct {
        karp_provider_plugin table;
        void *more[4];
    } longer = { .table = mock_plugin, .more = { &mock, &mock, &mock, &mock } };
    longer.table.size = sizeof longer;
    karp_provider *provider = open_mock(&longer.table);
    karp_provider_close(provider);
    karp_provider_plugin older = mock_plugin;
    older.size = offsetof(karp_provider_plugin, labels);
    provider = open_mock(&older);
    karp_provider_memory *memory = NULL;
    karp_provider_http http = { .size = sizeof http };
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    assert_int_equal(karp_provider_delete(provider, text_of("x"), &http, memory, NULL), KARP_E_UNSUPPORTED);
    karp_provider_memory_free(memory);
    karp_provider_close(provider);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void problems(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind;
        karp_status status;
    } cases[] = { { KARP_PROVIDER_INVALID, KARP_E_INVALID },
                  { KARP_PROVIDER_NOT_FOUND, KARP_E_NOT_FOUND },
                  { KARP_PROVIDER_NO_CAPACITY, KARP_E_PROVIDER },
                  { KARP_PROVIDER_CLASS_NOT_READY, KARP_E_PROVIDER },
                  { KARP_PROVIDER_CREATE_FAILED, KARP_E_PROVIDER },
                  { KARP_PROVIDER_RETRY, KARP_E_PROVIDER },
                  { KARP_PROVIDER_NO_MEMORY, KARP_E_NOMEM },
                  { KARP_PROVIDER_UNSUPPORTED, KARP_E_UNSUPPORTED },
                  { 77, KARP_E_PROVIDER } };
    karp_provider *provider = open_mock(&mock_plugin);
    karp_catalogue *types = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mock.kind = cases[i].kind;
        assert_int_equal(karp_provider_catalogue(provider, NULL, &types, &error), cases[i].status);
        assert_int_equal(karp_provider_last_problem(provider)->kind, cases[i].kind);
        assert_non_null(strstr(error.message, "provider mock"));
        if (cases[i].kind == 77) continue;
        assert_non_null(strstr(error.message, "is too large"));
        assert_string_equal(error.object, "InstanceType one");
        assert_string_equal(error.field, "spec.size");
    }
    mock.kind = 0;
    for (uint32_t i = 1; i <= 3; i++) {
        mock.nameless = i;
        assert_int_equal(karp_provider_catalogue(provider, NULL, &types, &error), KARP_E_PROVIDER);
        assert_non_null(strstr(error.message, "provider mock"));
    }
    assert_null(types);
    mock.nameless = 0; /* and afterwards it is as good as ever */
    assert_int_equal(karp_provider_catalogue(provider, NULL, &types, &error), KARP_OK);
    karp_catalogue_unref(types);
    karp_provider_close(provider);
}

static void cached(void **state)
{
    (void)state;
    karp_provider *provider = open_mock(&mock_plugin);
    karp_catalogue *a = NULL, *b = NULL, *c = NULL;
    assert_int_equal(karp_provider_catalogue(provider, NULL, &a, NULL), KARP_OK);
    assert_int_equal(karp_provider_catalogue(provider, NULL, &b, NULL), KARP_OK);
    assert_ptr_equal(a, b);
    assert_int_equal(mock.calls, 1);
    mock.generation++;
    assert_int_equal(karp_provider_catalogue(provider, NULL, &c, NULL), KARP_OK);
    assert_ptr_not_equal(a, c);
    assert_int_equal(mock.calls, 2);
    karp_provider_close(provider);
    karp_catalogue_unref(a);
    karp_catalogue_unref(b);
    karp_catalogue_unref(c);
}

static void launches(void **state)
{
    (void)state;
    karp_provider *provider = open_mock(&mock_plugin);
    karp_provider_memory *memory = NULL;
    karp_provider_candidate picked;
    karp_provider_launch launch = { .size = sizeof launch };
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    assert_int_equal(karp_provider_launch_filter(provider, NULL, memory, &launch, NULL), KARP_OK);
    assert_int_equal(launch.candidate_count, 1);
    assert_int_equal(karp_provider_launch_pick(provider, NULL, &launch, &picked, NULL), KARP_OK);
    mock.pick = 1;
    assert_int_equal(karp_provider_launch_pick(provider, NULL, &launch, &picked, NULL), KARP_E_PROVIDER);
    for (mock.filter = 1; mock.filter <= 2; mock.filter++) {
        assert_int_equal(karp_provider_launch_filter(provider, NULL, memory, &launch, NULL), KARP_E_PROVIDER);
    }
    assert_int_equal(karp_provider_last_problem(provider)->kind, KARP_PROVIDER_NO_CAPACITY);
    karp_provider_memory_free(memory);
    karp_provider_close(provider);
}

/* ---- a host that lets the plugin act ----------------------------------------------------------------------------- */

/* The mock host: its cloud is a list of names, with room for two. */
typedef struct host_cloud {
    char machines[2][32];
    unsigned down; /* 1 = it cannot be reached */
    unsigned asked;
} host_cloud;

static karp_str keep(const karp_provider_memory *memory, const char *text)
{
    char *copy = memory->alloc(strlen(text) + 1, memory->user);
    if (!copy) return (karp_str){ "", 0 };
    memcpy(copy, text, strlen(text) + 1);
    return text_of(copy);
}

static uint32_t serve(karp_str method, karp_str url, const karp_label *headers, size_t header_count, karp_str body,
                      const karp_provider_memory *memory, uint32_t *http_status, karp_str *answer, void *user)
{
    host_cloud *cloud = user;
    (void)headers;
    (void)body;
    cloud->asked++;
    if (cloud->down) return KARP_PROVIDER_RETRY;
    assert_int_equal(header_count, 1);
    const char *id = url.ptr + strlen("https://cloud.example/machines/");
    char all[80] = "";
    size_t at = 2;
    for (size_t i = 0; i < 2; i++) {
        if (*id && strcmp(cloud->machines[i], id) == 0) at = i;
        if (cloud->machines[i][0])
            (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", all[0] ? " " : "", cloud->machines[i]);
    }
    *http_status = 200;
    *answer = keep(memory, *id ? id : all);
    if (method.ptr[0] == 'P' && at == 2) { /* asked for again, it is the same machine */
        for (at = 0; at < 2 && cloud->machines[at][0]; at++) continue;
        if (at == 2) *http_status = 409;
        else (void)snprintf(cloud->machines[at], sizeof cloud->machines[at], "%s", id);
    } else if (method.ptr[0] == 'D') {
        if (at == 2) *http_status = 404;
        else cloud->machines[at][0] = '\0';
    } else if (*id && at == 2) {
        *http_status = 404;
    }
    return KARP_PROVIDER_OK;
}

static void acting(void **state)
{
    (void)state;
    host_cloud cloud = { .down = 0 };
    karp_provider_http http = { .size = sizeof http, .send = serve, .user = &cloud };
    karp_provider *provider = open_mock(&mock_plugin);
    karp_provider_memory *memory = NULL;
    karp_provider_launch launch = { .size = sizeof launch };
    karp_provider_node node = { .size = sizeof node };
    const karp_provider_node *nodes = NULL;
    size_t count = 0;
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    assert_int_equal(karp_provider_launch_filter(provider, NULL, memory, &launch, NULL), KARP_OK);
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(karp_provider_create(provider, NULL, &launch, text_of("claim-1"), &http, memory, &node, NULL),
                         KARP_OK);
        assert_string_equal(node.provider_id.ptr, "claim-1");
        assert_string_equal(node.instance_type.ptr, "one");
    }
    assert_int_equal(karp_provider_create(provider, NULL, &launch, text_of("claim-2"), &http, memory, &node, NULL),
                     KARP_OK);
    assert_int_equal(karp_provider_create(provider, NULL, &launch, text_of("claim-3"), &http, memory, &node, NULL),
                     KARP_E_PROVIDER);
    assert_int_equal(karp_provider_last_problem(provider)->kind, KARP_PROVIDER_NO_CAPACITY);
    assert_int_equal(karp_provider_list(provider, &http, memory, &nodes, &count, NULL), KARP_OK);
    assert_int_equal(count, 2);
    assert_true(same(nodes[1].provider_id, text_of("claim-2")));
    assert_int_equal(karp_provider_get(provider, text_of("claim-2"), &http, memory, &node, NULL), KARP_OK);
    assert_int_equal(karp_provider_delete(provider, text_of("claim-2"), &http, memory, NULL), KARP_OK);
    assert_int_equal(karp_provider_delete(provider, text_of("claim-2"), &http, memory, NULL), KARP_E_NOT_FOUND);
    assert_int_equal(karp_provider_get(provider, text_of("claim-2"), &http, memory, &node, NULL), KARP_E_NOT_FOUND);
    cloud.down = 1;
    assert_int_equal(karp_provider_list(provider, &http, memory, &nodes, &count, NULL), KARP_E_PROVIDER);
    assert_int_equal(karp_provider_last_problem(provider)->kind, KARP_PROVIDER_RETRY);
    assert_int_equal(cloud.asked, 10);
    karp_provider_memory_free(memory);
    karp_provider_close(provider);
    /* What is built in leaves acting to the host. */
    assert_int_equal(karp_provider_open(context, text_of("aws"), NULL, &provider, NULL), KARP_OK);
    assert_int_equal(karp_provider_list(provider, &http, NULL, &nodes, &count, NULL), KARP_E_UNSUPPORTED);
    karp_provider_close(provider);
}

/* ---- refused memory ---------------------------------------------------------------------------------------------- */

static karp_status all_of_it(karp_context *own, const char *name, const char *class_)
{
    karp_provider_registry *r = NULL;
    karp_provider *provider = NULL;
    karp_provider_class *node_class = NULL;
    karp_provider_memory *memory = NULL;
    karp_catalogue *types = NULL;
    karp_provider_candidate picked;
    karp_provider_node node = { .size = sizeof node };
    karp_provider_launch launch = { .size = sizeof launch };
    karp_status status = karp_provider_registry_new(own, &r, NULL);
    if (status == KARP_OK) status = karp_provider_registry_load(r, object_path("examples/tiny.so"), NULL, NULL);
    if (status == KARP_OK) status = karp_provider_registry_open(r, text_of(name), NULL, &provider, NULL);
    if (status == KARP_OK && class_)
        status = karp_provider_class_new(provider, text_of("c"), text_of(class_), &node_class, NULL);
    if (status == KARP_OK) status = karp_provider_catalogue(provider, node_class, &types, NULL);
    if (status == KARP_OK) status = karp_provider_memory_new(own, &memory, NULL);
    if (status == KARP_OK) status = karp_provider_launch_filter(provider, node_class, memory, &launch, NULL);
    if (status == KARP_OK) status = karp_provider_launch_pick(provider, node_class, &launch, &picked, NULL);
    if (status == KARP_OK)
        status = karp_provider_launch_node(provider, node_class, &launch, picked, memory, &node, NULL);
    karp_catalogue_unref(types);
    karp_provider_memory_free(memory);
    karp_provider_class_free(node_class);
    karp_provider_close(provider);
    karp_provider_registry_free(r);
    return status;
}

static void refused_memory(void **state)
{
    (void)state;
    fault f;
    memset(&f, 0, sizeof f);
    karp_context *own = fault_context(&f);
    static const char *const names[][2] = { { "azure", "{\"kind\":\"AKSNodeClass\",\"spec\":{\"maxPods\":30}}" },
                                            { "aws", "{\"spec\":{\"amiFamily\":\"AL2\"}}" } };
    for (size_t n = 0; n < 2; n++) {
        for (int keep_failing = 0; keep_failing < 2; keep_failing++) {
            karp_status status = KARP_E_NOMEM;
            for (size_t at = 1; status != KARP_OK; at += at < 80 ? 1 : at / 8) {
                size_t live = f.live_blocks;
                fault_arm(&f, at, keep_failing);
                status = all_of_it(own, names[n][0], names[n][1]);
                fault_arm(&f, 0, false);
                if (status != KARP_OK) assert_int_equal(status, KARP_E_NOMEM);
                assert_int_equal(f.live_blocks, live);
            }
        }
    }
    karp_context_unref(own);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

/* A provider keeps what it needs of its context. */
static void order_of_freeing(void **state)
{
    (void)state;
    karp_context *own = NULL;
    karp_provider *provider = NULL;
    karp_provider_memory *memory = NULL;
    assert_int_equal(karp_context_new(NULL, &own, NULL), KARP_OK);
    assert_int_equal(karp_provider_open(own, text_of("azure"), NULL, &provider, NULL), KARP_OK);
    assert_int_equal(karp_provider_memory_new(own, &memory, NULL), KARP_OK);
    karp_context_unref(own);
    karp_catalogue *types = NULL;
    assert_int_equal(karp_provider_catalogue(provider, NULL, &types, NULL), KARP_OK);
    karp_provider_close(provider);
    karp_provider_memory_free(memory);
    karp_catalogue_unref(types);
    karp_provider_close(NULL);
    karp_provider_memory_free(NULL);
    karp_provider_class_free(NULL);
    karp_provider_registry_free(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, gone)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(registry), TEST(bad_objects), TEST(bad_tables), TEST(other_sizes),    TEST(problems),
        TEST(cached),   TEST(launches),    TEST(acting),     TEST(refused_memory), TEST(order_of_freeing),
    };
    return cmocka_run_group_tests_name("providers", tests, NULL, NULL);
}
