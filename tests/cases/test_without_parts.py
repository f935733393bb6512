# SPDX-License-Identifier: Apache-2.0
"""A program without the parts that a build may leave out plans and replays as the whole one, and says what it lacks."""
import os
import sys

from stories import SOURCE, check, equal, finish, run

if 'KARP_WITHOUT_PARTS' not in os.environ:
    print('the libraries are made of one file')
    sys.exit(77)

whole, less = os.environ['KARP'], os.environ['KARP_WITHOUT_PARTS']


def both(*words):
    """Standard output of the two programs."""
    said = []
    for os.environ['KARP'] in (whole, less):
        said.append(run(*words)[0])
    return said


for words in (['plan', SOURCE / 'examples' / 'quickstart'], ['replay', SOURCE / 'examples' / 'replay' / 'load.yaml', '--until', '1h']):
    complete, reduced = both(*words)
    equal(reduced, complete, words[0])
_, problem = run('simulate', SOURCE / 'examples' / 'stories' / 'spot-and-on-demand' / 'story.yaml', status=1)
check('built without stories (-Dstories=false)' in problem, problem)
old = 'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: default}\n'
_, problem = run('plan', '-', text=old, status=1)
check('built without Provisioner (-Dv1alpha5=false)' in problem, problem)
sys.exit(finish())
