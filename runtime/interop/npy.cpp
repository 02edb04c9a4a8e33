// SPDX-License-Identifier: MIT
#include "npy.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "npy_header.hpp"

namespace frisket {

namespace {

static_assert(std::endian::native == std::endian::little, "elements go to files as they lie in memory");

struct CloseFile {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string reason(int error) { return std::generic_category().message(error); }

/// A file that is read from its begin to its end, and whose length is known.
class Reader {
public:
    explicit Reader(const std::string& path) : where_("load_npy: " + path) {
        std::error_code error;
        const auto status = std::filesystem::status(path, error);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
            refuse("it is no regular file, wanted one: give the path of an .npy file");
        file_.reset(std::fopen(path.c_str(), "rb"));
        if (!file_) refuse("it cannot be opened: " + reason(errno));
        struct stat status_now{};  // of what was opened: the path may stand for another file by now
        if (fstat(fileno(file_.get()), &status_now) != 0) refuse("its size cannot be read: " + reason(errno));
        left_ = static_cast<std::uint64_t>(status_now.st_size);
    }

    [[noreturn]] void refuse(const std::string& sentence) const { throw IoError(where_ + ": " + sentence); }

    const std::string& where() const { return where_; }
    std::size_t at() const { return at_; }
    std::uint64_t left() const { return left_; }

    /// The next bytes of the file, at most as many as are left.
    void read(void* to, std::size_t bytes) {
        if (bytes == 0) return;
        errno = 0;
        const std::size_t found = std::fread(to, 1, bytes, file_.get());
        if (found != bytes)
            refuse("reading ended after " + std::to_string(at_ + found) + " bytes, " +
                   (errno != 0 ? reason(errno) : "as if it had been cut off meanwhile") + ": read it again");
        at_ += bytes;
        left_ -= bytes;
    }
    std::string read(std::size_t bytes, const char* what) {
        if (left_ < bytes)
            refuse("it ends after " + std::to_string(at_ + left_) + " bytes, in " + what +
                   ": it was cut off, save it again");
        std::string text(bytes, '\0');
        read(text.data(), bytes);
        return text;
    }

private:
    std::string where_;
    File file_;
    std::size_t at_ = 0;
    std::uint64_t left_ = 0;
};

std::size_t little_endian(const std::string& bytes) {
    std::size_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) number = number * 256 + static_cast<unsigned char>(bytes[i]);
    return number;
}

npy::Header read_header(Reader& file) {
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
    const std::size_t length = little_endian(file.read(major == 1 ? 2 : 4, "the length of the header"));
    if (length > npy::max_text)
        file.refuse("its header has " + std::to_string(length) + " bytes, wanted at most " +
                    std::to_string(npy::max_text));
    const std::size_t begin = file.at();
    return npy::parse_header(file.read(length, "the header"), begin, file.where());
}

/// Bytes of all elements; refuses other lengths of what is left of the file.
void check_length(const Reader& file, const npy::Header& header) {
    const std::string array =
        "shape " + to_string(header.shape) + " of " + std::string(name_of(header.dtype));
    std::int64_t bytes = 0;
    bool fits = true;
    try {
        fits = !__builtin_mul_overflow(element_count(header.shape), bytes_of(header.dtype), &bytes);
    } catch (const ShapeError&) { fits = false; }
    if (!fits) file.refuse(array + " has more than 2^63 - 1 bytes: no file holds that");
    const auto wanted = static_cast<std::uint64_t>(bytes);
    if (file.left() < wanted)
        file.refuse("it has " + std::to_string(file.left()) + " bytes of elements, " + array + " has " +
                    std::to_string(wanted) + ": it was cut off, save it again");
    if (file.left() > wanted)
        file.refuse("it has " + std::to_string(file.left() - wanted) + " bytes after the elements of " +
                    array + ", wanted none: one array a file");
}

/// Bytes of bools are 0 and 1.
void check_bools(const Reader& file, const AnyTensor& memory) {
    const auto* const bytes = static_cast<const std::uint8_t*>(memory.data());
    const auto* const end = bytes + memory.size();
    const auto* const found = std::find_if(bytes, end, [](std::uint8_t byte) { return byte > 1; });
    if (found != end)
        file.refuse("element " + std::to_string(found - bytes) + " of dtype bool is byte " +
                    std::to_string(*found) + ", wanted 0 or 1");
}

AnyTensor read_elements(Reader& file, const npy::Header& header) {
    AnyTensor memory(header.dtype, header.shape);
    file.read(memory.data(), static_cast<std::size_t>(file.left()));
    if (header.dtype == DType::boolean) check_bools(file, memory);
    if (!header.is_fortran_order) return memory;
    Strides strides = contiguous_strides(Shape(header.shape.rbegin(), header.shape.rend()));
    std::ranges::reverse(strides);
    return {header.dtype, memory.data(), header.shape, std::move(strides), true, memory.owner()};
}

AnyTensor load(const std::string& path, const DType* wanted) {
    Reader file(path);
    const npy::Header header = read_header(file);
    check_length(file, header);
    if (wanted != nullptr && *wanted != header.dtype)
        throw DTypeError(file.where() + ": it holds " + std::string(name_of(header.dtype)) + ", wanted " +
                         std::string(name_of(*wanted)) + ": load it as " +
                         std::string(name_of(header.dtype)));
    return read_elements(file, header);
}

/// A file beside the one that it will replace; removed if it does not come to that.
class Writer {
public:
    explicit Writer(const std::string& path) : where_("save_npy: " + path) {
        std::error_code error;
        const auto status = std::filesystem::status(path, error);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
            refuse("it is there and no regular file, wanted one to replace: give another path");
        static std::atomic<unsigned> count{0};
        do {
            name_ = path + "." + std::to_string(getpid()) + "-" + std::to_string(count++) + ".new";
            file_.reset(std::fopen(name_.c_str(), "wbx"));  // x: only if there is no such file
        } while (!file_ && errno == EEXIST);
        if (!file_) refuse("no file can be made beside it: " + reason(errno));
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() {
        if (name_.empty()) return;
        file_.reset();
        (void)std::remove(name_.c_str());
    }

    const std::string& where() const { return where_; }

    void write(const void* from, std::size_t bytes) {
        if (bytes > 0 && std::fwrite(from, 1, bytes, file_.get()) != bytes) refuse(reason(errno));
    }
    /// Makes what was written the file of the path.
    void replace(const std::string& path) {
        if (std::fclose(file_.release()) != 0) refuse(reason(errno));
        if (std::rename(name_.c_str(), path.c_str()) != 0) refuse(reason(errno));
        name_.clear();
    }

private:
    [[noreturn]] void refuse(const std::string& sentence) const {
        throw IoError(where_ + ": it cannot be written: " + sentence);
    }

    std::string where_, name_;
    File file_;
};

/// The tensor without gaps; of bools, any byte but 0 becomes 1.
AnyTensor row_major(const AnyTensor& tensor) {
    if (tensor.dtype() != DType::boolean) return tensor.is_contiguous() ? tensor : tensor.clone();
    AnyTensor whole = tensor.clone();
    auto* const bytes = static_cast<std::uint8_t*>(whole.data());
    std::transform(bytes, bytes + whole.size(), bytes,
                   [](std::uint8_t byte) { return static_cast<std::uint8_t>(byte != 0); });
    return whole;
}

}  // namespace

AnyTensor load_npy(const std::string& path) { return load(path, nullptr); }

AnyTensor load_npy(const std::string& path, DType wanted) { return load(path, &wanted); }

void save_npy(const std::string& path, const AnyTensor& tensor) {
    const AnyTensor whole = row_major(tensor);
    Writer file(path);
    const std::string header = npy::format_header(whole.dtype(), whole.shape(), file.where());
    file.write(header.data(), header.size());
    file.write(whole.data(), static_cast<std::size_t>(whole.size()) * bytes_of(whole.dtype()));
    file.replace(path);
}

}  // namespace frisket
