# SPDX-License-Identifier: Apache-2.0
"""examples/autoscaler in Python and C: killed and started again in the middle of creating, it launches no node twice and forgets no pod."""
import os
import pathlib
import signal
import subprocess
import sys

import api_server

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
PODS, CORES, PER_NODE, KINDS = 60, 1, 3, 9  # m5.xlarge has 3.92 cores for pods; nine kinds are watched
CAPACITY = {'cpu': '3920m', 'memory': '14Gi', 'pods': '58', 'ephemeral-storage': '17Gi'}
PACKAGE = {**os.environ, 'PYTHONPATH': str(SOURCE / 'bindings/python'), 'KARP_LIBRARY': str(BUILD / 'lib'), 'LD_LIBRARY_PATH': str(BUILD / 'lib')}


def play(name, command, kills):
    """How many NodeClaims there are when every pod runs. It is killed when so many were created, before it hears of the last of them."""
    cluster = api_server.Cluster(PODS, CORES, CAPACITY, 'us-west-2a')
    server = api_server.serve(cluster)
    running, ended = [], []

    def start():
        cluster.watches = 0
        words = [f'http://127.0.0.1:{server.server_address[1]}'] if name == 'Python' else [str(word) for word in server.server_address]
        running[:] = [subprocess.Popen([*command, *words], env=PACKAGE, stdout=subprocess.DEVNULL)]

    def killed(created):
        if created in kills:
            running[0].send_signal(signal.SIGKILL)
            running[0].wait()
            ended.append(created)
            start()

    def wait(what, seconds):
        return cluster.lock.wait_for(what, timeout=seconds)

    cluster.on_create = killed
    start()
    try:
        with cluster.lock:
            created = 0
            while cluster.created <= PODS and cluster.launch() > 0:
                # A slow cloud: it goes on when the autoscaler, perhaps a new one, watches all kinds and has created nothing for a while.
                if not wait(lambda created=created: cluster.created > created, 120):
                    print(f'nothing happens any more, with {cluster.created} NodeClaims created')
                    return 0, ended
                while created < cluster.created <= PODS or cluster.watches < KINDS:
                    created = cluster.created
                    wait(lambda created=created: cluster.created > created, 1)
                for _ in range(3):  # launched, joined, bound: it sees each of these
                    cluster.launch()
                    cluster.lock.wait(0.02)
        return cluster.created, ended
    finally:
        running[0].kill()
        running[0].wait()
        with cluster.lock:
            cluster.stopped = True
            cluster.lock.notify_all()
        server.shutdown()


def main():
    found = {'Python': [sys.executable, str(SOURCE / 'examples/autoscaler/autoscaler.py')]}
    if (BUILD / 'examples/example-autoscaler').exists():
        found['C'] = [str(BUILD / 'examples/example-autoscaler')]
    failed = 0
    for name, command in found.items():
        for kills in ((), (1, 7, 20)):
            created, ended = play(name, command, kills)
            if created != -(-PODS // PER_NODE) or tuple(ended) != kills:
                print(f'{name}, killed after {kills}: {created} nodes for {PODS} pods, killed after {ended}')
                failed = 1
    print(f'{" and ".join(found)}: {-(-PODS // PER_NODE)} nodes for {PODS} pods, killed or not')
    return failed


if __name__ == '__main__':
    sys.exit(main())
