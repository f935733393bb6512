# SPDX-License-Identifier: Apache-2.0
"""What releases carry that the source tree does not: the one-file library, and the packages of other languages with it inside.

    stage.py sources OUT [--build BUILD] [--libyaml SOURCE]    karp.c, karp.h, karp-io.c, karp-io.h, karp-cli.c; with libyaml also yaml.h
    stage.py go SOURCES OUT                                    the Go module libkarp.dev/go as it is published
    stage.py goproxy SOURCES OUT                               the Go modules in the layout of a module proxy
    stage.py rust SOURCES OUT                                  the crates karp-sys and karp
    stage.py wheels SOURCES OUT [--zig ZIG] [--only TAG]...    wheels of Python for other systems, by zig's C compiler
    stage.py programs SOURCES OUT [--zig ZIG]                  the program for four systems, which needs nothing of them

SOURCES is what the first command made. --libyaml is the folder or the archive of libyaml's source (.ci/libyaml gets it): then
karp-io.c needs nothing but a C compiler. The same input gives the same bytes.
"""
import argparse
import concurrent.futures
import datetime
import functools
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
GO = SOURCE / 'bindings/go'
RUST = SOURCE / 'bindings/rust'
YAML_LICENCE = SOURCE / 'bindings/python/backend/libyaml-LICENSE'
GO_MODULE = re.search(r'^module (\S+)', (GO / 'go.mod').read_text(encoding='utf-8')).group(1)  # stated there, once
GO_MODULES = ('', 'corev1', 'karpenter', 'clusterautoscaler')  # those that are published; each is left out of the one above it
CORE, IO, CLI = ('karp.c', 'karp.h'), ('karp-io.c', 'karp-io.h', 'yaml.h'), ('karp-cli.c',)
BUNDLED = '//go:build !libkarp && !karp_static\n\n'
EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def at_once(jobs):
    """Does them, as many at a time as there are processors; the first that fails ends it."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        running = [threads.submit(job) for job in jobs]
        try:
            return [job.result() for job in running]
        finally:
            threads.shutdown(cancel_futures=True)


# How kinds of packages write 1.0.0-rc1, so that it comes before 1.0.0.
FORMS = {'': '-rc', 'python': 'rc', 'semver': '-rc.', 'debian': '~rc'}


def version(form='', source=SOURCE):
    stated = re.search(r"^  version: '([^']+)'", (source / 'meson.build').read_text(encoding='utf-8'), re.M).group(1)
    return stated.replace('-rc', FORMS[form])


MAJOR = version().split('.', maxsplit=1)[0]  # of the soname


def when():
    """The time that a release states: SOURCE_DATE_EPOCH."""
    seconds = os.environ.get('SOURCE_DATE_EPOCH')
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds else EPOCH


def sources(out, build=None, libyaml=None):
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if build is None:
            build = pathlib.Path(folder, 'build')
            subprocess.run(['meson', 'setup', build, SOURCE, '-Dtests=false', '-Dcli=disabled', '-Dio=enabled'], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(['ninja', '-C', build, 'lib/karp.c', 'lib/karp-io.c'], check=True, stdout=subprocess.DEVNULL)
        for name in (*CORE, *IO[:2]):
            shutil.copyfile(build / 'lib' / name, out / name)
    cli(out)
    if libyaml is not None:
        subprocess.run([sys.executable, SOURCE / 'lib/one_yaml.py', libyaml, out / 'yaml.h'], check=True)


def base_of_program():
    """The files of lib/base that the program has of its own: its meson.build lists them."""
    listed = (SOURCE / 'lib/base/meson.build').read_text(encoding='utf-8')
    found = [re.search(rf"'{name}': files\((.*?)\)", listed, flags=re.S).group(1) for name in ('base_of_all', 'base_outside')]
    return [SOURCE / 'lib/base' / path for part in found for path in re.findall(r"'([^']+)'", part)]


def cli(out):
    """The program in one file, to be compiled beside the other two."""
    command = [sys.executable, SOURCE / 'lib/one_file.py', '--version', version(), '--include', SOURCE / 'include', '--include', SOURCE / 'lib',
               '--define', '_POSIX_C_SOURCE=200809L', '--define', '_DEFAULT_SOURCE=1', '--define', '_DARWIN_C_SOURCE=1', '--below', 'karp-io.h', *sorted((SOURCE / 'include/karp').glob('*.h'))]
    subprocess.run([*command, '--source', out / 'karp-cli.c', *sorted((SOURCE / 'lib/cli').glob('*.c')), *base_of_program()], check=True)


def yaml_version(where):
    return re.search(r'YAML_VERSION_STRING "([^"]+)"', (where / 'yaml.h').read_text(encoding='utf-8')).group(1)


def licences():
    """The licence, and origin and licence of the tables inside."""
    return {name: (SOURCE / folder / name).read_bytes() for folder, name in (('', 'LICENSE'), ('docs', 'notice.md'))}


def one_file(where, out):
    """The one file as an archive, with the licence."""
    name = f'libkarp-{version()}-one-file'
    files = {file: (where / file).read_bytes() for file in (*CORE, *IO, *CLI) if (where / file).exists()}
    files.update(licences())
    write_tar(out / f'{name}.tar.gz', {f'{name}/{file}': content for file, content in files.items()})


def write_tar(path, files, programs=()):
    """An archive that is the same whenever it is made."""
    with open(path, 'wb') as file, gzip.GzipFile(fileobj=file, mode='wb', filename='', mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode='w', format=tarfile.PAX_FORMAT) as archive:
            for name, content in sorted(files.items()):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(content), 0o755 if name in programs else 0o644
                archive.addfile(entry, io.BytesIO(content))


def go_files(module):
    """The files of a module, without those of modules inside it."""
    top = GO / module
    inside = [path.parent for path in top.rglob('go.mod') if path.parent != top]
    for path in sorted(top.rglob('*')):
        if path.is_file() and not any(folder in path.parents for folder in inside):
            yield path.relative_to(top), path


def go_module(where, out, module=''):
    """What a module of that folder is when it is published: with the one file, and without `replace`."""
    for name, path in go_files(module):
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for name, text in licences().items():
        (out / name).write_bytes(text)
    if module:
        text = (out / 'go.mod').read_text(encoding='utf-8')
        text = re.sub(rf'^replace {GO_MODULE}.*\n', '', text, flags=re.M)
        text = re.sub(rf'({GO_MODULE}(?:/\w+)?) v0\.0\.0', rf'\1 v{version("semver")}', text)
        (out / 'go.mod').write_text(text.rstrip() + '\n', encoding='utf-8')
        return
    for names, folder in ((CORE, out), (IO, out / 'document')):
        for name in names:
            if (where / name).exists():
                text = (where / name).read_text(encoding='utf-8')
                (folder / name).write_text(BUNDLED + text if name.endswith('.c') else text, encoding='utf-8')


def write_zip(path, entries):
    """A zip file that is the same whenever it is made."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(entries):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)


def go_proxy(where, out):
    """GOPROXY=file://OUT serves it, as does any web server that has the folder."""
    tag = f'v{version("semver")}'
    for module in GO_MODULES:
        path = '/'.join(filter(None, (GO_MODULE, module)))
        folder = out / path / '@v'
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as made:
            tree = pathlib.Path(made)
            go_module(where, tree, module)
            write_zip(folder / f'{tag}.zip', [(f'{path}@{tag}/{file.relative_to(tree).as_posix()}', file.read_bytes())
                                              for file in tree.rglob('*') if file.is_file()])
            shutil.copyfile(tree / 'go.mod', folder / f'{tag}.mod')
        (folder / f'{tag}.info').write_text(json.dumps({'Version': tag, 'Time': when().strftime('%Y-%m-%dT%H:%M:%SZ')}) + '\n')
        (folder / 'list').write_text(f'{tag}\n')


def rust(where, out):
    """The crates karp-sys and karp: the library and its declarations, which are made of the headers, and the safe calls."""
    for crate in ('karp-sys', 'karp'):
        shutil.copytree(RUST / crate, out / crate, ignore=shutil.ignore_patterns('target', 'Cargo.lock'))
        for name, text in licences().items():
            (out / crate / name).write_bytes(text)
    folder = out / 'karp-sys/c'
    folder.mkdir()
    for name in (*CORE, *IO):
        if (where / name).exists():
            shutil.copyfile(where / name, folder / name)
    headers = sorted((SOURCE / 'include/karp').glob('*.h'))
    made = subprocess.run([sys.executable, RUST / 'bindings.py', *headers], check=True, capture_output=True, text=True).stdout
    (out / 'karp-sys/src/bindings.rs').write_text(made, encoding='utf-8')
    (out / 'karp-sys/src/layout.rs').write_text(rust_layout(made), encoding='utf-8')


def rust_layout(bindings):
    """A test that Rust sees sizes and offsets as C does."""
    structs = {name: re.findall(r'pub (\w+):', body) for name, body in re.findall(r'pub struct (karp_\w+) \{\n(.*?)\n\}', bindings, re.S)}
    lines = []
    for line in (SOURCE / 'tests/abi/layout.txt').read_text(encoding='utf-8').splitlines():
        name, number = line.split()
        struct, _, member = name.partition('.')
        if struct not in structs:
            continue
        seen = f'{member}_' if f'{member}_' in structs[struct] and member not in structs[struct] else member
        lines.append(f'    assert_eq!(core::mem::offset_of!({struct}, {seen}), {number}, "{name}");' if member else
                     f'    assert_eq!(core::mem::size_of::<{struct}>(), {number}, "{name}");')
    return '\n'.join(['// SPDX-License-Identifier: Apache-2.0', '// Generated by bindings/stage.py from tests/abi/layout.txt.', '', 'use super::*;', '', '#[test]',
                      'fn sizes_and_offsets() {', *lines, '}', ''])


# Platforms of wheels: what zig calls them, and how libraries are named there.
ELF, MACHO, DLL = f'{{}}.so.{MAJOR}', f'{{}}.{MAJOR}.dylib', '{}.dll'
PLATFORMS = {
    'manylinux_2_28_x86_64': ('x86_64-linux-gnu.2.28', ELF), 'manylinux_2_28_aarch64': ('aarch64-linux-gnu.2.28', ELF),
    'musllinux_1_2_x86_64': ('x86_64-linux-musl', ELF), 'musllinux_1_2_aarch64': ('aarch64-linux-musl', ELF),
    'macosx_11_0_arm64': ('aarch64-macos.11.0', MACHO), 'macosx_11_0_x86_64': ('x86_64-macos.11.0', MACHO),
    'win_amd64': ('x86_64-windows-gnu', DLL),
}
COMPILE = ['-std=c11', '-Os', '-g0', '-fPIC', '-fvisibility=hidden', '-fno-sanitize=undefined', '-s', '-I.']


def compile_for(platform, zig, where, folder):
    """({name: path} of the two libraries, the program or None) for a platform."""
    target, names = PLATFORMS[platform]
    cc = [*zig, 'cc', '-target', target, *COMPILE]
    if names == DLL:
        cc = [word for word in cc if word != '-fPIC'] + ['-DKARP_API=__declspec(dllexport)']
    else:
        cc += ['-fno-asynchronous-unwind-tables', '-fno-unwind-tables']  # nothing is thrown through C
    libraries = {}
    for library in ('libkarp', 'libkarp-io'):
        name = names.format(library)
        named = {ELF: [f'-Wl,-soname,{name}', '-Wl,-rpath,$ORIGIN'], MACHO: [f'-Wl,-install_name,@rpath/{name}', '-Wl,-rpath,@loader_path'], DLL: [f'-Wl,--out-implib,{folder / library}.lib']}
        needs = ['-lm', *(['-ldl'] if names == ELF else [])] if names != DLL else []
        below = [str(path) for path in libraries.values()] if names != DLL else [str(folder / 'libkarp.lib') for _ in libraries]
        libraries[name] = folder / name
        # A wheel is to have 1.2 MB at most: what decides is compiled for speed, reading and writing for size, and little is inlined.
        size = ['-fno-vectorize', '-fno-slp-vectorize', '-fno-unroll-loops', '-mllvm']
        subprocess.run([*cc, '-O2' if library == 'libkarp' else '-Os', *size, '-inline-threshold=5', '-shared', '-o', str(folder / name), library.removeprefix('lib') + '.c', *below, *needs, *named[names]], cwd=where, check=True)
    if names == DLL:
        return libraries, None  # the program is POSIX'
    rpath = '$ORIGIN/../_lib' if names == ELF else '@loader_path/../_lib'
    program = folder / 'karp'
    subprocess.run([*cc, '-o', str(program), *CLI, *map(str, libraries.values()), '-lm', f'-Wl,-rpath,{rpath}'], cwd=where, check=True)
    return libraries, program


# Programs that need nothing of a system, by the names that Go, and so krew, has for systems.
PROGRAMS = {'linux-amd64': 'x86_64-linux-musl', 'linux-arm64': 'aarch64-linux-musl', 'darwin-amd64': 'x86_64-macos.11.0', 'darwin-arm64': 'aarch64-macos.11.0'}


def musl_licence(zig):
    """That of the C library which static programs hold, as zig has it."""
    told = subprocess.run([*zig, 'env'], check=True, capture_output=True, text=True).stdout
    lib = re.search(r'"?lib_dir"?\s*[=:]\s*"([^"]+)"', told).group(1)
    return pathlib.Path(lib, 'libc/musl/COPYRIGHT').read_bytes()


def program(where, out, system, zig):
    """The program as an archive, named as a plugin of kubectl is; it is karp by any other name."""
    target = PROGRAMS[system]
    own = ['-static', '-DKARP_NO_PLUGINS'] if 'musl' in target else []
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, 'kubectl-karp')
        subprocess.run([*zig, 'cc', '-target', target, *COMPILE, '-O2', *own, '-o', str(made), 'karp.c', 'karp-io.c', *CLI, '-lm'], cwd=where, check=True)
        files = {'kubectl-karp': made.read_bytes(), 'libyaml.txt': YAML_LICENCE.read_bytes(), **licences()}
    if own:
        files['musl.txt'] = musl_licence(zig)
    write_tar(out / f'kubectl-karp-{version()}-{system}.tar.gz', files, programs=('kubectl-karp',))


def programs(where, out, zig):
    """What makes the program for each of those systems."""
    out.mkdir()
    return [functools.partial(program, where, out, system, zig) for system in PROGRAMS]


def recipes(out):
    """docs/packaging in OUT/packaging, with the version and the digests of what is in OUT; without those of what is not there."""
    def digest(found):
        return hashlib.new(found.group(1).lower(), (out / found.group(2)).read_bytes()).hexdigest()

    for path in sorted((SOURCE / 'docs/packaging').rglob('*')):
        if not path.is_file():
            continue
        text = path.read_text(encoding='utf-8')
        if path.name != 'README.md':
            text = text.replace('@VERSION@', version()).replace('@PYTHON_VERSION@', version('python'))
            if not all((out / name).exists() for name in re.findall(r'@SHA\d+:([^@]+)@', text)):
                continue
            text = re.sub(r'@(SHA\d+):([^@]+)@', digest, text)
        target = out / 'packaging' / path.relative_to(SOURCE / 'docs/packaging')
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding='utf-8')
        shutil.copymode(path, target)


def wheel(where, out, platform, zig):
    import karp_wheel
    with tempfile.TemporaryDirectory() as folder:
        libraries, program = compile_for(platform, zig, where, pathlib.Path(folder))
        licences, parts = karp_wheel.libyaml(yaml_version(where))
        print(karp_wheel.write(out, f'py3-none-{platform}', libraries, program, licences, parts), flush=True)


def wheels(where, out, platforms, zig):
    """What makes the wheel of each platform; of all when none is named."""
    sys.path.insert(0, str(SOURCE / 'bindings/python/backend'))
    out.mkdir(parents=True, exist_ok=True)
    return [functools.partial(wheel, where, out, platform, zig) for platform in platforms or PLATFORMS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    verbs = parser.add_subparsers(dest='verb', required=True)
    verb = verbs.add_parser('sources')
    verb.add_argument('out', type=pathlib.Path)
    verb.add_argument('--build', type=pathlib.Path, help='a build folder that is there')
    verb.add_argument('--libyaml', type=pathlib.Path)
    for name in ('go', 'goproxy', 'rust'):
        verb = verbs.add_parser(name)
        verb.add_argument('sources', type=pathlib.Path)
        verb.add_argument('out', type=pathlib.Path)
    verb = verbs.add_parser('wheels')
    verb.add_argument('sources', type=pathlib.Path)
    verb.add_argument('out', type=pathlib.Path)
    verb.add_argument('--only', action='append', choices=[*PLATFORMS])
    verb.add_argument('--zig', default='zig', help='the command, also "python3 -m ziglang"')
    verb = verbs.add_parser('programs')
    verb.add_argument('sources', type=pathlib.Path)
    verb.add_argument('out', type=pathlib.Path)
    verb.add_argument('--zig', default='zig', help='the command, also "python3 -m ziglang"')
    given = parser.parse_args()
    if given.verb == 'sources':
        sources(given.out, given.build, given.libyaml)
    elif given.verb == 'go':
        go_module(given.sources, given.out)
    elif given.verb == 'goproxy':
        go_proxy(given.sources, given.out)
    elif given.verb == 'rust':
        rust(given.sources, given.out)
    elif given.verb == 'programs':
        at_once(programs(given.sources.resolve(), given.out, given.zig.split()))
    else:
        at_once(wheels(given.sources.resolve(), given.out, given.only, given.zig.split()))


if __name__ == '__main__':
    sys.exit(main())
