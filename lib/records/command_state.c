/* SPDX-License-Identifier: Apache-2.0 */
#include <records/rows.h>
#include <records/tables.h>

#include <karp/command.h>

static const record_names phases = { karp_phase_name, KARP_COMMAND_PHASE_VALIDATING, KARP_COMMAND_PHASE_GIVEN_UP,
                                     false };
static const record_word progress_list[] = { { "Wanted", KARP_REPLACEMENT_WANTED },
                                             { "Created", KARP_REPLACEMENT_CREATED },
                                             { "Seen", KARP_REPLACEMENT_SEEN },
                                             { "Initialized", KARP_REPLACEMENT_INITIALIZED } };
static const record_words progress_words = { WORDS(progress) };

static const record command_node = { OF(karp_command_node), OPEN({ NEEDED("node", karp_command_node, node) },
                                                                 { TEXT("nodeClaim", karp_command_node, claim) }) };

static const record replacement = { OF(karp_replacement),
                                    OPEN({ WORD("progress", karp_replacement, progress, progress_words) },
                                         { TEXT("nodeClaim", karp_replacement, claim), GIVEN },
                                         { SHARED(karp_replacement, launch, record_launch) }) };

static const karp_command_state no_state = {
    .size = sizeof no_state, .decided = KARP_NO_TIME, .validate_at = KARP_NO_TIME, .started = KARP_NO_TIME
};
const record record_command_state = {
    LIKE(no_state), VERSIONED(karp_command_state, receiver_count),
    OPEN({ NAMED("method", karp_command_state, method, record_methods), MUST },
         { NAMED("reason", karp_command_state, method, record_method_reasons) },
         { NAMED("phase", karp_command_state, phase, phases), MUST },
         { NAMED("code", karp_command_state, reason, record_reasons), GIVEN },
         { TIME("decided", karp_command_state, decided) }, { TIME("validateAt", karp_command_state, validate_at) },
         { TIME("started", karp_command_state, started) }, { PRICE("savings", karp_command_state, savings) },
         { LIST("nodes", karp_command_state, nodes, node_count, command_node), FLAT },
         { LIST("replacements", karp_command_state, replacements, replacement_count, replacement) },
         { TEXTS("receivers", karp_command_state, receivers, receiver_count) })
};
