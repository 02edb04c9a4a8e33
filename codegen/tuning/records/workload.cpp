// SPDX-License-Identifier: MIT
#include "workload.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "../../../runtime/layouts/layout_traits.hpp"
#include "../../loops/threads.hpp"

namespace frisket::codegen {

namespace {

/// Bytes that calls wrote, those that are right, those that were there before.
struct WrittenBytes {
    std::byte* now;
    const std::byte *right, *before;
    std::size_t count;
    std::atomic<bool> is_right{true};
};

constexpr std::size_t block_bytes = std::size_t{1} << 14, task_bytes = 64 * block_bytes;

int check_and_reset(void* /*context*/, int task, std::uint8_t* closure) {
    WrittenBytes& bytes = *reinterpret_cast<WrittenBytes*>(closure);
    const std::size_t begin = static_cast<std::size_t>(task) * task_bytes,
                      end = std::min(begin + task_bytes, bytes.count);
    for (std::size_t at = begin; at < end; at += block_bytes) {
        const std::size_t some = std::min(block_bytes, end - at);
        if (std::memcmp(bytes.now + at, bytes.right + at, some) != 0) bytes.is_right = false;
        std::memcpy(bytes.now + at, bytes.before + at, some);
    }
    return 0;
}

}  // namespace

Workload::Workload(const Signature& signature, std::span<const Argument> arguments, const Device& device)
    : device_(device), arguments_(arguments.begin(), arguments.end()) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        Argument& argument = arguments_[i];
        if (argument.kind() == Argument::Kind::tensor)
            argument = Argument::borrow(moved_.emplace_back(argument.tensor().to(device)));
        if (argument.kind() == Argument::Kind::masked)
            argument = Argument::borrow(moved_masked_.emplace_back(argument.masked().to(device)));
        if (argument.kind() == Argument::Kind::state) {
            states_came_.push_back(argument.number());
            argument = Argument::state(states_.emplace_back(argument.number()));
        } else if (argument.kind() == Argument::Kind::tensor && signature.writes(static_cast<int>(i))) {
            const AnyTensor& came = argument.tensor();
            if (!came.is_contiguous())
                throw ShapeError(signature.name + ": " + signature.parameters[i].name +
                                 " has gaps between its elements, and loops over gaps have nothing to tune: "
                                 "give a tensor without, clone() makes one");
            argument = written_.emplace_back(Written{came, came.clone()}).tensor;
        }
    }
}

void Workload::reset() {
    for (const Written& written : written_) copy(written.came, written.tensor);
    std::ranges::copy(states_came_, states_.begin());
}

bool Workload::has_written(std::span<const AnyTensor> right) {
    bool is_right = true;
    for (std::size_t i = 0; i < written_.size(); ++i) {
        const auto bytes_in = [](const AnyTensor& tensor) { return static_cast<std::byte*>(tensor.data()); };
        const AnyTensor tensor = written_[i].tensor.to(Device());  // itself, unless it is on a device
        const AnyTensor came = written_[i].came.to(Device());
        WrittenBytes bytes{.now = bytes_in(tensor),
                           .right = bytes_in(right[i]),
                           .before = bytes_in(came),
                           .count = static_cast<std::size_t>(tensor.size() * bytes_of(tensor.dtype()))};
        const auto tasks = static_cast<int>((bytes.count + task_bytes - 1) / task_bytes);
        run_tasks(nullptr, check_and_reset, 0, tasks, reinterpret_cast<std::uint8_t*>(&bytes));
        if (!device_.is_cpu()) copy(written_[i].came, written_[i].tensor);
        is_right = is_right && bytes.is_right;
    }
    std::ranges::copy(states_came_, states_.begin());
    return is_right;
}

std::vector<AnyTensor> Workload::written() const {
    std::vector<AnyTensor> tensors;
    for (const Written& written : written_)
        tensors.push_back(device_.is_cpu() ? written.tensor.clone() : written.tensor.to(Device()));
    return tensors;
}

namespace {

/// The entries of a list that are below a bound, with their values.
AnyMasked below(const AnyMasked& masked, Shape shape, std::int64_t bound) {
    const IndexList& index = *masked.index();
    std::vector<std::int64_t> kept, entries;
    for (std::int64_t i = 0; i < index.size(); ++i)
        if (index[i] < bound) {
            kept.push_back(index[i]);
            entries.push_back(i);
        }
    const AnyTensor values = masked.values().is_contiguous() ? masked.values() : masked.values().clone();
    const std::int64_t length = values.size() / std::max<std::int64_t>(index.size(), 1);
    std::vector<std::int64_t> offsets;
    for (const std::int64_t entry : entries)
        for (std::int64_t k = 0; k < length; ++k) offsets.push_back(entry * length + k);
    Shape stored = values.shape();
    stored[0] = static_cast<std::int64_t>(kept.size());
    return AnyMasked::indexed(masked.layout(), std::move(shape), runtime::share(std::move(kept), bound),
                              runtime::gathered(values, offsets).reshape(std::move(stored)));
}

AnyMasked first_rows(const AnyMasked& given, std::int64_t rows) {
    const AnyMasked masked =
        runtime::kernel_layout(given.layout()) == Layout::coo ? given.to(Layout::coo) : given;
    Shape shape = masked.shape();
    shape[0] = rows;
    const auto part = [rows](const AnyTensor& tensor) { return tensor.slice(0, 0, rows); };
    using runtime::MaskForm;
    switch (runtime::traits_of(masked.layout()).mask) {
        case MaskForm::none: return AnyMasked::dense(part(masked.values()));
        case MaskForm::bytes: return AnyMasked::strided(part(masked.values()), part(masked.mask()));
        case MaskForm::bits: return AnyMasked::bitmask(part(masked.values()), masked.mask());
        case MaskForm::elements: return below(masked, shape, element_count(shape));
        case MaskForm::rows: return below(masked, shape, rows);
        default: return first_rows(masked.to(Layout::strided), rows);
    }
}

}  // namespace

Reduced::Reduced(std::span<const Argument> arguments, const Shape& space, std::int64_t most_elements)
    : arguments_(arguments.begin(), arguments.end()) {
    const std::int64_t elements = element_count(space);
    if (elements <= most_elements || space[0] == 1) return;
    const std::int64_t rows = std::max<std::int64_t>(1, most_elements / (elements / space[0]));
    for (Argument& argument : arguments_) {
        const bool has_shape =
            argument.kind() == Argument::Kind::tensor || argument.kind() == Argument::Kind::masked;
        if (!has_shape) continue;
        const Shape& shape = argument.shape();
        if (shape.size() != space.size() || shape[0] != space[0]) continue;
        argument = argument.kind() == Argument::Kind::tensor
                       ? Argument(tensors_.emplace_back(argument.tensor().slice(0, 0, rows)))
                       : Argument(masked_.emplace_back(first_rows(argument.masked(), rows)));
    }
}

}  // namespace frisket::codegen
