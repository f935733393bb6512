# SPDX-License-Identifier: Apache-2.0
"""Every piece of C in the documents compiles, whole programs run, and commands of the program work."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
LIBRARIES = pathlib.Path(os.environ['KARP_BUILD'], 'lib')
# libkarp-jansson is built where jansson is.
JANSSON = (LIBRARIES / 'jansson').exists()
HEADERS = ['pthread.h', 'stdio.h', 'stdlib.h', 'string.h', *(f'karp/{path.name}' for path in sorted((SOURCE / 'include').rglob('*.h')) if path.name != 'jansson.h' or JANSSON)]
PRELUDE = ''.join(f'#include <{header}>\n' for header in HEADERS)
# What a piece that consists of statements may use without saying where it comes from.
SURROUNDINGS = '''\
void piece(karp_context *context, karp_builder *builder, karp_snapshot *snapshot, karp_decision *decision, OPTIONS options,
           karp_status status, karp_error error, karp_str name, karp_str file, karp_str text, const karp_str *pools,
           size_t pool_count, karp_provider_class *node_class, const karp_observation *observed, size_t observed_count)
{
    {
STATEMENTS
    }
}
'''
STATEMENT = re.compile(r'^(if|while|for|return|\w+\(|[\w.]+ = )', flags=re.M)
FLAGS = ['-std=c11', '-D_POSIX_C_SOURCE=200809L', '-Wall', '-Wextra', '-Werror', '-Wno-unused-function', '-Wno-unused-variable', '-Wno-unused-parameter', '-Wno-unused-but-set-variable',
         '-Wno-unused-but-set-parameter', '-I', SOURCE / 'include', '-I', SOURCE / 'include' / 'jansson']


def blocks(path, language):
    """(line, text) of the fenced blocks of a language."""
    text = path.read_text()
    for match in re.finditer(rf'^```{language}\n(.*?)^```$', text, flags=re.S | re.M):
        yield text.count('\n', 0, match.start()) + 1, match.group(1)


def run_c(where, text, folder):
    source, binary = pathlib.Path(folder, 'piece.c'), pathlib.Path(folder, 'piece')
    whole = 'int main(' in text
    if not whole and STATEMENT.search(text):
        options = 'karp_provider_options' if 'karp_provider' in text else 'karp_disrupt_options'
        text = SURROUNDINGS.replace('OPTIONS', options).replace('STATEMENTS', text)
    source.write_text(text if whole else PRELUDE + text)
    libraries = ['-L', LIBRARIES, '-lkarp-io', '-lkarp', '-o', binary] if whole else ['-fsyntax-only']
    done = subprocess.run([*os.environ['KARP_CC'].split(), *FLAGS, source, *libraries], capture_output=True, text=True)
    if done.returncode == 0 and whole and 'argv' not in text:
        done = subprocess.run([binary], env=dict(os.environ, LD_LIBRARY_PATH=str(LIBRARIES)), capture_output=True, text=True)
        if not done.stdout:
            yield f'{where}: it prints nothing'
    if done.returncode:
        yield f'{where}: status {done.returncode}\n{done.stdout}{done.stderr}'


def run_commands(where, text):
    for line in text.splitlines():
        words = line.split('#')[0].split()
        if words[:1] == ['karp'] and os.environ.get('KARP'):
            done = subprocess.run([os.environ['KARP'], *words[1:]], cwd=SOURCE, capture_output=True, text=True)
            if done.returncode:
                yield f'{where}: {line}: status {done.returncode}\n{done.stderr}'


def check_manual(folder):
    """libkarp(3): its example compiles, it names every header, and no function that is not there."""
    page = (SOURCE / 'docs/man/libkarp.3').read_text()
    example = re.search(r'^\.SH EXAMPLE\n\.nf\n(.*?)^\.fi', page, flags=re.S | re.M).group(1)
    yield from run_c('libkarp(3), example', f'void example(void)\n{{\n{example}}}\n', folder)
    declared = ''
    for header in (SOURCE / 'include/karp').glob('*.h'):
        declared += header.read_text()
        if f'.I {header.name}\n' not in page:
            yield f'libkarp(3) does not name {header.name}'
    for name in sorted(set(re.findall(r'\bkarp_\w+', page))):
        if not re.search(rf'\b{name}\b', declared):
            yield f'libkarp(3): there is no {name}'


def main():
    if not (LIBRARIES / 'libkarp-io.so').exists():
        print('built without libkarp-io, or statically')
        return 77
    problems, counted = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for path in [SOURCE / 'README.md', *sorted((SOURCE / 'docs').glob('*.md'))]:
            for line, text in blocks(path, 'c'):
                if 'json_t' in text and not JANSSON:
                    continue
                counted += 1
                problems += run_c(f'{path.relative_to(SOURCE)}:{line}', text, folder)
        problems += check_manual(folder)
    for name in ('embedding', 'prices', 'replay'):
        for line, text in blocks(SOURCE / 'docs' / f'{name}.md', 'sh'):
            counted += 1
            problems += run_commands(f'docs/{name}.md:{line}', text)
    print('\n'.join(problems) or f'{counted} pieces')
    return 1 if problems or counted < 5 else 0


if __name__ == '__main__':
    sys.exit(main())
