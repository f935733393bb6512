# SPDX-License-Identifier: Apache-2.0
"""The Go module clusterautoscaler with cluster-autoscaler's own packages: its tests, and with KARP_BENCH=1 both estimators on the same pods.

The checkout that `meson configure -Dca_source=FOLDER` names stays as it is. The module's go.mod is copied, with the replacements of the
checkout's.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE'], 'tests/bindings')))
import test_go  # noqa: E402

MODULE = test_go.GO / 'clusterautoscaler'
PEER = 'sigs.k8s.io/cluster-autoscaler'


def checkout():
    named = os.environ.get('KARP_CA_SOURCE', '')
    if not named:
        return None, 'no checkout of cluster-autoscaler is named: meson configure -Dca_source=FOLDER'
    folder = pathlib.Path(named).resolve()
    if not (folder / 'go.mod').exists() or f'module {PEER}\n' not in (folder / 'go.mod').read_text():
        return None, f'{named} is no checkout of {PEER}'
    return folder, None


def replacements(folder):
    """Those of the checkout, with its folders where they are, and the checkout itself."""
    lines = re.findall(r'^replace .*', (folder / 'go.mod').read_text(), flags=re.M)
    return [re.sub(r'=> (\.\.?/\S*)', lambda found: f'=> {(folder / found[1]).resolve()}', line) for line in lines] + [f'replace {PEER} => {folder}']


def main():
    folder, missing = checkout()
    skip = missing or test_go.reason_to_skip()
    if skip:
        print(skip)
        return 1 if os.environ.get('KARP_CA_SOURCE') and missing else 77
    with tempfile.TemporaryDirectory() as work:
        own = re.sub(r'=> (\.\./\S*)', lambda found: f'=> {(MODULE / found[1]).resolve()}', (MODULE / 'go.mod').read_text())
        mod = pathlib.Path(work, 'go.mod')
        mod.write_text('\n'.join([own, *replacements(folder), '']))
        mod.with_suffix('.sum').write_text((folder / 'go.sum').read_text())
        environment = {**test_go.environment(), 'GOPROXY': os.environ.get('GOPROXY', ''), 'GOTOOLCHAIN': 'auto', 'GOFLAGS': f'-buildvcs=false -tags=libkarp -mod=mod -modfile={mod}'}
        commands = [['vet', '.'], ['test', '-count=1', '.']]
        if os.environ.get('KARP_BENCH'):
            commands.append(['test', '-run', 'none', '-bench', 'Estimate', '-benchtime', '3x', '.'])
        for words in commands:
            print('go', *words, flush=True)
            ended = subprocess.run(['go', *words], cwd=MODULE, env=environment).returncode
            if ended != 0:
                return ended
    return 0


if __name__ == '__main__':
    sys.exit(main())
