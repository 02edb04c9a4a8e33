// SPDX-License-Identifier: MIT
#include "../../ir/at.hpp"
#include "../support/guarded.hpp"
#include "program.hpp"

#include <algorithm>

/// The tensors of a program in memory.
namespace fuzz {

namespace {

/// Memory of its own, between red zones, that a tensor of this shape is a part of.
AnyTensor guarded(DType dtype, const Shape& shape, Strides strides, std::int64_t elements, std::int64_t first,
                  testing::Place place) {
    const auto bytes = static_cast<std::size_t>(elements * bytes_of(dtype));
    const auto buffer = std::make_shared<testing::GuardedBuffer>(bytes, place);
    auto* data = static_cast<std::byte*>(buffer->data()) + first * bytes_of(dtype);
    return {dtype, data, shape, std::move(strides), true, buffer};
}

/// An empty tensor of the same shape that lies so.
AnyTensor lying(const AnyTensor& like, Lies lies) {
    const Shape& shape = like.shape();
    const DType dtype = like.dtype();
    Strides strides = contiguous_strides(shape);
    const std::int64_t size = like.size();
    switch (lies) {
        case Lies::transposed: {
            if (shape.size() < 2) break;
            Shape swapped = shape;
            std::swap(swapped.back(), swapped[shape.size() - 2]);
            strides = contiguous_strides(swapped);
            std::swap(strides.back(), strides[shape.size() - 2]);
            return guarded(dtype, shape, strides, size, 0, {});
        }
        case Lies::sliced:
            for (auto& stride : strides) stride *= 2;
            return guarded(dtype, shape, strides, 2 * size, 0, {});
        case Lies::reversed:
            if (shape.empty() || size == 0) break;
            strides.back() = -1;
            return guarded(dtype, shape, strides, size, shape.back() - 1, {});
        case Lies::repeated:
            if (shape.empty() || size == 0) break;
            strides[0] = 0;
            return guarded(dtype, shape, strides, size, 0, {});
        case Lies::shifted: return guarded(dtype, shape, strides, size, 0, {.misalignment = bytes_of(dtype)});
        case Lies::page_end: return guarded(dtype, shape, strides, size, 0, {.at_page_end = true});
        default: break;
    }
    return guarded(dtype, shape, strides, size, 0, {});
}

AnyTensor laid(const AnyTensor& tensor, Lies lies) {
    const AnyTensor made = lying(tensor, lies);
    copy(tensor, made);
    return made;
}

AnyMasked in_layout(const AnyMasked& masked, Layout layout, const Storing& storing) {
    const auto all = all_layouts();
    const auto first = static_cast<std::size_t>(layout);
    for (std::size_t i = storing.other_layouts ? 1 : 0; i < all.size(); ++i) {
        const Layout wanted = all[(first + i) % all.size()];
        // A dense one has no mask: other loops, which is another test.
        if (wanted == Layout::strided || (wanted == Layout::dense && storing.other_layouts)) continue;
        try {
            return masked.to(wanted);
        } catch (const LayoutError&) {
            if (!storing.other_layouts) break;
        }
    }
    return masked;
}

/// The same entries in another order, some of them as a sum: of itself and of zeros that change nothing.
AnyMasked relisted(const AnyMasked& masked, Listed listed, std::uint32_t seed) {
    const bool is_list = masked.layout() == Layout::coo || masked.layout() == Layout::rows;
    if (!is_list || listed == Listed::ascending) return masked;
    testing::Random random(seed);
    std::vector<std::int64_t> entries;  // entry i, or a zero beside it as -1 - i
    for (std::int64_t i = 0; i < masked.index()->size(); ++i) {
        entries.push_back(i);
        while (listed == Listed::with_duplicates && random.below(3) == 0) entries.push_back(-1 - i);
    }
    random.shuffle(entries);
    Shape shape = masked.values().shape();
    shape[0] = std::ssize(entries);
    const AnyTensor values(masked.dtype(), shape);
    const AnyTensor zero = full<float>({}, -0.0F).to(masked.dtype());
    std::vector<std::int64_t> indices;
    for (std::int64_t k = 0; k < shape[0]; ++k) {
        const std::int64_t entry = entries[static_cast<std::size_t>(k)], i = entry < 0 ? -1 - entry : entry;
        const AnyTensor to = values.slice(0, k, k + 1);
        copy(entry < 0 ? zero.broadcast_to(to.shape()) : masked.values().slice(0, i, i + 1), to);
        indices.push_back((*masked.index())[i]);
    }
    const std::int64_t bound = masked.layout() == Layout::rows ? masked.shape()[0] : masked.size();
    return AnyMasked::indexed(masked.layout(), masked.shape(),
                              std::make_shared<const IndexList>(std::move(indices), bound), values);
}

Bound stored(const Input& input, const Storing& storing) {
    if (!input.mask) return laid(input.values, input.lies);
    AnyTensor values = input.values.clone();
    const AnyTensor mask = laid(*input.mask, input.lies == Lies::repeated ? Lies::rows : input.lies);
    testing::poison(AnyMasked::strided(values, mask), storing.poison);
    values = laid(values, input.lies == Lies::repeated ? Lies::rows : input.lies);
    const AnyMasked strided = AnyMasked::strided(values, mask);
    // Another layout has its elements in rows: for others that would be other loops.
    const bool is_rows = values.rank() == 0 || values.strides().back() == 1;
    if (storing.other_layouts ? !is_rows : input.layout == Layout::strided) return strided;
    const AnyMasked made = testing::poison(in_layout(strided, input.layout, storing), storing.poison);
    return relisted(made, input.listed, static_cast<std::uint32_t>(made.size()));
}

}  // namespace

std::deque<Bound> store(const Program& program, const Storing& storing) {
    std::deque<Bound> tensors;
    for (int i = 0; i < static_cast<int>(program.inputs.size()); ++i) {
        const Input& input = program.inputs[at(i)];
        if (input.same_as >= 0) {
            tensors.push_back(tensors[at(input.same_as)]);
            continue;
        }
        // Targets always lie between red zones, and no two of their elements are one.
        const bool moves =
            is_target(program, i) && (input.lies == Lies::rows || input.lies == Lies::repeated);
        if (!moves) {
            tensors.push_back(stored(input, storing));
            continue;
        }
        Input guarded = input;
        guarded.lies = storing.other_layouts ? Lies::page_end : Lies::shifted;
        tensors.push_back(stored(guarded, storing));
    }
    return tensors;
}

}  // namespace fuzz
