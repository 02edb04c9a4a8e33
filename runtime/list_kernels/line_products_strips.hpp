// SPDX-License-Identifier: MIT
// Internal: the line of a list times a matrix, for the vectors `V` of an instruction set.  A file of that set
// includes this text in its namespace, FRISKET_STRIPS being the attributes of its functions.
#pragma once

/// The order in which rows are added: in float64 one by one, as they have no factors; or products in panels,
/// whose sums are added in float64: with a branch for each panel, or, of entries of which most begin one,
/// without it.
enum class Sums { rows, panels, short_panels };

/// Columns of the rows of a matrix, in vectors side by side, the last of which may be cut off.
template <class V, int vectors, Sums order, class To>
FRISKET_STRIPS void add_strip(const LineEntries<typename V::T>& line, const MatrixRows<typename V::T>& strip,
                              To* to) {
    constexpr int last = vectors - 1, in_cache_line = 64 / sizeof(typename V::Vector);
    const std::int64_t rest = strip.length - last * V::lanes;
    const auto cut = V::first_lanes(rest);
    typename V::Vector sums[vectors];
    typename V::Totals totals[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
        sums[v] = V::zero();
        totals[v] = V::no_totals();
    }
    std::int64_t panel_end = product_panel, panel = 0;
    const std::int64_t known = line.count + line.ahead - 1;
    for (std::int64_t i = 0; i < line.count; ++i) {
        const auto* const next =
            reinterpret_cast<const char*>(strip.row(line.inner[std::min(i + rows_ahead, known)]));
        for (int v = 0; v < vectors; v += in_cache_line)
            _mm_prefetch(next + v * sizeof(typename V::Vector), _MM_HINT_T0);
        const typename V::T* const row = strip.row(line.inner[i]);
        if constexpr (order != Sums::rows) {
            if constexpr (order == Sums::short_panels) {
                const std::int64_t here = line.inner[i] / product_panel;
                const bool is_next = here != panel;
                panel = here;
#pragma GCC unroll 8
                for (int v = 0; v < vectors; ++v) {
                    V::add_panel(totals[v], V::where(is_next, sums[v]));
                    sums[v] = V::where(!is_next, sums[v]);
                }
            } else if (line.inner[i] >= panel_end) {
                panel_end = (line.inner[i] / product_panel + 1) * product_panel;
#pragma GCC unroll 8
                for (int v = 0; v < vectors; ++v) {
                    V::add_panel(totals[v], sums[v]);
                    sums[v] = V::zero();
                }
            }
            const typename V::Vector factor = V::all(line.values + i);
#pragma GCC unroll 8
            for (int v = 0; v < last; ++v) sums[v] = V::fma(factor, V::load(row + v * V::lanes), sums[v]);
            sums[last] = V::fma(factor, V::load(row + last * V::lanes, cut), sums[last]);
        } else {
#pragma GCC unroll 8
            for (int v = 0; v < last; ++v) V::add_panel(totals[v], V::load(row + v * V::lanes));
            V::add_panel(totals[last], V::load(row + last * V::lanes, cut));
        }
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
        if constexpr (order != Sums::rows) V::add_panel(totals[v], sums[v]);
        if constexpr (!std::is_same_v<typename V::T, To>)
            std::memcpy(to + v * V::lanes, &totals[v],
                        sizeof(To) * static_cast<std::size_t>(v < last ? V::lanes : rest));
        else if (v < last)
            V::store(to + v * V::lanes, V::rounded(totals[v]));
        else
            V::store(to + v * V::lanes, cut, V::rounded(totals[v]));
    }
}

template <class V, Sums order, class T, class To>
FRISKET_STRIPS void add_strips_in(const LineEntries<T>& line, const MatrixRows<T>& matrix, To* to) {
    constexpr int most = 4;
    for (std::int64_t n = 0; n < matrix.length; n += most * V::lanes) {
        const MatrixRows<T> strip{.data = matrix.data + n,
                                  .stride = matrix.stride,
                                  .length = std::min<std::int64_t>(most * V::lanes, matrix.length - n)};
        switch ((strip.length + V::lanes - 1) / V::lanes) {
            case 4: add_strip<V, 4, order>(line, strip, to + n); break;
            case 3: add_strip<V, 3, order>(line, strip, to + n); break;
            case 2: add_strip<V, 2, order>(line, strip, to + n); break;
            default: add_strip<V, 1, order>(line, strip, to + n);
        }
    }
}

template <class V, class T>
FRISKET_STRIPS void add_strips(const LineEntries<T>& line, const MatrixRows<T>& matrix, T* to) {
    constexpr std::int64_t most = 8;  // entries of a panel for which a branch costs more than it saves
    const auto panel_of = [&](std::int64_t i) { return line.inner[i] / product_panel; };
    if (line.count > 0 && (panel_of(line.count - 1) - panel_of(0)) * most > line.count)
        add_strips_in<V, Sums::short_panels>(line, matrix, to);
    else
        add_strips_in<V, Sums::panels>(line, matrix, to);
}
