// SPDX-License-Identifier: MIT
#include <algorithm>

#include "../bits.hpp"
#include "../layouts/layout.hpp"
#include "frame.hpp"

/// Loops over lists: of positions (gather) and of rows.
namespace frisket {

namespace {

constexpr std::int64_t int32_limit = (std::int64_t{1} << 31) - 1;

const halide_type_t words_type(halide_type_uint, 64);
const halide_type_t index_type(halide_type_int, 32);

/// Whether all Masked parameters of the domain are stored in `layout`.
bool domain_stored_as(const Call& call, Layout layout) {
    if (call.signature.domain < 0) return false;
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_listed(i) && call.layout(i) != layout) return false;
    return true;
}

/// Operands that a list loop reads at the list's positions: all tensors that are not listed themselves.
bool reads_at_positions(const Call& call, int i) { return call.is_tensor(i) && !call.is_listed(i); }

/// A Masked parameter of another mask, as flat values and bit words.
FlatOperand spread(const Call& call, int i) {
    const AnyMasked masked = call.arguments[i].kind() == Argument::Kind::masked
                                 ? call.arguments[i].masked()
                                 : AnyMasked::dense(call.arguments[i].tensor());
    Frame& frame = call.frame;
    frame.temporaries[i] = dense_values(masked);
    if (!frame.temporaries[i].is_contiguous()) frame.temporaries[i] = frame.temporaries[i].clone();
    frame.words[i].resize(static_cast<std::size_t>(words_for(call.count)));
    bits_of(masked, frame.words[i].data());
    return {.values = frame.temporaries[i].data(), .words = frame.words[i].data()};
}

/// Offsets in elements from a tensor's first element, for row-major positions of its shape.
class Offsets {
public:
    explicit Offsets(const AnyTensor& tensor) {
        for (int d = tensor.rank(); d-- > 0;)
            if (tensor.shape()[d] > 1) dims_.push_back({tensor.shape()[d], tensor.strides()[d]});
    }
    bool operator==(const Offsets& other) const = default;
    std::int64_t operator()(std::int64_t position) const {
        std::int64_t offset = 0;
        for (const auto& [extent, stride] : dims_) {
            offset += position % extent * stride;
            position /= extent;
        }
        return offset;
    }
    /// Largest offset + 1, or 0 if an offset could be negative.
    std::int64_t extent() const {
        std::int64_t extent = 1;
        for (const auto& [count, stride] : dims_) {
            if (stride < 0) return 0;
            extent += (count - 1) * stride;
        }
        return extent;
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> dims_;  // extent, stride; innermost first
};

/// The coordinates of a COO argument, duplicates summed; kept alive by the frame.
Coordinates coordinates(const Call& call, int i) {
    Coordinates found = coordinates_of(call.arguments[i].masked());
    call.frame.temporaries[i] = found.values;
    return found;
}

}  // namespace

void run_gather(const Call& call, PositionList list, std::span<const void* const> listed,
                std::span<const FlatOperand> flat, std::int64_t extent) {
    if (list.positions.empty()) return;
    const auto length = static_cast<std::int64_t>(list.positions.size());
    call.begin_loop();
    LoopArguments& loop = call.frame.loop;
    const LoopDim index_dims[] = {{length, 1}};
    loop.add(list.positions.data(), index_type, index_dims);
    auto add_flat = [&](int i) {
        const DType dtype = call.parameter(i).dtype;
        loop.add(static_cast<const std::byte*>(flat[i].values) + list.first * bytes_of(dtype), dtype, {{extent, 1}});
    };
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_written(i)) continue;
        if (call.is_listed(i)) {
            loop.add(listed[i], call.parameter(i).dtype, {{length, 1}});
            continue;
        }
        add_flat(i);
        const LoopDim word_dims[] = {{words_for(extent), 1}};
        if (call.is_masked(i)) loop.add(flat[i].words + list.first / 64, words_type, word_dims);
    }
    for (int i : call.signature.outputs) add_flat(i);
    call.source.run(Strategy::gather, loop.argv());
}

bool run_listed(const Call& call) {
    if (!domain_stored_as(call, Layout::coo)) return false;
    // One list serves all operands if they have the same strides; others take the strided loop.
    const Offsets offsets(call.values(call.signature.updates.front().target));
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (call.is_listed(i) && call.shape(i) != call.space) return false;
        if (!reads_at_positions(call, i)) continue;
        if (call.shape(i) != call.space || (!call.is_masked(i) && !(Offsets(call.values(i)) == offsets))) return false;
        if (call.is_masked(i) && !call.values(call.signature.updates.front().target).is_contiguous()) return false;
    }
    const bool contiguous = call.values(call.signature.updates.front().target).is_contiguous();
    const std::int64_t extent = contiguous ? call.count : offsets.extent();
    if (extent == 0 || (!contiguous && extent > int32_limit)) return false;

    std::vector<const void*> listed(call.arguments.size(), nullptr);
    std::vector<FlatOperand> flat(call.arguments.size());
    Coordinates domain;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (call.is_listed(i)) {
            const Coordinates found = coordinates(call, i);
            if (i == call.signature.domain) domain = found;
            listed[i] = found.values.data();
        } else if (call.is_masked(i)) {
            flat[i] = spread(call, i);
        } else if (call.is_tensor(i)) {
            flat[i] = {.values = call.values(i).data()};
        }
    }
    if (contiguous && domain.positions.is_narrow()) {
        run_gather(call, {.positions = domain.positions.narrow()}, listed, flat, extent);
        return true;
    }
    // Positions past 32 bits are walked in segments, and those of tensors with gaps become offsets.
    auto& positions = call.frame.positions;
    for (std::int64_t done = 0; done < domain.positions.size();) {
        const std::int64_t first = domain.positions[done] / segment_elements * segment_elements;
        positions.clear();
        std::int64_t next = done;
        for (; next < domain.positions.size() && domain.positions[next] < first + segment_elements; ++next)
            positions.push_back(static_cast<std::int32_t>(contiguous ? domain.positions[next] - first
                                                                     : offsets(domain.positions[next])));
        auto part = listed;
        for (int i = 0; i < call.parameter_count(); ++i)
            if (part[i]) part[i] = static_cast<const std::byte*>(part[i]) + done * bytes_of(call.parameter(i).dtype);
        run_gather(call, {.positions = positions, .first = contiguous ? first : 0}, part, flat,
                   contiguous ? std::min(segment_elements, extent - first) : extent);
        done = next;
    }
    return true;
}

namespace {

/// A tensor seen as rows without gaps of `length` elements: the stride between rows, or nothing.
std::optional<std::int64_t> row_stride(const AnyTensor& tensor, const Shape& space) {
    const std::span inner(space.begin() + 1, space.end());
    const std::span shape(tensor.shape());
    if (shape.size() < inner.size() || shape.size() > space.size()) return {};
    const std::size_t leading = shape.size() - inner.size();
    if (!std::ranges::equal(shape.subspan(leading), inner)) return {};
    if (!is_contiguous(inner, std::span(tensor.strides()).subspan(leading))) return {};
    return leading == 1 && shape[0] == space[0] ? tensor.strides()[0] : 0;  // a single row is repeated
}

}  // namespace

bool run_rows(const Call& call) {
    if (!domain_stored_as(call, Layout::rows)) return false;
    const std::int64_t length = call.space[0] == 0 ? 0 : call.count / call.space[0];
    std::int64_t widest = length;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (call.is_listed(i) && call.shape(i) != call.space) return false;
        if (!reads_at_positions(call, i)) continue;
        if (call.is_masked(i)) {
            if (call.shape(i) != call.space) return false;
            continue;
        }
        const auto stride = row_stride(call.values(i), call.space);
        if (!stride || *stride < 0) return false;
        widest = std::max(widest, *stride);
    }
    std::vector<const void*> listed(call.arguments.size(), nullptr);
    std::vector<FlatOperand> flat(call.arguments.size());
    Coordinates domain;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (call.is_listed(i)) {
            const Coordinates found = coordinates(call, i);
            if (i == call.signature.domain) domain = found;
            listed[i] = found.values.data();
        } else if (call.is_masked(i)) {
            flat[i] = spread(call, i);
        }
    }
    // Offsets inside a loop are 32 bits wide: far rows are walked in segments whose first row is their origin.  Bits
    // of other masks are addressed by word, so a segment starts at a multiple of 64 rows.
    const std::int64_t rows_per_segment = std::max<std::int64_t>(segment_elements / widest / 64 * 64, 64);
    auto& rows = call.frame.positions;
    for (std::int64_t done = 0; done < domain.positions.size();) {
        const std::int64_t first = domain.positions[done] / rows_per_segment * rows_per_segment;
        std::int64_t next = done;
        std::span<const std::int32_t> list;
        if (first == 0 && domain.positions.is_narrow() && call.space[0] <= rows_per_segment) {
            list = domain.positions.narrow();
            next = domain.positions.size();
        } else {
            rows.clear();
            for (; next < domain.positions.size() && domain.positions[next] < first + rows_per_segment; ++next)
                rows.push_back(static_cast<std::int32_t>(domain.positions[next] - first));
            list = rows;
        }
        const auto count = static_cast<std::int64_t>(list.size());
        const std::int64_t row_count = std::min(rows_per_segment, call.space[0] - first);
        call.begin_loop();
        LoopArguments& loop = call.frame.loop;
        const LoopDim index_dims[] = {{count, 1}};
        loop.add(list.data(), index_type, index_dims);
        auto add_rows = [&](int i, const void* data, std::int64_t stride) {
            const DType dtype = call.parameter(i).dtype;
            loop.add(static_cast<const std::byte*>(data) + first * stride * bytes_of(dtype), dtype,
                     {{length, 1}, {row_count, stride}});
        };
        for (int i = 0; i < call.parameter_count(); ++i) {
            if (!call.is_tensor(i) || call.is_written(i)) continue;
            if (call.is_listed(i)) {
                const DType dtype = call.parameter(i).dtype;
                loop.add(static_cast<const std::byte*>(listed[i]) + done * length * bytes_of(dtype), dtype,
                         {{length, 1}, {count, length}});
            } else if (call.is_masked(i)) {
                add_rows(i, flat[i].values, length);
                const LoopDim word_dims[] = {{words_for(row_count * length), 1}};
                loop.add(flat[i].words + first * length / 64, words_type, word_dims);
            } else {
                add_rows(i, call.values(i).data(), *row_stride(call.values(i), call.space));
            }
        }
        for (int i : call.signature.outputs) add_rows(i, call.values(i).data(), *row_stride(call.values(i), call.space));
        call.source.run(Strategy::rows, loop.argv());
        done = next;
    }
    return true;
}

}  // namespace frisket
