"""Write constraints.txt and constraints-dev.txt, the versions and hashes that bin/set_up installs: python bin/lock.py.

The versions in the files stay, where pyproject.toml still allows them; with --upgrade the newest are taken. Needs uv:
pip install uv. The hashes are those of all files of a version, as the package index lists them.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRAIN, DEV = ROOT / "constraints.txt", ROOT / "constraints-dev.txt"
BUILD = "hatchling\neditables\n"  # what an editable installation needs
OVERRIDES = "pillow>=12\n"  # MoviePy asks for an older one, which has known flaws, but does not need it
WITHOUT_HASH = re.compile(r"torch|triton|cuda-.*|nvidia-.*")  # constraints-torch.txt
OTHER_SYSTEMS = re.compile(r";.*sys_platform == '(win32|emscripten)'")
ABOUT = {
    TRAIN: "# Versions and hashes of what `bash bin/set_up train` installs, for Python 3.11 to 3.14, without PyTorch\n"
    "# (constraints-torch.txt). Written by `python bin/lock.py`; pip refuses a file with another hash.\n",
    DEV: "# The same of what `bash bin/set_up dev` installs more.\n-r constraints.txt\n",
}


def locked(extras: list[str], arguments: list[str]) -> dict[str, str]:
    """The lines of each package that pyproject.toml needs with these extras."""
    with tempfile.TemporaryDirectory() as folder:
        build, overrides, pins = (Path(folder) / name for name in ("build.in", "overrides.txt", "pins.txt"))
        build.write_text(BUILD, "utf-8")
        overrides.write_text(OVERRIDES, "utf-8")
        files = (TRAIN, DEV, ROOT / "constraints-torch.txt")
        pins.write_text("".join(path.read_text("utf-8").replace("-r ", "# ") for path in files), "utf-8")
        chosen = [part for extra in extras for part in ("--extra", extra)]
        reused = [] if "--upgrade" in arguments else ["--output-file", str(pins)]  # uv keeps the versions of that file
        command = ["uv", "pip", "compile", "pyproject.toml", str(build), *chosen, *reused, "--universal"]
        command += ["--override", str(overrides), "--python-version", "3.11"]
        options = ["--generate-hashes", "--no-annotate", "--no-header", "--quiet"]
        text = subprocess.run([*command, *options], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        text = text or pins.read_text("utf-8")
    packages = re.findall(r"^((\S+?)==.*\n(?: .*\n)*)", text, re.MULTILINE)
    chosen_versions: dict[str, str] = {}  # several of one package, where newer ones left an older Python behind
    for lines, name in packages:
        if not WITHOUT_HASH.fullmatch(name) and not OTHER_SYSTEMS.search(lines.partition("\n")[0]):
            chosen_versions[name] = chosen_versions.get(name, "") + lines
    return chosen_versions


def main() -> None:
    """Lock both, and write the second without what the first has."""
    train, dev = (locked(extras, sys.argv[1:]) for extras in (["train", "play"], ["dev"]))
    TRAIN.write_text(ABOUT[TRAIN] + "".join(train.values()), "utf-8")
    DEV.write_text(ABOUT[DEV] + "".join(lines for name, lines in dev.items() if name not in train), "utf-8")
    differing = [name for name in train if dev[name] != train[name]]
    if differing:
        sys.exit(f"the extra dev needs other versions of {', '.join(differing)}")


if __name__ == "__main__":
    main()
