// SPDX-License-Identifier: MIT
#include <sys/mman.h>

#include "../support/matchers.hpp"
#include "table.hpp"

#include <frisket/frisket.hpp>

#include <cstring>
#include <memory>

namespace huge_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Zeros that take memory only where they are touched.
std::shared_ptr<void> zeros_of(std::size_t bytes) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) SKIP("no room for " << bytes << " addresses");
    return {memory, [bytes](void* at) { munmap(at, bytes); }};
}

AnyTensor zeros(DType dtype, const Shape& shape) {
    const auto memory = zeros_of(static_cast<std::size_t>(element_count(shape) * bytes_of(dtype)));
    return {dtype, memory.get(), shape, contiguous_strides(shape), true, memory};
}

std::uint8_t* bytes(const AnyTensor& tensor) { return static_cast<std::uint8_t*>(tensor.data()); }

Graph step_of() {
    GraphBuilder builder("counted");
    const NodeId x = builder.symbol("x", SymbolKind::in_out, DType::uint8),
                 grad = builder.symbol("grad", SymbolKind::masked, DType::uint8);
    builder.update("x", builder.apply<op::Add>({x, grad}));
    return builder.finish();
}

constexpr std::int64_t segment = limits::segment_elements;

/// Elements next to where segments and words of 32 bits end.
std::vector<std::int64_t> edges(std::int64_t size) {
    std::vector<std::int64_t> found;
    for (const std::int64_t edge : {std::int64_t{0}, std::int64_t{5}, segment - 1, segment, segment + 1,
                                    2 * segment - 1, 2 * segment, 4 * segment - 1, 4 * segment, size - 1})
        if (edge < size && (found.empty() || found.back() < edge)) found.push_back(edge);
    return found;
}

/// True if x is `wanted` at the edges, and 0 next to them.
bool is_stepped(const AnyTensor& x, std::uint8_t wanted) {
    for (const std::int64_t edge : edges(x.size())) {
        if (bytes(x)[edge] != wanted) return false;
        const bool is_between = edge > 1 && edge + 2 < x.size();
        if (is_between && (bytes(x)[edge - 2] != 0 && edge - 2 != segment - 1)) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("lists of positions past the end of a segment are walked, in tensors of every size around one") {
    const CompiledKernel kernel = jit(step_of());
    for (const std::int64_t size : around(segment)) {
        const AnyTensor x = zeros(DType::uint8, {size});
        const auto list = edges(size);
        const AnyTensor three = full<float>({std::ssize(list)}, 3).to(DType::uint8);
        kernel({{"x", x}, {"grad", AnyMasked::coo({size}, {list}, three)}});
        INFO(size);
        CHECK(is_stepped(x, 3));
    }
}

TEST_CASE("bit masks past the end of a segment are walked, and prepared ones") {
    const CompiledKernel kernel = jit(step_of());
    for (const std::int64_t size : {segment - 1, segment, segment + 1}) {
        const AnyTensor x = zeros(DType::uint8, {size}), values = zeros(DType::uint8, {size}),
                        words = zeros(DType::int64, {(size + 63) / 64});
        for (const std::int64_t edge : edges(size)) {
            bytes(values)[edge] = 2;
            bytes(words)[edge / 8] |= static_cast<std::uint8_t>(1U << edge % 8);
        }
        const AnyMasked grad = AnyMasked::bitmask(values, words);
        INFO(size);
        kernel({{"x", x}, {"grad", grad}});
        CHECK(is_stepped(x, 2));
        kernel({{"x", x}, {"grad", kernel.prepare(grad)}});
        CHECK(is_stepped(x, 4));
    }
}

TEST_CASE("loops over views walk as many dimensions as 32 bits can reach") {
    const CompiledKernel kernel = jit(step_of());
    constexpr std::int64_t most = (std::int64_t{1} << 31) - 1, columns = 5;
    for (const std::int64_t reach : around(most)) {
        const std::int64_t stride = reach - (columns - 1);
        const auto memory = zeros_of(static_cast<std::size_t>(reach) + 1);
        const AnyTensor x(DType::uint8, memory.get(), {2, columns}, {stride, 1}, true, memory);
        const Tensor<bool> mask({2, columns},
                                {true, false, true, true, true, false, true, true, false, true});
        kernel({{"x", x}, {"grad", AnyMasked::strided(full<float>({2, columns}, 7).to(DType::uint8), mask)}});
        INFO(reach);
        CHECK(Tensor<std::uint8_t>(x.clone()).to_vector() ==
              std::vector<std::uint8_t>{7, 0, 7, 7, 7, 0, 7, 7, 0, 7});
    }
}

}  // namespace huge_test
