// SPDX-License-Identifier: MIT
#include "failing_allocations.hpp"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

#include "../../runtime/tensor/error.hpp"

namespace {

struct Range { std::uintptr_t begin = 0, end = 0; };

/// The code of a library, or of the program: "".
Range code_of(std::string_view name) {
    struct Search {
        std::string_view name;
        Range found;
    } search{name, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* state) {
            auto& wanted = *static_cast<Search*>(state);
            const std::string_view path = info->dlpi_name;
            if (wanted.name.empty() ? !path.empty() : path.find(wanted.name) == path.npos) return 0;
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& part = info->dlpi_phdr[i];
                if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
                wanted.found = {info->dlpi_addr + part.p_vaddr,
                                info->dlpi_addr + part.p_vaddr + part.p_memsz};
            }
            return 1;
        },
        &search);
    return search.found;
}

bool lies_in(const Range& range, void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= range.begin && at < range.end;
}

std::atomic<bool> is_armed{false}, fails_all_after{false}, has_failed_once{false};
std::atomic<long> left{0};
Range program, compiler, c_library;

/// Counts an allocation; true if it is to fail.
bool fails() {
    const long before = left.fetch_sub(1);
    if (before > 1 || (before < 1 && !fails_all_after)) return false;
    has_failed_once = true;
    return true;
}

/// True if an allocation by a function of C fails; errno tells so.
[[maybe_unused]] bool fails_in_c(void* caller) {
    const bool is_counted = lies_in(program, caller) || lies_in(c_library, caller);
    if (!is_armed.load(std::memory_order_acquire) || !is_counted || !fails()) return false;
    errno = ENOMEM;
    return true;
}

void* new_memory(std::size_t bytes, std::size_t alignment, void* caller) {
    if (is_armed.load(std::memory_order_acquire) && !lies_in(compiler, caller) && fails())
        throw std::bad_alloc();
    void* memory = nullptr;
    if (alignment == 0)
        memory = std::malloc(std::max<std::size_t>(bytes, 1));
    else if (posix_memalign(&memory, std::max(alignment, sizeof(void*)), bytes) != 0)
        memory = nullptr;
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void* new_memory_or_null(std::size_t bytes, std::size_t alignment, void* caller) noexcept {
    try {
        return new_memory(bytes, alignment, caller);
    } catch (...) { return nullptr; }
}

}  // namespace

// NOLINTBEGIN
#define CALLER __builtin_return_address(0)
void* operator new(std::size_t bytes) { return new_memory(bytes, 0, CALLER); }
void* operator new[](std::size_t bytes) { return new_memory(bytes, 0, CALLER); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return new_memory_or_null(bytes, 0, CALLER);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return new_memory_or_null(bytes, 0, CALLER);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return new_memory(bytes, static_cast<std::size_t>(alignment), CALLER);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return new_memory(bytes, static_cast<std::size_t>(alignment), CALLER);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Sanitizers have a calloc of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
extern "C" {
void* __libc_calloc(std::size_t count, std::size_t bytes);

void* calloc(std::size_t count, std::size_t bytes) {
    return fails_in_c(CALLER) ? nullptr : __libc_calloc(count, bytes);
}

void* __libc_memalign(std::size_t alignment, std::size_t bytes);

// Allocator of running loops.
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return fails_in_c(CALLER) ? nullptr : __libc_memalign(alignment, bytes);
}
}
#endif
#undef CALLER
// NOLINTEND

namespace frisket::testing {

FailingAllocations::FailingAllocations(long nth, Failing which) {
    program = code_of("");
    compiler = code_of("libHalide");
    c_library = code_of("/libc.so");
    fails_all_after = which == Failing::all_after;
    has_failed_once = false;
    left = nth;
    is_armed.store(true, std::memory_order_release);
}

FailingAllocations::~FailingAllocations() { is_armed.store(false, std::memory_order_release); }

bool FailingAllocations::has_failed() { return has_failed_once; }

namespace {

/// Runs it with allocations failing; returns the fault of the exception, if any was thrown.
struct Attempt {
    bool has_failed = false, has_thrown = false;
    std::string wrong;

    Attempt(const std::function<void()>& run, long nth, Failing which) {
        const FailingAllocations failing(nth, which);
        try {
            run();
        } catch (const std::bad_alloc&) { has_thrown = true; } catch (const Error& error) {
            has_thrown = true;
            is_bug = error.code() == ErrorCode::bug;
        } catch (...) { has_thrown = is_other = true; }
        has_failed = FailingAllocations::has_failed();
    }
    bool is_bug = false, is_other = false;
};

/// Fault of an operation whose n-th allocation fails, or an empty text; `is_last`: none failed.
std::string fault_of(const Operation& operation, const std::string& before, const std::string& after,
                     long nth, Failing which, bool& is_last) {
    const Attempt attempt(operation.run, nth, which);
    is_last = !attempt.has_failed;
    if (is_last && attempt.has_thrown) return "throws, and no allocation failed";
    if (attempt.is_bug) return "says that it is a bug";
    if (attempt.is_other) return "throws what says nothing of memory";
    if (!attempt.has_thrown) return operation.bytes() == after ? "" : "gives something else";
    if (operation.bytes() != before) return "leaves other bytes";
    operation.run();
    return operation.bytes() == after ? "" : "gives something else at the second try";
}

}  // namespace

void check_every_allocation(const std::string& what, const std::function<Operation()>& make) {
    const Operation first = make();
    const std::string before = first.bytes();
    first.run();
    const std::string after = first.bytes();
    for (const Failing which : {Failing::one, Failing::all_after})
        for (const bool on_new_thread : {true, false}) {
            if (which == Failing::all_after && !on_new_thread) continue;
            std::string faults;
            long count = 0, wrong = 0;
            for (bool is_last = false; !is_last; ++count) {
                const Operation operation = make();
                std::string fault;
                const auto run = [&] {
                    try {
                        fault = fault_of(operation, before, after, count + 1, which, is_last);
                    } catch (const std::exception& error) {
                        fault = std::string("throws at the second try: ") + error.what();
                    }
                };
                if (on_new_thread)
                    std::thread(run).join();
                else
                    run();
                if (fault.empty()) continue;
                if (++wrong <= 5) faults += "\n  allocation " + std::to_string(count + 1) + ": it " + fault;
            }
            INFO(what << ", on " << (on_new_thread ? "a new" : "this") << " thread, "
                      << (which == Failing::one ? "one failing" : "all failing from it on") << ": " << wrong
                      << " of " << count - 1 << " wrong" << faults);
            CHECK(wrong == 0);
        }
}

}  // namespace frisket::testing
