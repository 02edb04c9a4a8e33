// SPDX-License-Identifier: MIT
#pragma once
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <catch2/matchers/catch_matchers_templated.hpp>

#include "guarded.hpp"
#include "random.hpp"

/// Matchers for tensors: CHECK_THAT(tensor, MatchesWhereUnspecified(gradient, before)).
namespace frisket::testing {

/// auto layout = GENERATE(every_layout());
inline auto every_layout() {
    const auto layouts = all_layouts();
    return Catch::Generators::from_range(layouts.begin(), layouts.end());
}

/// The first row-major position at which bytes differ among those that `mask` leaves out (or keeps); -1:
/// none.
inline std::int64_t first_difference(const AnyTensor& a, const AnyTensor& b, const Tensor<bool>& mask,
                                     bool where) {
    const AnyTensor left = a.clone(), right = b.clone();
    const auto bytes = static_cast<std::size_t>(bytes_of(a.dtype()));
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (mask.data()[i] == where &&
            std::memcmp(static_cast<const std::byte*>(left.data()) + i * bytes,
                        static_cast<const std::byte*>(right.data()) + i * bytes, bytes) != 0)
            return i;
    return -1;
}

/// Matches a tensor whose bytes equal another tensor's, everywhere or where a mask leaves elements out.
class BytesMatcher : public Catch::Matchers::MatcherGenericBase {
public:
    BytesMatcher(AnyTensor wanted, Tensor<bool> mask, bool where, std::string description)
        : wanted_(std::move(wanted)),
          mask_(std::move(mask)),
          where_(where),
          description_(std::move(description)) {}
    bool match(const AnyTensor& found) const {
        if (found.dtype() != wanted_.dtype() || found.shape() != wanted_.shape()) {
            description_ += ": dtype or shape differ, wanted " + to_string(wanted_.shape());
            return false;
        }
        const std::int64_t position = first_difference(found, wanted_, mask_, where_);
        if (position >= 0) description_ += ": differs at " + to_string(unravel(position, found.shape()));
        return position < 0;
    }
    std::string describe() const override { return description_; }

private:
    AnyTensor wanted_;
    Tensor<bool> mask_;
    bool where_;
    mutable std::string description_;
};

/// Every byte of an element that `masked` (broadcast) does not specify is as in `before`.
inline BytesMatcher MatchesWhereUnspecified(const AnyMasked& masked, const AnyTensor& before) {
    const AnyTensor mask = masked.mask_tensor().broadcast_to(before.shape()).clone();
    return {before, Tensor<bool>(mask), false, "is unchanged where unspecified"};
}

/// Matches tensors with equal bytes everywhere.
inline BytesMatcher HasTheBytesOf(const AnyTensor& wanted) {
    return {wanted, full<bool>(wanted.shape(), true), true, "has the same bytes"};
}

/// Matches an Error by its whole sentence, without the "frisket: " in front.
inline auto Says(const std::string& sentence) { return Catch::Matchers::Message("frisket: " + sentence); }

}  // namespace frisket::testing

template <>
struct Catch::StringMaker<frisket::Layout> {
    static std::string convert(frisket::Layout layout) { return std::string(frisket::name_of(layout)); }
};
