// SPDX-License-Identifier: MIT
#include "build.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

namespace frisket::cli {

namespace {

const char* const build_examples =
    R"(Examples:
  frisket build my_kernels --steps adagrad --from adagrad.hpp --layouts strided coo rows --out kernels
  frisket build my_losses --shared 1.0 --functions loss --from losses.hpp --layouts csr --out kernels \
      --shapes "ratings=users,items users=users,rank items=items,rank" --targets x86-64-avx2 x86-64

  frisket build my_kernels --steps adagrad --from adagrad.hpp --layouts coo --out kernels \
      --targets arm-64-linux --cross frisket-arm64 --compiler aarch64-linux-gnu-g++

Makes OUT/include/NAME.h and NAME.hpp, OUT/lib/libNAME.a (or libNAME.so.VERSION) and OUT/lib/pkgconfig/NAME.pc:
  PKG_CONFIG_PATH=kernels/lib/pkgconfig cc client.c $(pkg-config --cflags --libs my_losses)
A static library is linked to those of frisket, whose .pc files lie beside its libraries.  The compiler is $CXX, or c++, with $CXXFLAGS.
docs/compiled_loops.md says what each option takes: they are those of frisket_add_kernels.)";

}  // namespace

void add_build(CLI::App& app, std::function<void(const BuildSettings&)> run) {
    CLI::App* const verb =
        app.add_subcommand("build", "compile steps of a header ahead of time into a library for C and C++");
    verb->footer(build_examples);
    const auto settings = std::make_shared<BuildSettings>();
    verb->add_option("NAME", settings->name, "name of the library")->required();
    verb->add_option("--from", settings->from, "header of the steps, ordinary C++")->required();
    verb->add_option("--namespace", settings->name_space, "namespace of all names");
    verb->add_option("--steps", settings->steps, "variables of the header that are steps");
    verb->add_option("--functions", settings->functions, "those that are functions");
    verb->add_option("--optimizers", settings->optimizers, "those that are OptimizerKernels");
    verb->add_option("--layouts", settings->layouts,
                     "of the Masked symbols: of all, or grad=coo,mask=strided");
    verb->add_option("--shapes", settings->shapes, "dimensions, \"param=rows,columns grad=rows,columns\"");
    verb->add_option("--targets", settings->targets, "processors, of which a program takes the best")
        ->capture_default_str();
    verb->add_option("--schedules", settings->schedules, "file of `frisket tuning export`");
    verb->add_option("--shared", settings->shared, "version of a shared library, 1.2 for instance");
    verb->add_option(
        "--cross", settings->cross,
        "folder of a frisket for other processors (FRISKET_COMPILER=OFF), for --targets of theirs");
    verb->add_option("--compiler", settings->compiler, "their compiler, aarch64-linux-gnu-g++ for instance");
    verb->add_option("--out", settings->out, "folder that gets include/ and lib/")->capture_default_str();
    verb->callback([settings, run = std::move(run)] { run(*settings); });
}

}  // namespace frisket::cli
