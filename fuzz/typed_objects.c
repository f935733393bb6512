/* SPDX-License-Identifier: Apache-2.0 */
#include "typed_objects.h"

#include <string.h>

#include <karp/builder.h>
#include <karp/settings.h>

static karp_status add_node(karp_builder *b, source *s, karp_error *error)
{
    karp_node n = { .size = sizeof n, .meta = draw_meta(s) };
    n.provider_id = draw_text(s);
    n.taints = draw_taints(s, &n.taint_count);
    n.capacity = draw_resources(s, &n.capacity_count);
    n.allocatable = draw_resources(s, &n.allocatable_count);
    n.conditions = draw_conditions(s, &n.condition_count);
    return karp_builder_add_node(b, &n, error);
}

static karp_status add_node_claim(karp_builder *b, source *s, karp_error *error)
{
    karp_node_claim c = { .size = sizeof c, .meta = draw_meta(s) };
    c.provider_id = draw_text(s);
    c.taints = draw_taints(s, &c.taint_count);
    c.startup_taints = draw_taints(s, &c.startup_taint_count);
    c.requirements = draw_requirements(s, &c.requirement_count);
    c.requests = draw_resources(s, &c.request_count);
    c.capacity = draw_resources(s, &c.capacity_count);
    c.allocatable = draw_resources(s, &c.allocatable_count);
    c.conditions = draw_conditions(s, &c.condition_count);
    c.last_pod_event = draw_number(s);
    c.expire_after = draw_number(s);
    c.termination_grace_period = draw_number(s);
    return karp_builder_add_node_claim(b, &c, error);
}

static void draw_budget(source *s, karp_budget *b)
{
    b->nodes = draw_text(s);
    b->schedule = draw_text(s);
    b->duration = draw_number(s);
    b->has_reasons = draw(s, 2);
    b->reasons = draw(s, 9);
}

static karp_status add_node_pool(karp_builder *b, source *s, karp_error *error)
{
    karp_condition usable[] = { { .type = fuzz_str("Ready"), .status = fuzz_str("True") },
                                { .type = fuzz_str("ValidationSucceeded"), .status = fuzz_str("True") },
                                { .type = fuzz_str("NodeClassReady"), .status = fuzz_str("True") } };
    karp_node_pool p = { .size = sizeof p, .meta = draw_meta(s), .conditions = usable, .condition_count = 3 };
    size_t budgets = draw(s, 3);
    karp_budget *list = draw_room(s, &budgets, sizeof *list);
    for (size_t i = 0; i < budgets; i++) draw_budget(s, &list[i]);
    p.budgets = list;
    p.budget_count = budgets;
    p.template_labels = draw_labels(s, &p.template_label_count);
    p.taints = draw_taints(s, &p.taint_count);
    p.startup_taints = draw_taints(s, &p.startup_taint_count);
    p.requirements = draw_requirements(s, &p.requirement_count);
    p.limits = draw_resources(s, &p.limit_count);
    p.replicas = draw(s, 4) == 1 ? draw_number(s) : -1;
    p.consolidate_after = draw_number(s);
    p.expire_after = draw_number(s);
    p.termination_grace_period = draw_number(s);
    p.weight = (int32_t)draw(s, 4);
    p.consolidation_policy = draw(s, 4);
    return karp_builder_add_node_pool(b, &p, error);
}

static karp_status add_pod(karp_builder *b, source *s, karp_error *error)
{
    karp_pod p = draw_pod(s);
    return karp_builder_add_pod(b, &p, error);
}

static karp_status add_daemon_set(karp_builder *b, source *s, karp_error *error)
{
    karp_daemon_set d = { .size = sizeof d, .meta = draw_meta(s) };
    d.template_ = draw_pod(s);
    return karp_builder_add_daemon_set(b, &d, error);
}

static karp_status add_storage(karp_builder *b, source *s, karp_error *error)
{
    karp_persistent_volume_claim c = { .size = sizeof c, .meta = draw_meta(s) };
    c.volume_name = draw_text(s);
    karp_persistent_volume v = { .size = sizeof v, .meta = draw_meta(s) };
    v.csi_driver = draw_text(s);
    karp_storage_class k = { .size = sizeof k, .meta = draw_meta(s) };
    k.provisioner = draw_text(s);
    c.storage_class_name = draw_text(s);
    c.has_storage_class = draw(s, 2);
    c.phase = draw(s, 5);
    v.local = draw(s, 2);
    v.node_terms = draw_node_terms(s, &v.node_term_count);
    k.allowed_topologies = draw_node_terms(s, &k.allowed_topology_count);
    k.binding_mode = draw(s, 4);
    karp_status status = karp_builder_add_persistent_volume_claim(b, &c, error);
    if (status == KARP_OK) status = karp_builder_add_persistent_volume(b, &v, error);
    return status == KARP_OK ? karp_builder_add_storage_class(b, &k, error) : status;
}

static void draw_int_or_string(source *s, karp_int_or_string *x)
{
    x->text = draw_text(s);
    x->value = (int32_t)draw_number(s);
    x->is_set = draw(s, 2);
    x->is_text = draw(s, 2);
}

static karp_status add_budget(karp_builder *b, source *s, karp_error *error)
{
    karp_pod_disruption_budget d = { .size = sizeof d, .meta = draw_meta(s) };
    d.selector = draw_selector(s);
    draw_int_or_string(s, &d.min_available);
    draw_int_or_string(s, &d.max_unavailable);
    d.disruptions_allowed = (int32_t)draw(s, 3);
    d.always_allow = draw(s, 2);
    return karp_builder_add_pod_disruption_budget(b, &d, error);
}

static karp_status add_overlay(karp_builder *b, source *s, karp_error *error)
{
    karp_node_overlay o = { .size = sizeof o, .meta = draw_meta(s) };
    o.price = draw_text(s);
    o.price_adjustment = draw_text(s);
    o.requirements = draw_requirements(s, &o.requirement_count);
    o.capacity = draw_resources(s, &o.capacity_count);
    o.weight = (int32_t)draw_number(s);
    return karp_builder_add_node_overlay(b, &o, error);
}

static karp_status add_buffer(karp_builder *b, source *s, karp_error *error)
{
    karp_pod template_ = draw_pod(s);
    karp_capacity_buffer f = { .size = sizeof f, .meta = draw_meta(s) };
    f.template_ = draw(s, 4) ? &template_ : NULL;
    f.conditions = draw_conditions(s, &f.condition_count);
    f.replicas = draw(s, 4) == 1 ? draw_number(s) : draw(s, 5);
    return karp_builder_add_capacity_buffer(b, &f, error);
}

karp_status typed_types(karp_context *context, karp_builder *b, source *s, karp_error *error)
{
    karp_instance_type types[3];
    memset(types, 0, sizeof types);
    size_t count = draw(s, 4);
    for (size_t i = 0; i < count; i++) {
        karp_instance_type *t = &types[i];
        t->size = sizeof *t;
        t->name = draw_text(s);
        t->requirements = draw_requirements(s, &t->requirement_count);
        t->capacity = draw_resources(s, &t->capacity_count);
        t->overhead.kube_reserved = draw_resources(s, &t->overhead.kube_reserved_count);
        t->offering_count = draw(s, 3);
        karp_offering *offerings = draw_room(s, &t->offering_count, sizeof *offerings);
        for (size_t j = 0; j < t->offering_count; j++) {
            offerings[j].requirements = draw_requirements(s, &offerings[j].requirement_count);
            offerings[j].price = (double)draw_number(s) / 16;
            offerings[j].available = draw(s, 4) != 1;
            offerings[j].reservation_capacity = draw_number(s);
        }
        t->offerings = offerings;
    }
    karp_catalogue *catalogue = NULL;
    karp_status status = karp_catalogue_new(context, types, count, &catalogue, error);
    check_result(status, catalogue, error);
    if (status == KARP_OK) status = karp_builder_add_catalogue(b, catalogue, NULL, 0, error);
    karp_catalogue_unref(catalogue);
    return status;
}

karp_status typed_object(karp_builder *b, source *s, karp_error *error)
{
    typedef karp_status add(karp_builder *, source *, karp_error *);
    static add *const adds[] = { add_pod,       add_pod,        add_pod,     add_node,   add_node_claim, add_node_pool,
                                 add_node_pool, add_daemon_set, add_storage, add_budget, add_overlay,    add_buffer };
    s->used = 0; /* the builder has copied what it needs */
    karp_error_init(error, sizeof *error);
    karp_status status = adds[draw(s, sizeof adds / sizeof adds[0])](b, s, error);
    check_result(status, status == KARP_OK ? b : NULL, error);
    return status;
}

void typed_settings(karp_builder *b, source *s)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_settings settings;
    karp_settings_init(&settings, sizeof settings);
    settings.gates = draw(s, 64);
    settings.min_values_policy = draw(s, 2);
    (void)karp_builder_set_settings(b, &settings, &error);
    (void)karp_builder_set_now(b, INT64_C(1795262400000000000), &error);
}
