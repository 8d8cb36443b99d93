"""The table of benches/peers: OURS ROUNDS FOLDER…"""

import gzip
import pathlib
import resource
import subprocess
import sys
import time

import trafilatura
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree


def pages_of(folder):
    for file in sorted(pathlib.Path(folder).iterdir()):
        data = file.read_bytes()
        yield gzip.decompress(data) if file.suffix == ".gz" else data


def timed(work, pages):
    begin = time.process_time()
    for page in pages:
        work(page)
    return (time.process_time() - begin) * 1e3 / len(pages)


def spent(command):
    """Processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours_timed(ours, stage, folder, count):
    """What three rounds more take."""
    one, four = (spent([ours, stage, rounds, folder]) for rounds in ("1", "4"))
    return (four - one) * 1e3 / 3 / count


PEERS = {
    "resiliparse parse": HTMLTree.parse_from_bytes,
    "resiliparse whole": lambda page: extract_plain_text(HTMLTree.parse_from_bytes(page), main_content=True),
    "trafilatura whole": trafilatura.extract,
}


def measure(ours, rounds, folder):
    pages = list(pages_of(folder))
    best = {}
    for number in range(rounds):
        found = {f"tsrec {stage}": ours_timed(ours, stage, folder, len(pages)) for stage in ("parse", "whole")}
        for name, work in PEERS.items():
            # It takes fifty times as long: once is enough to say so.
            if number == 0 or not name.startswith("trafilatura"):
                found[name] = timed(work, pages)
        for name, took in found.items():
            best[name] = min(took, best.get(name, took))
    return len(pages), sum(map(len, pages)), best


def main():
    ours, rounds, *folders = sys.argv[1:]
    print("| pages | KB a page | tsrec parse | resiliparse parse | ratio | tsrec whole | resiliparse whole | ratio | trafilatura whole |")
    print("|---|---|---|---|---|---|---|---|---|")
    for folder in folders:
        count, size, ms = measure(ours, int(rounds), folder)
        path = pathlib.Path(folder)
        name = path.parent.name if path.name == "html" else path.name
        print(
            f"| `{name}` ({count}) | {size / count / 1e3:.0f}"
            f" | {ms['tsrec parse']:.2f} | {ms['resiliparse parse']:.2f} | **{ms['tsrec parse'] / ms['resiliparse parse']:.2f}**"
            f" | {ms['tsrec whole']:.2f} | {ms['resiliparse whole']:.2f} | **{ms['tsrec whole'] / ms['resiliparse whole']:.2f}**"
            f" | {ms['trafilatura whole']:.1f} |",
            flush=True,
        )


main()
