# SPDX-License-Identifier: MIT
# cmake -DFROM=file -DTO=header.hpp -DNAME=name -P frisket_embed.cmake: the bytes of a file as an array.
file(READ "${FROM}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,){16})" "\\1\n" bytes "${bytes}")
file(WRITE "${TO}" "#pragma once\ninline constexpr unsigned char ${NAME}[] = {\n${bytes}};\n")
