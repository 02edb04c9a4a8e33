// SPDX-License-Identifier: MIT
#include "traffic.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/tensor/bitmask_ops.hpp"

#include <vector>

namespace frisket::cli {

namespace {

constexpr double line_bytes = 64;

/// Specified elements of a step's mask, row-major.
class Specified {
public:
    Specified(const Signature& signature, std::span<const Argument> arguments) {
        if (signature.domain < 0) return;
        const Argument& argument = arguments[static_cast<std::size_t>(signature.domain)];
        if (argument.kind() != Argument::Kind::masked) return;
        count_ = argument.masked().size();
        words_.resize(static_cast<std::size_t>(runtime::words_for(count_)));
        runtime::bits_of(argument.masked(), words_.data());
    }

    /// Bytes of the cache lines of a tensor's specified elements; of all if it has another shape.
    double lines_of(const AnyTensor& tensor) const {
        const std::int64_t size = bytes_of(tensor.dtype());
        if (tensor.size() != count_) return static_cast<double>(tensor.size() * size);
        const std::int64_t in_line = static_cast<std::int64_t>(line_bytes) / size;
        std::int64_t lines = 0;
        for (std::int64_t begin = 0; begin < count_; begin += in_line) {
            const std::uint64_t ones = in_line == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << in_line) - 1;
            lines += (words_[static_cast<std::size_t>(begin / 64)] >> (begin % 64) & ones) != 0;
        }
        return static_cast<double>(lines) * line_bytes;
    }

private:
    std::int64_t count_ = -1;
    std::vector<std::uint64_t> words_;
};

double bytes_in(const AnyTensor& tensor) {
    return static_cast<double>(tensor.size()) * bytes_of(tensor.dtype());
}

double bytes_of_mask(const AnyMasked& masked) {
    if (const auto& list = masked.index())
        return static_cast<double>(list->size()) * (list->is_narrow() ? 4 : 8);
    if (const auto& lists = masked.compressed_index())
        return 8.0 * static_cast<double>(lists->pointers.size() + lists->indices.size());
    return runtime::has_mask(masked.layout()) ? bytes_in(masked.mask()) : 0;
}

}  // namespace

double least_bytes(const Signature& signature, std::span<const Argument> arguments) {
    const Specified specified(signature, arguments);
    double bytes = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        if (argument.kind() == Argument::Kind::tensor) {
            bytes += specified.lines_of(argument.tensor()) * (signature.writes(static_cast<int>(i)) ? 2 : 1);
        } else if (argument.kind() == Argument::Kind::masked) {
            const AnyTensor& values = argument.masked().values();
            bytes += bytes_of_mask(argument.masked());
            // Values of lists are stored without gaps.
            bytes +=
                values.size() == argument.masked().size() ? specified.lines_of(values) : bytes_in(values);
        }
    }
    return bytes;
}

}  // namespace frisket::cli
