# SPDX-License-Identifier: Apache-2.0
"""What a run of the program costs, in instructions and memory: neither depends on what else the machine is doing.

Instructions are counted by cachegrind, without the caches, which takes half of callgrind's time; memory is the peak resident size of a run without it.
"""
import atexit
import collections
import os
import re
import resource
import shutil
import subprocess
import tempfile
import threading

# meson sets it for its tests: every block is then written from end to end when it is allocated and freed, which is not the program's work.
os.environ.pop('MALLOC_PERTURB_', None)

Cost = collections.namedtuple('Cost', 'status instructions megabytes error')
NOISE = Cost(0, 1_000_000, 4, '') # what is less is not worth a judgement: blocks of memory double
SECONDS = 300                     # of the processor; the end of a run that would not end


def available():
    return shutil.which('valgrind') is not None


class Counter:
    """Counts the instructions of runs of karp that start from one process under valgrind (tests/bench/counted.c)."""

    def __init__(self):
        folder = tempfile.mkdtemp() # a TemporaryDirectory would go with the first process that is forked and ends
        atexit.register(shutil.rmtree, folder)
        self.log, self.errors = (os.path.join(folder, name) for name in ('log', 'errors'))
        command = ['valgrind', '--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null', f'--log-file={self.log}', os.environ['KARP_COUNTED']]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) # ends with its input
        self.verbs = set() # that valgrind has translated

    def ask(self, words):
        self.process.stdin.write('\t'.join(words) + '\n')
        self.process.stdin.flush()
        return (int(word) for word in self.process.stdout.readline().split())

    def counted(self, job):
        with open(self.log, encoding='utf-8') as lines:
            return int(re.search(rf'^=={job}== I +refs: +([\d,]+)', lines.read(), re.M).group(1).replace(',', ''))

    def run(self, arguments):
        """How a run ended, its instructions and what it said of errors."""
        if arguments[0] not in self.verbs:
            self.verbs.add(arguments[0])
            self.ask(['-', *arguments])
        before, _ = self.ask([''])
        job, status = self.ask([self.errors, *arguments])
        with open(self.errors, encoding='utf-8', errors='replace') as said:
            return status, self.counted(job) - self.counted(before), said.read(200)


COUNTERS = threading.local()


def run_counted(arguments):
    if not hasattr(COUNTERS, 'own'):
        COUNTERS.own = Counter()
    return COUNTERS.own.run(arguments)


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def peak_megabytes(arguments):
    done = subprocess.run([os.environ['KARP_PEAK'], *arguments], capture_output=True, preexec_fn=limited, check=True)
    return int(done.stdout) / 1024


def cost(arguments):
    """Of one run of karp; its instructions are 0 where it did not come to an end."""
    status, instructions, error = run_counted(arguments)
    return Cost(status, instructions if status >= 0 else 0, peak_megabytes([os.environ['KARP'], *arguments]) if status == 0 else 0, error)


def beyond(cost_, least):
    """What a run cost more than the least one."""
    return cost_._replace(instructions=cost_.instructions - least.instructions, megabytes=cost_.megabytes - least.megabytes)


def ratios(few, many):
    """How many times as much `many` costs, in instructions and memory; noise does not count."""
    return (many.instructions / max(few.instructions, NOISE.instructions), many.megabytes / max(few.megabytes, NOISE.megabytes))
