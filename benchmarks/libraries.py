"""Trains with each library for the same minutes on one core, and compares speed and win share.

    python -m benchmarks.libraries single-file sb3 --minutes 5 --deals 100

They run one after the other, with one thread. Minutes and seconds are of CPU time, so that other
processes on the machine matter little. The learners play three-player games with the
default arguments of their examples; the win share against copies of a bot has a 95% interval over
deals, and 33.3% is parity.
"""

import argparse
import os
import re
import sys
from dataclasses import replace

from tests.libraries import Library, build, read_report, read_table, run, version_of

_ROW = re.compile(r"^(random|saver|builder) (.+)$", re.MULTILINE)


def compare(names: list[str], minutes: float, deals: int) -> str:
    """Return a table in Markdown, made line by line as the libraries are run."""
    head = "| example | version | decisions a second | random | saver | builder |"
    lines = [head, "|---|---|---:|---:|---:|---:|"]
    table = read_table()
    for name in names:
        library = table[name]
        build(library)
        lines.append(_row(library, minutes, deals))
        print(lines[-1], flush=True)
    return "\n".join(lines)


def _row(library: Library, minutes: float, deals: int) -> str:
    settings = ["--minutes", str(minutes), "--decisions", str(10**9), "--deals", str(deals)]
    command = (*library.example.split(), *settings)
    printed, fault = run(replace(library, command=command), library.python)
    if fault is not None:
        sys.exit(f"{library.name}: {fault}\n{printed}")
    shares = dict(_ROW.findall(printed))
    cells = [
        f"`{library.example}`",
        version_of(library),
        f"{read_report(printed).decisions / (60 * minutes):,.0f}",
    ]
    return (
        "| " + " | ".join([*cells, *(shares[bot] for bot in ("random", "saver", "builder"))]) + " |"
    )


def main() -> None:
    """Read the command line, and print the table."""
    names = [name for name, library in read_table().items() if not library.prints]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("libraries", nargs="*", help=f"of: {', '.join(names)}; default: all")
    parser.add_argument("--minutes", type=float, default=5, help="of CPU time, for each training")
    parser.add_argument("--deals", type=int, default=100, help="of the evaluation by each bot")
    parser.add_argument("--core", type=int, default=0, help="the one that they run on")
    args = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # not on macOS and Windows
        os.sched_setaffinity(0, {args.core})
    print(compare(args.libraries or names, args.minutes, args.deals))


if __name__ == "__main__":
    main()
