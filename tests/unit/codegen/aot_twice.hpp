// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/frisket.hpp>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "../../support/matchers.hpp"

/// Comparison of kernels compiled ahead of time with those compiled just in time.
namespace frisket::testing {

/// Arguments of one call, made twice.
class Twice {
public:
    Twice& writes(const char* name, const AnyTensor& tensor) {
        written_.push_back(name);
        for (int side : {0, 1}) arguments_[side].push_back({name, tensors_.emplace_back(copy_of(tensor))});
        return *this;
    }
    Twice& reads(const char* name, const AnyTensor& tensor) {
        return both(name, tensors_.emplace_back(tensor));
    }
    Twice& reads(const char* name, const AnyMasked& masked) {
        return both(name, masked_.emplace_back(masked));
    }
    Twice& number(const char* name, double value) { return both(name, value); }
    Twice& whole(const char* name, std::int64_t value) { return both(name, value); }
    Twice& state(const char* name, double value) {
        for (int side : {0, 1})
            arguments_[side].push_back({name, Argument::state(states_.emplace_back(value))});
        return *this;
    }

    /// Calls both kernels; their results must have the same bytes.
    void check(const CompiledKernel& ahead, const CompiledKernel& just_in_time) {
        ahead(std::span<const NamedArgument>(arguments_[0]));
        just_in_time(std::span<const NamedArgument>(arguments_[1]));
        for (std::size_t i = 0; i < arguments_[0].size(); ++i) {
            const auto& [name, value] = arguments_[0][i];
            if (std::ranges::find(written_, name) == written_.end()) continue;
            INFO(name);
            CHECK_THAT(value.tensor(), HasTheBytesOf(arguments_[1][i].value.tensor()));
        }
        for (std::size_t i = 0; i + 1 < states_.size(); i += 2) CHECK(states_[i] == states_[i + 1]);
    }

private:
    /// Memory of its own with the same strides, 4 bytes past the alignment of vectors.
    static AnyTensor copy_of(const AnyTensor& tensor) {
        if (tensor.size() == 0) return tensor.clone();
        std::int64_t reach = 1;
        for (int d = 0; d < tensor.rank(); ++d) reach += (tensor.shape()[d] - 1) * tensor.strides()[d];
        const int bytes = bytes_of(tensor.dtype());
        const auto memory = std::make_shared<GuardedBuffer>(static_cast<std::size_t>(reach * bytes),
                                                            Place{.misalignment = bytes});
        std::memcpy(memory->data(), tensor.data(), static_cast<std::size_t>(reach * bytes));
        return {tensor.dtype(), memory->data(), tensor.shape(), tensor.strides(), true, memory};
    }
    Twice& both(const char* name, const Argument& argument) {
        for (auto& arguments : arguments_) arguments.push_back({name, argument});
        return *this;
    }

    std::vector<NamedArgument> arguments_[2];
    std::vector<std::string_view> written_;
    std::deque<AnyTensor> tensors_;
    std::deque<AnyMasked> masked_;
    std::deque<double> states_;
};

/// Every target of the library that this processor runs; kernels made while it lives use it.
class Forced {
public:
    explicit Forced(const char* target) { setenv("FRISKET_TARGET", target, 1); }
    ~Forced() { unsetenv("FRISKET_TARGET"); }
};

inline const std::vector<Shape> shapes{{0},     {},       {1},    {63},    {64},     {65},     {1003},
                                       {20011}, {131149}, {3, 0}, {41, 3}, {30, 44}, {9, 5, 7}};

template <class Body>
void for_each_case(Body&& body) {
    std::uint32_t seed = 1;
    for (const Layout layout : all_layouts())
        for (const Shape& shape : shapes)
            for (const double density : {0.01, 0.6}) {
                ++seed;
                if (!can_hold(layout, shape)) continue;
                INFO(name_of(layout) << ", shape " << to_string(shape) << ", density " << density);
                body(random_masked(shape, specified(density), layout, seed, Listed::with_duplicates), seed);
            }
}

}  // namespace frisket::testing
