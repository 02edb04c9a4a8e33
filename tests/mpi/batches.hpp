// SPDX-License-Identifier: MIT
// Random batches of gradients, in parts that ranks share.
#pragma once
#include <frisket/frisket.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace mpi_check {

using namespace frisket;

/// A number in [0, 2^64) for several numbers.  Source: the finaliser of SplitMix64.
inline std::uint64_t random(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
    std::uint64_t z = a * 0x9e37'79b9'7f4a'7c15 + b * 0xbf58'476d'1ce4'e5b9 + c * 0x94d0'49bb'1331'11eb + 1;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
}
/// A number in [-1, 1).
inline double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-52 - 1; }

/// Shape of a batch of gradients.
struct BatchShape {
    std::int64_t rows = 1000, dim = 16;
    std::int64_t listed = 200;  ///< entries of a part
    int parts = 8;
    std::uint64_t seed = 1;
    std::string layout = "rows";
    DType dtype = DType::float32;

    Shape shape() const { return {rows, dim}; }
};

/// One part of a step's gradient.  Rows and positions occur several times; in csr once in a part.
class Part {
public:
    Part(const BatchShape& batch, std::int64_t step, int number)
        : batch_(batch),
          seed_(random(batch.seed, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(number))) {
        const std::int64_t range = batch.layout == "rows" ? batch.rows : batch.rows * batch.dim;
        if (batch.layout == "dense" || range == 0) return;
        for (std::int64_t i = 0; i < batch.listed; ++i)
            places_.push_back(static_cast<std::int64_t>(random(seed_, 1, static_cast<std::uint64_t>(i)) %
                                                        static_cast<std::uint64_t>(range)));
        if (batch.layout != "csr") return;
        std::ranges::sort(places_);
        places_.erase(std::ranges::unique(places_).begin(), places_.end());
    }

    const std::vector<std::int64_t>& places() const { return places_; }
    /// Adds the values of its entries to a list.
    void append_values(std::vector<double>& values) const {
        const std::size_t each = batch_.layout == "rows" ? static_cast<std::size_t>(batch_.dim) : 1;
        const std::size_t count = batch_.layout == "dense"
                                      ? static_cast<std::size_t>(batch_.rows * batch_.dim)
                                      : places_.size() * each;
        for (std::size_t i = 0; i < count; ++i) values.push_back(uniform(random(seed_, 2, i)));
    }

private:
    const BatchShape& batch_;
    std::uint64_t seed_;
    std::vector<std::int64_t> places_;
};

inline AnyTensor tensor_of(const std::vector<double>& values, Shape shape, DType dtype) {
    return Tensor<double>(std::move(shape), values).to(dtype);
}

/// The gradient of entries, in the order in which they are given.
inline Argument gradient_of(const BatchShape& batch, const std::vector<std::int64_t>& places,
                            const std::vector<double>& values) {
    if (batch.layout == "dense") return tensor_of(values, batch.shape(), batch.dtype);
    const auto count = static_cast<std::int64_t>(places.size());
    if (batch.layout == "rows")
        return AnyMasked::rows(batch.shape(), places, tensor_of(values, {count, batch.dim}, batch.dtype));
    std::vector<std::int64_t> row, column;
    for (const std::int64_t place : places) {
        row.push_back(place / batch.dim);
        column.push_back(place % batch.dim);
    }
    const AnyMasked listed =
        AnyMasked::coo(batch.shape(), std::vector{row, column}, tensor_of(values, {count}, batch.dtype));
    if (batch.layout == "csr") return listed.coalesce().to(Layout::csr);
    return listed;
}

/// Parts [first, last) of a step, each by itself.
inline std::vector<Argument> parts_of(const BatchShape& batch, std::int64_t step, int first, int last) {
    std::vector<Argument> parts;
    for (int number = first; number < last; ++number) {
        const Part part(batch, step, number);
        std::vector<double> values;
        part.append_values(values);
        parts.push_back(gradient_of(batch, part.places(), values));
    }
    return parts;
}

/// All parts of a step as one list.  Precondition: the layout is one of lists.
inline Argument whole_of(const BatchShape& batch, std::int64_t step) {
    std::vector<std::int64_t> places;
    std::vector<double> values;
    for (int number = 0; number < batch.parts; ++number) {
        const Part part(batch, step, number);
        places.insert(places.end(), part.places().begin(), part.places().end());
        part.append_values(values);
    }
    return gradient_of(batch, places, values);
}

/// The first value of an element.
inline double initial(const BatchShape& batch, std::int64_t position) {
    return uniform(random(batch.seed, 3, static_cast<std::uint64_t>(position)));
}
inline AnyTensor initial_tensor(const BatchShape& batch) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < batch.rows * batch.dim; ++i) values.push_back(initial(batch, i));
    return tensor_of(values, batch.shape(), batch.dtype);
}

}  // namespace mpi_check
