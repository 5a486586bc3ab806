"""`python -m rankscope`: the command line."""

from rankscope.cli.main import main

if __name__ == "__main__":
    main()
