// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/mpi.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <string>
#include <vector>

/// Tests that run identically on all ranks.
namespace mpi_test {

using namespace frisket;

/// All ranks; messages of 1,000 float32 at most, so that tests send several.
const mpi::Communicator& ranks();

/// The text of the Error that all ranks must get identically; "" without an Error.
template <class Call>
std::string error_of(const Call& call) {
    try {
        call();
    } catch (const Error& error) { return error.text(); }
    return {};
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline bool same_bytes(const AnyTensor& a, const AnyTensor& b) {
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    return a.size() == 0 ||
           std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * bytes_of(a.dtype()))) == 0;
}

/// A table whose element is its position.
inline mpi::ShardedTable counted(std::int64_t rows, std::int64_t dim,
                                 const mpi::Partition& partition = mpi::Partition::blocks()) {
    return mpi::ShardedTable::filled<float>(
        ranks(), {rows, dim}, [](std::int64_t position) { return static_cast<float>(position); },
        {.partition = partition, .name = "table"});
}

inline const std::vector<mpi::Partition>& partitions() {
    static const std::vector<mpi::Partition> all{
        mpi::Partition::blocks(), mpi::Partition::round_robin(), mpi::Partition::hash(),
        mpi::Partition::of("all on the last",
                           [](std::int64_t, const mpi::PartitionSize& size) { return size.ranks - 1; })};
    return all;
}

}  // namespace mpi_test
