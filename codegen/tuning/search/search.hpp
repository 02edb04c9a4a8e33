// SPDX-License-Identifier: MIT
// Defines the search for the fastest schedule, which steps and expressions share.
#pragma once
#include "race.hpp"

#include <random>
#include <string>
#include <vector>

namespace frisket::codegen {

/// One search, whatever it tunes: makes candidates, checks and races them, and compares the fastest with the
/// default in pairs.
class Search {
public:
    Search(const TuneOptions& options, const TargetRow& target);
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;
    virtual ~Search() = default;

    TuneResult run();

protected:
    /// True if there is something to choose.
    virtual bool has_choice() const = 0;
    /// Finds the results that every candidate has to give, by calls of the default.
    virtual void find_references() = 0;
    /// The reason why a candidate may not be used, or an empty text.  Expects memory as it came, and leaves
    /// it so.
    virtual std::string why_wrong(const Candidate& candidate) = 0;
    /// The schedules that there are; notes those that are refused.
    virtual SchedulesToTry all_schedules() const = 0;
    /// A candidate to try, compiled in memory: most lose, and need not push other loops from the disk.
    /// Threads: several at once.
    virtual TrialLoops compiled(const Schedule& schedule) const = 0;
    /// The calls that are timed.
    virtual Workload& calls() = 0;
    /// Completes the result; its schedule, if it has one, is the winner's.
    virtual void finish(TuneResult& /*result*/) {}

    const TuneOptions& options() const { return options_; }
    const TargetRow& target() const { return target_; }
    TuneResult& result() { return result_; }
    Candidate& usual() { return usual_; }

private:
    double spent() const { return now_s() - begin_; }
    bool is_stopped() const { return options_.is_stopped && options_.is_stopped(); }
    bool is_over(double share = 1) const { return spent() > share * options_.seconds || is_stopped(); }
    bool is_race_over() const;
    void tell(std::string_view stage) const;
    void time_default();
    void make_candidates();
    std::vector<Schedule> schedules_to_try();
    void add(const Schedule& made, TrialLoops trial);
    void note_best();
    void sort_candidates();
    void confirm();
    TuneResult finished();

    const TuneOptions& options_;
    double begin_;
    const TargetRow& target_;
    std::mt19937_64 random_;
    Candidate usual_;
    TuneResult result_;
};

}  // namespace frisket::codegen
