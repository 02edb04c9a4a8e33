// SPDX-License-Identifier: MIT
#include "../limits/table.hpp"
#include "ahead.hpp"
#include "generate.hpp"

#include <map>

/// Data for elementwise kernels, whose loops take any shape.
namespace fuzz {

namespace {

using Layouts = std::vector<Layout>;

/// Layouts that the loops for one of them walk as well.
Layouts walked_alike(const Program& kernel, Layout layout) {
    if (kernel.schedule.empty() || layout == Layout::dense || layout == Layout::rows) return {layout};
    if (layout == Layout::strided || layout == Layout::bitmask) {
        if (kernel.schedule.starts_with("bytes")) return {Layout::strided};
        return {Layout::strided, Layout::bitmask, Layout::bitmask};
    }
    return {Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::two_four};
}

/// Tensors and numbers for another call of a kernel, of a space of its own.
class Caller {
public:
    Caller(const Program& kernel, std::uint32_t seed, std::int64_t least)
        : random_(seed), program_(kernel), least_(least) {
        program_.seed = seed;
    }

    Program make() {
        choose_layouts();
        has_gaps_ = random_.below(2) == 0 && (program_.schedule.empty() || program_.schedule == "strided");
        choose_shape();
        mask_ = random_mask_of(shape_, random_);
        // Inputs that are of one mask have layouts that hold it.
        for (const auto& [i, layout] : layouts_) mask_ = held(layout, mask_);
        flavour_ = any_flavour(random_);
        for (std::size_t i = 0; i < program_.inputs.size(); ++i) fill(i);
        program_.step = random_.below(4);
        return program_;
    }

private:
    void choose_layouts() {
        for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
            const Input& input = program_.inputs[i];
            if (!input.mask) continue;
            const Layouts alike =
                program_.as == RunAs::ahead ? Layouts{input.layout} : walked_alike(program_, input.layout);
            layouts_[i] = alike[static_cast<std::size_t>(random_.below(std::ssize(alike)))];
            const Layout layout = layouts_[i];
            is_matrix_ = is_matrix_ || layout > Layout::rows;
            has_two_four_ = has_two_four_ || layout == Layout::two_four;
            least_rank_ = std::max(least_rank_, layout == Layout::rows ? 1 : 0);
        }
    }

    void choose_shape() {
        static constexpr std::int64_t extents[] = {0, 1, 3, 4, 8, 16, 17, 31, 64, 65, 100, 252, 320};
        static constexpr std::int64_t fours[] = {4, 8, 12, 20, 64, 252};
        if (least_ > 0) return choose_large_shape();
        std::int64_t rank = is_matrix_ ? 2 : least_rank_ + random_.below(3);
        if (!is_matrix_ && random_.below(has_gaps_ ? 2 : 6) == 0) rank = 3 + random_.below(4);
        for (std::int64_t d = 0; d < rank; ++d)
            shape_.push_back(rank > 2 ? 2 + random_.below(3) : extents[random_.below(std::ssize(extents))]);
        if (has_two_four_) shape_.back() = fours[random_.below(std::ssize(fours))];
    }

    /// A number of elements close to some limit of the code.
    void choose_large_shape() {
        static const std::vector<std::int64_t> sizes = testing::sizes_of(testing::Of::elements, 140'000);
        // Every layout takes them.
        static constexpr std::int64_t lengths[] = {12, 36, 64, 252, 320, 1000, 4100};
        std::int64_t size = 0;
        while (size < least_) size = sizes[static_cast<std::size_t>(random_.below(std::ssize(sizes)))];
        const std::int64_t length = lengths[random_.below(std::ssize(lengths))];
        const std::int64_t kind = is_matrix_ ? 1 : random_.below(3);
        if (kind == 0)
            shape_ = {size};
        else if (kind == 1)
            shape_ = {size / length + 1, length};
        else
            shape_ = {size / length + 1, length / 4, 4};
    }

    void fill(std::size_t i) {
        Input& input = program_.inputs[i];
        if (input.same_as >= 0) {
            const Input& same = program_.inputs[static_cast<std::size_t>(input.same_as)];
            input.values = same.values;
            input.mask = same.mask;
            input.layout = same.layout;
            return;
        }
        const bool is_tensor = input.takes == Takes::tensor;
        const Shape shape = is_tensor ? shape_ : Shape{};
        input.values = random_values(input.values.dtype(), shape, flavour_, random_);
        if (is_tensor) input.lies = any_lies(is_target(program_, static_cast<int>(i)));
        if (input.mask) fill_mask(input, layouts_[i]);
        if (input.lies == Lies::repeated) repeat_first(input.values);
    }

    /// Gaps take other loops than those that a schedule asks for.
    Lies any_lies(bool is_target) {
        if (random_.below(3) > 0) return Lies::rows;
        if (!has_gaps_) return random_.below(2) == 0 ? Lies::shifted : Lies::page_end;
        return static_cast<Lies>(random_.below(is_target ? 5 : 8));
    }

    void fill_mask(Input& input, Layout layout) {
        input.layout = layout;
        if (program_.as == RunAs::kernel)
            input.is_prepared = random_.below(3) == 0 && !program_.schedule.starts_with("bytes");
        input.listed = static_cast<Listed>(random_.below(3));
        if (layout == Layout::dense)
            input.mask = full<bool>(shape_, true);
        else
            input.mask = random_.below(3) == 0 ? held(layout, random_mask_of(shape_, random_)) : mask_;
    }

    testing::Random random_;
    Program program_;
    std::int64_t least_;  ///< elements; 0: few
    std::map<std::size_t, Layout> layouts_;
    bool is_matrix_ = false, has_two_four_ = false, has_gaps_ = false;
    int least_rank_ = 0;
    Shape shape_;
    AnyTensor mask_;
    Flavour flavour_;
};

/// An input for a symbol of a kernel.
Input input_of(const Symbol& symbol) {
    Input input{.values = AnyTensor(symbol.kind == SymbolKind::scalar_state ? DType::float64 : symbol.dtype,
                                    Shape{})};
    if (symbol.kind == SymbolKind::scalar) input.takes = Takes::number;
    if (symbol.kind == SymbolKind::scalar_state) input.takes = Takes::state;
    return input;
}

}  // namespace

Program with_other_call(const Program& kernel, std::uint32_t seed, std::int64_t least) {
    return Caller(kernel, seed, least).make();
}

std::int64_t large_call(std::uint32_t seed) { return seed % 2 == 0 ? 3'000 : 70'000; }

Program generate_ahead(std::uint32_t seed) {
    testing::Random random(seed);
    Program program;
    program.as = RunAs::ahead;
    program.ahead = static_cast<int>(random.below(std::ssize(kernels_ahead())));
    const KernelAhead& ahead = kernels_ahead()[static_cast<std::size_t>(program.ahead)];
    const Layouts& layouts = ahead.layouts[static_cast<std::size_t>(random.below(std::ssize(ahead.layouts)))];
    const bool takes_every_layout = ahead.layouts.size() == all_layouts().size();  // as prepare() needs
    std::size_t masked = 0;
    for (const Symbol& symbol : ahead.graph.symbols) {
        const int index = static_cast<int>(program.inputs.size());
        Input& input = program.inputs.emplace_back(input_of(symbol));
        if (symbol.kind == SymbolKind::in_out || symbol.kind == SymbolKind::scalar_state)
            program.targets.push_back({.input = index, .value = -1 - index});
        if (symbol.kind != SymbolKind::masked) continue;
        input.mask = AnyTensor(DType::boolean, Shape{});
        input.layout = layouts[std::min(masked++, layouts.size() - 1)];
        input.is_prepared = takes_every_layout && random.below(4) == 0;
    }
    const bool is_large = random.below(6) == 0;
    return with_other_call(program, seed, is_large ? large_call(seed) : 0);
}

}  // namespace fuzz
