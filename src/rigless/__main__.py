"""`python -m rigless`: the command line, where the script `rigless` is not on PATH."""

from rigless.cli import main

if __name__ == "__main__":
    main()
