// SPDX-License-Identifier: MIT
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "measure.hpp"

#include <algorithm>
#include <cmath>

namespace frisket::cli {

namespace {

constexpr std::int64_t side = 64;

struct Piece {
    Tensor<bool> mask;
    std::int64_t specified = 0;
};

/// The piece whose density is nearest to the whole mask's, and not 0 if that can be.
Piece piece_of(const Tensor<bool>& mask) {
    // A list of elements is taken as rows of 64.
    const std::int64_t rows =
        mask.rank() < 2 ? std::max<std::int64_t>(mask.size() / side, 1) : mask.shape()[0];
    const std::int64_t columns = mask.size() / std::max<std::int64_t>(rows, 1);
    const std::int64_t height = std::min(side, rows), width = std::min(side, columns);
    const bool* const set = mask.data();
    const auto all = static_cast<double>(std::count(set, set + mask.size(), true));
    const double wanted = all / static_cast<double>(mask.size()) * static_cast<double>(height * width);
    Piece best;
    double least = 1e30;
    constexpr int most_tried = 4096;
    int tried = 0;
    for (std::int64_t y = 0; y + height <= rows && tried < most_tried; y += height)
        for (std::int64_t x = 0; x + width <= columns && tried < most_tried; x += width, ++tried) {
            Piece piece{.mask = Tensor<bool>({height, width})};
            for (std::int64_t v = 0; v < height; ++v)
                for (std::int64_t u = 0; u < width; ++u) {
                    const bool is_set = set[(y + v) * columns + x + u];
                    piece.mask.data()[v * width + u] = is_set;
                    piece.specified += is_set;
                }
            const double apart =
                piece.specified == 0 ? 1e20 : std::abs(static_cast<double>(piece.specified) - wanted);
            if (apart >= least) continue;
            least = apart;
            best = std::move(piece);
        }
    return best;
}

}  // namespace

void take_pictures(const Subject& subject, Report& report) {
    const Piece piece = piece_of(mask_of(subject.pattern, subject.shape));
    if (piece.mask.size() == 0) {
        report.why_no_pictures = "The mask has no elements.";
        return;
    }
    report.picture_rows = piece.mask.shape()[0], report.picture_columns = piece.mask.shape()[1];
    report.specified.assign(piece.mask.data(), piece.mask.data() + piece.mask.size());
    const Layout walked[] = {runtime::kernel_layout(subject.layout)};
    try {
        const StepArguments arguments(
            subject.step, subject.numbers, piece.mask.shape(), [&](const Shape&) { return piece.mask; },
            subject.layout);
        for (const Strategy strategy : kernel_calls::legal_strategies(signature_of(subject.step), walked)) {
            const Schedule made = default_schedule(strategy);
            report.pictures.push_back(
                {made, codegen::footprint_of(subject.step, made, arguments.arguments())});
        }
    } catch (const LayoutError& error) { report.why_no_pictures = error.what(); }
}

}  // namespace frisket::cli
