// SPDX-License-Identifier: MIT
#include "threads.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>

#include "../runtime/call/loop_source.hpp"

namespace frisket {

namespace {

/// A parallel loop that is under way.  It lives on the stack of the thread that waits for it.
struct Job {
    LoopTaskFunction task;
    void* context;
    std::uint8_t* closure;
    int next, end;
    int running = 0;  // tasks that were begun and have not ended
    int status = 0;
    Job* older = nullptr;

    bool has_more() const { return next < end && status == 0; }
};

constexpr int turns = 40;  // that a thread looks for work, yielding, before it sleeps

/// Whoever waits for a job takes its tasks first, so that no job needs a thread that may not come.
class Pool {
public:
    int run(Job& job) {
        std::unique_lock lock(mutex_);
        job.older = newest_;
        newest_ = &job;
        waiting_.store(true, std::memory_order_relaxed);
        start_threads();
        if (job.end - job.next > 2)
            come_.notify_all();
        else
            come_.notify_one();
        while (job.has_more()) run_one(job, lock);
        remove(job);
        for (int turn = 0; job.running > 0 && turn < turns; ++turn) {
            lock.unlock();
            std::this_thread::yield();
            lock.lock();
        }
        ended_.wait(lock, [&] { return job.running == 0; });
        return job.status;
    }

private:
    void start_threads() {
        for (; started_ < thread_count() - 1; ++started_) try {
                std::thread([this] { work(); }).detach();
            } catch (const std::system_error&) { return; }  // those that there are do it
    }

    /// Runs one task of a job that has one.
    void run_one(Job& job, std::unique_lock<std::mutex>& lock) {
        const int i = job.next++;
        ++job.running;
        lock.unlock();
        const int status = job.task(job.context, i, job.closure);
        lock.lock();
        if (status != 0) job.status = status;
        if (--job.running == 0 && !job.has_more()) ended_.notify_all();
    }

    void remove(const Job& job) {
        Job** at = &newest_;
        while (*at != &job) at = &(*at)->older;
        *at = job.older;
        waiting_.store(newest_ != nullptr, std::memory_order_relaxed);
    }

    Job* job_with_tasks() {
        Job* job = newest_;
        while (job != nullptr && !job->has_more()) job = job->older;
        return job;
    }

    [[noreturn]] void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            if (Job* const job = job_with_tasks()) {
                run_one(*job, lock);
                continue;
            }
            lock.unlock();
            for (int turn = 0; turn < turns && !waiting_.load(std::memory_order_relaxed); ++turn)
                std::this_thread::yield();
            lock.lock();
            if (job_with_tasks() == nullptr) come_.wait(lock);
        }
    }

    std::mutex mutex_;
    std::condition_variable come_, ended_;
    std::atomic<bool> waiting_{false};  // whether there is a job
    Job* newest_ = nullptr;
    int started_ = 0;
};

Pool& pool() {
    static auto* pool = new Pool;  // never destroyed: its threads wait in it until the process ends
    return *pool;
}

int number_in(const char* variable) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? static_cast<int>(std::clamp(std::strtol(text, nullptr, 10), 0L, 1024L)) : 0;
}

}  // namespace

int thread_count() {
    static const int count = [] {
        if (const int wanted = wanted_threads(); wanted > 0) return wanted;
        if (const int wanted = number_in("HL_NUM_THREADS"); wanted > 0) return wanted;
        return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    }();
    return count;
}

int run_tasks(void* context, LoopTaskFunction task, int first, int count, std::uint8_t* closure) {
    if (count > 1 && thread_count() > 1) {
        Job job{.task = task, .context = context, .closure = closure, .next = first, .end = first + count};
        return pool().run(job);
    }
    for (int i = first; i < first + count; ++i)
        if (const int status = task(context, i, closure); status != 0) return status;
    return 0;
}

}  // namespace frisket
