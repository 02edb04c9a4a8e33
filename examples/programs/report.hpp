// SPDX-License-Identifier: MIT
// Options, a progress bar, seconds by phase, and a loss curve as SVG, for the programs of this folder.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace programs {

/// One run of a program: its options, its phases, its loss curve, its closing number.
class Report {
public:
    /// Every program has --small (little data), --seed and --plot FILE; `options` has more, with defaults.
    Report(std::string title, int argc, char** argv, std::map<std::string, std::string> options)
        : title_(std::move(title)), options_(std::move(options)) {
        options_.insert({{"seed", "0"}, {"plot", ""}});
        for (int i = 1; i < argc; ++i) {
            const std::string word = argv[i], name = word.substr(std::min<std::size_t>(2, word.size()));
            if (word == "--small")
                is_small_ = true;
            else if (word.starts_with("--") && options_.contains(name) && i + 1 < argc)
                options_[name] = argv[++i];
            else
                refuse(word);
        }
    }

    bool is_small() const { return is_small_; }
    const std::string& text(const std::string& name) const { return options_.at(name); }
    double number(const std::string& name) const {
        const std::string& text = options_.at(name);
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0') refuse("--" + name + " " + text);
        return value;
    }

    /// Calls `run` and adds its seconds to a phase.
    void phase(const std::string& name, auto run) {
        const auto start = std::chrono::steady_clock::now();
        run();
        const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const auto known = std::ranges::find(phases_, name, &Phase::first);
        if (known == phases_.end())
            phases_.emplace_back(name, spent);
        else
            known->second += spent;
    }

    /// Calls `run(epoch)`, which returns the loss; a bar on stderr shows the epochs if it is a terminal.
    void epochs(int count, auto run) {
        const auto start = std::chrono::steady_clock::now();
        for (int epoch = 0; epoch < count; ++epoch) {
            phase("training", [&] { losses_.push_back(run(epoch)); });
            if (isatty(STDERR_FILENO) == 0) continue;
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
            const int done = epoch + 1;
            const std::string bar(static_cast<std::size_t>(30 * done / count), '#');
            std::fprintf(stderr, "\r[%-30s] %d/%d, loss %.4g, %.0f s left ", bar.c_str(), done, count,
                         losses_.back(), spent.count() / done * (count - done));
            if (done == count) std::fputc('\n', stderr);
        }
    }

    /// Prints the seconds and, as the last line, the closing number; writes the plot.  Returns main's result.
    int close(const char* what, double value) const {
        std::printf("seconds:");
        for (const auto& [name, spent] : phases_) std::printf(" %s %.2f", name.c_str(), spent);
        std::printf("\n%s: %.4f\n", what, value);
        if (text("plot").empty()) return 0;
        std::ofstream file(text("plot"));
        file << svg();
        file.close();
        if (file) return 0;
        std::fprintf(stderr, "cannot write %s\n", text("plot").c_str());
        return 1;
    }

private:
    using Phase = std::pair<std::string, double>;

    [[noreturn]] void refuse(const std::string& word) const {
        std::fprintf(stderr, "unknown: %s; options are --small", word.c_str());
        for (const auto& [name, value] : options_)
            std::fprintf(stderr, ", --%s %s", name.c_str(), value.empty() ? "FILE" : value.c_str());
        std::fputc('\n', stderr);
        std::exit(2);
    }

    /// The step between round numbers of an axis.
    static double tick_step(double range) {
        const double unit = std::pow(10, std::floor(std::log10(range / 4)));
        for (const double factor : {1, 2, 5})
            if (unit * factor >= range / 6) return unit * factor;
        return 10 * unit;
    }

    /// The losses over epochs, with axes.
    std::string svg() const {
        const double last = std::max<double>(2, static_cast<double>(losses_.size()));
        double low = *std::ranges::min_element(losses_), high = *std::ranges::max_element(losses_);
        if (!(high > low)) low -= 1, high += 1;
        const auto x = [&](double epoch) { return 70 + 550 * (epoch - 1) / (last - 1); };
        const auto y = [&](double loss) { return 350 - 300 * (loss - low) / (high - low); };
        std::ostringstream out;
        out << R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif" )"
            << R"(font-size="13"><title>)" << title_
            << R"(</title><rect width="640" height="400" fill="white"/>)"
            << R"(<text x="345" y="28" text-anchor="middle" font-size="16">)" << title_ << "</text>\n"
            << R"(<text x="345" y="392" text-anchor="middle">epoch</text>)"
            << R"x(<text x="18" y="200" text-anchor="middle" transform="rotate(-90 18 200)">loss</text>)x"
            << "\n";
        const double rise = tick_step(high - low), run = std::max(1.0, tick_step(last - 1));
        for (double tick = std::ceil(low / rise) * rise; tick <= high; tick += rise)
            out << "<path d=\"M70 " << y(tick) << "H620\" stroke=\"#ddd\"/><text x=\"62\" y=\"" << y(tick) + 4
                << "\" text-anchor=\"end\">" << (std::abs(tick) < rise / 2 ? 0 : tick) << "</text>\n";
        for (double tick = std::ceil(1 / run) * run; tick <= last; tick += run)
            out << "<text x=\"" << x(tick) << "\" y=\"370\" text-anchor=\"middle\">" << tick << "</text>\n";
        out << R"(<polyline fill="none" stroke="#0b62a4" stroke-width="2" points=")";
        for (std::size_t i = 0; i < losses_.size(); ++i)
            if (std::isfinite(losses_[i]))
                out << x(static_cast<double>(i) + 1) << ',' << y(losses_[i]) << ' ';
        out << "\"/>\n</svg>\n";
        return out.str();
    }

    std::string title_;
    std::map<std::string, std::string> options_;
    bool is_small_ = false;
    std::vector<Phase> phases_;
    std::vector<double> losses_;
};

}  // namespace programs
