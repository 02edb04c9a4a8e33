# SPDX-License-Identifier: MIT
"""The shared libraries that the extension module needs."""
import ctypes
import importlib.util
import os
import pathlib

halide_version = "21.0.0"
wanted = f"pip install halide=={halide_version} on Python 3.11 to 3.13, or name its libHalide.so in FRISKET_HALIDE"


def halide_of_package():
    """libHalide.so of the package halide, which is not imported; None without it.  Errors: ImportError for another version."""
    found = importlib.util.find_spec("halide")
    if found is None or found.origin is None:
        return None
    folder = pathlib.Path(found.origin).parent
    versions = [known.name.removeprefix("halide-").removesuffix(".dist-info") for known in folder.parent.glob("halide-*.dist-info")]
    if versions and halide_version not in versions:
        raise ImportError(f"frisket: halide {versions[0]} is installed, and {halide_version} is wanted: {wanted}")
    library = folder / "lib64" / "libHalide.so"
    return str(library) if library.is_file() else None


def load_halide():
    """Loads libHalide.so, so that the extension module finds it by its name.  Errors: ImportError."""
    library = os.environ.get("FRISKET_HALIDE") or halide_of_package()
    if library is None:
        return  # where the module was built it knows the library's place
    try:
        ctypes.CDLL(library)
    except OSError as error:
        raise ImportError(f"frisket: {library} cannot be loaded: {error}: {wanted}") from None
