// SPDX-License-Identifier: MIT
#include "tensor_files.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "file.hpp"
#include "npy_header.hpp"

namespace frisket {

using namespace runtime;

namespace {

static_assert(std::endian::native == std::endian::little, "elements go to files as they lie in memory");

npy::Header read_header(FileReader& file) {
    const std::string magic = file.read(npy::magic.size(), "the magic bytes that begin an .npy file");
    if (magic.starts_with("PK"))
        file.refuse(
            "it is an archive of arrays (.npz), wanted one array (.npy): unpack it, or numpy.save it");
    if (magic != npy::magic) file.refuse("it does not begin with \\x93NUMPY: it is no .npy file");
    const std::string version = file.read(2, "the version");
    const int major = static_cast<unsigned char>(version[0]), minor = static_cast<unsigned char>(version[1]);
    if (major < 1 || major > 3 || minor != 0)
        file.refuse("it is of format " + std::to_string(major) + "." + std::to_string(minor) +
                    ", wanted 1.0, 2.0 or 3.0");
    const auto length =
        static_cast<std::size_t>(little_endian(file.read(major == 1 ? 2 : 4, "the length of the header")));
    if (length > npy::max_text)
        file.refuse("its header has " + std::to_string(length) + " bytes, wanted at most " +
                    std::to_string(npy::max_text));
    const std::size_t begin = file.at();
    return npy::parse_header(file.read(length, "the header"), begin, file.where());
}

/// Bytes of all elements; refuses other lengths of the rest of the file.
void check_length(const FileReader& file, const npy::Header& header) {
    const std::string array =
        "shape " + to_string(header.shape) + " of " + std::string(name_of(header.dtype));
    const std::uint64_t wanted = array_bytes(file, array, header.dtype, header.shape);
    if (file.left() < wanted)
        file.refuse("it has " + std::to_string(file.left()) + " bytes of elements, " + array + " has " +
                    std::to_string(wanted) + ": it was cut off, save it again");
    if (file.left() > wanted)
        file.refuse("it has " + std::to_string(file.left() - wanted) + " bytes after the elements of " +
                    array + ", wanted none: one array a file");
}

AnyTensor read_elements(FileReader& file, const npy::Header& header) {
    AnyTensor memory(header.dtype, header.shape);
    file.read(memory.data(), static_cast<std::size_t>(file.left()));
    if (header.dtype == DType::boolean) check_bools(file, memory);
    if (!header.is_fortran_order) return memory;
    Strides strides = contiguous_strides(Shape(header.shape.rbegin(), header.shape.rend()));
    std::ranges::reverse(strides);
    return {header.dtype, memory.data(), header.shape, std::move(strides), true, memory.owner()};
}

AnyTensor load(const std::string& path, const DType* wanted) {
    FileReader file("load_npy", path, ".npy");
    const npy::Header header = read_header(file);
    check_length(file, header);
    if (wanted != nullptr && *wanted != header.dtype)
        throw DTypeError(file.where() + ": it holds " + std::string(name_of(header.dtype)) + ", wanted " +
                         std::string(name_of(*wanted)) + ": load it as " +
                         std::string(name_of(header.dtype)));
    return read_elements(file, header);
}

}  // namespace

AnyTensor load_npy(const std::string& path) { return load(path, nullptr); }

AnyTensor load_npy(const std::string& path, DType wanted) { return load(path, &wanted); }

void save_npy(const std::string& path, const AnyTensor& tensor) {
    const AnyTensor whole = as_written(tensor, "save_npy");
    FileWriter file("save_npy", path);
    const std::string header = npy::format_header(whole.dtype(), whole.shape(), file.where());
    file.write(header.data(), header.size());
    file.write(whole.data(), static_cast<std::size_t>(whole.size()) * bytes_of(whole.dtype()));
    file.replace();
}

}  // namespace frisket
