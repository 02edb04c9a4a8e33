// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "../tensor/elements.hpp"
#include "layout_traits.hpp"

/// The text of tensors and masked tensors, as PyTorch's masked tensors print.
namespace frisket {

using namespace runtime;

namespace {

constexpr std::size_t least_width = 8;  // width of `--`, and of a float

template <class T>
std::string text_of(T element) {
    if constexpr (std::is_same_v<T, bool>) {
        return element ? "True" : "False";
    } else if constexpr (info_of(dtype_of<T>).is_float) {
        if (std::isnan(static_cast<double>(element))) return "     nan";  // whatever its sign
        char buffer[336];  // the largest double has 309 digits before the point
        std::snprintf(buffer, sizeof buffer, "%8.4f", static_cast<double>(element));
        return buffer;
    } else {
        return std::to_string(element);
    }
}

/// Texts of all elements, row-major, empty where unspecified; `mask` null: all specified.
std::vector<std::string> texts_of(const AnyTensor& values, const std::uint8_t* mask) {
    std::vector<std::string> texts(static_cast<std::size_t>(values.size()));
    dispatch(values.dtype(), [&]<class T>() {
        const Reader<T> data(values.data());
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (mask == nullptr || mask[i] != 0) texts[i] = text_of<T>(data[static_cast<std::int64_t>(i)]);
    });
    return texts;
}

constexpr std::int64_t most_empty_rows = 1 << 16;

/// True if a tensor has at most `threshold` elements, or no elements and at most `most_empty_rows` rows `[]`.
bool prints_all(const Shape& shape, std::int64_t threshold) {
    const auto empty = std::ranges::find(shape, 0);
    if (empty == shape.end()) return element_count(shape) <= threshold;
    std::int64_t rows = 1;
    for (auto extent = shape.begin(); extent != empty; ++extent) {
        if (rows > most_empty_rows / *extent) return false;
        rows *= *extent;
    }
    return true;
}

/// The part of a tensor that is printed: all indices of each dimension, or `edge` indices at both ends.
class Edges {
public:
    Edges(const Shape& whole, const PrintOptions& options)
        : whole_(whole), edge_(std::max<std::int64_t>(options.edge_items, 1)) {
        const bool all = prints_all(whole, options.threshold);
        for (const std::int64_t extent : whole) shape_.push_back(all ? extent : std::min(extent, 2 * edge_));
    }
    bool is_all() const { return shape_ == whole_; }
    const Shape& shape() const { return shape_; }
    const Shape& whole() const { return whole_; }
    /// True if indices are left out before index `i` of the part.
    bool has_gap(std::size_t d, std::int64_t i) const { return shape_[d] < whole_[d] && i == edge_; }
    /// Index in the whole of an index of the part.
    std::int64_t in_whole(std::size_t d, std::int64_t i) const {
        return i < edge_ ? i : i + whole_[d] - shape_[d];
    }
    /// Row-major position in the part of a position of the whole; -1: it is left out.
    std::int64_t in_part(std::int64_t position) const {
        std::int64_t found = 0, step = 1;
        for (std::size_t d = whole_.size(); d-- > 0; position /= whole_[d], step *= shape_[d]) {
            std::int64_t i = position % whole_[d];
            if (shape_[d] < whole_[d] && i >= edge_) i -= whole_[d] - shape_[d];
            if (shape_[d] < whole_[d] && i < edge_ && position % whole_[d] >= edge_) return -1;
            found += i * step;
        }
        return found;
    }

private:
    Shape whole_, shape_;
    std::int64_t edge_;
};

/// The elements of the part, row-major.
AnyTensor part_of(const AnyTensor& tensor, const Edges& edges) {
    if (edges.is_all()) return tensor.is_contiguous() ? tensor : tensor.clone();
    AnyTensor part(tensor.dtype(), edges.shape());
    dispatch_width(tensor.dtype(), [&]<class U>() {
        const Reader<U> from(tensor.data());
        U* to = static_cast<U*>(part.data());
        for (std::int64_t position = 0; position < part.size(); ++position) {
            const Shape index = unravel(position, edges.shape());
            std::int64_t offset = 0;
            for (std::size_t d = 0; d < index.size(); ++d)
                offset += edges.in_whole(d, index[d]) * tensor.strides()[d];
            to[position] = from[offset];
        }
    });
    return part;
}

/// The part of a masked tensor, with its mask.  Cost: linear in the stored elements.
AnyMasked part_of(const AnyMasked& masked, const Edges& edges) {
    const bool has_all_values = traits_of(masked.layout()).dense_values == values_as_stored;
    if (has_all_values || edges.is_all()) {
        const AnyTensor mask =
            traits_of(masked.layout()).mask == MaskForm::bytes ? masked.mask() : masked.mask_tensor();
        return AnyMasked::strided(part_of(dense_values(masked), edges), part_of(mask, edges));
    }
    const Entries entries = traits_of(masked.layout()).entries(masked);
    AnyTensor values(masked.dtype(), edges.shape()), mask(DType::boolean, edges.shape());
    auto* is_specified = static_cast<std::uint8_t*>(mask.data());
    dispatch_width(masked.dtype(), [&]<class U>() {
        const Reader<U> from(entries.values.data());
        for (std::size_t i = 0; i < entries.positions.size(); ++i) {
            const std::int64_t position = edges.in_part(entries.positions[i]);
            if (position < 0) continue;
            static_cast<U*>(values.data())[position] = from[static_cast<std::int64_t>(i)];
            is_specified[position] = 1;
        }
    });
    return AnyMasked::strided(std::move(values), std::move(mask));
}

/// One row on one line; an unspecified element is as wide as the row's widest element.
std::string row_text(std::span<const std::string> texts, const Edges& edges) {
    std::size_t width = least_width;
    for (const std::string& text : texts) width = std::max(width, text.size());
    std::string line = "[";
    for (std::size_t i = 0; i < texts.size(); ++i) {
        line += i == 0 ? "" : ", ";
        if (edges.has_gap(edges.shape().size() - 1, static_cast<std::int64_t>(i))) line += "..., ";
        line += texts[i].empty() ? std::string(width - 2, ' ') + "--" : texts[i];
    }
    return line + "]";
}

/// The dimensions from `d` on, each line but the first starting with `indent`.
std::string body(const Edges& edges, std::size_t d, std::span<const std::string> texts,
                 const std::string& indent) {
    const Shape& shape = edges.shape();
    if (d + 1 == shape.size()) return row_text(texts, edges);
    if (shape[d] == 0) return "[]";
    const std::size_t part = texts.size() / static_cast<std::size_t>(shape[d]);
    const std::string inner = indent + "  ";
    std::string text = "[\n";
    for (std::int64_t i = 0; i < shape[d]; ++i) {
        if (edges.has_gap(d, i)) text += inner + "...,\n";
        text += inner + body(edges, d + 1, texts.subspan(static_cast<std::size_t>(i) * part, part), inner);
        text += i + 1 < shape[d] ? ",\n" : "\n";
    }
    return text + indent + "]";
}

std::string block(const char* name, const Edges& edges, std::span<const std::string> texts) {
    return std::string(name) + "(\n  " + body(edges, 0, texts, "  ") + "\n)";
}

}  // namespace

std::string to_string(const AnyTensor& tensor, const PrintOptions& options) {
    tensor.check_not_moved("to_string");
    if (!tensor.device().is_cpu()) return to_string(tensor.to(Device()), options);
    const Edges edges(tensor.shape(), options);
    const std::vector<std::string> texts = texts_of(part_of(tensor, edges), nullptr);
    if (tensor.rank() == 0) return "Tensor(" + texts[0] + ")";
    return block("Tensor", edges, texts);
}

std::string to_string(const AnyMasked& masked, const PrintOptions& options) {
    masked.check_not_moved("to_string");
    if (!masked.device().is_cpu()) return to_string(masked.to(Device()), options);
    const Edges edges(masked.shape(), options);
    const AnyMasked part = part_of(masked, edges);
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(part.size()));
    bytes_of(part, mask.data());
    const std::vector<std::string> texts = texts_of(part.values(), mask.data());
    if (masked.rank() > 0) return block("MaskedTensor", edges, texts);
    return mask[0] != 0 ? "MaskedTensor(" + texts[0] + ", True)" : "MaskedTensor(--, False)";
}

namespace {

std::int64_t index_bytes(const AnyMasked& masked) {
    std::int64_t bytes = masked.mask().size() * bytes_of(masked.mask().dtype());
    if (masked.index()) bytes += masked.index()->size() * (masked.index()->is_narrow() ? 4 : 8);
    if (const auto& index = masked.compressed_index())
        bytes += static_cast<std::int64_t>(index->pointers.size() + index->indices.size()) * 8;
    return bytes;
}

}  // namespace

std::string describe(const AnyTensor& tensor) {
    tensor.check_not_moved("describe");
    std::string text = "Tensor of " + std::string(name_of(tensor.dtype())) + ", shape " +
                       to_string(tensor.shape()) + ", layout dense: " + std::to_string(tensor.size()) +
                       " elements, " + std::to_string(tensor.size() * bytes_of(tensor.dtype())) + " bytes";
    if (!tensor.is_contiguous()) text += ", strides " + to_string(tensor.strides());
    if (!tensor.device().is_cpu()) text += ", on device " + std::string(tensor.device().name());
    return text;
}

std::string describe(const AnyMasked& masked) {
    masked.check_not_moved("describe");
    if (!masked.device().is_cpu())
        return describe(masked.to(Device())) + ", on device " + std::string(masked.device().name());
    const std::int64_t specified = masked.specified_count();
    char share[32] = "";
    if (masked.size() > 0)
        std::snprintf(share, sizeof share, " (%.4g %%)",
                      100 * static_cast<double>(specified) / static_cast<double>(masked.size()));
    return "MaskedTensor of " + std::string(name_of(masked.dtype())) + ", shape " +
           to_string(masked.shape()) + ", layout " + std::string(name_of(masked.layout())) + ": " +
           std::to_string(specified) + " of " + std::to_string(masked.size()) + " elements specified" +
           share + ", " + std::to_string(masked.values().size() * bytes_of(masked.dtype())) +
           " bytes of values, " + std::to_string(index_bytes(masked)) + " of mask and index";
}

std::ostream& operator<<(std::ostream& out, const AnyTensor& tensor) { return out << to_string(tensor); }
std::ostream& operator<<(std::ostream& out, const AnyMasked& masked) { return out << to_string(masked); }

}  // namespace frisket
