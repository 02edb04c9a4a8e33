// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/interpreter/interpret.hpp"
#include "../support/guarded.hpp"
#include "../support/matchers.hpp"
#include "wild.hpp"

#include <frisket/frisket.hpp>

#include <bit>
#include <cmath>
#include <deque>
#include <functional>

/// Comparison that states every law: one call made twice, by compiled loops and by the interpreter.
namespace frisket::testing {

/// A step, made into loops once.
struct Compared {
    explicit Compared(Graph made) : graph(std::move(made)), kernel(jit(graph)) {}
    Compared(Graph made, CompiledKernel loops) : graph(std::move(made)), kernel(std::move(loops)) {}
    template <class... Parts>
    explicit Compared(const Step<Parts...>& step) : Compared(describe(step)) {}

    Graph graph;
    CompiledKernel kernel;
};

namespace detail {

/// Distance in units of the last digit.
template <class T>
double ulps_between(T a, T b) {
    if (a == b) return 0;
    if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
    const auto key = [](T x) {
        using Signed = std::make_signed_t<BitsOf<T>>;
        const auto bits = std::bit_cast<Signed>(x);
        return static_cast<double>(bits < 0 ? std::numeric_limits<Signed>::min() - bits : bits);
    };
    return std::abs(key(a) - key(b));
}

/// NaN that arithmetic made may differ in sign and payload; an element that was skipped may not differ
/// at all.
template <class T>
bool agrees(const T& found, const T& wanted, const T* before, double ulps) {
    if (std::memcmp(&found, &wanted, sizeof(T)) == 0) return true;
    const bool untouched = before && std::memcmp(&wanted, before, sizeof(T)) == 0;
    if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
        return !untouched && std::isnan(static_cast<float>(found)) && std::isnan(static_cast<float>(wanted));
    } else if constexpr (!std::is_floating_point_v<T>) {
        return false;
    } else {
        if (std::isnan(found) && std::isnan(wanted))
            return !untouched ||
                   std::bit_cast<BitsOf<T>>(*before) == std::bit_cast<BitsOf<T>>(plain_nan<T>());
        return !untouched && ulps > 0 && ulps_between(found, wanted) <= ulps;
    }
}

/// The first row-major position (of contiguous tensors) where the results do not agree, as text; empty: none.
inline std::string disagreement(const AnyTensor& found, const AnyTensor& wanted, const AnyTensor& before,
                                double ulps) {
    return dispatch(found.dtype(), [&]<class T>() -> std::string {
        using Element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
        const auto at = [](const AnyTensor& tensor) { return static_cast<const Element*>(tensor.data()); };
        for (std::int64_t i = 0; i < found.size(); ++i)
            if (!agrees(at(found)[i], at(wanted)[i], before.size() > 0 ? at(before) + i : nullptr, ulps))
                return "element " + std::to_string(i) + " of " + to_string(found.shape()) + " is " +
                       std::to_string(at(found)[i]) + ", wanted " + std::to_string(at(wanted)[i]) +
                       (before.size() > 0 ? ", was " + std::to_string(at(before)[i]) : "");
        return "";
    });
}

}  // namespace detail

/// Difference of two results, as text; empty: none.  NaN equal each other.
inline std::string difference(const AnyTensor& found, const AnyTensor& wanted) {
    return detail::disagreement(found.clone(), wanted.clone(), {}, 0);
}

/// Arrangement of a trial's tensor in its memory.
struct Lies {
    Place place{};
    std::function<AnyTensor(const AnyTensor&)> seen_as{};  ///< the view that the call gets; none: the whole
};

/// Arguments for one call.  Written tensors are made twice, in guarded memory for the loops.
class Trial {
public:
    explicit Trial(const Compared& step) : step_(step) {}

    /// A tensor that the step writes; `elements` are the elements of the whole memory.
    Trial& writes(std::string_view name, const AnyTensor& elements, const Lies& lies = {}) {
        const auto buffer = std::make_shared<GuardedBuffer>(
            static_cast<std::size_t>(elements.size() * bytes_of(elements.dtype())), lies.place);
        const AnyTensor whole(elements.dtype(), elements.size() == 0 ? nullptr : buffer->data(),
                              elements.shape(), contiguous_strides(elements.shape()), true, buffer);
        copy(elements, whole);
        const AnyTensor other = elements.clone();
        written_.push_back({std::string(name), buffer, whole, other, elements.clone()});
        give(name, lies.seen_as ? lies.seen_as(whole) : whole, lies.seen_as ? lies.seen_as(other) : other);
        return *this;
    }
    Trial& reads(std::string_view name, const AnyTensor& tensor) {
        kept_.push_back({std::string(name), tensor, tensor.clone()});
        give(name, tensor, tensor);
        return *this;
    }
    Trial& reads(std::string_view name, const AnyMasked& masked) {
        kept_.push_back({std::string(name), masked.values(), masked.values().clone()});
        if (masked.mask().size() > 0)
            kept_.push_back({std::string(name), masked.mask(), masked.mask().clone()});
        masked_.push_back(masked);
        give_both(name, Argument(masked_.back()));
        return *this;
    }
    Trial& number(std::string_view name, double value) { return give_both(name, Argument(value)); }
    Trial& whole_number(std::string_view name, std::int64_t value) {
        return give_both(name, Argument(value));
    }
    Trial& state(std::string_view name, double value) {
        const std::size_t at = states_.size();
        states_.insert(states_.end(), {value, value});
        loops_.push_back({name, Argument::state(states_[at])});
        oracle_.push_back({name, Argument::state(states_[at + 1])});
        return *this;
    }

    /// Calls both; returns a description of the fault, or an empty text.
    std::string difference(double ulps = 0) {
        interpret(step_.graph, oracle_);
        step_.kernel(std::span<const NamedArgument>(loops_));
        for (const Written& written : written_) {
            const std::string where =
                detail::disagreement(written.loops, written.oracle, written.before, ulps);
            if (!where.empty()) return written.name + ": " + where;
            if (!written.buffer->is_intact()) return written.name + ": its red zone was written";
        }
        for (const Kept& kept : kept_)
            if (!same(kept.tensor, kept.before))
                return kept.name + ": the step only reads it, and it has changed";
        for (std::size_t i = 0; i < states_.size(); i += 2)
            if (std::bit_cast<std::uint64_t>(states_[i]) != std::bit_cast<std::uint64_t>(states_[i + 1]))
                return "a ScalarState is " + std::to_string(states_[i]) + ", wanted " +
                       std::to_string(states_[i + 1]);
        return "";
    }
    /// Result of the loops.
    const AnyTensor& result(std::size_t i = 0) const { return written_[i].loops; }

private:
    struct Written {
        std::string name;
        std::shared_ptr<GuardedBuffer> buffer;
        AnyTensor loops, oracle, before;
    };
    struct Kept {
        std::string name;
        AnyTensor tensor, before;
    };

    void give(std::string_view name, const AnyTensor& loops, const AnyTensor& oracle) {
        tensors_.push_back(loops);
        loops_.push_back({name, tensors_.back()});
        tensors_.push_back(oracle);
        oracle_.push_back({name, tensors_.back()});
    }
    Trial& give_both(std::string_view name, const Argument& argument) {
        loops_.push_back({name, argument});
        oracle_.push_back({name, argument});
        return *this;
    }

    const Compared& step_;
    std::vector<NamedArgument> loops_, oracle_;
    std::deque<AnyTensor> tensors_;
    std::deque<AnyMasked> masked_;
    std::deque<double> states_;
    std::vector<Written> written_;
    std::vector<Kept> kept_;
};

}  // namespace frisket::testing
