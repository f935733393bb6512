/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the results of karp_verify(). */
#include "encode.h"
#include "write_text.h"
#include <karp/explain.h>
#include <records/rows.h>

static void get_finding(const write_job *job, const karp_verification *found, size_t index, karp_finding *out)
{
    *out = (karp_finding){ .size = sizeof(*out) };
    write_refuse(job, karp_verification_at(found, index, out), "a finding cannot be read");
}

static const record_names finding_codes = { karp_finding_name, 1, 1000, false };
static const record record_finding = { SIZED(karp_finding, detail),
                                       OPEN({ NAMED("code", karp_finding, code, finding_codes) },
                                            { TEXT("object", karp_finding, object) },
                                            { TEXT("detail", karp_finding, detail) }) };
SOURCE_ROWS(findings, karp_verification_count, karp_verification_at)
static const encode_source source_findings = SOURCE(findings, record_finding, false);

static void as_json(const write_job *job, const karp_verification *found)
{
    json_out json;
    encoder e = { .json = &json, .job = job, .document = IN_PLAN };
    json_init(&json, job->out, job->options->compact != 0);
    json_open_object(&json);
    encode_all(&e, "errors", &source_findings, found);
    json_close(&json);
}

static void as_text(const write_job *job, const karp_verification *found)
{
    write_buffer *b = job->out;
    const text_out *t = &(text_out){ b, job->options->width, job->options->color != 0 };
    size_t count = karp_verification_count(found);
    for (size_t i = 0; i < count; i++) {
        karp_finding row;
        get_finding(job, found, i, &row);
        text_style_begin(t, STYLE_ALERT);
        buffer_text(b, karp_finding_name(row.code));
        text_style_end(t, STYLE_ALERT);
        text_between(b, "  ", row.object, ": ");
        text_clean(b, row.detail);
        buffer_char(b, '\n');
    }
    buffer_plural(b, count, " error.\n", " errors.\n");
}

karp_status karp_write_verification(karp_context *context, const karp_verification *verification,
                                    const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, verification, "a verification", WRITE_JSON_TEXT);
    if (status != KARP_OK) return status;
    bool json = call.options.format == KARP_FORMAT_JSON;
    (json ? as_json : as_text)(&call.job, verification);
    return write_end(&call);
}
