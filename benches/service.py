#!/usr/bin/env python3
"""What extraction over HTTP costs, beside a batch.

    cargo build --release && python3 benches/service.py target/release/tsrec SET…

SET is a folder of pages (html/<id>.html or .html.gz, meta.jsonl with id and url). Each page goes
to `tsrec serve` on loopback, one by one, and again as lines of one batch to a second service. The
program's own batch over the same lines (`extract --batch --sites --jobs 1`) is the unit. Printed
are the processor seconds of each, and how many answers are the batch's to the byte.
"""

import gzip
import http.client
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def pages(folder):
    """The address and the bytes of each page with an address that no earlier page has: a service
    learns an address once, a batch learns each page."""
    known = set()
    for line in (folder / "meta.jsonl").read_text().splitlines():
        meta = json.loads(line)
        url, file = meta.get("url"), folder / "html" / f"{meta['id']}.html"
        if url and urllib.parse.urlsplit(url).hostname and url not in known:
            known.add(url)
            html = file.read_bytes() if file.exists() else gzip.decompress(Path(f"{file}.gz").read_bytes())
            yield url, html


class Service:
    """`tsrec serve` in a folder of its own."""

    def __init__(self, program, folder):
        (folder / "config.toml").write_text("")
        command = [program, "serve", "--listen", "127.0.0.1:0", "--config", folder / "config.toml"]
        self.process = subprocess.Popen([*command, "--data-dir", folder / "data"], stderr=subprocess.DEVNULL)
        address = folder / "data/http.address"
        while not address.exists() or not address.read_text().strip():
            time.sleep(0.05)
        self.connection = http.client.HTTPConnection(address.read_text().split()[0], timeout=600)
        self.start = self.seconds()

    def seconds(self):
        """Its processor seconds up to now."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def post(self, target, kind, body):
        self.connection.request("POST", target, body, {"Content-Type": kind})
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def stop(self):
        """Its processor seconds since it was ready."""
        spent = self.seconds() - self.start
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        return spent


def batch(program, lines):
    """The program's own lines, and their processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "extract", "--batch", "-", "--sites", "--jobs", "1"]
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout.splitlines(), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(program, folder):
    found = list(pages(folder))
    # A page's text, so that both ways read the same bytes.
    texts = [html.decode("utf-8", "replace") for _, html in found]
    line = lambda url, text: json.dumps({"url": url, "site": urllib.parse.urlsplit(url).hostname, "html": text})
    lines = "\n".join(line(url, text) for (url, _), text in zip(found, texts)).encode()
    posted = "\n".join(json.dumps({"url": url, "html": text}) for (url, _), text in zip(found, texts)).encode()
    expect, unit = batch(program, lines)
    with tempfile.TemporaryDirectory() as folder_of_one, tempfile.TemporaryDirectory() as folder_of_many:
        service = Service(program, Path(folder_of_one))
        singles = [
            service.post("/v1/extract?url=" + urllib.parse.quote(url, safe=""), "text/html; charset=utf-8", text.encode())
            for (url, _), text in zip(found, texts)
        ]
        of_singles = service.stop()
        service = Service(program, Path(folder_of_many))
        _, many = service.post("/v1/extract/batch", "application/x-ndjson", posted)
        of_many = service.stop()
    same = lambda answers: sum(answer.strip() == wanted.strip() for answer, wanted in zip(answers, expect))
    answers = [body for status, body in singles if status == 200]
    print(
        f"{folder.name}: {len(found)} pages; batch {unit:.2f} s; "
        f"single posts {of_singles:.2f} s ({of_singles / unit:.2f} times), {same(answers)} answers the same; "
        f"lines {of_many:.2f} s ({of_many / unit:.2f} times), {same(many.splitlines())} the same"
    )


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for name in sys.argv[2:]:
        measure(str(Path(sys.argv[1]).resolve()), Path(name))
