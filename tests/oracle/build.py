#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""build.py DIR [1.14|1.15]: builds the oracle of that version of Karpenter (1.15) as DIR/oracle. Exit status 77 where Go or its modules cannot be had.

Karpenter's answer hangs on the order of Go's maps where candidates are equal. So that one answer can be compared with another, it is
built with those places made to go by name (docs/conformance.md, Fixed order): a copy of its module in DIR, edited here, stands in for
the original. The folder _VERSION has what our own program needs of a version: go.mod, go.sum and peer.go. What was corrected between a release and the version that libkarp follows is corrected too. An edit that does not
apply as often as it should stops the build: the version was changed.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROVIDER = 'pkg/cloudprovider/'
SCHEDULING = 'pkg/controllers/provisioning/scheduling/'
STATE = 'pkg/controllers/state/'
EDITS = {  # file: [(what, instead, how often)]
    SCHEDULING + 'topologygroup.go': [
        ('for domain := range t.domains {', 'for _, domain := range sortedKeys(t.domains) {', 5),
        ('range nodeDomains.Values() {', 'range sortedList(nodeDomains.Values()) {', 3),
        # The first pod of a group gets one domain, never two.
        ('if podDomains.Has(domain) {', 'if options.Len() == 0 && podDomains.Has(domain) {', 1),
    ],
    SCHEDULING + 'scheduler.go': [
        ('\t\tgo func() {', '\t\tfunc() {', 1),  # the only worker, so that a panic can be told
        ('lo.Values(groups)', 'inCatalogueOrder(groups, nct.InstanceTypeOptions)', 1),
    ],
    'pkg/scheduling/dynamicresources/pool.go': [('for key, b := range builders {', 'for _, key := range keysByName(builders) {\n\t\tb := builders[key]', 1)],
    STATE + 'cluster.go': [('c.antiAffinityPods.Range(', 'rangeByName(&c.antiAffinityPods, ', 1)],
}
LATER = {  # corrected between a release and the version that libkarp follows under its name
    '1.14': {
        PROVIDER + 'types.go': [
            # An override replaces; it was added.
            ('resources.Merge(i.Capacity, capacityOverride)', 'lo.Assign(i.Capacity, capacityOverride)', 1),
            ('resources.Merge(overhead, overheadOverride.Total())', 'lo.Assign(overhead, overheadOverride.Total())', 1),
        ],
    },
    '1.15': {},
}
ADDED = {
    SCHEDULING + 'order.go': '_order/scheduling.go', STATE + 'order.go': '_order/state.go',
    'pkg/scheduling/dynamicresources/order.go': '_order/dynamicresources.go',
}


def go(folder, *args):
    # A later version of Karpenter may want a later Go.
    return subprocess.run(['go', *args], cwd=folder, capture_output=True, text=True, env=os.environ | {'GOTOOLCHAIN': 'auto'})


def edit(path, edits):
    with open(path, encoding='utf-8') as f:
        text = f.read()
    for what, instead, count in edits:
        if text.count(what) != count:
            sys.exit(f'build.py: {path}: {what!r} stands there {text.count(what)} times, not {count}')
        text = text.replace(what, instead)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def copy_module(where, to):
    """The module's packages without their tests, to be written to."""
    for folder, _, names in os.walk(where):
        target = os.path.join(to, os.path.relpath(folder, where))
        os.makedirs(target)
        for name in names:
            if not name.endswith('_test.go'):
                shutil.copyfile(os.path.join(folder, name), os.path.join(target, name))


def prepare(folder, version):
    """Our module and Karpenter's, side by side in a folder. Why not, if they cannot be had."""
    if shutil.which('go') is None:
        return 'no Go'
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for source in (HERE, os.path.join(HERE, '_' + version)):
        for name in os.listdir(source):
            if name.endswith('.go') or name in ('go.mod', 'go.sum'):
                shutil.copyfile(os.path.join(source, name), os.path.join(folder, name))
    if go(folder, 'mod', 'download').returncode != 0:
        return 'the modules cannot be had'
    where = go(folder, 'list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/karpenter')
    if where.returncode != 0:
        return where.stderr.strip()
    karpenter = os.path.join(folder, 'karpenter')
    copy_module(where.stdout.strip(), karpenter)
    for edits in (EDITS, LATER[version]):
        for path, list_of_edits in edits.items():
            edit(os.path.join(karpenter, path), list_of_edits)
    for path, ours in ADDED.items():
        shutil.copyfile(os.path.join(HERE, ours), os.path.join(karpenter, path))
    go(folder, 'mod', 'edit', '-replace', 'sigs.k8s.io/karpenter=./karpenter').check_returncode()
    return None


def build(folder, version):
    """The program's path, or None with the reason printed."""
    folder = os.path.abspath(folder)
    source = os.path.join(folder, 'source')
    missing = prepare(source, version)
    if missing is not None:
        print('oracle:', missing)
        return None
    program = os.path.join(folder, 'oracle')
    built = go(source, 'build', '-o', program, '.')
    if built.returncode != 0:
        sys.exit(f'build.py: {built.stdout}{built.stderr}')
    return program


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], *([v] for v in LATER)):
        sys.exit(__doc__)
    sys.exit(0 if build(sys.argv[1], (sys.argv[2:] or ['1.15'])[0]) else 77)
