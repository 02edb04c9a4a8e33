// SPDX-License-Identifier: MIT
#include "files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "../../runtime/tensor/error.hpp"

namespace frisket::codegen {

namespace {

[[noreturn]] void fail(int error) {
    throw IoError(std::string("a file in memory cannot be made: ") + std::strerror(error));
}

}  // namespace

MemoryFile::MemoryFile() : file_(memfd_create("frisket_assembly", MFD_CLOEXEC)) {
    if (!file_.is_open()) fail(errno);
}

std::string MemoryFile::bytes() const {
    struct stat status{};
    if (fstat(file_.number(), &status) != 0) fail(errno);
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    for (std::size_t got = 0; got < bytes.size();) {
        const ssize_t now =
            pread(file_.number(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) fail(now < 0 ? errno : EIO);
        got += static_cast<std::size_t>(now);
    }
    return bytes;
}

std::optional<std::string> bytes_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    if (!file) return {};
    return bytes.str();
}

}  // namespace frisket::codegen
