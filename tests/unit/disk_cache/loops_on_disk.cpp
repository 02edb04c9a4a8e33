// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../../codegen/jit/jit_module.hpp"
#include "../../spec/both_ways.hpp"
#include "../../support/folder.hpp"

namespace loops_on_disk_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// $FRISKET_CACHE_DIR for a while.
class CacheFolder {
public:
    explicit CacheFolder(const std::string& value) {
        if (const char* const before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    ~CacheFolder() {
        if (before_)
            setenv(name, before_->c_str(), 1);
        else
            unsetenv(name);
    }
    CacheFolder(const CacheFolder&) = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;

private:
    static constexpr const char* name = "FRISKET_CACHE_DIR";
    std::optional<std::string> before_;
};

constexpr InOut<"param"> param;
constexpr InOut<"state"> state;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;

constexpr auto made = step<"made">(state = exp(grad) + state, param -= lr * sin(grad) / sqrt(state));

/// Results of one call of a step: values and state.  Not by jit(), which keeps kernels: each begins anew.
std::pair<Tensor<float>, Tensor<float>> called(Layout layout, const Shape& shape) {
    const auto p = random_tensor(shape, 1), s = random_tensor(shape, 2);
    const auto g = random_masked<float>(shape, specified(0.3), layout, 3);
    const CompiledKernel kernel(std::make_shared<codegen::JitModule>(describe(made), check_present({})));
    kernel({{"param", p}, {"state", s}, {"grad", g}, {"lr", 0.1}});
    return {p, s};
}

/// How many ranges of memory this process has.
int mappings() {
    std::ifstream maps("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(maps, line);) ++count;
    return count;
}

}  // namespace

TEST_CASE("loops that nobody has any more are unmapped", "[disk_cache]") {
    const Folder place;
    for (const std::string& folder : {std::string("off"), place / "jit"}) {
        INFO(folder);
        const CacheFolder cache(folder);
        called(Layout::dense, {1003});
        const int before = mappings();
        for (int i = 0; i < 4; ++i) called(Layout::dense, {1003});
        CHECK(mappings() < before + 4);
    }
}

TEST_CASE("loops in memory, those that were just written, and those that were read give the same bytes",
          "[disk_cache]") {
    const Folder place;
    for (const Layout layout : {Layout::dense, Layout::bitmask, Layout::coo, Layout::rows})
        for (const Shape& shape : {Shape{1003}, Shape{600, 512}, Shape{0}}) {
            INFO(name_of(layout) << to_string(shape));
            const CacheFolder off("off");
            const auto wanted = called(layout, shape);
            const CacheFolder on(place / "jit");
            const auto written = called(layout, shape), read = called(layout, shape);
            for (const auto& found : {written, read}) {
                CHECK(same(found.first, wanted.first));
                CHECK(same(found.second, wanted.second));
            }
        }
}

}  // namespace loops_on_disk_test
