"""`python -m alhambra_env.cli` is the same as `alhambra`."""

from . import main

if __name__ == "__main__":
    main()
