// SPDX-License-Identifier: MIT
#include "scattered_products.hpp"

#include "../limits.hpp"
#include "../tensor/result_memory.hpp"

#include <algorithm>
#include <utility>

namespace frisket::list_kernels {

namespace {

/// Sums of the columns of a list, panel by panel.
template <class T>
class ColumnSums {
public:
    ColumnSums(std::int64_t columns, bool has_panels)
        : sums_(static_cast<std::size_t>(columns)),
          is_found_(static_cast<std::size_t>(columns)),
          totals_(has_panels ? static_cast<std::size_t>(columns) : 0) {}

    void add(const LineEntries<T>& line, T factor) {
        add_products<T>(line, factor, {.sums = sums_.data(), .is_found = is_found_.data()});
    }
    void end_panel() {
        for (std::size_t i = 0; i < totals_.size(); ++i)
            totals_[i] += static_cast<double>(std::exchange(sums_[i], T{0}));
    }
    /// The sums that were found; these are moved to the front.
    LineResults results(DType dtype) {
        LineResults made;
        made.numbers.resize(sums_.size());
        std::size_t count = 0;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            made.numbers[count] = static_cast<std::int64_t>(i);
            sums_[count] = result(i);
            count += is_found_[i];
        }
        made.numbers.resize(count);
        made.values = runtime::result_tensor(dtype, {static_cast<std::int64_t>(count), 1});
        std::copy_n(sums_.begin(), count, static_cast<T*>(made.values.data()));
        return made;
    }

private:
    T result(std::size_t i) const {
        if constexpr (std::is_integral_v<T>)
            return sums_[i];
        else  // a sum is no -0
            return static_cast<T>((totals_.empty() ? 0.0 : totals_[i]) + static_cast<double>(sums_[i]));
    }

    std::vector<T> sums_;
    std::vector<std::uint8_t> is_found_;
    std::vector<double> totals_;  // sums of earlier panels; empty: there is one panel
};

}  // namespace

template <class T>
std::optional<LineResults> scattered_products(const StoredMatrix& list, const MatrixRows<T>& column) {
    using limits::product_panel;
    constexpr std::int64_t columns_of_entry = 8, most_entries = 1 << 20, most_bytes = 1 << 20;
    const std::int64_t panels = std::is_integral_v<T> ? 1 : (list.rows + product_panel - 1) / product_panel;
    const std::int64_t entries = list.lines.size();
    if (entries > most_entries || entries * columns_of_entry < list.columns * panels) return {};
    if (list.columns * static_cast<std::int64_t>(sizeof(T) + 1) > most_bytes) return {};
    ColumnSums<T> sums(list.columns, panels > 1);
    const LineBlock block = list.lines.lines(0, entries);
    const T* const values = static_cast<const T*>(list.values.data());
    std::int64_t panel_end = product_panel;
    for (std::size_t line = 0; line < block.numbers.size(); ++line) {
        const std::int64_t row = block.numbers[line], first = block.starts[line];
        if (panels > 1 && row >= panel_end) {
            sums.end_panel();
            panel_end = (row / product_panel + 1) * product_panel;
        }
        sums.add({.values = values + first,
                  .inner = block.inner.data() + first,
                  .count = block.starts[line + 1] - first},
                 *column.row(row));
    }
    if (panels > 1) sums.end_panel();
    return sums.results(list.values.dtype());
}

template std::optional<LineResults> scattered_products(const StoredMatrix&, const MatrixRows<std::int32_t>&);
template std::optional<LineResults> scattered_products(const StoredMatrix&, const MatrixRows<std::int64_t>&);
template std::optional<LineResults> scattered_products(const StoredMatrix&, const MatrixRows<float>&);
template std::optional<LineResults> scattered_products(const StoredMatrix&, const MatrixRows<double>&);

}  // namespace frisket::list_kernels
