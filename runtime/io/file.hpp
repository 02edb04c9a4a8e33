// SPDX-License-Identifier: MIT
// Reads and replaces files of tensors.
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "../tensor/tensor.hpp"
#include "replacement.hpp"

/// Files of tensors: shared by readers and writers of all formats.
namespace frisket::runtime {

struct CloseFile {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

/// A file that is read from its begin on, and whose length is known.
class FileReader {
public:
    /// `who` reads, "load_npy"; `extension` of the files it reads.  Errors: IoError.
    FileReader(const std::string& who, const std::string& path, const std::string& extension);

    [[noreturn]] void refuse(const std::string& sentence) const;

    const std::string& where() const { return where_; }
    std::size_t at() const { return at_; }
    std::uint64_t left() const { return left_; }

    /// Goes on at a byte of the file.
    void move_to(std::uint64_t at);
    /// The next bytes of the file, at most to its end.
    void read(void* to, std::size_t bytes);
    /// Errors: IoError naming the part that was cut off.
    std::string read(std::size_t bytes, const char* what);

private:
    std::string where_;
    std::unique_ptr<std::FILE, CloseFile> file_;
    std::size_t at_ = 0;
    std::uint64_t left_ = 0;
};

/// A file in the folder of the file that it will replace; removed if it does not replace it.  If the path is
/// a symbolic link, it replaces the link's target and takes the target's rights; other names of the target
/// keep the old contents.
class FileWriter {
public:
    /// Errors: IoError.
    FileWriter(const std::string& who, const std::string& path);

    const std::string& where() const { return where_; }
    void write(const void* from, std::size_t bytes);
    /// Makes the written file the file of the path, and waits until both are on the disk.
    void replace();

private:
    [[noreturn]] void refuse(const std::string& sentence) const;
    void check(int error) const;

    std::string where_, name_;
    Descriptor folder_;
    Replacement file_;  // in that folder: ends before it
};

/// The number that bytes hold, the first of which counts least.
std::uint64_t little_endian(const std::string& bytes);

/// Bytes of a tensor's elements, which `file` calls `array`.  Errors: IoError if no file holds that number.
std::uint64_t array_bytes(const FileReader& file, const std::string& array, DType dtype, const Shape& shape);
/// Errors: IoError naming the first byte of a bool other than 0 and 1.
void check_bools(const FileReader& file, const AnyTensor& memory);
/// The tensor without gaps; for bools, any byte but 0 becomes 1.
/// Errors: ValueError naming `where` if it was moved from.
AnyTensor as_written(const AnyTensor& tensor, std::string_view where);

}  // namespace frisket::runtime
