/* SPDX-License-Identifier: Apache-2.0 */
/* GPU sizes that the provider supports, and the operating systems with drivers for them. Names are in lower case. */
#include <providers/azure/names.h>

static const struct {
    const char *name;
    uint32_t flags;
} sizes[] = {
    { "standard_nc12", AZURE_GPU_UBUNTU },
    { "standard_nc12_promo", AZURE_GPU_UBUNTU },
    { "standard_nc12s_v2", AZURE_GPU_UBUNTU },
    { "standard_nc12s_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc144ds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc144lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc16ads_a10_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc16as_t4_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc24", AZURE_GPU_UBUNTU },
    { "standard_nc24_promo", AZURE_GPU_UBUNTU },
    { "standard_nc24ads_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc24lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc24r", AZURE_GPU_UBUNTU },
    { "standard_nc24r_promo", AZURE_GPU_UBUNTU },
    { "standard_nc24rs_v2", AZURE_GPU_UBUNTU },
    { "standard_nc24rs_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc24s_v2", AZURE_GPU_UBUNTU },
    { "standard_nc24s_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc288ds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc288lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc32ads_a10_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc36ds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc36lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc40ads_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc48ads_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc4as_t4_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc6", AZURE_GPU_UBUNTU },
    { "standard_nc64as_t4_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc6_promo", AZURE_GPU_UBUNTU },
    { "standard_nc6s_v2", AZURE_GPU_UBUNTU },
    { "standard_nc6s_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc72ds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc72lds_xl_rtxpro6000bse_v6", AZURE_GPU_UBUNTU },
    { "standard_nc80adis_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc8ads_a10_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc8as_t4_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nc96ads_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd112amsr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd112asr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd120amsr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd120asr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd128isr_gb300_v6", AZURE_GPU_UBUNTU },
    { "standard_nd128isr_ndr_gb200_v6", AZURE_GPU_UBUNTU },
    { "standard_nd12s", AZURE_GPU_UBUNTU },
    { "standard_nd24rs", AZURE_GPU_UBUNTU },
    { "standard_nd24s", AZURE_GPU_UBUNTU },
    { "standard_nd40rs_v2", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd40s_v3", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd6s", AZURE_GPU_UBUNTU },
    { "standard_nd96ams_a100_flex_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96ams_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96ams_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96amsf_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96amsr_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96amsrf_a100_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96asr_v4", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96is_flex_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96is_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96is_h200_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96is_mi300x_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nd96is_noib_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isf_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isf_h200_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isr_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isr_h200_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isr_mi300x_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nd96isrf_h100_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nd96isrf_h200_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv12", AZURE_GPU_UBUNTU },
    { "standard_nv12_promo", AZURE_GPU_UBUNTU },
    { "standard_nv12ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv12ads_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nv12s_v3", AZURE_GPU_UBUNTU },
    { "standard_nv18ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv24", AZURE_GPU_UBUNTU },
    { "standard_nv24_promo", AZURE_GPU_UBUNTU },
    { "standard_nv24ads_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nv24r", AZURE_GPU_UBUNTU },
    { "standard_nv24s_v3", AZURE_GPU_UBUNTU },
    { "standard_nv28adms_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nv36adms_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv36ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv48s_v3", AZURE_GPU_UBUNTU },
    { "standard_nv4ads_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
    { "standard_nv6", AZURE_GPU_UBUNTU },
    { "standard_nv6_promo", AZURE_GPU_UBUNTU },
    { "standard_nv6ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv72ads_a10_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AZURELINUX },
    { "standard_nv8ads_v710_v5", AZURE_GPU_UBUNTU | AZURE_GPU_AMD },
};

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int compare(karp_str name, const char *known)
{
    size_t i = 0;
    while (i < name.len && known[i] && small(name.ptr[i]) == known[i]) i++;
    int a = i < name.len ? (unsigned char)small(name.ptr[i]) : 0, b = (unsigned char)known[i];
    return a - b;
}

bool azure_gpu_find(karp_str name, uint32_t *flags)
{
    static const size_t letter = sizeof "standard_" - 1; /* all names are in families N */
    size_t low = 0, high = sizeof sizes / sizeof *sizes;
    if (name.len <= letter || small(name.ptr[letter]) != 'n') return false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(name, sizes[middle].name);
        if (order == 0) {
            *flags = sizes[middle].flags;
            return true;
        }
        if (order > 0) low = middle + 1;
        else high = middle;
    }
    return false;
}
