"""Serves OpenStack Swift in one process: `serve_swift.py FOLDER PROXY ACCOUNT CONTAINER OBJECT`, the latter four ports.

The folder has a file with the pipeline of each server: `proxy.conf` and so on.
"""

import sys

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi
from swift.common.ring import RingBuilder
from swift.common.wsgi import SwiftHttpProtocol, loadapp

folder = sys.argv[1]
ports = dict(zip(["proxy", "account", "container", "object"], map(int, sys.argv[2:])))


def make_ring(kind, port):
    ring = RingBuilder(4, 1, 0)
    ring.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "device": "sda", "weight": 1.0})
    ring.rebalance()
    ring.get_ring().save(f"{folder}/{kind}.ring.gz")


def serve(kind, port):
    conf = f"{folder}/{kind}.conf"
    return eventlet.spawn(
        wsgi.server,
        eventlet.listen(("127.0.0.1", port)),
        loadapp(conf, {"__file__": conf}),
        log_output=False,
        protocol=SwiftHttpProtocol,
        capitalize_response_headers=False,
    )


for kind, port in ports.items():
    if kind != "proxy":
        make_ring(kind, port)
threads = [serve(kind, port) for kind, port in ports.items()]
print("ready", flush=True)
for thread in threads:
    thread.wait()
