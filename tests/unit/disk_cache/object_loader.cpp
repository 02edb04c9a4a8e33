// SPDX-License-Identifier: MIT
// Objects that run: objects of Halide, and of each relocation.
#include <Halide.h>
#include <HalideBuffer.h>

#include "../../../codegen/disk_cache/object_loader.hpp"
#include "../../../runtime/tensor/error.hpp"
#include "elf_writer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

namespace object_loader_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

int outside() { return 17; }
float half(float x) { return x / 2; }
int run_in_turn(void* context, int (*task)(void*, int, std::uint8_t*), int first, int count,
                std::uint8_t* closure) {
    for (int i = first; i < first + count; ++i)
        if (const int code = task(context, i, closure); code != 0) return code;
    return 0;
}
void* allocate(void*, std::size_t bytes) { return std::aligned_alloc(128, (bytes + 127) / 128 * 128); }
void release(void*, void* memory) { std::free(memory); }

template <class Function> codegen::ProcessFunction named(std::string_view name, Function* function) {
    return {.name = name, .address = reinterpret_cast<std::uintptr_t>(function)};
}

const codegen::ProcessFunction functions[] = {
    named("outside", outside), named("test_half", half), named("halide_do_par_for", run_in_turn),
    named("halide_malloc", allocate), named("halide_free", release)};

/// Result of the code of an object written by hand.
int result_of(const std::string& code, const std::vector<Elf64_Rela>& places) {
    return codegen::LoadedObject(object_of(code, places), "run", functions).function()(nullptr);
}

/// Code of machines, with its zeros.
template <std::size_t size> std::string machine_code(const char (&text)[size]) { return {text, size - 1}; }

/// Rights of the memory from an address on, as "r-xp r--p".
std::string rights_of(std::uintptr_t begin, std::size_t bytes) {
    std::ifstream maps("/proc/self/maps");
    std::string all;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::uintptr_t first = 0, end = 0;
        char dash = 0;
        std::string rights;
        words >> std::hex >> first >> dash >> end >> rights;
        if (first < begin + bytes && end > begin) all += (all.empty() ? "" : " ") + rights;
    }
    return all;
}

/// An object of Halide's: halves of a ramp, of which each task makes a part, in memory of its own.
std::string halide_object() {
    Halide::Target machine = Halide::get_host_target();
    machine.set_features(
        {Halide::Target::NoRuntime, Halide::Target::NoAsserts, Halide::Target::NoBoundsQuery});
    Halide::Func out("out"), halves("halves");
    Halide::Var x("x"), part("part");
    using Halide::Internal::Call;
    halves(x) = Call::make(Halide::Float(32), "test_half", {Halide::cast<float>(x)}, Call::PureExtern);
    out(x) = halves(x) + halves(x + 1) * 1000.0F;
    out.split(x, part, x, 64, Halide::TailStrategy::GuardWithIf).parallel(part).vectorize(x, 8);
    halves.compute_at(out, part).store_in(Halide::MemoryType::Heap);
    const Halide::Buffer<std::uint8_t> object =
        Halide::Pipeline(out)
            .compile_to_module({}, "loops", machine, Halide::LinkageType::ExternalPlusArgv)
            .compile_to_buffer();
    return {reinterpret_cast<const char*>(object.data()), object.size_in_bytes()};
}

}  // namespace

TEST_CASE("an object that Halide compiled runs, and calls the process from afar", "[disk_cache]") {
    const codegen::LoadedObject loaded(halide_object(), "loops_argv", functions);
    Halide::Runtime::Buffer<float> found(1003);
    const void* argv[] = {found.raw_buffer()};
    REQUIRE(loaded.function()(argv) == 0);
    for (int i = 0; i < found.width(); ++i) {
        const auto at = static_cast<float>(i);
        REQUIRE(found(i) == at / 2 + (at + 1) / 2 * 1000);
    }
    const auto here = reinterpret_cast<std::uintptr_t>(loaded.function());
    const auto there = reinterpret_cast<std::uintptr_t>(&half);
    if (std::max(here, there) - std::min(here, there) < std::uintptr_t{1} << 31)
        SKIP("this program lies near to its mapped memory");
}

TEST_CASE("an object that calls what it is not given is refused by that name", "[disk_cache]") {
    CHECK_THROWS_MATCHES(codegen::LoadedObject(halide_object(), "loops_argv", std::span(functions).first(1)),
                         IoError, MessageMatches(ContainsSubstring("it needs the function ")));
}

TEST_CASE("each relocation leads to its symbol", "[disk_cache]") {
    // mov eax, [rip + symbol]; ret
    const std::string load = machine_code("\x8b\5\0\0\0\0\xc3");
    CHECK(result_of(load, {relocation(2, R_X86_64_PC32, elf::constant)}) == 42);
    CHECK(result_of(load, {relocation(2, R_X86_64_PC32, elf::variable)}) == 7);
    CHECK(result_of(load, {relocation(2, R_X86_64_PC32, elf::zero)}) == 0);
    // mov rax, [rip + slot]; mov eax, [rax]; ret
    const std::string load_by_slot = machine_code("\x48\x8b\5\0\0\0\0\x8b\0\xc3");
    for (const std::uint32_t type : {R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX})
        CHECK(result_of(load_by_slot, {relocation(3, type, elf::variable)}) == 7);
    // jmp [rip + slot]
    CHECK(result_of(machine_code("\xff\x25\0\0\0\0"), {relocation(2, R_X86_64_GOTPCRELX, elf::outside)}) ==
          17);
    // jmp symbol
    CHECK(result_of(machine_code("\xe9\0\0\0\0"), {relocation(1, R_X86_64_PLT32, elf::outside)}) == 17);
    // jmp symbol + 5; mov eax, 3; ret
    CHECK(result_of(machine_code("\xe9\0\0\0\0\xb8\3\0\0\0\xc3"),
                    {relocation(1, R_X86_64_PLT32, elf::run, 1)}) == 3);
    // movabs rax, symbol; mov eax, [rax]; ret
    CHECK(result_of(machine_code("\x48\xb8\0\0\0\0\0\0\0\0\x8b\0\xc3"),
                    {relocation(2, R_X86_64_64, elf::variable, 0)}) == 7);
    // movabs rax, symbol - place; lea rcx, [rip - 15]; add rax, rcx; mov eax, [rax]; ret
    CHECK(
        result_of(machine_code("\x48\xb8\0\0\0\0\0\0\0\0\x48\x8d\x0d\xf1\xff\xff\xff\x48\x01\xc8\x8b\0\xc3"),
                  {relocation(2, R_X86_64_PC64, elf::constant, 0)}) == 42);
}

TEST_CASE("code cannot be written, nor data run, and variables are each object's own", "[disk_cache]") {
    // inc dword [rip + variable]; mov eax, [rip + variable]; ret
    const std::string object =
        object_of(machine_code("\xff\5\0\0\0\0\x8b\5\0\0\0\0\xc3"),
                  {relocation(2, R_X86_64_PC32, elf::variable), relocation(8, R_X86_64_PC32, elf::variable)});
    auto first = std::make_unique<codegen::LoadedObject>(object, "run", functions);
    const codegen::LoadedObject second(object, "run", functions);
    CHECK(first->function()(nullptr) == 8);
    CHECK(first->function()(nullptr) == 9);
    CHECK(second.function()(nullptr) == 8);
    const auto begin = reinterpret_cast<std::uintptr_t>(second.function());
    CHECK(rights_of(begin, second.bytes()) == "r-xp r--p rw-p");
}

}  // namespace object_loader_test
