// SPDX-License-Identifier: MIT
// A program for whose options the headers of tests/CMakeLists.txt are compiled.
int main() {}
