"""Write the wide table of a folder of behaviour tables: `python -m w51_lab.behaviour FOLDER`."""

import sys
from pathlib import Path

from w51_env.engine.errors import W51Error
from w51_lab.behaviour.writing import write_wide

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m w51_lab.behaviour FOLDER")
    try:
        for path in write_wide(Path(sys.argv[1])):
            print(path)
    except W51Error as error:
        sys.exit(str(error))
