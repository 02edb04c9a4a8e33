// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "elements.hpp"
#include "layouts/layout.hpp"

/// The text of tensors and masked tensors, as PyTorch's masked tensors print.
namespace frisket {

namespace {

constexpr std::size_t least_width = 8;  // of `--`, and of a float

template <class T>
std::string text_of(T element) {
    if constexpr (std::is_same_v<T, bool>) {
        return element ? "True" : "False";
    } else if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(element)) return "     nan";  // whatever its sign
        char buffer[336];                            // the largest double has 309 digits before the point
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
        using Element = Stored<T>;
        const auto* data = static_cast<const typename Element::Type*>(values.data());
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (mask == nullptr || mask[i] != 0) texts[i] = text_of<T>(Element::read(data[i]));
    });
    return texts;
}

/// One row on one line; what is unspecified is as wide as the row's widest element.
std::string row_text(std::span<const std::string> texts) {
    std::size_t width = least_width;
    for (const std::string& text : texts) width = std::max(width, text.size());
    std::string line = "[";
    for (std::size_t i = 0; i < texts.size(); ++i) {
        line += i == 0 ? "" : ", ";
        line += texts[i].empty() ? std::string(width - 2, ' ') + "--" : texts[i];
    }
    return line + "]";
}

/// A tensor of rank 1 or more, each line but the first starting with `indent`.
std::string body(std::span<const std::int64_t> shape, std::span<const std::string> texts,
                 const std::string& indent) {
    if (shape.size() == 1) return row_text(texts);
    if (shape[0] == 0) return "[]";
    const std::size_t part = texts.size() / static_cast<std::size_t>(shape[0]);
    const std::string inner = indent + "  ";
    std::string text = "[\n";
    for (std::int64_t i = 0; i < shape[0]; ++i) {
        text +=
            inner + body(shape.subspan(1), texts.subspan(static_cast<std::size_t>(i) * part, part), inner);
        text += i + 1 < shape[0] ? ",\n" : "\n";
    }
    return text + indent + "]";
}

std::string block(const char* name, const Shape& shape, std::span<const std::string> texts) {
    return std::string(name) + "(\n  " + body(shape, texts, "  ") + "\n)";
}

AnyTensor row_major(const AnyTensor& values) { return values.is_contiguous() ? values : values.clone(); }

}  // namespace

std::string to_string(const AnyTensor& tensor) {
    const std::vector<std::string> texts = texts_of(row_major(tensor), nullptr);
    if (tensor.rank() == 0) return "Tensor(" + texts[0] + ")";
    return block("Tensor", tensor.shape(), texts);
}

std::string to_string(const AnyMasked& masked) {
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(masked.size()));
    bytes_of(masked, mask.data());
    const std::vector<std::string> texts = texts_of(row_major(dense_values(masked)), mask.data());
    if (masked.rank() > 0) return block("MaskedTensor", masked.shape(), texts);
    return mask[0] != 0 ? "MaskedTensor(" + texts[0] + ", True)" : "MaskedTensor(--, False)";
}

std::ostream& operator<<(std::ostream& out, const AnyTensor& tensor) { return out << to_string(tensor); }
std::ostream& operator<<(std::ostream& out, const AnyMasked& masked) { return out << to_string(masked); }

}  // namespace frisket
