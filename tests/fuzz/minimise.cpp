// SPDX-License-Identifier: MIT
#include "minimise.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "../../ir/at.hpp"

namespace fuzz {

using ir::at;

namespace {

/// Calls body(operand) for every reference to a value.
template <class Body>
void for_each_operand(Program& program, Body&& body) {
    for (Instruction& one : program.instructions)
        for (int& operand : one.operands) body(operand);
    for (int& result : program.results) body(result);
    for (Target& target : program.targets) body(target.value);
    for (int& skip : program.skips) body(skip);
}

/// Whoever reads the result of instruction `i` reads `instead`, which precedes it.
Program replaced(Program program, int i, int instead) {
    program.instructions.erase(program.instructions.begin() + i);
    for_each_operand(program, [&](int& operand) {
        if (operand == i)
            operand = instead;
        else if (operand > i)
            --operand;
    });
    return program;
}

/// Drops values that no result and no target needs. A kernel ahead of time keeps its arguments.
Program pruned(Program program) {
    if (program.as == RunAs::ahead) return program;
    for (int i = static_cast<int>(program.instructions.size()) - 1; i >= 0; --i) {
        bool is_read = false;
        for_each_operand(program, [&](int operand) { is_read = is_read || operand == i; });
        if (!is_read) program = replaced(std::move(program), i, -1);
    }
    for (int i = static_cast<int>(program.inputs.size()) - 1; i >= 0; --i) {
        bool is_read = std::ranges::find(program.targets, i, &Target::input) != program.targets.end();
        for_each_operand(program, [&](int operand) { is_read = is_read || operand == -1 - i; });
        if (is_read) continue;
        program.inputs.erase(program.inputs.begin() + i);
        for (Input& input : program.inputs) {
            if (input.same_as == i) input.same_as = -1;
            input.same_as -= input.same_as > i;
        }
        for_each_operand(program, [&](int& operand) {
            if (operand < -1 - i) ++operand;
        });
        for (Target& target : program.targets) target.input -= target.input > i;
        program.rounded = program.rounded == i ? -1 : program.rounded - (program.rounded > i);
    }
    return program;
}

/// A tensor cut to at most the given size along dimensions of `extent`.
AnyTensor cut(const AnyTensor& tensor, std::int64_t extent, std::int64_t most) {
    AnyTensor made = tensor;
    for (int d = 0; d < tensor.rank(); ++d)
        if (tensor.shape()[at(d)] == extent) made = made.slice(d, 0, most);
    return made.clone();
}

class Minimiser {
public:
    Minimiser(const std::function<bool(const Program&)>& fails, int tries) : fails_(fails), tries_(tries) {}

    Program run(Program program) {
        program_ = std::move(program);
        int before = 0;
        do {
            before = successes_;
            if (program_.as != RunAs::ahead) fewer_results();
            fewer_instructions();
            plainer_step();
            smaller_shapes();
            plainer_inputs();
            zeroed_values();
        } while (successes_ > before && tries_ > 0);
        return program_;
    }

private:
    bool take(Program candidate) {
        if (tries_-- <= 0) return false;
        candidate = pruned(std::move(candidate));
        if (!fails_(candidate)) return false;
        program_ = std::move(candidate);
        ++successes_;
        return true;
    }

    void fewer_results() {
        for (std::size_t i = program_.results.size(); i-- > 0 && program_.results.size() > 1;) {
            Program candidate = program_;
            candidate.results.erase(candidate.results.begin() + static_cast<std::ptrdiff_t>(i));
            take(candidate);
        }
        for (std::size_t i = program_.targets.size(); i-- > 0 && program_.targets.size() > 1;) {
            Program candidate = program_;
            candidate.targets.erase(candidate.targets.begin() + static_cast<std::ptrdiff_t>(i));
            take(candidate);
        }
        if (program_.skips.empty()) return;
        Program candidate = program_;
        candidate.skips.clear();
        take(candidate);
    }

    void fewer_instructions() {
        // A value before the end that is wrong already.
        for (int i = 0; !program_.is_step() && i + 1 < static_cast<int>(program_.instructions.size()); ++i) {
            Program candidate = program_;
            candidate.results = {i};
            if (take(candidate)) break;
        }
        for (int i = static_cast<int>(program_.instructions.size()) - 1; i >= 0; --i) {
            if (i >= static_cast<int>(program_.instructions.size())) continue;
            const std::vector<int> operands = program_.instructions[at(i)].operands;
            for (const int operand : operands)
                if (take(replaced(program_, i, operand))) break;
        }
    }

    /// Tries a step without a schedule, with its updates at the end, by stages.
    void plainer_step() {
        if (!program_.schedule.empty()) {
            Program candidate = program_;
            candidate.schedule.clear();
            take(candidate);
        }
        if (program_.rounded >= 0) {
            Program candidate = program_;
            candidate.rounded = -1;
            take(candidate);
        }
        for (std::size_t i = 0; i < program_.targets.size(); ++i) {
            Program candidate = program_;
            if (std::exchange(candidate.targets[i].is_early, false)) take(candidate);
        }
    }

    void smaller_shapes() {
        std::set<std::int64_t> extents;
        for (const Input& input : program_.inputs)
            extents.insert(input.values.shape().begin(), input.values.shape().end());
        for (const std::int64_t extent : extents)
            for (const std::int64_t smaller : {std::int64_t{1}, std::int64_t{2}, extent / 2, extent - 1})
                if (smaller < extent && smaller > 0 && take(with_extent(extent, smaller))) break;
    }

    Program with_extent(std::int64_t extent, std::int64_t smaller) const {
        Program candidate = program_;
        for (Input& input : candidate.inputs) {
            input.values = cut(input.values, extent, smaller);
            if (input.mask) input.mask = cut(*input.mask, extent, smaller);
        }
        for (Instruction& one : candidate.instructions) std::ranges::replace(one.shape, extent, smaller);
        return candidate;
    }

    template <class Change>
    void change_input(std::size_t i, Change&& change) {
        Program candidate = program_;
        if (change(candidate.inputs[i])) take(candidate);
    }

    void plainer_inputs() {
        for (std::size_t i = program_.inputs.size(); i-- > 0;) {
            if (i >= program_.inputs.size()) continue;
            change_input(i, [](Input& input) { return std::exchange(input.lies, Lies::rows) != Lies::rows; });
            change_input(i, [](Input& input) {
                return std::exchange(input.layout, Layout::strided) != Layout::strided;
            });
            change_input(i, [](Input& input) {
                return std::exchange(input.listed, Listed::ascending) != Listed::ascending;
            });
            change_input(i, [](Input& input) { return std::exchange(input.is_prepared, false); });
            change_input(i, [](Input& input) { return std::exchange(input.same_as, -1) >= 0; });
            if (program_.as == RunAs::ahead) continue;
            change_input(i, [](Input& input) { return std::exchange(input.mask, {}).has_value(); });
            change_input(i, [](Input& input) {
                const bool had = input.mask.has_value();
                if (had) input.mask = AnyTensor(full<bool>(input.values.shape(), true)).clone();
                return had;
            });
        }
    }

    /// Runs of elements made 0, the longest first.
    void zeroed_values() {
        for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
            const std::int64_t size = program_.inputs[i].values.size();
            for (std::int64_t run = size; run > 0 && run * 16 >= size; run /= 2)
                for (std::int64_t first = 0; first < size; first += run)
                    if (i < program_.inputs.size()) zero(i, first, std::min(run, size - first));
        }
    }

    void zero(std::size_t i, std::int64_t first, std::int64_t count) {
        change_input(i, [&](Input& input) {
            if (first + count > input.values.size()) return false;
            input.values = input.values.clone();
            const int bytes = bytes_of(input.values.dtype());
            auto* begin = static_cast<std::byte*>(input.values.data()) + first * bytes;
            const auto is_zero = [](std::byte byte) { return byte == std::byte{}; };
            if (std::all_of(begin, begin + count * bytes, is_zero)) return false;
            std::fill_n(begin, count * bytes, std::byte{});
            return true;
        });
    }

    const std::function<bool(const Program&)>& fails_;
    int tries_;
    int successes_ = 0;
    Program program_;
};

}  // namespace

Program without_instruction(const Program& program, int i, int instead) {
    return pruned(replaced(program, i, instead));
}

Program with_result(Program program, int value) {
    program.results = {value};
    return pruned(std::move(program));
}

Program minimised(Program program, const std::function<bool(const Program&)>& fails, int tries) {
    return Minimiser(fails, tries).run(std::move(program));
}

}  // namespace fuzz
