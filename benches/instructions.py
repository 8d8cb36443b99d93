"""Holds counts to their bounds: BOUNDS [--record], lines of a name and two counts on standard input."""

import pathlib
import sys

# A stage that costs more times its bound is a failure. A twentieth is the aim; parsing counted 7 in 100 more after a change of signatures alone, likely since the compiler cuts a crate into units anew,
# and the folder's path may do the same.
RISE = 1.15
# What a page of four times the size may cost a megabyte, in times of the smaller.
GROWTH = 1.25
# What twice as many items of a kind may cost: linear is 2, and n log n is 2.2.
ITEMS = 2.3


def counted():
    for line in sys.stdin:
        name, count, reference = line.rsplit(maxsplit=2)
        yield name, int(count) / int(reference)


def recorded(file):
    return {name: float(ratio) for name, ratio in (line.rsplit(maxsplit=1) for line in file.read_text().splitlines())}


def main():
    file, option = pathlib.Path(sys.argv[1]), sys.argv[2]
    if option not in ("", "--record"):
        sys.exit(f"error: {option!r} is no option; --record writes the bounds anew")
    ratios = dict(counted())
    if option == "--record":
        stages = ((name, ratio) for name, ratio in ratios.items() if not name.startswith(("growth", "items")))
        file.write_text("".join(f"{name} {ratio:.4f}\n" for name, ratio in stages))
    bounds = recorded(file)
    failures = []
    for name, ratio in ratios.items():
        # Four times the page: what costs less a megabyte is as good as flat.
        growth = name.startswith(("growth", "items"))
        bound = (GROWTH if name.startswith("growth") else ITEMS) if growth else bounds.get(name)
        if bound is None:
            failures.append(f"{name}: {ratio:.3f} has no bound")
            continue
        print(f"{name}: {ratio:.3f} (bound {bound:.3f})")
        if ratio > bound * (1 if growth else RISE):
            failures.append(f"{name}: {ratio:.3f} is over {bound:.3f}" + ("" if growth else " by more than 15 in 100"))
    if failures:
        sys.exit("error: " + "\n       ".join(failures) + "\nwhat is meant: benches/instructions --record")


main()
