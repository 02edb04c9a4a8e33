// SPDX-License-Identifier: MIT
#pragma once
#include "report.hpp"

/// The sections of the page, as HTML.
namespace frisket::cli {

std::string next_section(const Report& report);
std::string curve_section(const Report& report);
std::string candidates_section(const Report& report);
std::string rejected_section(const Report& report);
std::string limit_section(const Report& report);
std::string speedup_section(const Report& report);
std::string map_section(const Report& report);
std::string pictures_section(const Report& report);

/// The value that a share of some lies below; they need not be sorted.
double quantile(std::vector<double> values, double share);

}  // namespace frisket::cli
