/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/azure/sizes.h>

#include <string.h>

/* East US, Linux, pay as you go; facts of Azure's public pages on sizes and prices. */
const azure_size azure_sizes[] = {
    { "Standard_D16as_v5", 16, 64, 0, 0.688 },    { "Standard_D16ds_v5", 16, 64, 600, 0.904 },
    { "Standard_D16ps_v5", 16, 64, 0, 0.616 },    { "Standard_D16s_v5", 16, 64, 0, 0.768 },
    { "Standard_D2as_v5", 2, 8, 0, 0.086 },       { "Standard_D2ds_v5", 2, 8, 75, 0.113 },
    { "Standard_D2ps_v5", 2, 8, 0, 0.077 },       { "Standard_D2s_v5", 2, 8, 0, 0.096 },
    { "Standard_D32as_v5", 32, 128, 0, 1.376 },   { "Standard_D32ds_v5", 32, 128, 1200, 1.808 },
    { "Standard_D32ps_v5", 32, 128, 0, 1.232 },   { "Standard_D32s_v5", 32, 128, 0, 1.536 },
    { "Standard_D48as_v5", 48, 192, 0, 2.064 },   { "Standard_D48s_v5", 48, 192, 0, 2.304 },
    { "Standard_D4as_v5", 4, 16, 0, 0.172 },      { "Standard_D4ds_v5", 4, 16, 150, 0.226 },
    { "Standard_D4ps_v5", 4, 16, 0, 0.154 },      { "Standard_D4s_v5", 4, 16, 0, 0.192 },
    { "Standard_D64as_v5", 64, 256, 0, 2.752 },   { "Standard_D64ps_v5", 64, 208, 0, 2.464 },
    { "Standard_D64s_v5", 64, 256, 0, 3.072 },    { "Standard_D8as_v5", 8, 32, 0, 0.344 },
    { "Standard_D8ds_v5", 8, 32, 300, 0.452 },    { "Standard_D8ps_v5", 8, 32, 0, 0.308 },
    { "Standard_D8s_v5", 8, 32, 0, 0.384 },       { "Standard_D96as_v5", 96, 384, 0, 4.128 },
    { "Standard_D96s_v5", 96, 384, 0, 4.608 },    { "Standard_E16as_v5", 16, 128, 0, 0.904 },
    { "Standard_E16ds_v5", 16, 128, 600, 1.152 }, { "Standard_E16s_v5", 16, 128, 0, 1.008 },
    { "Standard_E2as_v5", 2, 16, 0, 0.113 },      { "Standard_E2ds_v5", 2, 16, 75, 0.144 },
    { "Standard_E2s_v5", 2, 16, 0, 0.126 },       { "Standard_E32as_v5", 32, 256, 0, 1.808 },
    { "Standard_E32s_v5", 32, 256, 0, 2.016 },    { "Standard_E4as_v5", 4, 32, 0, 0.226 },
    { "Standard_E4ds_v5", 4, 32, 150, 0.288 },    { "Standard_E4s_v5", 4, 32, 0, 0.252 },
    { "Standard_E64as_v5", 64, 512, 0, 3.616 },   { "Standard_E64s_v5", 64, 512, 0, 4.032 },
    { "Standard_E8as_v5", 8, 64, 0, 0.452 },      { "Standard_E8ds_v5", 8, 64, 300, 0.576 },
    { "Standard_E8s_v5", 8, 64, 0, 0.504 },
};
const size_t azure_size_count = sizeof azure_sizes / sizeof *azure_sizes;

static const char *number(const char *at, int32_t *out)
{
    *out = 0;
    while (*at >= '0' && *at <= '9' && *out < 100000) *out = *out * 10 + (*at++ - '0');
    return at;
}

static const char *letters(const char *at, char low, char high, karp_str *out)
{
    out->ptr = at;
    while (*at >= low && *at <= high) at++;
    out->len = (size_t)(at - out->ptr);
    return at;
}

static bool has(karp_str features, char letter)
{
    return features.len > 0 && memchr(features.ptr, letter, features.len) != NULL;
}

bool azure_name_read(const char *name, azure_name *out)
{
    static const char start[] = "Standard_";
    memset(out, 0, sizeof *out);
    if (strncmp(name, start, sizeof start - 1) != 0) return false;
    const char *at = letters(name + sizeof start - 1, 'A', 'Z', &out->family);
    at = number(at, &out->vcpus);
    out->used = out->vcpus;
    if (*at == '-') at = number(at + 1, &out->used);
    at = letters(at, 'a', 'z', &out->features);
    out->version = (karp_str){ "1", 1 };
    if (strncmp(at, "_v", 2) == 0) at = letters(at + 2, '0', '9', &out->version);
    out->arm64 = has(out->features, 'p');
    out->premium = has(out->features, 's');
    out->local_disk = has(out->features, 'd');
    return out->family.len > 0 && out->vcpus > 0 && out->used > 0 && out->version.len > 0 && *at == '\0';
}
