/* SPDX-License-Identifier: Apache-2.0 */
/* The options of requests that are recommended. */
#include "cli.h"

int requests_together(const cli_verb *verb, const cli_requests *requests)
{
    const char *given = requests->usage.count > 0  ? "--usage"
                        : requests->cpu != NULL    ? "--cpu"
                        : requests->memory != NULL ? "--memory"
                                                   : NULL;
    if (requests->recommended != 0 || given == NULL) return -1;
    return wrong_option(verb, given, "is for --requests recommended: give that, too");
}

void requests_inherit(cli_requests *side, const cli_requests *own)
{
    if (own->recommended != 0) side->recommended = own->recommended;
    if (own->limits != 0) side->limits = own->limits;
    if (own->usage.count > 0) side->usage = own->usage;
    if (own->cpu != NULL) side->cpu = own->cpu;
    if (own->memory != NULL) side->memory = own->memory;
}

const char *requests_usage(const char *given, karp_str *resource)
{
    const char *path = given;
    *resource = str("");
    if (strncmp(given, "cpu=", 4) == 0 || strncmp(given, "memory=", 7) == 0) {
        path = strchr(given, '=') + 1;
        *resource = (karp_str){ given, (size_t)(path - given) - 1 };
    }
    return path;
}

karp_request_rules requests_rules(const cli_requests *requests)
{
    karp_request_rules rules;
    karp_request_rules_init(&rules, sizeof rules);
    rules.cpu = str(requests->cpu);
    rules.memory = str(requests->memory);
    rules.limits = requests->limits;
    return rules;
}

bool requests_read(const cli_requests *requests, karp_reader *reader, karp_error *error)
{
    karp_request_rules rules = requests_rules(requests);
    if (requests->recommended == 0) return true;
    bool good = karp_reader_recommend_requests(reader, &rules, error) == KARP_OK;
    for (size_t i = 0; i < requests->usage.count && good; i++) {
        karp_str resource;
        const char *path = requests_usage(requests->usage.items[i], &resource);
        good = karp_reader_add_usage_path(reader, path, resource, error) == KARP_OK;
    }
    return good;
}
