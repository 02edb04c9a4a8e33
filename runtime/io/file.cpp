// SPDX-License-Identifier: MIT
#include "file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "../tensor/error.hpp"

namespace frisket::runtime {

namespace {

constexpr const char* no_file = "no file can be made beside it: ";

std::string reason(int error) { return std::generic_category().message(error); }

/// Resolves symbolic links; the target need not exist.  A link in a cycle resolves to itself.
std::filesystem::path followed(std::filesystem::path path) {
    constexpr int most = 40;  // as the system has it
    std::error_code error;
    for (int i = 0; i < most; ++i) {
        const auto next = std::filesystem::read_symlink(path, error);
        if (error) break;
        path = path.parent_path() / next;
    }
    return path;
}

/// A folder in which files are made; if it may not be read, one in which none can be found.
Descriptor opened_folder(const std::string& path) {
    const char* const name = path.empty() ? "." : path.c_str();
    Descriptor folder(open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open() && errno == EACCES)
        folder = Descriptor(open(name, O_PATH | O_DIRECTORY | O_CLOEXEC));
    return folder;
}

}  // namespace

FileReader::FileReader(const std::string& who, const std::string& path, const std::string& extension)
    : where_(who + ": " + path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        refuse("it is no regular file, wanted one: give the path of an " + extension + " file");
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) refuse("it cannot be opened: " + reason(errno));
    struct stat status_now{};  // status of the opened file: the path may name another file by now
    if (fstat(fileno(file_.get()), &status_now) != 0) refuse("its size cannot be read: " + reason(errno));
    left_ = static_cast<std::uint64_t>(status_now.st_size);
}

void FileReader::refuse(const std::string& sentence) const { throw IoError(where_ + ": " + sentence); }

void FileReader::move_to(std::uint64_t at) {
    if (at == at_) return;
    if (fseeko(file_.get(), static_cast<off_t>(at), SEEK_SET) != 0)
        refuse("byte " + std::to_string(at) + " cannot be read: " + reason(errno));
    left_ = left_ + at_ - at;
    at_ = at;
}

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

FileWriter::FileWriter(const std::string& who, const std::string& path) : where_(who + ": " + path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        refuse("it is there and no regular file, wanted one to replace: give another path");
    const std::filesystem::path target = followed(path);
    name_ = target.filename().string();
    if (name_.empty()) refuse("it names no file: give the path of one");
    folder_ = opened_folder(target.parent_path().string());
    if (!folder_.is_open()) refuse(no_file + reason(errno));
    remove_abandoned(folder_.number());
    struct stat before{};
    const bool is_there = fstatat(folder_.number(), name_.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there && S_ISLNK(before.st_mode)) refuse(reason(ELOOP));
    if (const int code = file_.open(folder_.number(), is_there ? before.st_mode & 0777U : 0666U); code != 0)
        refuse(no_file + reason(code));
    if (is_there) check(file_.take_rights_of(before));
}

void FileWriter::refuse(const std::string& sentence) const {
    throw IoError(where_ + ": it cannot be written: " + sentence);
}

void FileWriter::check(int error) const {
    if (error != 0) refuse(reason(error));
}

void FileWriter::write(const void* from, std::size_t bytes) { check(file_.write(from, bytes)); }

void FileWriter::replace() { check(file_.replace(name_, Replacement::Durable::yes)); }

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

}  // namespace frisket::runtime
