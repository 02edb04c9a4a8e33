// SPDX-License-Identifier: MIT
#pragma once
#include "judge.hpp"
#include "operations.hpp"

#include <functional>
#include <optional>

namespace closure {

/// Programs to run.
struct Request {
    std::int64_t programs = 100;
    std::uint32_t seed = 1;
    std::optional<std::uint32_t> first = {};  ///< number of the first program; else from the seed
    std::string only = {};
    int tries = 40;
    Settings settings = {};
};

/// A program that was judged.
struct Record {
    std::uint32_t seed = 0;
    Fault fault = Fault::none;
    bool is_begun = false;  ///< the program, or a smaller one, is about to run
    std::string text = {};
    std::string whole = {};        ///< calls of the program
    std::string cause = {};        ///< operations of the smallest that fails: "dense transpose, by row"
    std::string blamed = {};       ///< the last of them, and its operands: "list, dense transpose -> by row"
    std::string program = {};      ///< its calls
    std::string plan = {};         ///< its plan
    std::vector<Pair> pairs = {};  ///< pairs of the whole program
    std::vector<Pair> smallest = {};  ///< pairs of the smallest that fails
};

/// Runs programs in child processes of 2 GB of address space: one that ends is followed by another, and its
/// program is a fault.
void run_in_children(const Request& request, const std::function<void(const Record&)>& take);

}  // namespace closure
