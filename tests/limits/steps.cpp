// SPDX-License-Identifier: MIT
#include "../support/matchers.hpp"
#include "table.hpp"

#include <frisket/frisket.hpp>

#include <functional>
#include <memory>
#include <string>

namespace steps_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

using Specified = std::function<bool(std::int64_t)>;

/// x += grad, for elements of one dtype.
Graph step_of(DType dtype) {
    GraphBuilder builder("counted");
    const NodeId x = builder.symbol("x", SymbolKind::in_out, dtype),
                 grad = builder.symbol("grad", SymbolKind::masked, dtype);
    builder.update("x", builder.apply<op::Add>({x, grad}));
    return builder.finish();
}

/// Small enough for sums in every dtype, and different from one element to the next.
int before(std::int64_t i) { return static_cast<int>(i % 13); }
int added(std::int64_t i) { return static_cast<int>(1 + i * 7 % 11); }

template <class T>
AnyTensor filled(const Shape& shape, int (*value)(std::int64_t)) {
    Tensor<T> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = static_cast<T>(value(i));
    return made;
}

template <class T>
std::string fault_of(const AnyTensor& x, const Specified& specified) {
    const auto* found = static_cast<const T*>(x.data());
    for (std::int64_t i = 0; i < x.size(); ++i)
        if (const int wanted = before(i) + (specified(i) ? added(i) : 0); found[i] != static_cast<T>(wanted))
            return "element " + std::to_string(i) + " of " + std::to_string(x.size()) + " is " +
                   std::to_string(static_cast<double>(found[i])) + ", wanted " + std::to_string(wanted);
    return "";
}

/// Calls a kernel with a gradient that specifies some elements, as `store` stores it; empty: nothing wrong.
template <class T>
std::string call(const CompiledKernel& kernel, const Shape& shape, const Specified& specified,
                 const std::function<AnyMasked(const AnyMasked&)>& store) {
    Tensor<bool> mask(shape);
    for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = specified(i);
    const AnyMasked given = poison(AnyMasked::strided(filled<T>(shape, added), mask));
    const auto buffer = std::make_shared<GuardedBuffer>(static_cast<std::size_t>(mask.size()) * sizeof(T));
    const AnyTensor x(dtype_of<T>, buffer->data(), shape, contiguous_strides(shape), true, buffer);
    copy(filled<T>(shape, before), x);
    const AnyMasked stored = store(given);
    kernel({{"x", x}, {"grad", stored}});
    return buffer->is_intact() ? fault_of<T>(x, specified) : "the red zone was written";
}

/// Masks whose edges are at the limits: only next to them, everywhere else, scattered, everything.
std::vector<Specified> masks_of(std::int64_t size) {
    const auto is_edge = std::make_shared<std::vector<bool>>(static_cast<std::size_t>(size));
    for (const std::int64_t edge : edges_of(Of::elements, size))
        (*is_edge)[static_cast<std::size_t>(edge)] = true;
    return {[is_edge](std::int64_t i) { return (*is_edge)[static_cast<std::size_t>(i)]; },
            [is_edge](std::int64_t i) { return !(*is_edge)[static_cast<std::size_t>(i)]; },
            [](std::int64_t i) { return (i * 40503 >> 3) % 5 < 2; }, [](std::int64_t) { return true; }};
}

AnyMasked as_bitmask(const AnyMasked& masked) { return masked.to(Layout::bitmask); }
AnyMasked as_bytes(const AnyMasked& masked) { return masked; }

/// Every mask of every size up to `most`.
template <class T>
void check_sizes(const CompiledKernel& kernel, std::int64_t most, const std::string& what,
                 const std::function<AnyMasked(const AnyMasked&)>& store) {
    for (const std::int64_t size : sizes_of(Of::elements, most)) {
        int number = 0;
        for (const Specified& specified : masks_of(size)) {
            INFO(what << ", " << name_of(dtype_of<T>) << ", " << size << ", mask " << number++);
            CHECK(call<T>(kernel, {size}, specified, store) == "");
        }
    }
}

/// Small tasks, so that there are many.
template <class T>
void check_schedules() {
    const Graph graph = step_of(dtype_of<T>);
    for (const char* text :
         {"blend grain=1024", "skip grain=1024", "predicate grain=1024", "gather grain=256",
          "lines grain=256", "segments grain=1024", "skip tile=512 grain=1024"})
        check_sizes<T>(jit(graph, schedule(text)), small_call, text, as_bitmask);
    for (const char* text : {"bytes grain=1024", "bytes tile=512 grain=1024"})
        check_sizes<T>(jit(graph, schedule(text)), small_call, text, as_bytes);
}

}  // namespace

TEST_CASE("every strategy steps every specified element and no other, at every size around a limit") {
    check_schedules<std::uint8_t>();
    check_schedules<float16>();
    check_schedules<float>();
    check_schedules<double>();
    const Graph graph = step_of(DType::float32);
    for (const char* text : {"skip", "segments"})
        check_sizes<float>(jit(graph, schedule(text)), limits::most_in_part, text, as_bitmask);
    check_sizes<float>(jit(graph, schedule("bytes")), limits::most_in_part, "bytes", as_bytes);
}

TEST_CASE("the strategies that calls choose do the same, of bytes, of bits, of lists and prepared") {
    const CompiledKernel kernel = jit(step_of(DType::float32));
    const auto prepared = [&](const AnyMasked& masked) { return kernel.prepare(masked); };
    constexpr std::int64_t most = limits::most_in_part;
    check_sizes<float>(kernel, most, "bytes", as_bytes);
    check_sizes<float>(kernel, most, "bits", as_bitmask);
    check_sizes<float>(kernel, most, "prepared", prepared);
    check_sizes<float>(kernel, most, "coo", [](const AnyMasked& masked) { return masked.to(Layout::coo); });
}

TEST_CASE("calls of the largest parts do the same", "[deep]") {
    const CompiledKernel kernel = jit(step_of(DType::uint8));
    for (const std::int64_t size : sizes_of(Of::elements, limits::parts_wanted * limits::most_in_part)) {
        if (size <= 2 * limits::most_in_part) continue;
        for (const Specified& specified : masks_of(size)) {
            INFO(size);
            CHECK(call<std::uint8_t>(kernel, {size}, specified, as_bitmask) == "");
        }
    }
}

TEST_CASE("prepared lists of every length around a limit are walked whole") {
    const CompiledKernel kernel = jit(step_of(DType::float32));
    for (const std::int64_t entries : sizes_of(Of::specified, 65536)) {
        constexpr std::int64_t apart = 97;  // one in a hundred is walked by a list of positions
        const std::int64_t size = entries * apart;
        const auto is_listed = [](std::int64_t i) { return i % apart == 0; };
        INFO(entries);
        CHECK(call<float>(kernel, {size}, is_listed, [&](const AnyMasked& m) { return kernel.prepare(m); }) ==
              "");
        CHECK(call<float>(kernel, {size}, is_listed, [](const AnyMasked& m) { return m.to(Layout::coo); }) ==
              "");
    }
}

TEST_CASE("dense steps take every element of every dtype, at every size around a limit") {
    const auto check = [](const auto& name, std::int64_t most) {
        using T = std::decay_t<decltype(name)>;
        const CompiledKernel kernel = jit(step_of(dtype_of<T>));
        for (const std::int64_t size : sizes_of(Of::elements, most)) {
            INFO(name_of(dtype_of<T>) << ", " << size);
            CHECK(call<T>(
                      kernel, {size}, [](std::int64_t) { return true; },
                      [](const AnyMasked& m) { return m.to(Layout::dense); }) == "");
        }
    };
    check(float{}, limits::most_in_part);
    check(double{}, small_call);
    check(std::uint8_t{}, limits::most_in_part);
    check(std::int32_t{}, small_call);
    check(std::int64_t{}, small_call);
    check(float16{}, limits::most_in_part);
    check(bfloat16{}, small_call);
}

TEST_CASE("layouts of matrices step every specified element, at every size around a limit") {
    const CompiledKernel kernel = jit(step_of(DType::float32));
    for (const Layout layout : {Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::two_four})
        for (const std::int64_t size : sizes_of(Of::elements, small_call)) {
            const Shape shape{size, 4};
            const Specified some = [](std::int64_t i) { return i % 4 == i / 4 % 4 || i % 8 == 1; };
            INFO(name_of(layout) << ", " << size);
            CHECK(call<float>(kernel, shape, some, [&](const AnyMasked& m) { return m.to(layout); }) == "");
        }
}

TEST_CASE("views with gaps step every specified element, at every size around a limit") {
    const Graph graph = step_of(DType::float32);
    const CompiledKernel kernel = jit(graph);
    for (const std::int64_t size : sizes_of(Of::elements, limits::task_elements)) {
        const Tensor<float> memory(filled<float>({size, 2}, before)), wanted = memory.clone();
        const AnyTensor x(DType::float32, memory.data() + 1, {size}, {2}, true, memory.owner());
        const Tensor<float> grad(filled<float>({size}, added));
        const Tensor<bool> mask({size});
        for (std::int64_t i = 0; i < size; ++i) {
            mask.data()[i] = i % 3 != 1;
            if (i % 3 != 1) wanted.data()[2 * i + 1] += grad.data()[i];
        }
        kernel({{"x", x}, {"grad", AnyMasked::strided(grad, mask)}});
        INFO(size);
        CHECK(same(memory, wanted));
    }
}

}  // namespace steps_test
