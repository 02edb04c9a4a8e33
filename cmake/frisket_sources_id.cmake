# SPDX-License-Identifier: MIT
# cmake -DROOT=folder -DTO=header.hpp -P frisket_sources_id.cmake: a hash of the sources that loops come from.  Loops on
# disk that others made are not used, whatever the version says.
file(GLOB_RECURSE sources LIST_DIRECTORIES FALSE RELATIVE "${ROOT}" "${ROOT}/runtime/*.[chi]*" "${ROOT}/ir/*.[chi]*" "${ROOT}/dsl/*.[chi]*" "${ROOT}/codegen/*.[chi]*")
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
    file(SHA256 "${ROOT}/${source}" hash)
    string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 id "${all}")
file(WRITE "${TO}" "#pragma once\ninline constexpr char sources_id[] = \"${id}\";\n")
