// SPDX-License-Identifier: MIT
#include "../../ir/at.hpp"
#include "../support/guarded.hpp"
#include "program.hpp"

#include <algorithm>

/// The tensors of a program in memory.
namespace fuzz {

using ir::at;

namespace {

/// Memory of its own that a tensor of a shape is a part of; targets, and tensors that must end where a page
/// does, are between red zones.
class Memory {
public:
    Memory(DType dtype, const Shape& shape, bool is_target)
        : dtype_(dtype), shape_(shape), is_target_(is_target) {}

    AnyTensor tensor(Strides strides, std::int64_t elements, std::int64_t first = 0,
                     testing::Place place = {}) const {
        const int width = bytes_of(dtype_);
        std::shared_ptr<void> owner;
        std::byte* data = nullptr;
        if (is_target_ || place.at_page_end) {
            const auto buffer =
                std::make_shared<testing::GuardedBuffer>(static_cast<std::size_t>(elements * width), place);
            data = static_cast<std::byte*>(buffer->data());
            owner = buffer;
        } else {
            const AnyTensor bytes(DType::uint8, {elements * width + place.misalignment});
            data = static_cast<std::byte*>(bytes.data()) + place.misalignment;
            owner = bytes.owner();
        }
        return {dtype_, data + first * width, shape_, std::move(strides), true, owner};
    }

private:
    DType dtype_;
    const Shape& shape_;
    bool is_target_;
};

/// An empty tensor of the same shape and position.
AnyTensor lying(const AnyTensor& like, Lies lies, bool is_target) {
    const Shape& shape = like.shape();
    const Memory memory(like.dtype(), shape, is_target);
    Strides strides = contiguous_strides(shape);
    const std::int64_t size = like.size();
    switch (lies) {
        case Lies::transposed: {
            if (shape.size() < 2) break;
            Shape swapped = shape;
            std::swap(swapped.back(), swapped[shape.size() - 2]);
            strides = contiguous_strides(swapped);
            std::swap(strides.back(), strides[shape.size() - 2]);
            return memory.tensor(strides, size);
        }
        case Lies::sliced:
            for (auto& stride : strides) stride *= 2;
            return memory.tensor(strides, 2 * size);
        case Lies::reversed:
            if (shape.empty() || size == 0) break;
            strides.back() = -1;
            return memory.tensor(strides, size, shape.back() - 1);
        case Lies::padded: {
            Shape larger = shape;
            for (std::int64_t& extent : larger) ++extent;
            return memory.tensor(contiguous_strides(larger), element_count(larger));
        }
        case Lies::repeated:
            if (shape.empty() || size == 0) break;
            strides[0] = 0;
            return memory.tensor(strides, size);
        case Lies::shifted: return memory.tensor(strides, size, 0, {.misalignment = bytes_of(like.dtype())});
        case Lies::page_end: return memory.tensor(strides, size, 0, {.at_page_end = true});
        default: break;
    }
    return memory.tensor(strides, size);
}

AnyTensor laid(const AnyTensor& tensor, Lies lies, bool is_target = false) {
    const AnyTensor made = lying(tensor, lies, is_target);
    copy(tensor, made);
    return made;
}

AnyMasked in_layout(const AnyMasked& masked, Layout layout, const Storing& storing) {
    const auto all = all_layouts();
    const auto first = static_cast<std::size_t>(layout);
    const bool is_other = storing.as == Storing::As::other;
    for (std::size_t i = is_other ? 1 : 0; i < all.size(); ++i) {
        const Layout wanted = all[(first + i) % all.size()];
        // A dense one has no mask: other loops, which is another test.
        if (wanted == Layout::strided || (wanted == Layout::dense && is_other)) continue;
        try {
            return masked.to(wanted);
        } catch (const LayoutError&) {
            if (!is_other) break;
        }
    }
    return masked;
}

/// Two tensors whose sum is exactly a third: its halves, or where these lose a bit itself and -0.
std::pair<AnyTensor, AnyTensor> as_sum(const AnyTensor& values) {
    std::pair<AnyTensor, AnyTensor> parts{values.clone(), values.clone()};
    dispatch(values.dtype(), [&]<class T>() {
        auto *first = static_cast<T*>(parts.first.data()), *second = static_cast<T*>(parts.second.data());
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            for (std::int64_t i = 0; i < values.size(); ++i) {
                second[i] = static_cast<T>(first[i] / 2);
                first[i] = static_cast<T>(first[i] - second[i]);
            }
        } else if constexpr (!std::is_same_v<T, bool>) {
            using Wide = std::conditional_t<sizeof(T) == 8, double, float>;
            for (std::int64_t i = 0; i < values.size(); ++i) {
                const auto whole = static_cast<Wide>(first[i]);
                const auto half = static_cast<T>(whole / 2);
                const bool is_exact = static_cast<Wide>(half) + static_cast<Wide>(half) == whole;
                if (is_exact) first[i] = half;
                second[i] = is_exact ? half : static_cast<T>(Wide(-0.0F));
            }
        }
    });
    return parts;
}

/// The entries in another order, some of them as a sum of two parts, and of zeros that change nothing.
AnyMasked relisted(const AnyMasked& masked, Listed listed, std::uint32_t seed) {
    const bool is_list = masked.layout() == Layout::coo || masked.layout() == Layout::rows;
    if (!is_list || listed == Listed::ascending) return masked;
    testing::Random random(seed);
    const AnyTensor whole = masked.values().clone();
    const auto [most, rest] = as_sum(whole);
    const AnyTensor zero = full<float>({}, -0.0F).to(masked.dtype()).broadcast_to(whole.shape());
    // Now and then enough of each that no task of a list ends between two rows.
    const bool is_heaped = masked.index()->size() < 4096 && random.below(4) == 0;
    const auto is_more = [&] { return is_heaped ? random.below(10) > 0 : random.below(3) == 0; };
    std::vector<std::pair<const AnyTensor*, std::int64_t>> entries;
    for (std::int64_t i = 0; i < masked.index()->size(); ++i) {
        if (listed == Listed::shuffled || !is_more()) {
            entries.emplace_back(&whole, i);
            continue;
        }
        entries.emplace_back(&most, i);
        entries.emplace_back(&rest, i);
        while (is_more()) entries.emplace_back(&zero, i);
    }
    random.shuffle(entries);
    Shape shape = whole.shape();
    shape[0] = std::ssize(entries);
    const AnyTensor values(masked.dtype(), shape);
    std::vector<std::int64_t> indices;
    for (std::int64_t k = 0; k < shape[0]; ++k) {
        const auto [from, i] = entries[static_cast<std::size_t>(k)];
        copy(from->slice(0, i, i + 1), values.slice(0, k, k + 1));
        indices.push_back((*masked.index())[i]);
    }
    const std::int64_t bound = masked.layout() == Layout::rows ? masked.shape()[0] : masked.size();
    return AnyMasked::indexed(masked.layout(), masked.shape(),
                              std::make_shared<const IndexList>(std::move(indices), bound), values);
}

/// An equal tensor made as users make one, from its parts, with the mask of entries that are partly
/// specified.
AnyMasked of_parts(const AnyMasked& masked) {
    const auto& index = masked.compressed_index();
    if (index == nullptr) return masked;
    const auto make = [&](const auto& function) {
        return function(masked.shape(), index->blocksize, index->pointers, index->indices, masked.values(),
                        masked.mask());
    };
    switch (masked.layout()) {
        case Layout::bsr: return make(AnyMasked::bsr);
        case Layout::bsc: return make(AnyMasked::bsc);
        case Layout::two_four:
            return AnyMasked::two_four(masked.shape(), index->indices, masked.values(), masked.mask());
        default: return masked;
    }
}

/// Bits past the last element, which are none of the mask's, set as the unspecified values are.
void set_past_the_end(const AnyMasked& masked, Poison poison) {
    const std::int64_t count = masked.size() % 64;
    if (masked.layout() != Layout::bitmask || count == 0 || poison == Poison::zero) return;
    auto& last = static_cast<std::uint64_t*>(masked.mask().data())[masked.size() / 64];
    last |= (poison == Poison::quiet ? ~std::uint64_t{0} : std::uint64_t{1}) << count;
}

Bound stored_masked(const Input& input, const Storing& storing, std::uint32_t seed) {
    AnyTensor values = input.values.clone();
    const Lies lies = input.lies == Lies::repeated ? Lies::rows : input.lies;
    const AnyTensor mask = laid(*input.mask, lies);
    testing::poison(AnyMasked::strided(values, mask), storing.poison);
    values = laid(values, lies);
    const AnyMasked strided = AnyMasked::strided(values, mask);
    // Another layout has its elements in rows: with other layouts these would be other loops.
    const bool is_rows = values.rank() == 0 || values.strides().back() == 1;
    if (storing.as == Storing::As::other ? !is_rows : input.layout == Layout::strided) return strided;
    AnyMasked made = testing::poison(in_layout(strided, input.layout, storing), storing.poison);
    if (seed % 2 == 0) made = of_parts(made);
    set_past_the_end(made, storing.poison);
    return relisted(made, input.listed, seed);
}

/// An input; which one it is decides the order of its list.
Bound stored(const Program& program, int i, const Storing& storing) {
    Input input = program.inputs[at(i)];
    const bool is_written = is_target(program, i);
    if (input.list) return storing.as == Storing::As::plain ? input.list->to(Layout::strided) : *input.list;
    if (storing.as == Storing::As::plain) input.lies = Lies::rows, input.layout = Layout::strided;
    // Targets are always between red zones, and no two of their elements are one.
    if (is_written && (input.lies == Lies::rows || input.lies == Lies::repeated))
        input.lies = storing.as == Storing::As::other ? Lies::page_end : Lies::shifted;
    if (!input.mask) return laid(input.values, input.lies, is_written);
    return stored_masked(input, storing, program.seed + static_cast<std::uint32_t>(i));
}

/// A tensor again, or with its last two dimensions exchanged.
Bound same_again(const Bound& known, bool is_turned) {
    if (!is_turned) return known;
    const auto& tensor = std::get<AnyTensor>(known);
    return tensor.transpose(tensor.rank() - 2, tensor.rank() - 1);
}

bool has_gradients(const Program& program) {
    return std::ranges::any_of(program.instructions, [](const Instruction& one) {
        return forms()[at(one.form)].wants == Form::Wants::gradient;
    });
}

}  // namespace

std::deque<Bound> store(const Program& program, const Storing& storing) {
    std::deque<Bound> tensors;
    for (int i = 0; i < static_cast<int>(program.inputs.size()); ++i) {
        const Input& input = program.inputs[at(i)];
        // Masks of one tensor meet as one mask, masks of two tensors are compared: that is part of the
        // program. So is the operand of a gradient: one tensor, or two with the same elements.
        const bool is_same =
            input.same_as >= 0 && (storing.as != Storing::As::plain || input.mask || has_gradients(program));
        tensors.push_back(is_same ? same_again(tensors[at(input.same_as)], input.is_turned)
                                  : stored(program, i, storing));
    }
    return tensors;
}

}  // namespace fuzz
