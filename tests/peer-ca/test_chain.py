# SPDX-License-Identifier: Apache-2.0
"""karp-expander behind cluster-autoscaler's own client and chain of expanders.

A checkout is named by `meson configure -Dca_source=FOLDER`: of cluster-autoscaler, or of a repository that has it in a folder
of that name. It stays as it is: the test is laid over it, and takes the modules that its go.mod names.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE'], 'tests/examples')))
import test_expander  # noqa: E402

CHAIN = test_expander.EXPANDER / 'testdata/peer/chain_test.go'
# Where the packages are, by the name of the module.
MODULES = {'sigs.k8s.io/cluster-autoscaler': 'pkg', 'k8s.io/autoscaler/cluster-autoscaler': ''}


def checkout():
    """The module's folder and where its packages are in it, or why there is none."""
    named = os.environ.get('KARP_CA_SOURCE', '')
    if not named:
        return None, 'no checkout of cluster-autoscaler is named: meson configure -Dca_source=FOLDER'
    for folder in (pathlib.Path(named), pathlib.Path(named, 'cluster-autoscaler')):
        if (folder / 'go.mod').exists():
            module = (folder / 'go.mod').read_text().split('module', 1)[1].split()[0]
            if module in MODULES and (folder / MODULES[module] / 'expander/grpcplugin').is_dir():
                return (folder.resolve(), '/'.join(filter(None, (module, MODULES[module]))), MODULES[module]), None
    return None, f'{named} has no expander/grpcplugin of cluster-autoscaler'


def main():
    found, missing = checkout()
    skip = missing or test_expander.reason_to_skip()
    if skip:
        print(skip)
        # What is named and is not there is no reason to be content.
        return 1 if os.environ.get('KARP_CA_SOURCE') and missing else 77
    folder, packages, below = found
    with tempfile.TemporaryDirectory() as work:
        program, test, overlay = (pathlib.Path(work, name) for name in ('karp-expander', 'chain_test.go', 'overlay.json'))
        if not test_expander.go('build', '-o', str(program), '.'):
            return 1
        test.write_text(CHAIN.read_text().replace('CA_PACKAGES', packages))
        place = folder / below / 'expander/grpcplugin'
        overlay.write_text(json.dumps({'Replace': {str(place / 'karp_chain_test.go'): str(test)}}))
        ran = subprocess.run(['go', 'test', '-count=1', '-v', '-overlay', str(overlay), '-run', 'TestKarp', str(place)], cwd=folder,
                             env={**test_expander.test_go.environment(), 'GOPROXY': os.environ.get('GOPROXY', ''), 'KARP_EXPANDER': str(program)})
    return ran.returncode


if __name__ == '__main__':
    sys.exit(main())
