// SPDX-License-Identifier: MIT
/// strided: values and a byte mask of the same shape, each of any strides; any byte but 0 is true.
#include <algorithm>

#include "../tensor/bitmask_ops.hpp"
#include "../tensor/byte_mask.hpp"
#include "../tensor/runs.hpp"
#include "layout_traits.hpp"

namespace frisket {

using namespace runtime;

namespace {

const std::uint8_t* mask_bytes(const AnyMasked& masked) {
    return static_cast<const std::uint8_t*>(masked.mask().data());
}

void bits(const AnyMasked& masked, std::uint64_t* words) {
    if (masked.mask().is_contiguous())
        return pack_bits(mask_bytes(masked), 0, words_for(masked.size()), masked.size(), words);
    BitWriter writer(words);
    for_each_run<1>(masked.shape(), {masked.mask().strides()}, [&](const Run<1>& run) {
        const std::uint8_t* from = mask_bytes(masked) + run.offset[0];
        for (std::int64_t i = 0; i < run.count; i += 64) {
            const int count = static_cast<int>(std::min<std::int64_t>(64, run.count - i));
            writer.append(pack_word(from + i * run.step[0], count, run.step[0]), count);
        }
    });
    writer.finish();
}

void bytes(const AnyMasked& masked, std::uint8_t* mask) {
    for_each_run<1>(masked.shape(), {masked.mask().strides()}, [&](const Run<1>& run) {
        const std::uint8_t* from = mask_bytes(masked) + run.offset[0];
        if (run.step[0] == 1)
            copy_truth(from, mask, run.count);
        else
            for (std::int64_t i = 0; i < run.count; ++i) mask[i] = from[i * run.step[0]] != 0;
        mask += run.count;
    });
}

std::int64_t count(const AnyMasked& masked) {
    std::int64_t found = 0;
    for_each_run<1>(masked.shape(), {masked.mask().strides()}, [&](const Run<1>& run) {
        const std::uint8_t* from = mask_bytes(masked) + run.offset[0];
        if (run.step[0] == 1)
            found += count_truth(from, run.count);
        else
            for (std::int64_t i = 0; i < run.count; ++i) found += from[i * run.step[0]] != 0;
    });
    return found;
}

AnyMasked from(const AnyMasked& masked) {
    return AnyMasked::strided(dense_values(masked), masked.mask_tensor());
}

AnyMasked from_on_device(const AnyMasked& masked, std::optional<Blocksize>) {
    return AnyMasked::strided(on_device::dense_values(masked), on_device::mask_bytes(masked));
}

}  // namespace

AnyMasked AnyMasked::strided(AnyTensor values, AnyTensor mask) {
    values.check_not_moved("masked");
    mask.check_not_moved("masked");
    if (mask.dtype() != DType::boolean)
        throw DTypeError("masked: the mask has dtype " + std::string(name_of(mask.dtype())) +
                         ", wanted bool: compare with something, or convert it");
    if (mask.shape() != values.shape()) {
        if (!broadcasts_to(mask.shape(), values.shape()))
            throw ShapeError("masked: the mask has shape " + to_string(mask.shape()) + ", the values have " +
                             to_string(values.shape()) +
                             ": the mask broadcasts to the values, never the reverse");
        mask = mask.broadcast_to(values.shape());
    }
    Shape shape = values.shape();
    return {Layout::strided, std::move(shape), std::move(values), std::move(mask), nullptr};
}

constinit const LayoutTraits runtime::strided_traits{
    .layout = Layout::strided,
    .name = "strided",
    .mask = MaskForm::bytes,
    .bits = bits,
    .bytes = bytes,
    .count = count,
    .dense_values = values_as_stored,
    .filled = blended,
    .entries = entries_of_bits,
    .from = from,
    .on_device = from_on_device,
};

}  // namespace frisket
