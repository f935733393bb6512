/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/groups.h>

#include <base/admit.h>
#include <base/bisect.h>
#include <kube/objects.h>

/* ---- rules as texts ---------------------------------------------------------------------------------------------- */

static void put(strbuf *b, karp_str text)
{
    strbuf_addu(b, text.len);
    strbuf_addc(b, ':');
    strbuf_addstr(b, text);
}

static void put_selector(strbuf *b, const karp_selector *s)
{
    if (!s) {
        strbuf_addc(b, '-');
        return;
    }
    strbuf_addc(b, '(');
    for (size_t i = 0; i < s->match_label_count; i++) {
        put(b, s->match_labels[i].key);
        put(b, s->match_labels[i].value);
    }
    for (size_t i = 0; i < s->expression_count; i++) {
        const karp_requirement *r = &s->expressions[i];
        strbuf_addc(b, '/');
        put(b, r->key);
        strbuf_addu(b, r->op);
        for (size_t k = 0; k < r->value_count; k++) put(b, r->values[k]);
    }
    strbuf_addc(b, ')');
}

static void put_rule(strbuf *b, const kube_rule *r)
{
    strbuf_addc(b, '{');
    for (size_t i = 0; i < r->namespace_count; i++) put(b, r->namespaces[i]);
    strbuf_addc(b, ';');
    put_selector(b, r->namespace_selector);
    for (size_t i = 0; i < r->selector_count; i++) put_selector(b, r->selectors[i]);
    put(b, r->owner_kind);
    put(b, r->owner);
    strbuf_addc(b, '}');
}

/* A label, or kind and name of a controller, as a key of the table of hints. */
static karp_str hint_key(kube_cluster *c, karp_str key, karp_str value)
{
    strbuf_clear(&c->text);
    put(&c->text, key);
    put(&c->text, value);
    return (karp_str){ c->text.ptr, c->text.len };
}

/* The hint that every pod of the group has. "" = none is certain. */
static karp_str hint_of(kube_cluster *c, const kube_rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < rules[i].selector_count; k++) {
            const karp_selector *s = rules[i].selectors[k];
            if (s && s->match_label_count) return hint_key(c, s->match_labels[0].key, s->match_labels[0].value);
        }
        if (rules[i].owner.len) return hint_key(c, rules[i].owner_kind, rules[i].owner);
    }
    return (karp_str){ "", 0 };
}

/* ---- groups and terms -------------------------------------------------------------------------------------------- */

static bool is_empty(const kube_rule *r)
{
    for (size_t i = 0; i < r->selector_count; i++) {
        const karp_selector *s = r->selectors[i];
        if (!s || s->match_label_count || s->expression_count) return false;
    }
    return r->owner.len == 0;
}

uint32_t kube_group_add(kube_cluster *c, const kube_rule *rules, size_t count)
{
    strbuf_clear(&c->text);
    for (size_t i = 0; i < count; i++) put_rule(&c->text, &rules[i]);
    uint32_t *at = c->text.failed ? NULL : io_table_at(&c->group_index, (karp_str){ c->text.ptr, c->text.len });
    if (at && *at != IO_NONE) return *at;
    if (!at || !grow(c->context, (void **)&c->groups, &c->group_capacity, c->group_count + 1, sizeof *c->groups)) {
        kube_nomem(c);
        return KUBE_NONE;
    }
    uint32_t group = *at = (uint32_t)c->group_count++;
    c->groups[group] = (kube_group){ .rules = rules, .rule_count = count, .first_term = KUBE_NONE, .next = KUBE_NONE };
    c->groups[group].empty = is_empty(&rules[0]);
    karp_str hint = hint_of(c, rules, count);
    uint32_t *first = &c->unhinted;
    if (hint.len && (c->text.failed || (first = io_table_at(&c->hints, hint)) == NULL)) {
        kube_nomem(c);
        return KUBE_NONE;
    }
    c->groups[group].next = *first;
    *first = group;
    return group;
}

uint32_t kube_term_add(kube_cluster *c, uint32_t group, karp_str key, uint32_t kind, int64_t weight)
{
    uint32_t number = kube_key_add(c, key);
    strbuf_clear(&c->text);
    strbuf_addu(&c->text, group);
    strbuf_addc(&c->text, ' ');
    strbuf_addu(&c->text, number);
    strbuf_addc(&c->text, ' ');
    strbuf_addu(&c->text, kind);
    strbuf_addc(&c->text, ' ');
    strbuf_addi(&c->text, weight);
    uint32_t *at = c->text.failed ? NULL : io_table_at(&c->term_index, (karp_str){ c->text.ptr, c->text.len });
    if (at && *at != IO_NONE) return *at;
    if (!at || group == KUBE_NONE ||
        !grow(c->context, (void **)&c->terms, &c->term_capacity, c->term_count + 1, sizeof *c->terms)) {
        kube_nomem(c);
        return KUBE_NONE;
    }
    uint32_t term = *at = (uint32_t)c->term_count++;
    c->terms[term] = (kube_term){
        .group = group, .key = number, .kind = kind, .next = c->groups[group].first_term, .weight = weight
    };
    c->groups[group].first_term = term;
    return term;
}

/* ---- which classes a group has ----------------------------------------------------------------------------------- */

static bool owned_by(const karp_meta *meta, const kube_rule *r)
{
    for (size_t i = 0; i < meta->owner_count; i++) {
        const karp_owner *o = &meta->owners[i];
        if (o->controller && equal_str(o->kind, r->owner_kind) && equal_str(o->name, r->owner)) return true;
    }
    return false;
}

static bool selected(const kube_cluster *c, const kube_rule *r, const karp_pod *pod)
{
    bool near = str_in(pod->meta.namespace_, r->namespaces, r->namespace_count);
    if (!near && r->namespace_selector) near = kube_namespace_selected(c, pod->meta.namespace_, r->namespace_selector);
    for (size_t i = 0; i < r->selector_count && near; i++)
        near = r->selectors[i] && selector_admits(r->selectors[i], pod->meta.labels, pod->meta.label_count);
    return near && (r->owner.len == 0 || owned_by(&pod->meta, r));
}

bool kube_group_has(const kube_cluster *c, uint32_t group, const kube_class *s)
{
    const kube_group *g = &c->groups[group];
    for (size_t i = 0; i < g->rule_count; i++) {
        if (!selected(c, &g->rules[i], &s->pod)) return false;
    }
    return true;
}

static void join_list(kube_cluster *c, kube_class *s, uint32_t first)
{
    for (uint32_t g = first; g != KUBE_NONE; g = c->groups[g].next) {
        if (!kube_group_has(c, g, s) || !kube_ids_add(c, &s->groups, g)) continue;
        for (uint32_t t = c->groups[g].first_term; t != KUBE_NONE; t = c->terms[t].next) {
            if (c->terms[t].kind == KUBE_REQUIRED_ANTI) s->anti_matters = true;
            else s->score_matters = true;
        }
    }
}

static void join_hint(kube_cluster *c, kube_class *s, karp_str key, karp_str value)
{
    karp_str hint = hint_key(c, key, value);
    if (c->text.failed) kube_nomem(c);
    else join_list(c, s, io_table_get(&c->hints, hint));
}

void kube_groups_settle(kube_cluster *c)
{
    for (size_t i = 0; i < c->class_count && !c->status; i++) {
        kube_class *s = &c->classes[i];
        join_list(c, s, c->unhinted);
        for (size_t k = 0; k < s->pod.meta.label_count; k++)
            join_hint(c, s, s->pod.meta.labels[k].key, s->pod.meta.labels[k].value);
        for (size_t k = 0; k < s->pod.meta.owner_count; k++) {
            if (s->pod.meta.owners[k].controller)
                join_hint(c, s, s->pod.meta.owners[k].kind, s->pod.meta.owners[k].name);
        }
    }
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static void count_one(kube_cluster *c, kube_counter *counter, uint32_t node, bool terminating, int sign)
{
    bisection b = bisect(counter->count);
    while (bisecting(&b)) bisect_step(&b, counter->list[b.at].node < node);
    size_t i = b.at;
    if (i == counter->count || counter->list[i].node != node) {
        if (!grow(c->context, (void **)&counter->list, &counter->capacity, counter->count + 1, sizeof *counter->list)) {
            kube_nomem(c);
            return;
        }
        memmove(counter->list + i + 1, counter->list + i, (counter->count - i) * sizeof *counter->list);
        counter->list[i] = (kube_count){ node, 0, 0 };
        counter->count++;
    }
    kube_count *n = &counter->list[i];
    n->all += (uint32_t)sign;
    if (!terminating) n->live += (uint32_t)sign;
    if (n->all) return;
    memmove(n, n + 1, (counter->count - i - 1) * sizeof *n);
    counter->count--;
}

void kube_count_pod(kube_cluster *c, uint32_t pod, int sign)
{
    const kube_pod *p = &c->pods[pod];
    const kube_class *s = &c->classes[p->class_];
    for (size_t i = 0; i < s->groups.count; i++)
        count_one(c, &c->groups[s->groups.list[i]].pods, p->node, p->terminating, sign);
    const uint32_t *terms[] = { s->affinity, s->anti, s->preferred };
    const size_t counts[] = { s->affinity_count, s->anti_count, s->preferred_count };
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < counts[k]; i++)
            count_one(c, &c->terms[terms[k][i]].holders, p->node, p->terminating, sign);
    }
}

void kube_groups_free(kube_cluster *c)
{
    for (size_t i = 0; i < c->group_count; i++)
        mem_free(c->context, c->groups[i].pods.list, c->groups[i].pods.capacity * sizeof(kube_count));
    for (size_t i = 0; i < c->term_count; i++)
        mem_free(c->context, c->terms[i].holders.list, c->terms[i].holders.capacity * sizeof(kube_count));
    mem_free(c->context, c->groups, c->group_capacity * sizeof *c->groups);
    mem_free(c->context, c->terms, c->term_capacity * sizeof *c->terms);
}
