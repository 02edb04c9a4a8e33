// SPDX-License-Identifier: MIT
// No dlpack.h here: who hands its structs on needs none.
#include <frisket/dlpack.hpp>
#include <frisket/runtime.hpp>
#include <iostream>

int main() {
    const auto tensor = frisket::full<float>({2, 2}, 0.5f);
    std::cout << frisket::from_dlpack(frisket::to_dlpack(tensor)) << "\n";
}
