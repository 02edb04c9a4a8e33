// SPDX-License-Identifier: MIT
#include "../support/fork.hpp"
#include "memory.hpp"

#include "../support/made_once.hpp"
#include "error.hpp"
#include "result_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <utility>

namespace frisket {

using namespace runtime;

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// New memory from the system, with huge pages for at least `huge_page` bytes; null if memory runs out.
std::byte* map_block(std::size_t bytes) {
    const std::size_t align = bytes < huge_page ? 0 : huge_page;
    void* const mapped =
        ::mmap(nullptr, bytes + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* const begin = static_cast<std::byte*>(mapped);
    if (align == 0) return begin;
    const std::size_t before = (align - reinterpret_cast<std::uintptr_t>(begin) % align) % align;
    if (before > 0) ::munmap(begin, before);
    if (align - before > 0) ::munmap(begin + before + bytes, align - before);
    ::madvise(begin + before, bytes, MADV_HUGEPAGE);
    return begin + before;
}

std::int64_t default_limit() {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    const std::int64_t memory = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
    return memory > 0 ? std::min(most, memory / 4) : most;
}

class Pool {
public:
    /// The one of the process.  Never destroyed: static tensors of the user's may outlive it.
    static Pool& instance() {
        return made_once([] { return Pool(); });
    }

    /// A block of this size; null if memory runs out.
    std::byte* take(std::size_t bytes) {
        {
            const std::scoped_lock lock(mutex_);
            const auto newest = std::find_if(kept_.rend() - static_cast<std::ptrdiff_t>(count_), kept_.rend(),
                                             [&](const PoolBlock& block) { return block.bytes == bytes; });
            if (newest != kept_.rend()) {
                std::byte* const data = newest->data;
                forget(static_cast<std::size_t>(kept_.rend() - newest) - 1);
                use_.bytes_in_use += static_cast<std::int64_t>(bytes);
                ++use_.blocks_reused;
                return data;
            }
        }
        std::byte* data = map_block(bytes);
        if (data == nullptr) {
            trim();
            data = map_block(bytes);
        }
        if (data == nullptr) return nullptr;
        const std::scoped_lock lock(mutex_);
        use_.bytes_in_use += static_cast<std::int64_t>(bytes);
        ++use_.blocks_made;
        return data;
    }

    /// Keeps a block, and frees the least recently used blocks above the limit.
    void give(PoolBlock block) noexcept {
        const std::scoped_lock lock(mutex_);
        use_.bytes_in_use -= static_cast<std::int64_t>(block.bytes);
        if (static_cast<std::int64_t>(block.bytes) > use_.limit) {
            ::munmap(block.data, block.bytes);
            return;
        }
        if (count_ == kept_.size()) drop_oldest();
        kept_[count_++] = block;
        use_.bytes_kept += static_cast<std::int64_t>(block.bytes);
        keep_limit();
    }

    void trim() noexcept {
        const std::scoped_lock lock(mutex_);
        while (count_ > 0) drop_oldest();
    }
    void set_limit(std::int64_t bytes) {
        const std::scoped_lock lock(mutex_);
        use_.limit = bytes;
        keep_limit();
    }
    ResultPoolUse use() {
        const std::scoped_lock lock(mutex_);
        return use_;
    }

private:
    Pool() { use_.limit = default_limit(); }

    void keep_limit() noexcept {
        while (use_.bytes_kept > use_.limit) drop_oldest();
    }
    void drop_oldest() noexcept {
        const PoolBlock oldest = kept_[0];
        forget(0);
        ::munmap(oldest.data, oldest.bytes);
    }
    void forget(std::size_t i) noexcept {
        use_.bytes_kept -= static_cast<std::int64_t>(kept_[i].bytes);
        std::copy(kept_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                  kept_.begin() + static_cast<std::ptrdiff_t>(count_),
                  kept_.begin() + static_cast<std::ptrdiff_t>(i));
        --count_;
    }

    static constexpr std::size_t most_blocks = 64;
    runtime::Mutex mutex_;
    std::array<PoolBlock, most_blocks> kept_;  // the one that was used last comes last
    std::size_t count_ = 0;
    ResultPoolUse use_;
};

}  // namespace

ResultPoolUse result_pool_use() { return Pool::instance().use(); }

void set_result_pool_limit(std::int64_t bytes) {
    if (bytes < 0)
        throw ValueError("set_result_pool_limit: " + std::to_string(bytes) +
                         " bytes, wanted 0 or more: 0 keeps nothing");
    Pool::instance().set_limit(bytes);
}

void trim_result_pool() { Pool::instance().trim(); }

runtime::PoolBlock runtime::take_block(std::size_t bytes) noexcept {
    const std::size_t whole = block_bytes(bytes);
    return {Pool::instance().take(whole), whole};
}

void runtime::give_block(PoolBlock block) noexcept { Pool::instance().give(block); }

AnyTensor runtime::result_tensor(DType dtype, Shape shape) {
    const std::int64_t elements = element_count(shape);
    constexpr std::int64_t most_elements = std::int64_t{1} << 50;  // more are refused as for any tensor
    const auto bytes = static_cast<std::size_t>(elements) * static_cast<std::size_t>(bytes_of(dtype));
    if (elements > most_elements || bytes < least_pooled_bytes) return {dtype, std::move(shape)};
    const PoolBlock block = take_block(bytes);
    if (block.data == nullptr) return {dtype, std::move(shape)};
    std::shared_ptr<void> owner(block.data, [bytes = block.bytes](void* data) {
        give_block({static_cast<std::byte*>(data), bytes});
    });
    Strides strides = contiguous_strides(shape);
    return {dtype, block.data, std::move(shape), std::move(strides), true, std::move(owner)};
}

}  // namespace frisket
