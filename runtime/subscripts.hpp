// SPDX-License-Identifier: MIT
#pragma once
#include <initializer_list>
#include <type_traits>

namespace frisket {

class Selector;  // dsl/selector.hpp

/// Selections as NumPy writes them, `x[0]`, `x[{0, all}]`, `x[condition]`, `x(slice(0, 10, 2), 3)`:
/// expressions, which dsl/whole/indexing.hpp makes; a program that uses them includes it.
template <class Self>
struct Subscripts {
    template <class At>
    constexpr auto operator[](const At& at) const {
        return subscript(static_cast<const Self&>(*this), at);
    }
    template <class I = Selector>
    constexpr auto operator[](std::initializer_list<std::type_identity_t<I>> indices) const {
        return subscript(static_cast<const Self&>(*this), indices);
    }
    template <class... At>
    constexpr auto operator()(const At&... at) const {
        return subscript(static_cast<const Self&>(*this), at...);
    }
};

}  // namespace frisket
