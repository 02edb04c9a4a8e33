// SPDX-License-Identifier: MIT
// Reads the checkpoint of a folder without MPI, and prints its contents.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <cstdio>

int main(int /*argc*/, char** argv) {
    try {
        const frisket::Safetensors file = frisket::optim::load_sharded(argv[1]);
        std::printf("generation %s of %s files: %d tensors\n", file.metadata.at("generation").c_str(),
                    file.metadata.at("shards").c_str(), static_cast<int>(file.tensors.size()));
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return 0;
}
