// SPDX-License-Identifier: MIT
#include "file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "../error.hpp"

namespace frisket {

namespace {
std::string reason(int error) { return std::generic_category().message(error); }
}  // namespace

FileReader::FileReader(const std::string& who, const std::string& path, const std::string& extension)
    : where_(who + ": " + path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        refuse("it is no regular file, wanted one: give the path of an " + extension + " file");
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) refuse("it cannot be opened: " + reason(errno));
    struct stat status_now{};  // of what was opened: the path may stand for another file by now
    if (fstat(fileno(file_.get()), &status_now) != 0) refuse("its size cannot be read: " + reason(errno));
    left_ = static_cast<std::uint64_t>(status_now.st_size);
}

void FileReader::refuse(const std::string& sentence) const { throw IoError(where_ + ": " + sentence); }

void FileReader::read(void* to, std::size_t bytes) {
    if (bytes == 0) return;
    errno = 0;
    const std::size_t found = std::fread(to, 1, bytes, file_.get());
    if (found != bytes)
        refuse("reading ended after " + std::to_string(at_ + found) + " bytes, " +
               (errno != 0 ? reason(errno) : "as if it had been cut off meanwhile") + ": read it again");
    at_ += bytes;
    left_ -= bytes;
}

std::string FileReader::read(std::size_t bytes, const char* what) {
    if (left_ < bytes)
        refuse("it ends after " + std::to_string(at_ + left_) + " bytes, in " + what +
               ": it was cut off, save it again");
    std::string text(bytes, '\0');
    read(text.data(), bytes);
    return text;
}

FileWriter::FileWriter(const std::string& who, std::string path)
    : where_(who + ": " + path), path_(std::move(path)) {
    std::error_code error;
    const auto status = std::filesystem::status(path_, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        refuse("it is there and no regular file, wanted one to replace: give another path");
    static std::atomic<unsigned> count{0};
    do {
        name_ = path_ + "." + std::to_string(getpid()) + "-" + std::to_string(count++) + ".new";
        file_.reset(std::fopen(name_.c_str(), "wbx"));  // x: only if there is no such file
    } while (!file_ && errno == EEXIST);
    if (!file_) refuse("no file can be made beside it: " + reason(errno));
}

FileWriter::~FileWriter() {
    if (name_.empty()) return;
    file_.reset();
    (void)std::remove(name_.c_str());
}

void FileWriter::refuse(const std::string& sentence) const {
    throw IoError(where_ + ": it cannot be written: " + sentence);
}

void FileWriter::write(const void* from, std::size_t bytes) {
    if (bytes > 0 && std::fwrite(from, 1, bytes, file_.get()) != bytes) refuse(reason(errno));
}

void FileWriter::replace() {
    if (std::fclose(file_.release()) != 0) refuse(reason(errno));
    if (std::rename(name_.c_str(), path_.c_str()) != 0) refuse(reason(errno));
    name_.clear();
}

std::uint64_t little_endian(const std::string& bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) number = number * 256 + static_cast<unsigned char>(bytes[i]);
    return number;
}

std::uint64_t array_bytes(const FileReader& file, const std::string& array, DType dtype, const Shape& shape) {
    std::int64_t bytes = 0;
    bool fits = true;
    try {
        fits = !__builtin_mul_overflow(element_count(shape), bytes_of(dtype), &bytes);
    } catch (const ShapeError&) { fits = false; }
    if (!fits) file.refuse(array + " has more than 2^63 - 1 bytes: no file holds that");
    return static_cast<std::uint64_t>(bytes);
}

void check_bools(const FileReader& file, const AnyTensor& memory) {
    const auto* const bytes = static_cast<const std::uint8_t*>(memory.data());
    const auto* const end = bytes + memory.size();
    const auto* const found = std::find_if(bytes, end, [](std::uint8_t byte) { return byte > 1; });
    if (found != end)
        file.refuse("element " + std::to_string(found - bytes) + " of dtype bool is byte " +
                    std::to_string(*found) + ", wanted 0 or 1");
}

AnyTensor as_written(const AnyTensor& tensor, std::string_view where) {
    tensor.check_not_moved(where);
    if (tensor.dtype() != DType::boolean) return tensor.is_contiguous() ? tensor : tensor.clone();
    AnyTensor whole = tensor.clone();
    auto* const bytes = static_cast<std::uint8_t*>(whole.data());
    std::transform(bytes, bytes + whole.size(), bytes,
                   [](std::uint8_t byte) { return static_cast<std::uint8_t>(byte != 0); });
    return whole;
}

}  // namespace frisket
