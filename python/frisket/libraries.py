# SPDX-License-Identifier: MIT
"""The extension module: with the compiler where libHalide is found, else without."""
import ctypes
import importlib
import importlib.util
import os
import pathlib
import re
import sys

halide_version = "21.0.0"
wanted = f"pip install halide=={halide_version} on Python 3.11 to 3.13"
others = f'{wanted}; FRISKET_HALIDE names another libHalide.so, and "off" does without the compiler'
a_function = "_ZN6Halide15get_host_targetEv"  # Halide::get_host_target()
why = ""  # why the module is the one that is loaded


def version_of(library):
    """Version of Halide of a libHalide.so, as the files of its package say; None without such files."""
    file = pathlib.Path(library).resolve().parent / "cmake" / "Halide" / "HalideConfigVersion.cmake"
    found = re.search(r'^set\(PACKAGE_VERSION "([^"]+)"', file.read_text(), re.MULTILINE) if file.is_file() else None
    return found and found[1]


def halide_of_package():
    """libHalide.so of the package halide, which is not imported; None without it."""
    found = importlib.util.find_spec("halide")
    library = pathlib.Path(found.origin).parent / "lib64" / "libHalide.so" if found and found.origin else None
    return str(library) if library and library.is_file() else None


def halide_of_process():
    """libHalide.so that something else has loaded, as `import halide` does; None without it."""
    try:
        with open("/proc/self/maps") as maps:
            return next((line.split(maxsplit=5)[5].rstrip() for line in maps if "/libHalide.so" in line), None)
    except OSError:
        return None


def check_version(library, where):
    """Errors: ImportError if a libHalide.so is of another version."""
    version = version_of(library)
    if version not in (None, halide_version):
        raise ImportError(f"frisket: {library}, {where}, is of Halide {version}, and {halide_version} is wanted: {others}")


def load_halide():
    """Loads libHalide.so, so that the module finds it by its name; gives its path.  Errors: ImportError."""
    loaded, named = halide_of_process(), os.environ.get("FRISKET_HALIDE")
    if loaded is not None:
        check_version(loaded, "which this process has loaded")
    library = named or halide_of_package()
    if library is None:
        return None  # where the module was built it knows the library's place
    check_version(library, "which FRISKET_HALIDE names" if named else "of the package halide")
    try:
        found = ctypes.CDLL(library)
    except OSError as error:
        raise ImportError(f"frisket: {library} cannot be loaded: {error}: {others}") from None
    if not hasattr(found, a_function):
        raise ImportError(f"frisket: {library} is no library of Halide: {others}")
    return library


def load_module(package):
    """The extension module of a package, as its module _core.  Errors: ImportError."""
    global why
    if os.environ.get("FRISKET_HALIDE") == "off":
        why = "FRISKET_HALIDE is off"
        return _as_core(package, "_core_aot")
    library = load_halide()
    try:
        module = _as_core(package, "_core")
        why = f"libHalide.so is {halide_of_process()}"
        return module
    except ImportError as error:
        text = str(error)
    if library is None and "libHalide" in text:
        why = f"libHalide.so was not found: {others}"
        return _as_core(package, "_core_aot")
    if library is not None and "undefined symbol" in text:
        text = f"{library} is no library of Halide {halide_version}, as it lacks what that has: {others}"
    raise ImportError(f"frisket: {text}")


def _as_core(package, name):
    module = importlib.import_module(f"{package}.{name}")
    sys.modules[f"{package}._core"] = module
    return module
