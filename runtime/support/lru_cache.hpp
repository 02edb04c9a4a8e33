// SPDX-License-Identifier: MIT
// Caches shared values, and drops those that were not used for longest.
#pragma once
#include <cstddef>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "fork.hpp"

namespace frisket::runtime {

/// Shared values found by a hash and a comparison; the values used last are retained, bounded in number and,
/// if they report their size (`bytes()`), in bytes.  A value that is dropped lives on with who holds it.
/// Threads: any number may use a cache at once; a value is made by one of them while other threads wait.
template <class Value>
class LruCache {
public:
    explicit LruCache(std::size_t most_values,
                      std::size_t most_bytes = std::numeric_limits<std::size_t>::max())
        : most_values_(most_values), most_bytes_(most_bytes) {}

    /// The value of this hash that `matches` accepts; null if no value matches.
    template <class Matches>
    std::shared_ptr<Value> find(std::size_t hash, const Matches& matches) {
        const std::lock_guard lock(mutex_);
        return found(hash, matches);
    }

    /// The value of this hash that `matches` accepts; if no value matches, the value that `make` returns.
    template <class Matches, class Make>
    std::shared_ptr<Value> get(std::size_t hash, const Matches& matches, const Make& make) {
        const std::lock_guard lock(mutex_);
        if (auto known = found(hash, matches)) return known;
        entries_.push_front({hash, make()});
        try {
            by_hash_.emplace(hash, entries_.begin());
        } catch (...) {
            entries_.pop_front();
            throw;
        }
        drop_oldest();
        return entries_.front().value;
    }

    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return entries_.size();
    }

private:
    struct Entry {
        std::size_t hash;
        std::shared_ptr<Value> value;
    };
    using Entries = std::list<Entry>;  // the last used first

    template <class Matches>
    std::shared_ptr<Value> found(std::size_t hash, const Matches& matches) {
        const auto [begin, end] = by_hash_.equal_range(hash);
        for (auto at = begin; at != end; ++at) {
            if (!matches(*at->second->value)) continue;
            entries_.splice(entries_.begin(), entries_, at->second);
            return at->second->value;
        }
        return nullptr;
    }

    /// Drops all after the values that are within both bounds, never the first.
    void drop_oldest() {
        std::size_t bytes = 0, values = 0;
        auto at = entries_.begin();
        for (; at != entries_.end(); ++at) {
            if constexpr (requires(const Value& value) { value.bytes(); }) bytes += at->value->bytes();
            if (++values > 1 && (values > most_values_ || bytes > most_bytes_)) break;
        }
        while (at != entries_.end()) at = dropped(at);
    }

    typename Entries::iterator dropped(typename Entries::iterator at) {
        const auto [begin, end] = by_hash_.equal_range(at->hash);
        for (auto found = begin; found != end; ++found) {
            if (found->second != at) continue;
            by_hash_.erase(found);
            break;
        }
        return entries_.erase(at);
    }

    const std::size_t most_values_, most_bytes_;
    mutable Mutex mutex_;
    Entries entries_;
    std::unordered_multimap<std::size_t, typename Entries::iterator> by_hash_;
};

}  // namespace frisket::runtime
