"""`python -m supple` is the command `supple`."""

from supple.run.cli import main

if __name__ == "__main__":
    main()
