#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every field of Kubernetes' kinds, of Karpenter's and of EC2NodeClass is one that karp knows, in every version since 1.35 and 1.14.

    check.py [KUBERNETES_API...]

Objects with all fields are made of the Go structs of k8s.io/api (main.go) and of the schemas of Karpenter's CRDs, both from the Go module
proxy. karp reads each object, and notes the fields that the kind does not have. A misspelt field beside them shows that it looks. Exit
status: 0 all are known, 1 some are not, 77 Go or a module cannot be had.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KARP = os.environ.get('KARP', str(HERE.parents[2] / 'build' / 'karp'))
APIS = sys.argv[1:] or ['v0.35.1', 'v0.36.3', 'v0.37.2', 'v0.38.0-beta.0']
CRDS = {'sigs.k8s.io/karpenter': ['v1.14.1', 'v1.15.0'], 'github.com/aws/karpenter-provider-aws': ['v1.14.3', 'v1.15.2']}
# The archive of 7.0.1, which the beta names, cannot be had.
REPLACED = 'replace sigs.k8s.io/structured-merge-diff/v7 => sigs.k8s.io/structured-merge-diff/v7 v7.0.0\n'
MISSPELT = 'nonesuch'
ENDED = ['workloadRef']  # with Kubernetes 1.35, and karp says so
AT_ONCE = 40  # karp ends after 50 notes


def skip(why):
    print('fields:', why)
    sys.exit(77)


def go(folder, *words):
    done = subprocess.run(['go', *words], cwd=folder, capture_output=True, text=True, env=os.environ | {'GOTOOLCHAIN': 'auto', 'GOFLAGS': '-mod=mod'})
    if done.returncode != 0:
        skip(done.stderr.strip()[-400:])
    return done.stdout


def of_kubernetes(folder, version):
    where = pathlib.Path(folder, version)
    where.mkdir()
    shutil.copyfile(HERE / 'main.go', where / 'main.go')
    (where / 'go.mod').write_text(f'module fields\n\ngo 1.27.0\n\nrequire k8s.io/api {version}\n\n{REPLACED}')
    return json.loads(go(where, 'run', '.'))


def filled(schema):
    """As main.go does it, of an OpenAPI schema."""
    if schema.get('properties'):
        return {name: filled(of) for name, of in schema['properties'].items()}
    one = filled(schema['items']) if schema.get('type') == 'array' else None
    return [one] if one else None


def of_crds(folder, module, version):
    try:
        import yaml
    except ImportError:
        skip('PyYAML is not here')
    crds = pathlib.Path(json.loads(go(folder, 'mod', 'download', '-json', f'{module}@{version}'))['Dir'], 'pkg', 'apis', 'crds')
    for path in sorted(crds.glob('*.yaml')):
        crd = yaml.safe_load(path.read_text())['spec']
        for one in crd['versions']:
            whole = filled(one['schema']['openAPIV3Schema'])
            yield whole | {'apiVersion': f'{crd["group"]}/{one["name"]}', 'kind': crd['names']['kind'], 'metadata': {'name': 'all'}}


def structs(value, path=()):
    """The path of every struct of an object, and the names of its fields."""
    if isinstance(value, list):
        yield from structs(value[0], (*path[:-1], path[-1] + '[]'))
    elif isinstance(value, dict):
        yield path, list(value)
        for name, of in value.items():
            if name != 'metadata' or path:
                yield from structs(of, (*path, name))


def with_all(one, number, path, names):
    """An object that has nothing but one struct, with all fields and one that it has not."""
    value = dict.fromkeys([*names, MISSPELT])
    for step in reversed(path):
        value = {step.removesuffix('[]'): [value] if step.endswith('[]') else value}
    return {**value, 'apiVersion': one['apiVersion'], 'kind': one['kind'], 'metadata': {'name': f'all-{number}'}}


def unknown(folder, objects):
    """The fields that karp says these objects do not have. Those that it refuses are asked again, one by one."""
    path = pathlib.Path(folder, 'objects.json')
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
    done = subprocess.run([KARP, 'plan', '--lenient', '-f', path], capture_output=True, text=True)
    if done.returncode != 0 and len(objects) > 1:
        return [field for one in objects for field in unknown(folder, [one])]
    return re.findall(r'has no field (\S+?)[:;,]? ', ' '.join((done.stdout + done.stderr).split()) + ' ')


def is_misspelt(field):
    """Long paths are cut off."""
    return MISSPELT.startswith(field.split('.')[-1])


def main():
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        sources = [(f'k8s.io/api {v}', of_kubernetes(folder, v)) for v in APIS]
        sources += [(f'{m} {v}', list(of_crds(folder, m, v))) for m, versions in CRDS.items() for v in versions]
        for source, objects in sources:
            paths = watched = 0
            for one in objects:
                asked = [with_all(one, i, *s) for i, s in enumerate(structs(one)) if s[0]]
                fields = [f for i in range(0, len(asked), AT_ONCE) for f in unknown(folder, asked[i:i + AT_ONCE])]
                paths += len(asked)
                known = [f for f in fields if not is_misspelt(f)]
                watched += len(fields) - len(known)
                bad += [f'{source}: {one["kind"]}: {f}' for f in known if f.split('.')[-1] not in ENDED]
            print(f'{source}: {len(objects)} kinds with {paths} structs, of which karp checks the names of fields of {watched}')
    print(*bad, sep='\n', end='\n' if bad else '')
    print(f'{len(bad)} fields that karp does not know')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
