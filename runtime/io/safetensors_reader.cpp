// SPDX-License-Identifier: MIT
#include "safetensors_reader.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace frisket::runtime {

using safetensors::Entry;

namespace {

static_assert(std::endian::native == std::endian::little, "elements go to files as they lie in memory");

/// Refuses an entry whose bytes do not follow the last entry's, or are not those that its shape takes.  The
/// sizes of foreign dtypes are unknown.
void check_place(const FileReader& file, const Entry& entry, std::uint64_t end_before) {
    const bool is_foreign = !entry.foreign_dtype.empty();
    const std::string array = entry.name + " of shape " + to_string(entry.shape) + " of " +
                              (is_foreign ? entry.foreign_dtype : std::string(name_of(entry.dtype)));
    const std::uint64_t bytes =
        is_foreign ? entry.end - entry.begin : array_bytes(file, array, entry.dtype, entry.shape);
    if (entry.end < entry.begin || entry.end - entry.begin != bytes)
        file.refuse(array + " lies from byte " + std::to_string(entry.begin) + " to " +
                    std::to_string(entry.end) + ", wanted " + std::to_string(bytes) + " bytes");
    if (entry.begin != end_before)
        file.refuse(array + " begins at byte " + std::to_string(entry.begin) +
                    ", and what lies before it ends at " + std::to_string(end_before) +
                    ": tensors lie one behind another");
}

}  // namespace

SafetensorsReader::SafetensorsReader(const std::string& path)
    : file_("load_safetensors", path, ".safetensors") {
    const std::uint64_t length = little_endian(file_.read(8, "the length of the header"));
    if (length > safetensors::max_header || length > file_.left())
        file_.refuse("its header has " + std::to_string(length) + " bytes, and the file has " +
                     std::to_string(file_.left()) + " left: it is no .safetensors file, or was cut off");
    header_ = safetensors::parse_header(file_.read(length, "the header"), file_.where());
    begin_ = file_.at();
    std::ranges::stable_sort(header_.entries, {},
                             [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
    std::uint64_t end = 0;
    for (const Entry& entry : header_.entries) {
        check_place(file_, entry, end);
        end = entry.end;
    }
    if (end != file_.left())
        file_.refuse("its tensors have " + std::to_string(end) + " bytes, and " +
                     std::to_string(file_.left()) + " are there: it was cut off, or is no .safetensors file");
}

const Entry* SafetensorsReader::find(std::string_view name) const {
    const auto found = std::ranges::find(header_.entries, name, &Entry::name);
    return found == header_.entries.end() ? nullptr : &*found;
}

void SafetensorsReader::check_dtype(const Entry& entry) const {
    if (!entry.foreign_dtype.empty())
        refuse(entry.name + " has dtype " + entry.foreign_dtype + ", wanted one of " +
               safetensors::dtype_names() +
               ": save it as one of them, or load other tensors by name, load_safetensors(path, name)");
}

AnyTensor SafetensorsReader::read(const Entry& entry) {
    check_dtype(entry);
    AnyTensor tensor(entry.dtype, entry.shape);
    file_.move_to(begin_ + entry.begin);
    file_.read(tensor.data(), static_cast<std::size_t>(entry.end - entry.begin));
    if (entry.dtype == DType::boolean) check_bools(file_, tensor);
    return tensor;
}

void SafetensorsReader::read_rows(const Entry& entry, std::int64_t first, std::int64_t count, void* to) {
    check_dtype(entry);
    if (entry.shape.empty() || entry.shape[0] == 0) return;
    const std::uint64_t bytes = (entry.end - entry.begin) / static_cast<std::uint64_t>(entry.shape[0]);
    file_.move_to(begin_ + entry.begin + static_cast<std::uint64_t>(first) * bytes);
    file_.read(to, static_cast<std::size_t>(count) * bytes);
}

}  // namespace frisket::runtime
