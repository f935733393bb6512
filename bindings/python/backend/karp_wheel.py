# SPDX-License-Identifier: Apache-2.0
"""Writes wheels of the Python package around libraries that were built by whoever asks. Equal input gives equal bytes."""
import base64
import hashlib
import json
import os
import pathlib
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = SOURCE / 'bindings/python/karp'
EPOCH = (1980, 1, 1, 0, 0, 0)


def project():
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib
    return tomllib.loads((SOURCE / 'pyproject.toml').read_text(encoding='utf-8'))['project']


def dist_info():
    p = project()
    return f'{p["name"]}-{p["version"]}.dist-info'


def metadata(licences=('LICENSE',)):
    p = project()
    lines = ['Metadata-Version: 2.4', f'Name: {p["name"]}', f'Version: {p["version"]}', f'Summary: {p["description"]}',
             f'License-Expression: {p["license"]}', *[f'License-File: {name}' for name in licences],
             f'Keywords: {",".join(p["keywords"])}', f'Requires-Python: {p["requires-python"]}',
             *[f'Project-URL: {name}, {address}' for name, address in p['urls'].items()],
             *[f'Classifier: {each}' for each in p['classifiers']],
             'Description-Content-Type: text/markdown', '', (SOURCE / p['readme']).read_text(encoding='utf-8')]
    return '\n'.join(lines).encode('utf-8')


def wheel_file(tag):
    lines = ['Wheel-Version: 1.0', 'Generator: karp_build', 'Root-Is-Purelib: false', *[f'Tag: {each}' for each in split(tag)]]
    return ('\n'.join(lines) + '\n').encode()


def split(tag):
    """"py3-none-a.b" is for a and for b."""
    python, abi, platforms = tag.split('-')
    return [f'{python}-{abi}-{platform}' for platform in platforms.split('.')]


def entry_points():
    groups = {'console_scripts': project().get('scripts', {})}
    return ''.join(f'[{group}]\n' + ''.join(f'{name} = {target}\n' for name, target in sorted(given.items())) for group, given in groups.items()).encode()


def sbom(parts):
    """What is inside, as SPDX 2.3: libkarp, and the libraries of others with their versions and licences."""
    p = project()
    packages = [{'name': p['name'], 'version': p['version'], 'licence': 'Apache-2.0'}, *parts]
    described = [{
        'SPDXID': f'SPDXRef-{part["name"]}', 'name': part['name'], 'versionInfo': part['version'],
        'downloadLocation': part.get('from', 'NOASSERTION'), 'filesAnalyzed': False, 'licenseConcluded': part['licence'],
        'licenseDeclared': part['licence'], 'copyrightText': 'NOASSERTION',
        'externalRefs': [{'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl', 'referenceLocator': part['purl']}] if 'purl' in part else [],
    } for part in packages]
    made = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    document = {
        'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT', 'name': f'{p["name"]}-{p["version"]}',
        'documentNamespace': f'https://libkarp.dev/spdx/{p["name"]}-{p["version"]}-{made[:16]}',
        'creationInfo': {'created': '2026-01-01T00:00:00Z', 'creators': ['Tool: karp_build']}, 'packages': described,
        'relationships': [{'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES', 'relatedSpdxElement': f'SPDXRef-{p["name"]}'},
                          *[{'spdxElementId': f'SPDXRef-{p["name"]}', 'relationshipType': 'CONTAINS', 'relatedSpdxElement': f'SPDXRef-{part["name"]}'}
                            for part in parts]],
    }
    return (json.dumps(document, indent=1, sort_keys=True) + '\n').encode()


def libyaml(version):
    """Its licence, and what it is, for those that have it inside."""
    text = pathlib.Path(__file__).with_name('libyaml-LICENSE').read_bytes()
    return {'libyaml.txt': text}, [{'name': 'libyaml', 'version': version, 'licence': 'MIT', 'purl': f'pkg:generic/libyaml@{version}'}]


def contents(tag, libraries, program, licences, parts):
    """{path in the wheel: bytes}. libraries: {name: path}; program: path or None; licences: {name: bytes} of what others wrote."""
    files = {f'karp/{path.name}': path.read_bytes() for path in sorted(PACKAGE.iterdir()) if path.suffix in ('.py', '.typed')}
    for path in sorted((SOURCE / 'examples/quickstart').iterdir()):
        files[f'karp/_example/{path.name}'] = path.read_bytes()
    for name, path in libraries.items():
        files[f'karp/_lib/{name}'] = path.read_bytes()
    if program is not None:
        files[f'karp/_bin/{program.name}'] = program.read_bytes()
    info = dist_info()
    licences = {'LICENSE': (SOURCE / 'LICENSE').read_bytes(), 'notice.md': (SOURCE / 'docs/notice.md').read_bytes(), **licences}
    for name, text in licences.items():
        files[f'{info}/licenses/{name}'] = text
    files[f'{info}/METADATA'] = metadata(licences)
    files[f'{info}/WHEEL'] = wheel_file(tag)
    files[f'{info}/entry_points.txt'] = entry_points()
    files[f'{info}/sboms/{project()["name"]}.spdx.json'] = sbom(parts)
    return files


def record(files):
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        lines.append(f'{path},sha256={digest},{len(data)}\n')
    return ''.join(lines + [f'{dist_info()}/RECORD,,\n']).encode()


def write(folder, tag, libraries, program=None, licences=None, parts=()):
    """The wheel in that folder; its name."""
    files = contents(tag, libraries, program, licences or {}, list(parts))
    files[f'{dist_info()}/RECORD'] = record(files)
    p = project()
    name = f'{p["name"]}-{p["version"]}-{tag}.whl'
    with zipfile.ZipFile(os.path.join(folder, name), 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if '/_lib/' in path or '/_bin/' in path else 0o100644) << 16
            archive.writestr(entry, data, compresslevel=9)  # the level of the archive is not that of entries
    return name
