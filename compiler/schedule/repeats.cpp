#include "compiler/schedule/repeats.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "compiler/schedule/contents.hpp"
#include "compiler/schedule/pressure.hpp"

namespace trnsim::schedule {

using builder::Access;
using builder::KernelBuilder;
using builder::Role;
using builder::Step;
using builder::Tile;
using target::Memory;

namespace {

// The steps of one place in the source that follow each other are one execution of it: a call is a place, and
// the step's rank in the execution.
using Call = std::pair<std::uint32_t, std::uint32_t>;

// The uses that the steps make of a life, or of a tensor in HBM. Places are those of steps in the author's order.
struct Use {
    std::uint32_t first_write = NoLife, last_write = 0;
    std::uint32_t first_read = NoLife;  // by a step that does not write it
    std::uint32_t reads = 0;            // steps that read it and do not write it
    bool fixed = false;                 // a step that stays writes it, or one of a loop accesses it
    Call call;                          // that writes it first
    bool computed = false;              // by an engine, not by a transfer

    bool was_read() const { return first_read != NoLife; }
};

class Repeats {
  public:
    Repeats(KernelBuilder& kernel, std::vector<Step>& steps, const Lives& lives, std::uint64_t room)
        : kernel_(kernel),
          steps_(steps),
          lives_(lives),
          room_(room),
          count_(static_cast<std::uint32_t>(lives.all().size())),
          uses_(count_ + kernel.tensors().size()),
          same_(uses_.size()) {
        for (std::uint32_t what = 0; what < same_.size(); ++what) same_[what] = what;
        find_named(steps);
    }

    void run() {
        if (is_placed(steps_)) return;
        find_uses();
        if (!join()) return;
        drop();
        rename();
        std::erase_if(steps_, [&](const Step& step) { return dropped_.contains(step.number); });
        number(steps_);
    }

  private:
    static bool is_placed(const std::vector<Step>& steps) {
        return std::ranges::any_of(steps, [](const Step& step) {
            return (step.loop && is_placed(step.loop->body)) ||
                   std::ranges::any_of(step.accesses, [](const Access& access) {
                       const Tile* tile = access.tile();
                       return tile != nullptr && tile->buffer == 0 && tile->memory == Memory::Sbuf;
                   });
        });
    }

    void find_named(const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            if (step.loop) find_named(step.loop->body);
            for (const builder::Event& event : step.after)
                if (event.producer == builder::StepProducer)
                    named_.insert(static_cast<std::uint32_t>(event.index));
        }
    }

    // Returns the index of what an access reaches in uses_, NoLife if that is not followed.
    std::uint32_t index_of(const Step& step, std::size_t access) const {
        const builder::TensorView* view = step.accesses[access].view();
        return view != nullptr ? count_ + view->tensor : lives_.of(step)[access];
    }

    // Calls `use` with what the step writes, and then with what it reads and does not write, each once.
    template <typename Used>
    void each_use(const Step& step, const Used& used) const {
        std::vector<std::uint32_t> seen;
        for (const bool write : {true, false}) {
            for (std::size_t access = 0; access < step.accesses.size(); ++access) {
                if ((step.accesses[access].role != Role::Read) != write) continue;
                const std::uint32_t what = index_of(step, access);
                if (what == NoLife || std::ranges::find(seen, what) != seen.end()) continue;
                seen.push_back(what);
                used(what, write);
            }
        }
    }

    void find_uses() {
        Contents contents(lives_, kernel_.tensors());
        Call call;
        for (const Step& step : steps_) {
            call = {step.place, step.place == call.first ? call.second + 1 : 0};
            if (step.loop) {
                note_loop(contents, step.loop->body);
                continue;
            }
            const bool goes = contents.note(step) && !named_.contains(step.number);
            if (!goes) stays_.insert(step.number);
            each_use(step, [&](std::uint32_t what, bool write) {
                Use& use = uses_[what];
                if (write) {
                    if (use.first_write == NoLife) {
                        use.call = call;
                        use.computed = !step.queue;
                        if (what < count_) calls_[call].push_back(what);
                    }
                    use.first_write = std::min(use.first_write, step.number);
                    use.last_write = step.number;
                    use.fixed |= !goes;
                } else {
                    use.first_read = std::min(use.first_read, step.number);
                    ++use.reads;
                }
            });
        }
        for (std::uint32_t life = 0; life < count_; ++life) {
            const Use& use = uses_[life];
            if (use.was_read() && use.first_write != NoLife && !use.fixed)
                equal_[contents.of(life)].push_back(life);
        }
        for (const auto& [call, written] : calls_) find_changes(call, written, contents);
    }

    // Finds which lives of a call differ from what it wrote the last time, and whether it repeats a whole array:
    // the same contents in the same order.
    void find_changes(const Call& call, const std::vector<std::uint32_t>& written, const Contents& contents) {
        std::unordered_set<Content> distinct;
        for (const std::uint32_t life : written) distinct.insert(contents.of(life));
        bool same = true;
        for (std::size_t i = 1; i < written.size(); ++i) {
            const Content content = contents.of(written[i]);
            if (content != contents.of(written[i - 1])) varies_.insert(written[i]);
            same &= i < distinct.size() || content == contents.of(written[i - distinct.size()]);
        }
        if (same) arrays_.insert(call);
    }

    void note_loop(Contents& contents, const std::vector<Step>& body) {
        for (const Step& step : body) {
            if (step.loop) note_loop(contents, step.loop->body);
            contents.note_unknown(step);
            each_use(step, [&](std::uint32_t what, bool) {
                uses_[what].fixed = true;
                ++uses_[what].reads;
            });
        }
    }

    struct Pair {
        std::uint32_t apart, earlier, later;
    };

    // Joins lives with equal contents if the earlier one can stay until the later one is used: those that are
    // nearest to each other first, and then arrays as a whole. Returns whether there are any.
    bool join() {
        std::vector<Pair> pairs;
        std::map<Call, std::vector<Pair>> arrays;
        for (auto& [content, lives] : equal_) {
            std::ranges::sort(lives, {}, [&](std::uint32_t life) { return uses_[life].first_write; });
            for (std::size_t i = 1; i < lives.size(); ++i) {
                const std::uint32_t earlier = lives[i - 1], later = lives[i];
                if (!may_join(earlier, later)) continue;
                const std::uint32_t end = lives_.all()[earlier].last, first = uses_[later].first_write;
                const Pair pair{first > end ? first - end : 0, earlier, later};
                (varies_.contains(later) ? arrays[uses_[later].call] : pairs).push_back(pair);
            }
        }
        std::ranges::sort(pairs, {}, [](const Pair& pair) { return std::pair(pair.apart, pair.later); });
        Pressure pressure(lives_.steps());
        for (std::uint32_t life = 0; life < lives_.all().size(); ++life)
            if (lives_.buffer_of(life).memory == Memory::Sbuf)
                pressure.add(lives_.all()[life].first, lives_.all()[life].last, lives_.buffer_of(life).bytes);
        bool joined = false;
        for (const Pair& pair : pairs) joined |= join_all(std::span(&pair, 1), pressure);
        for (const auto& [call, array] : arrays) joined |= join_all(array, pressure);
        for (const std::uint32_t life : by_beginning()) same_[life] = same_[same_[life]];
        return joined;
    }

    // Joins all the pairs if they fit, or none. Returns whether they do.
    bool join_all(std::span<const Pair> pairs, Pressure& pressure) {
        std::size_t added = 0;
        bool fits = true;
        const auto stay = [&](const Pair& pair, bool stays) {
            if (pair.apart <= 1) return;
            const std::uint32_t first = lives_.all()[pair.earlier].last + 1;
            const std::uint32_t last = uses_[pair.later].first_write - 1;
            const std::uint64_t bytes = lives_.buffer_of(pair.earlier).bytes;
            if (!stays) return pressure.remove(first, last, bytes);
            pressure.add(first, last, bytes);
            fits = pressure.most(first, last) <= room_;
        };
        while (fits && added < pairs.size()) stay(pairs[added++], true);
        for (const Pair& pair : pairs.first(added)) {
            if (fits)
                same_[pair.later] = pair.earlier;
            else
                stay(pair, false);
        }
        return fits;
    }

    bool may_join(std::uint32_t earlier, std::uint32_t later) const {
        const builder::Buffer& buffer = lives_.buffer_of(earlier);
        return buffer.memory == Memory::Sbuf && !buffer.own && !lives_.buffer_of(later).own &&
               (!varies_.contains(later) ||
                (!uses_[later].computed && arrays_.contains(uses_[later].call))) &&
               uses_[earlier].last_write < uses_[later].first_write &&
               uses_[later].last_write < uses_[later].first_read;
    }

    // Returns the lives in the order of their first writes.
    std::vector<std::uint32_t> by_beginning() const {
        std::vector<std::uint32_t> lives(count_);
        for (std::uint32_t life = 0; life < lives.size(); ++life) lives[life] = life;
        std::ranges::sort(lives, {}, [&](std::uint32_t life) { return uses_[life].first_write; });
        return lives;
    }

    // Drops the steps that fill joined lives, and those whose results no step needs any more.
    void drop() {
        for (std::uint32_t life = 0; life < count_; ++life)
            if (same_[life] != life) uses_[same_[life]].reads += uses_[life].reads;
        for (std::size_t at = steps_.size(); at-- > 0;) {
            const Step& step = steps_[at];
            if (step.loop || stays_.contains(step.number) || is_needed(step)) continue;
            dropped_.insert(step.number);
            each_use(step, [&](std::uint32_t what, bool write) {
                if (!write) --uses_[same_[what]].reads;
            });
        }
    }

    // The step writes one life, or one tensor. Results that no step has ever read count as needed.
    bool is_needed(const Step& step) const {
        const auto written = std::ranges::find_if(
            step.accesses, [](const Access& access) { return access.role != Role::Read; });
        const std::uint32_t what = index_of(step, static_cast<std::size_t>(written - step.accesses.begin()));
        const bool seen =
            what >= count_ && kernel_.tensors()[what - count_].kind != neff::TensorKind::Scratch;
        return seen || (same_[what] == what && (uses_[what].reads != 0 || !uses_[what].was_read()));
    }

    // Gives each life with others that are joined with it a buffer of its own.
    void rename() {
        std::unordered_map<std::uint32_t, std::uint32_t> buffers;  // by earliest life
        for (std::uint32_t life = 0; life < count_; ++life)
            if (same_[life] != life && !buffers.contains(same_[life]))
                buffers.emplace(same_[life], kernel_.another(lives_.all()[same_[life]].buffer));
        for (Step& step : steps_) {
            const std::span<const std::uint32_t> lives = lives_.of(step);
            for (std::size_t access = 0; access < lives.size(); ++access) {
                if (lives[access] == NoLife) continue;
                const auto found = buffers.find(same_[lives[access]]);
                if (found != buffers.end()) std::get<Tile>(step.accesses[access].what).buffer = found->second;
            }
        }
    }

    KernelBuilder& kernel_;
    std::vector<Step>& steps_;
    const Lives& lives_;
    std::uint64_t room_;
    std::uint32_t count_;              // lives
    std::vector<Use> uses_;            // of lives, then of tensors
    std::vector<std::uint32_t> same_;  // by index in uses_: the earliest life with these contents that stays
    std::unordered_set<std::uint32_t> named_, stays_, dropped_;
    std::map<Call, std::vector<std::uint32_t>> calls_;  // the lives that each writes, in order
    std::unordered_set<std::uint32_t> varies_;  // lives that are not what their call wrote just before
    std::set<Call> arrays_;                     // calls that repeat all their contents in order
    std::unordered_map<Content, std::vector<std::uint32_t>> equal_;
};

}  // namespace

void drop_repeats(KernelBuilder& kernel, std::vector<Step>& steps, const Lives& lives, std::uint64_t room) {
    Repeats(kernel, steps, lives, room).run();
}

}  // namespace trnsim::schedule
