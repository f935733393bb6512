# SPDX-License-Identifier: Apache-2.0
"""What a run of the program costs, in instructions and memory: neither depends on what else the machine is doing.

Instructions are counted by cachegrind, without the caches, which takes half of callgrind's time; memory is the peak resident size of a run without it.
"""
import collections
import os
import re
import resource
import shutil
import subprocess

Cost = collections.namedtuple('Cost', 'status instructions megabytes error')
NOISE = Cost(0, 1_000_000, 4, '') # what is less is not worth a judgement: blocks of memory double
SECONDS = 300                     # of the processor; the end of a run that would not end
COUNTED = re.compile(r'^==\d+== I +refs: +([\d,]+)', re.M)


def available():
    return shutil.which('valgrind') is not None


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run_counted(arguments, log):
    """The instructions of a run, and how it ended."""
    done = subprocess.run(['valgrind', '--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null', f'--log-file={log}', *arguments],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limited, check=False)
    with open(log, encoding='utf-8') as lines:
        counted = COUNTED.search(lines.read())
    if done.returncode == 0 and not counted:
        raise RuntimeError(f'valgrind has counted nothing: {" ".join(arguments)}')
    return done.returncode, int(counted.group(1).replace(',', '')) if counted else 0, done.stderr[:200].decode(errors='replace')


def peak_megabytes(arguments):
    done = subprocess.run([os.environ['KARP_PEAK'], *arguments], capture_output=True, preexec_fn=limited, check=True)
    return int(done.stdout) / 1024


def cost(arguments, folder):
    """Of one run; its instructions are 0 where it did not come to an end."""
    status, instructions, error = run_counted(arguments, f'{folder}/valgrind.txt')
    return Cost(status, instructions, peak_megabytes(arguments) if status == 0 else 0, error)


def beyond(cost_, least):
    """What a run cost more than the least one."""
    return cost_._replace(instructions=cost_.instructions - least.instructions, megabytes=cost_.megabytes - least.megabytes)


def ratios(few, many):
    """How many times as much `many` costs, in instructions and memory; noise does not count."""
    return (many.instructions / max(few.instructions, NOISE.instructions), many.megabytes / max(few.megabytes, NOISE.megabytes))
