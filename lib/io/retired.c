/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on instance types that the input names and that EC2 no longer has. */
#include <base/labels.h>
#include <io/clouds.h>
#include <io/notes.h>

static bool names_types(karp_str key)
{
    return str_is(key, LABEL_TYPE) || str_is(key, "karpenter.k8s.aws/instance-family");
}

static karp_status take(karp_reader *reader, karp_str key, karp_str value)
{
    size_t row = names_types(key) ? aws_retired_find(value) : AWS_RETIRED;
    if (row == AWS_RETIRED || reader->clouds.retired[row].len > 0) return KARP_OK;
    reader->clouds.retired[row] = io_keep(reader, value);
    return reader->clouds.retired[row].ptr ? KARP_OK : io_reader_nomem(reader);
}

karp_status io_retired_labels(karp_reader *reader, const karp_label *labels, size_t count)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++) status = take(reader, labels[i].key, labels[i].value);
    return status;
}

karp_status io_retired_requirements(karp_reader *reader, const karp_requirement *list, size_t count)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < list[i].value_count && list[i].op == KARP_OP_IN && status == KARP_OK; k++)
            status = take(reader, list[i].key, list[i].values[k]);
    }
    return status;
}

karp_status io_retired_note(karp_reader *reader)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < AWS_RETIRED && status == KARP_OK && io_builtin_types(reader); i++) {
        const aws_retired_family *row = &aws_retired[i];
        karp_str named = reader->clouds.retired[i];
        if (named.len == 0) continue;
        status = io_warn(reader, "instance type %.*s is retired: EC2 %s%s %s%s, and no longer in %s",
                         str_shown(named, 60), named.ptr, row->last[0] ? "described " : "once had ", row->name.ptr,
                         row->last[0] ? "in " : "types", row->last, aws_retired_by);
    }
    return status;
}
