# SPDX-License-Identifier: Apache-2.0
"""docs/packaging against the project: version, options, files, licence; the recipes of a release have nothing left to fill in."""
import ast
import hashlib
import json
import os
import pathlib
import re
import sys
import tempfile

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
sys.path.insert(0, str(SOURCE / 'bindings'))
sys.dont_write_bytecode = True
import stage  # noqa: E402

PACKAGING = SOURCE / 'docs/packaging'
OF_MESON = {'default_library', 'libdir', 'buildtype'}
problems = []


def check_options():
    known = set(re.findall(r"^option\('(\w+)'", (SOURCE / 'meson_options.txt').read_text(encoding='utf-8'), re.M)) | OF_MESON
    for path in PACKAGING.rglob('*'):
        if path.is_file():
            text = path.read_text(encoding='utf-8')
            used = set(re.findall(r'-D(\w+)=', text)) | set(re.findall(r"project_options\['(\w+)'\]", text))
            problems.extend(f'{path}: meson has no option {name}' for name in used - known)


def check_debian():
    version = stage.version()
    if not (PACKAGING / 'debian/changelog').read_text().startswith(f'libkarp ({stage.version("debian")}-1) '):
        problems.append(f'debian/changelog is not of {version}')
    packages = re.findall(r'^Package: (\S+)', (PACKAGING / 'debian/control').read_text(), re.M)
    if f'libkarp{version.split(".")[0]}' not in packages:
        problems.append(f'debian/control: the soname is {version.split(".")[0]}')
    for path in PACKAGING.glob('debian/*.docs'):
        problems.extend(f'{path}: there is no {line}' for line in path.read_text().split() if not list(SOURCE.glob(line)))
    for path in PACKAGING.glob('debian/*.examples'):
        problems.extend(f'{path}: there is no {line}' for line in path.read_text().split() if not (SOURCE / line).exists())


def check_versions():
    """What states the version, each in the form of its kind of package."""
    stated = {'pyproject.toml': f'version = "{stage.version("python")}"', 'bindings/rust/karp/Cargo.toml': f'version = "{stage.version("semver")}"',
              'bindings/rust/karp-sys/Cargo.toml': f'version = "{stage.version("semver")}"', 'tests/bindings/go-consumer/go.mod': f'{stage.GO_MODULE} v{stage.version("semver")}',
              **{f'docs/man/{page}': f'"libkarp {stage.version()}"' for page in ('karp.1', 'kubectl-karp.1', 'libkarp.3')}}
    problems.extend(f'{path} does not say {text}' for path, text in stated.items() if text not in (SOURCE / path).read_text(encoding='utf-8'))
    news = re.findall(r'^## (\S+)', (SOURCE / 'NEWS.md').read_text(encoding='utf-8'), re.M)
    if news[:1] != [stage.version().split('-')[0]]:
        problems.append(f'NEWS.md begins with {news[:1]}')


def check_recipes():
    """As a release fills them in, of files that are made up."""
    version = stage.version()
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        (out / 'programs').mkdir()
        source = out / f'libkarp-{version}.tar.gz'
        source.write_bytes(b'source')
        stage.recipes(out)
        if (out / 'packaging/krew').exists():
            problems.append('a recipe for programs that were not made')
        for system in stage.PROGRAMS:
            (out / f'programs/kubectl-karp-{version}-{system}.tar.gz').write_bytes(system.encode())
        stage.recipes(out)
        made = {path.relative_to(out / 'packaging').as_posix(): path.read_text(encoding='utf-8') for path in (out / 'packaging').rglob('*') if path.is_file()}
    for path, text in made.items():
        problems.extend(f'{path}: {left} is not filled in' for left in re.findall(r'@[A-Z][^@\s]*@', text) if path != 'README.md')
    wanted = {'homebrew/libkarp.rb', 'conda-forge/meta.yaml', 'vcpkg/vcpkg.json', 'vcpkg/portfile.cmake', 'conan/conanfile.py', 'wrapdb/libkarp.wrap', 'krew/karp.yaml', 'debian/control'}
    problems.extend(f'there is no {path}' for path in wanted - made.keys())
    digest = hashlib.sha256(b'source').hexdigest()
    for path in ('homebrew/libkarp.rb', 'conda-forge/meta.yaml', 'conan/conanfile.py', 'wrapdb/libkarp.wrap'):
        if digest not in made[path] or version not in made[path]:
            problems.append(f'{path} does not name the source of {version}')
    if hashlib.sha512(b'source').hexdigest() not in made['vcpkg/portfile.cmake'] or json.loads(made['vcpkg/vcpkg.json'])['version-semver'] != version:
        problems.append('the port of vcpkg is of another source')
    ast.parse(made['conan/conanfile.py'])
    problems.extend(f'krew/karp.yaml: nothing for {system}' for system in stage.PROGRAMS if hashlib.sha256(system.encode()).hexdigest() not in made['krew/karp.yaml'])


def main():
    check_options()
    check_debian()
    check_versions()
    check_recipes()
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
