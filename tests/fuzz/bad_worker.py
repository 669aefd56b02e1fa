"""A process that crashes or hangs at once, to test that the runner notices."""

import json
import os
import sys
import time


def main() -> None:
    """Begin a case, and crash the first time, hang the second."""
    (name,), next_cases, _ = json.loads(sys.argv[1])
    case = next_cases[name]
    print(json.dumps(["begin", name, case]), flush=True)
    if case == 1:
        os.abort()
    time.sleep(3600)


if __name__ == "__main__":
    main()
