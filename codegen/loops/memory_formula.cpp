// SPDX-License-Identifier: MIT
#include "memory_formula.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "../../runtime/tensor/result_memory.hpp"

namespace frisket::codegen {

namespace {

using namespace memory_formula;

constexpr int operand_count(Code code) {
    switch (code) {
        case Code::opposite: return 1;
        case Code::choose: return 3;
        default: return 2;
    }
}

std::int64_t saturated(__int128 number) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    return static_cast<std::int64_t>(std::clamp<__int128>(number, -most, most));
}

/// Bytes that an allocation takes of a block of the pool or of the C library, with the bytes that both add.
std::int64_t heap_bytes(std::int64_t bytes) {
    constexpr std::int64_t rounding = 256;
    if (bytes <= 0) return 0;
    const auto wanted = static_cast<std::size_t>(bytes) + rounding;
    const bool is_pooled = wanted >= runtime::least_pooled_bytes && bytes < std::int64_t{1} << 60;
    return is_pooled ? static_cast<std::int64_t>(runtime::block_bytes(wanted)) : bytes + rounding;
}

/// The value of an instruction that computes.
std::int64_t computed(Code code, std::span<const std::int64_t> x) {
    const auto floored = [&] {
        if (x[1] == 0) return std::int64_t{0};
        const std::int64_t rest = x[0] % x[1];
        return x[0] / x[1] - (rest < 0 ? (x[1] > 0 ? 1 : -1) : 0);
    };
    switch (code) {
        case Code::add: return saturated(static_cast<__int128>(x[0]) + x[1]);
        case Code::subtract: return saturated(static_cast<__int128>(x[0]) - x[1]);
        case Code::multiply: return saturated(static_cast<__int128>(x[0]) * x[1]);
        case Code::divide: return floored();
        case Code::modulo: return x[1] == 0 ? 0 : x[0] - floored() * x[1];
        case Code::least: return std::min(x[0], x[1]);
        case Code::most: return std::max(x[0], x[1]);
        case Code::choose: return x[0] != 0 ? x[1] : x[2];
        case Code::less: return x[0] < x[1] ? 1 : 0;
        case Code::less_or_equal: return x[0] <= x[1] ? 1 : 0;
        case Code::equal: return x[0] == x[1] ? 1 : 0;
        case Code::both: return x[0] != 0 && x[1] != 0 ? 1 : 0;
        case Code::either: return x[0] != 0 || x[1] != 0 ? 1 : 0;
        default: return x[0] == 0 ? 1 : 0;
    }
}

/// Runs a formula: allocates and frees numbers of bytes.
class MemoryRun {
public:
    MemoryRun(std::span<const std::int64_t> formula, const MemoryCall& call)
        : formula_(formula), call_(call) {}

    std::int64_t most() {
        run(0, formula_.size());
        return most_;
    }

private:
    void run(std::size_t at, std::size_t end) {
        while (at < end) {
            const auto code = static_cast<Code>(formula_[at++]);
            const auto next = [&] { return formula_[at++]; };
            switch (code) {
                case Code::push: stack_.push_back(next()); break;
                case Code::size: stack_.push_back(call_.sizes[static_cast<std::size_t>(next())]); break;
                case Code::variable: stack_.push_back(variables_[next()]); break;
                case Code::extent: {
                    const auto parameter = static_cast<int>(next());
                    stack_.push_back(call_.extent(parameter, static_cast<int>(next())));
                    break;
                }
                case Code::set: variables_[next()] = pop(); break;
                case Code::allocate:
                    live_[next()] = heap_bytes(pop());
                    note(0);
                    break;
                case Code::free: live_.erase(next()); break;
                case Code::loop: {
                    const std::int64_t variable = next();
                    const auto form = static_cast<LoopForm>(next());
                    const std::size_t body = at + 1, after = body + static_cast<std::size_t>(formula_[at]);
                    run_loop(variable, form, body, after);
                    at = after;
                    break;
                }
                default: compute(code);
            }
        }
    }

    /// Tasks that run at once hold as much as the largest of them, each.
    void run_loop(std::int64_t variable, LoopForm form, std::size_t body, std::size_t end) {
        const std::int64_t count = pop(), first = pop();
        if (form == LoopForm::serial) return run_body(variable, first, count, body, end);
        const auto live = std::exchange(live_, {});
        const std::int64_t before = std::exchange(most_, 0);
        run_body(variable, first, count, body, end);
        live_ = live;
        const std::int64_t inner = std::exchange(most_, before);
        const std::int64_t tasks =
            std::min(call_.threads * (form == LoopForm::parallel_twice ? 2 : 1), count);
        note(saturated(static_cast<__int128>(inner) * tasks));
    }
    /// Runs some of many iterations: all are equal, but for the first and the last iterations.
    void run_body(std::int64_t variable, std::int64_t first, std::int64_t count, std::size_t body,
                  std::size_t end) {
        constexpr std::int64_t few = 6;
        for (std::int64_t i = 0; i < std::min(count, few); ++i) {
            const std::int64_t half = few / 2;
            variables_[variable] = first + (count <= few || i < half ? i : count - few + i);
            run(body, end);
        }
    }

    std::int64_t pop() {
        const std::int64_t value = stack_.back();
        stack_.pop_back();
        return value;
    }
    void compute(Code code) {
        const auto first = stack_.end() - operand_count(code);
        const std::int64_t made = computed(code, std::span(first, stack_.end()));
        stack_.erase(first, stack_.end());
        stack_.push_back(made);
    }
    /// Counts this moment, at which `more` is held in addition to the live allocations.
    void note(__int128 more) {
        for (const auto& [id, bytes] : live_) more += bytes;
        most_ = std::max(most_, saturated(more));
    }

    const std::span<const std::int64_t> formula_;
    const MemoryCall& call_;
    std::vector<std::int64_t> stack_;
    std::map<std::int64_t, std::int64_t> variables_, live_;
    std::int64_t most_ = 0;
};

}  // namespace

std::optional<std::int64_t> evaluated(std::span<const std::int64_t> formula, const MemoryCall& call) {
    if (formula.empty()) return {};
    return MemoryRun(formula, call).most();
}

}  // namespace frisket::codegen
