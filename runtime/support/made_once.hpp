// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <new>
#include <type_traits>

#include "fork.hpp"

namespace frisket::runtime {

/// The value that make() returns at its first call in the process, for all threads and never destroyed: a
/// static variable of a function, which a fork never finds half made.  Each lambda has one.
template <class Make>
auto& made_once(Make make) {
    using Value = std::invoke_result_t<Make>;
    static constinit Once once;
    alignas(Value) static std::byte memory[sizeof(Value)];
    once.run([&] { ::new (static_cast<void*>(memory)) Value(make()); });
    return *std::launder(reinterpret_cast<Value*>(memory));
}

}  // namespace frisket::runtime
