"""`python -m supple` is the command `supple`."""

import os
import sys

if sys.path and sys.path[0] == os.getcwd():
    # Put there by -m. Files beside somebody's scene must not be taken for modules; plugins are named or installed.
    del sys.path[0]

from supple.run.cli import main

if __name__ == "__main__":
    main()
