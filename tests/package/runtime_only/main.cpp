// SPDX-License-Identifier: MIT
#include <frisket/runtime.hpp>
#include <iostream>

int main() { std::cout << frisket::full<float>({2, 2}, 0.5f) << "\n"; }
