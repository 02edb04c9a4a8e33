# SPDX-License-Identifier: MIT
"""python -m frisket VERB: what the package can tell; the command `frisket` has other verbs."""
import os
import shutil
import sys

usage = """python -m frisket doctor        what works on this machine
python -m frisket cache         compiled loops that are kept on disk
python -m frisket cache clear   removes them
Other verbs (show, tune, build, tuning) are those of the command frisket, which an installed tree of the library has."""


def main(words):
    import frisket as fk

    if words == ["doctor"]:
        print(fk.doctor())
    elif words == ["cache"]:
        print(fk.cache)
    elif words == ["cache", "clear"]:
        print(f"{fk.cache.clear()} compiled loops were removed")
    elif words in ([], ["--help"], ["-h"]):
        print(usage)
    elif command := shutil.which("frisket"):
        os.execv(command, [command, *words])
    else:
        print(f"frisket: there is no verb {words[0]} here, and no command frisket in PATH\n{usage}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
