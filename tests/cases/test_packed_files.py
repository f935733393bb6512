# SPDX-License-Identifier: Apache-2.0
"""A file that is compressed, an archive or no text at all: every command that reads it says what it is, and what to type."""
import bz2
import gzip
import io
import lzma
import os
import pathlib
import subprocess
import tarfile
import tempfile
import zipfile

from stories import SOURCE, check, equal, finish, run

POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: x}]}\n'
BEGIN = 'a file compressed by gzip: gunzip -c '


def archive(form):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=form) as tar:
        entry = tarfile.TarInfo('a.yaml')
        entry.size = len(POD)
        tar.addfile(entry, io.BytesIO(POD.encode()))
    return out.getvalue()


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as file:
        file.writestr('a.yaml', POD)
    return out.getvalue()


def kinds(folder):
    """What each kind of file is called, and the command that unpacks it."""
    text = POD.encode()
    found = [('gzip', gzip.compress(text), 'a file compressed by gzip: gunzip -c FILE | karp plan -f -'),
             ('xz', lzma.compress(text), 'a file compressed by xz: xz -dc FILE | karp plan -f -'),
             ('bzip2', bz2.compress(text), 'a file compressed by bzip2: bunzip2 -c FILE | karp plan -f -'),
             ('zstd', b'\x28\xb5\x2f\xfd\x24\x02\x11\x00\x00a\n', 'a file compressed by zstd: zstd -dc FILE | karp plan -f -'),
             ('lz4', b'\x04\x22\x4d\x18\x64\x40\xa7', 'a file compressed by lz4: lz4 -dc FILE | karp plan -f -'),
             ('zip', zipped(), 'an archive of zip: unzip -d UNPACKED FILE'),
             ('ustar', archive(tarfile.USTAR_FORMAT), 'an archive of tar: mkdir UNPACKED; tar -xf FILE -C UNPACKED'),
             ('gnu', archive(tarfile.GNU_FORMAT), 'an archive of tar: mkdir UNPACKED; tar -xf FILE -C UNPACKED'),
             ('pdf', b'%PDF-1.7\n{{ .Values.a }}\n', 'a PDF document'),
             ('elf', pathlib.Path(os.environ['KARP']).read_bytes()[:4096], 'a program or a library')]
    for name, data, wanted in found:
        path = pathlib.Path(folder, f'{name}.yaml')
        path.write_bytes(data)
        equal(run('plan', path, status=1)[1], f'karp: {path}: {wanted}\n'.replace('FILE', str(path)), name)
        out, _ = run('plan', path, '--skip-unknown', '--width', '1000')
        check(f'{path}:1: left out: {wanted}'.replace('FILE', str(path)) in out, f'{name}: {out}')
    run('plan', folder, '--skip-unknown', '--fail-on', 'unschedulable', status=3) # nobody knows what is in them
    path = pathlib.Path(folder, 'gzip.yaml')
    advised = f'gunzip -c {path} | {os.environ["KARP"]} plan -f -'
    done = subprocess.run(advised, shell=True, capture_output=True, text=True)
    equal(done.returncode, 0, f'what is advised works: {done.stderr}')


def near(folder):
    """Texts that have some of these bytes, and files that end within them."""
    for data in (b'\x1f', b'1AY&SY', b'PK: 1\n', b'a: ' + b'#' * 254 + b'ustar\n', b'\x28\xb5', b'%PDF', b'\n%PDF-'):
        path = pathlib.Path(folder, 'near.yaml')
        path.write_bytes(data)
        error = run('plan', path, status=1)[1]
        check('compressed' not in error and 'archive' not in error and 'PDF document' not in error, f'{data}: {error}')


def readers(folder):
    """Every option that reads a file, and every command that reads one by name or from standard input."""
    path = pathlib.Path(folder, 'a.gz')
    path.write_bytes(gzip.compress(POD.encode() * 100))
    cluster = SOURCE / 'examples' / 'quickstart'
    objects, content = f'{BEGIN}{path} | karp plan -f -', f'{BEGIN}{path} >UNPACKED'
    for verb in ('plan', 'disrupt', 'repack', 'admit', 'lint', 'dump', 'nodes', 'top', 'blockers', 'tune'):
        check(objects in run(verb, path, status=1)[1], verb)
    replay = ('replay', SOURCE / 'examples' / 'replay' / 'day.yaml', '--until', '1m')
    for words, wanted in ((('whatif', cluster, '--prices', path), content),
                          (('explain', 'pod', 'a', path), objects),
                          (('diff', cluster, '--', path), objects),
                          (('bench', '--input', path), objects),
                          (('catalogue', '-f', path), objects),
                          (('catalogue', '--from-nodes', '-f', path), objects),
                          (('catalogue', '--catalogue', path), content),
                          (('facts', '--facts', path), content),
                          (('simulate', path), content),
                          (('twin', path), content),
                          (('replay', path), content),
                          ((*replay, '--nodepools', path), content),
                          ((*replay, '--interruption-rates', path), content),
                          ((*replay, '--commitment-offers', path), content),
                          ((*replay, '--scheduler-config', path), content),
                          ((*replay, '--repack', path), content),
                          (('verify', path, '-f', cluster), content),
                          (('verify', '--certificate', path, '-f', cluster), content),
                          (('tune', cluster, '--trace', path), content),
                          (('tune', cluster, '--image-architectures', path), f'{BEGIN}FILE >UNPACKED'),
                          (('disrupt', cluster, '--memory-in', path), content),
                          (('plan', cluster, '--baseline', path, '--fail-on', 'cost=+10%'), content),
                          (('plan', cluster, '--catalogue', path), content),
                          (('plan', cluster, '--facts', path), content),
                          (('plan', cluster, '--replace', path), content),
                          (('plan', cluster, '--prices', path), content),
                          (('plan', cluster, '--requests', 'recommended', '--usage', path), content)):
        shown = run(*words, status=1)[1]
        check(wanted in shown, f'{words}: {shown}')
    for words in (('plan', '-f', '-'), ('simulate', '-'), ('replay', '-'), ('twin', '-'), ('verify', '-', '-f', cluster)):
        done = subprocess.run([os.environ['KARP'], *map(str, words)], input=path.read_bytes(), capture_output=True)
        check(f'karp: -: {BEGIN}- '.encode() in done.stderr, f'{words}: {done.stderr}')


with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, tempfile.TemporaryDirectory() as three:
    kinds(one)
    near(two)
    readers(three)
finish()
