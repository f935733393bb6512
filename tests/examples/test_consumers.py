# SPDX-License-Identifier: Apache-2.0
"""Programs in empty folders that use the installed library as its users do: by pkg-config, shared and static, and as a
subproject of meson. All of them decide the same."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
sys.path.insert(0, str(SOURCE / 'tests' / 'bindings'))
import compilers  # noqa: E402

BUILD = pathlib.Path(os.environ['KARP_BUILD'])
EXAMPLES = SOURCE / 'examples' / 'c'
INPUT = SOURCE / 'examples' / 'quickstart'

MESON_BUILD = '''\
project('consumer', 'c', default_options: ['c_std=c11', 'default_library=static'])
karp_io = dependency('karp-io', fallback: 'libkarp', default_options: ['cli=disabled', 'default_library=static', 'optimization=0',
  'one_file=true', 'stories=false', 'v1alpha5=false'])
executable('consumer', 'consumer.c', dependencies: karp_io)
executable('left_out', 'left_out.c', dependencies: karp_io)
'''

# What -Dstories=false and -Dv1alpha5=false leave out says so; the rest works.
LEFT_OUT = '''\
#include <stdio.h>
#include <string.h>
#include <karp/io.h>

static void print(karp_status status, const karp_error *e)
{
    printf("%s: %s, line %u: %s\\n", karp_status_name(status), e->object, (unsigned)e->line, e->message);
}

int main(void)
{
    static const char text[] = "kind: ConfigMap\\napiVersion: v1\\n---\\napiVersion: karpenter.sh/v1alpha5\\nkind: Provisioner\\n"
                               "metadata: {name: default}\\n";
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_text out = { NULL, 0, NULL };
    karp_error error;
    karp_error_init(&error, sizeof error);
    if (karp_context_new(NULL, &context, NULL) != KARP_OK || karp_reader_new(context, NULL, &reader, NULL) != KARP_OK) return 1;
    print(karp_story_play(context, "story.yaml", NULL, (karp_str){ NULL, 0 }, NULL, NULL, &out, &error), &error);
    karp_status status = karp_reader_add(reader, (karp_str){ "old.yaml", 8 }, (karp_str){ text, strlen(text) }, &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    print(status, &error);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return 0;
}
'''
COMPLETIONS = ('bash-completion/completions/karp', 'zsh/site-functions/_karp', 'fish/vendor_completions.d/karp.fish')
LEFT_OUT_SAYS = '''\
KARP_E_UNSUPPORTED: , line 0: this libkarp-io was built without stories (-Dstories=false)
KARP_E_UNSUPPORTED: Provisioner default, line 4: this libkarp-io was built without Provisioner (-Dv1alpha5=false)
'''


def run(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise SystemExit(f'{" ".join(map(str, command))}:\n{done.stdout}{done.stderr}')
    return done.stdout


class Installed:
    """What `meson install` puts into a folder of its own."""

    def __init__(self, root):
        run(['meson', 'install', '--no-rebuild', '--quiet', '-C', BUILD, '--destdir', root])
        self.pkgconfig = next(pathlib.Path(root).rglob('karp.pc')).parent
        self.libraries = self.pkgconfig.parent
        for path in self.pkgconfig.glob('*.pc'): # as if the folder were the prefix it was configured for
            path.write_text(path.read_text().replace('prefix=/', f'prefix={root}/', 1))
        self.environment = dict(os.environ, PKG_CONFIG_PATH=str(self.pkgconfig))

    def flags(self, *arguments):
        return run(['pkg-config', '--cflags', '--libs', *arguments], env=self.environment).split()

    def build(self, example, folder, *arguments, link=()):
        folder.mkdir()
        shutil.copy(EXAMPLES / f'{example}.c', folder / 'consumer.c')
        run([*os.environ['KARP_CC'].split(), '-std=c11', 'consumer.c', '-o', 'consumer', *link, *self.flags(*arguments)], cwd=folder)
        return folder / 'consumer'


CMAKE_LISTS = '''\
cmake_minimum_required(VERSION 3.13)
project(consumer C)
find_package(karp 1.0 CONFIG REQUIRED)
if(TARGET karp::io)
  add_executable(consumer consumer.c)
  target_link_libraries(consumer karp::io)
endif()
find_package(PkgConfig)
if(PkgConfig_FOUND)
  pkg_check_modules(KARP REQUIRED IMPORTED_TARGET karp-static)
  add_executable(controller controller.c)
  target_link_libraries(controller PkgConfig::KARP)
endif()
'''


def cmake(root, installed):
    """Programs by CMake; what they print."""
    folder = root / 'cmake'
    folder.mkdir()
    (folder / 'CMakeLists.txt').write_text(CMAKE_LISTS)
    for example, name in (('hash', 'consumer'), ('controller', 'controller')):
        shutil.copy(EXAMPLES / f'{example}.c', folder / f'{name}.c')
    prefix = installed.libraries.parent.parent if installed.libraries.name != 'lib' else installed.libraries.parent
    run(['cmake', '-S', folder, '-B', folder / 'build', f'-DCMAKE_PREFIX_PATH={prefix}', f'-DCMAKE_C_COMPILER={os.environ["KARP_CC"].split()[-1]}'],
        env=installed.environment)
    run(['cmake', '--build', folder / 'build'])
    environment = dict(os.environ, LD_LIBRARY_PATH=str(installed.libraries))
    return {name: run([folder / 'build' / program, *given], env=environment)
            for name, program, given in (('hash', 'consumer', [INPUT]), ('controller', 'controller', []))
            if (folder / 'build' / program).exists()}


def needs(program):
    return run(['ldd', program]) if 'not a dynamic' not in subprocess.run(['ldd', str(program)], capture_output=True, text=True).stderr else ''


def beside(installed):
    """Manual pages, completions and licences that are not installed; and completions that do not name a command."""
    shares = next(path for path in installed.libraries.parents if (path / 'share').exists()) / 'share'
    wanted = ['man/man3/libkarp.3', 'doc/libkarp/LICENSE', 'doc/libkarp/notice.md']
    if os.environ.get('KARP'):
        wanted += ['man/man1/karp.1', 'man/man1/kubectl-karp.1', *COMPLETIONS]
    for name in wanted:
        if not (shares / name).is_file():
            yield f'share/{name} is not installed'
        elif name in COMPLETIONS and 'explain' not in (shares / name).read_text():
            yield f'share/{name} completes nothing'


def pkg_config(root, has_io, problems):
    """Programs by pkg-config; what they print."""
    installed = Installed(root / 'installed')
    problems += beside(installed)
    with_library = dict(os.environ, LD_LIBRARY_PATH=str(installed.libraries))
    answers = {}
    shared = installed.build('controller', root / 'core-shared', 'karp')
    answers['controller'] = {run([shared], env=with_library)}
    if (installed.libraries / 'libkarp.a').exists():
        for folder, arguments, link in (('core-static', ['karp-static'], []), ('core-whole', ['--static', 'karp'], ['-static'])):
            program = installed.build('controller', root / folder, *arguments, link=link)
            answers['controller'].add(run([program]))
            if 'libkarp' in needs(program):
                problems.append(f'{folder} needs the shared library')
    if not has_io:
        return answers
    shared = installed.build('hash', root / 'io-shared', 'karp-io')
    answers['hash'] = {run([shared, INPUT], env=with_library)}
    if (installed.pkgconfig / 'karp-jansson.pc').exists():
        program = installed.build('json', root / 'jansson', 'karp-jansson')
        answers['json'] = {run([program], env=with_library), run([BUILD / 'examples' / 'example-json'])}
    if (installed.libraries / 'libkarp-io.a').exists():
        program = installed.build('hash', root / 'io-static', 'karp-io-static')
        answers['hash'].add(run([program, INPUT]))
        if 'libkarp' in needs(program):
            problems.append('io-static needs the shared library')
        if shutil.which('cmake'):
            for name, printed in cmake(root, installed).items():
                answers[name].add(printed)
    return answers


def subproject(root, problems):
    """The library inside another project, which builds it itself, without the parts that can be left out."""
    folder = root / 'subproject'
    (folder / 'subprojects').mkdir(parents=True)
    (folder / 'subprojects' / 'libkarp').symlink_to(SOURCE)
    (folder / 'meson.build').write_text(MESON_BUILD)
    shutil.copy(EXAMPLES / 'hash.c', folder / 'consumer.c')
    (folder / 'left_out.c').write_text(LEFT_OUT)
    # Nothing that is installed may serve instead.
    environment = dict(os.environ, PKG_CONFIG_PATH='', CC=compilers.quick())
    run(['meson', 'setup', '--wrap-mode', 'nodownload', 'build'], cwd=folder, env=environment)
    run(['ninja', '-C', 'build', 'consumer', 'left_out'], cwd=folder)
    said = run([folder / 'build' / 'left_out'])
    if said != LEFT_OUT_SAYS:
        problems.append(f'what is left out says {said}')
    return run([folder / 'build' / 'consumer', INPUT])


def main():
    if not all(map(shutil.which, ('meson', 'ninja', 'pkg-config', 'ldd'))):
        print('meson, ninja, pkg-config or ldd is missing')
        return 77
    problems = []
    has_io = (BUILD / 'examples' / 'example-hash').exists()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        if sys.argv[1:] == ['subproject']:
            answers = {'hash': {subproject(root, problems), run([BUILD / 'examples' / 'example-hash', INPUT])}} if has_io else {}
        else:
            answers = pkg_config(root, has_io, problems)
    for name, printed in answers.items():
        if len(printed) != 1 or '' in printed:
            problems.append(f'{name}: the programs print different things: {printed}')
    print('\n'.join(problems) or f'{answers}')
    return 1 if problems else 0 if answers else 77


if __name__ == '__main__':
    sys.exit(main())
