# SPDX-License-Identifier: Apache-2.0
"""A plan of 50,000 pods of a List takes two and a half times the file at most, with the program and the types of a region."""
import os
import pathlib
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent.parent / 'bench'
POOL = '''apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
'''
# The sanitizers' own memory is not the program's, and other C libraries keep what is freed.
with open(os.environ['KARP'], 'rb') as program:
    text = program.read()
if not sys.platform.startswith('linux') or b'__asan_init' in text or b'mallopt' not in text:
    print('skipped: the memory is that of another C library')
    sys.exit(77)

os.environ.pop('MALLOC_PERTURB_', None)  # meson's: memory that is reserved would be touched
folder = pathlib.Path(tempfile.mkdtemp())
pods, pool = folder / 'pods.json', folder / 'pool.yaml'
with open(pods, 'wb') as file:
    subprocess.run(['awk', '-v', 'n=50000', '-v', 'form=list', '-f', BENCH / 'pods.awk'], stdout=file, check=True)
pool.write_text(POOL, encoding='utf-8')
size = pods.stat().st_size / 1e6
peak = int(subprocess.run([os.environ['KARP_PEAK'], os.environ['KARP'], 'plan', '-o', 'json', '-f', pods, '-f', pool],
                          capture_output=True, check=True, text=True).stdout) * 1024 / 1e6
print(f'1..1\n{"ok" if peak <= 2.5 * size else "not ok"} 1 - {peak:.1f} MB for a file of {size:.1f} MB, {peak / size:.2f} times as much')
sys.exit(0 if peak <= 2.5 * size else 1)
