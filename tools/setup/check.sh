# SPDX-License-Identifier: MIT
# What must be on the machine already: a C++20 compiler, Python 3.9 with venv.  Read by setup.sh.

check_machine() {
    check_compiler
    check_python
}

check_compiler() {
    local compiler=${CXX:-g++} version wanted=12
    command -v "$compiler" > /dev/null ||
        give_up "no C++ compiler: $compiler is not here; install g++ 12 or newer (Debian: apt-get install g++)," \
                "or name another one: CXX=clang++ ./dev setup"
    if "$compiler" --version | grep -qi clang; then wanted=15; fi
    version=$("$compiler" -dumpversion | cut -d. -f1)
    [[ $version -ge $wanted ]] ||
        give_up "$compiler is version $version, frisket needs $wanted or newer (C++20);" \
                "install one (Debian 12: apt-get install g++-12) and name it: CXX=g++-12 ./dev setup"
    command -v "${CC:-cc}" > /dev/null || give_up "no C compiler: ${CC:-cc} is not here (Debian: apt-get install gcc)"
}

check_python() {
    command -v python3 > /dev/null ||
        give_up "no python3 here; install Python 3.9 or newer (Debian: apt-get install python3 python3-venv)"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' ||
        give_up "$(python3 --version) is too old: frisket's tools need 3.9 or newer"
    python3 -c 'import venv, ensurepip' 2> /dev/null ||
        give_up "$(python3 --version) has no venv module; install it (Debian: apt-get install python3-venv)"
}
