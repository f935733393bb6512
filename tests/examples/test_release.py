# SPDX-License-Identifier: Apache-2.0
"""A release is made from its tag, in a clone: of another tag it is refused, and what is in the tree beside the tag is not in it. (What needs other
compilers: meson test --suite long first_programs.)"""
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
sys.path.insert(0, str(SOURCE / 'bindings'))
sys.dont_write_bytecode = True
import stage  # noqa: E402

RIGHT, WRONG = f'v{stage.version()}', 'v99.0.0'


def main():
    if not (SOURCE / '.git').exists():
        print('this is no clone')
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tree = folder / 'tree'
        environment = {key: value for key, value in os.environ.items() if not key.startswith('GIT_')}

        def run(*words):
            return subprocess.run([str(word) for word in words], cwd=tree if tree.exists() else None, env=environment, capture_output=True, text=True)
        cloned = run('git', 'clone', '--quiet', '--depth', '1', SOURCE.as_uri(), tree)
        if cloned.returncode:
            print(f'it cannot be cloned here: {cloned.stderr}')
            return 77
        for tag in (RIGHT, WRONG):
            run('git', 'tag', tag)
        (tree / 'docs/notes.md').write_text('not of the release\n')
        (tree / 'README.md').write_text('changed\n')
        refused = run('.ci/release', folder / 'refused', '--tag', WRONG, '--sources')
        if refused.returncode == 0 or f'which is {RIGHT}' not in refused.stderr or (folder / 'refused').exists():
            problems.append(f'{WRONG} of {RIGHT}: {refused.stdout}{refused.stderr}')
        made = run('.ci/release', folder / 'made', '--tag', RIGHT, '--sources')
        if made.returncode:
            sys.exit(f'{made.stdout}{made.stderr}')
        archive = folder / f'made/libkarp-{stage.version()}.tar.gz'
        with tarfile.open(archive) as inside:
            names = inside.getnames()
            readme = inside.extractfile(f'libkarp-{stage.version()}/README.md').read()
        if readme == b'changed\n' or any(name.endswith('docs/notes.md') for name in names):
            problems.append('the release has what its tag does not have')
        sums = dict(reversed(line.split()) for line in (folder / 'made/SHA256SUMS').read_text().splitlines())
        if sums[archive.name] != hashlib.sha256(archive.read_bytes()).hexdigest() or not any(path.startswith('packaging/') for path in sums):
            problems.append('SHA256SUMS is of other files')
    print('\n'.join(problems) or f'{len(sums)} files of {RIGHT}')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
