// SPDX-License-Identifier: MIT
#include "ahead.hpp"

#include "../limits/table.hpp"
#include "generate.hpp"

namespace fuzz {

namespace {

/// Arguments for the symbols of a graph.
class Caller {
public:
    explicit Caller(std::uint32_t seed) : random_(seed) {
        program_.seed = seed;
        program_.as = RunAs::ahead;
        program_.ahead = static_cast<int>(random_.below(std::ssize(kernels_ahead())));
    }

    Program make() {
        const KernelAhead& ahead = kernels_ahead()[static_cast<std::size_t>(program_.ahead)];
        const auto& layouts =
            ahead.layouts[static_cast<std::size_t>(random_.below(std::ssize(ahead.layouts)))];
        takes_every_layout_ = ahead.layouts.size() == all_layouts().size();
        std::int64_t least_rank = 0;
        for (const Layout layout : layouts)
            least_rank = std::max<std::int64_t>(least_rank, layout > Layout::rows    ? 2
                                                            : layout == Layout::rows ? 1
                                                                                     : 0);
        shape_ = any_shape(least_rank);
        const AnyTensor mask = random_mask_of(shape_, random_);
        is_wild_ = random_.below(3) == 0;
        std::size_t masked = 0;
        for (const Symbol& symbol : ahead.graph.symbols) {
            if (symbol.kind != SymbolKind::masked) {
                add(symbol);
                continue;
            }
            const Layout layout = layouts[std::min(masked++, layouts.size() - 1)];
            add(symbol, layout, random_.below(4) == 0 ? random_mask_of(shape_, random_) : mask);
        }
        return program_;
    }

private:
    Shape any_shape(std::int64_t least_rank) {
        static constexpr std::int64_t extents[] = {0, 1, 3, 4, 8, 16, 17, 64, 65, 100, 252};
        const std::int64_t rank = least_rank == 2 ? 2 : least_rank + random_.below(4 - least_rank);
        if (rank > 0 && random_.below(6) == 0) return large_shape(rank);
        Shape shape;
        for (std::int64_t d = 0; d < rank; ++d)
            shape.push_back(d > 1 ? 1 + random_.below(3) : extents[random_.below(std::ssize(extents))]);
        return shape;
    }

    /// About as many elements as some limit of the code.
    Shape large_shape(std::int64_t rank) {
        static const std::vector<std::int64_t> sizes = testing::sizes_of(testing::Of::elements, 140'000);
        static constexpr std::int64_t lengths[] = {12,  36,   64,  252,
                                                   320, 1000, 4100};  // every layout takes them
        const std::int64_t size = sizes[static_cast<std::size_t>(random_.below(std::ssize(sizes)))];
        if (rank == 1) return {size};
        const std::int64_t length = lengths[random_.below(std::ssize(lengths))];
        Shape shape{size / length + 1, length};
        if (rank == 3) shape = {size / length + 1, length / 4, 4};
        return shape;
    }

    /// What a layout can hold of a mask.
    AnyTensor held(Layout layout, const AnyTensor& mask) {
        if (layout == Layout::dense) return full<bool>(shape_, true);
        Tensor<bool> made(mask.clone());
        if (layout == Layout::rows) {
            const std::int64_t length = shape_[0] == 0 ? 1 : made.size() / shape_[0];
            for (std::int64_t i = 0; i < made.size(); ++i)
                if (i % length > 0) made.data()[i] = made.data()[i - 1];
        }
        if (layout == Layout::two_four)
            for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = made.data()[i] && i % 4 % 3 == 0;
        return made;
    }

    Input& add_input(const Symbol& symbol, const Shape& shape) {
        const bool is_state = symbol.kind == SymbolKind::scalar_state;
        const DType dtype = is_state ? DType::float64 : symbol.dtype;
        return program_.inputs.emplace_back(
            Input{.values = random_values(dtype, shape, {is_wild_, 0}, random_)});
    }

    void add(const Symbol& symbol) {
        const bool is_tensor = symbol.kind == SymbolKind::in || symbol.kind == SymbolKind::in_out;
        const int index = static_cast<int>(program_.inputs.size());
        Input& input = add_input(symbol, is_tensor ? shape_ : Shape{});
        if (is_tensor && random_.below(3) == 0) input.lies = static_cast<Lies>(random_.below(4));
        if (symbol.kind == SymbolKind::scalar) input.takes = Takes::number;
        if (symbol.kind == SymbolKind::scalar_state) input.takes = Takes::state;
        const bool is_written = symbol.kind == SymbolKind::in_out || symbol.kind == SymbolKind::scalar_state;
        if (is_written) program_.targets.push_back({.input = index, .value = -1 - index});
    }

    void add(const Symbol& symbol, Layout layout, const AnyTensor& mask) {
        Input& input = add_input(symbol, shape_);
        input.mask = held(layout, mask);
        input.layout = layout;
        input.is_prepared = takes_every_layout_ && random_.below(4) == 0;
        input.listed = std::array{Listed::ascending, Listed::shuffled,
                                  Listed::with_duplicates}[static_cast<std::size_t>(random_.below(3))];
    }

    testing::Random random_;
    Program program_;
    Shape shape_;
    bool is_wild_ = false;
    bool takes_every_layout_ = false;  // what prepare() may give as well
};

}  // namespace

Program generate_ahead(std::uint32_t seed) { return Caller(seed).make(); }

}  // namespace fuzz
