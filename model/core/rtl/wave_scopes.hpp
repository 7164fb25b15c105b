// The scopes of a verilated model in a waveform that lie within scopes of another model. Verilator 5.006 takes a
// model's name apart at blanks. Later versions take the name for one scope, so the scopes above are opened before
// the model is added to a wave and closed after it: by its trace() in 5.020; in current versions by the first
// trace() of any model, which adds all models of a context in the order in which they were made.
#pragma once

#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>

namespace trnsim::tlm {

#ifdef TRNSIM_VERILATOR_HAS_PREFIXES

// Calls an action with every scope in `names` but the last one.
template <typename Action>
void for_each_above(const std::string& names, Action action) {
    for (std::size_t begin = 0, end = 0; (end = names.find(' ', begin)) != std::string::npos; begin = end + 1)
        action(names.substr(begin, end - begin));
}

inline void open_scopes(void* names, VerilatedFst* wave, std::uint32_t) {
    for_each_above(*static_cast<const std::string*>(names), [wave](const std::string& name) {
        wave->pushPrefix(name.c_str(), VerilatedTracePrefixType::SCOPE_MODULE);
    });
}

inline void close_scopes(void* names, VerilatedFst* wave, std::uint32_t) {
    for_each_above(*static_cast<const std::string*>(names),
                   [wave](const std::string&) { wave->popPrefix(); });
}

// Has one of the functions above called when the wave is opened, in the order of the calls.
template <typename Callback>
void add_callback(VerilatedFstC& wave, Callback callback, const std::string& names) {
    auto* const trace = wave.spTrace();
    void* const argument = const_cast<std::string*>(&names);
    if constexpr (requires { trace->addInitCb(callback, argument, "", false, 0); })
        trace->addInitCb(callback, argument, "", false, 0);
    else
        trace->addInitCb(callback, argument);  // up to 5.032
}

inline std::string model_name(const std::string& names) {
    return names.substr(names.rfind(' ') + 1);
}

#else

inline std::string model_name(const std::string& names) {
    return names;
}

#endif

#ifdef TRNSIM_VERILATOR_TRACES_CONTEXTS

// Makes a model whose signals lie in the scopes `names`, from the top, separated by blanks. `names` must outlive
// the model.
template <typename Model>
std::unique_ptr<Model> make_within(const std::string& names, VerilatedContext& context) {
    const auto call = [&](auto callback) {
        context.traceBaseModelCbAdd([&names, callback](VerilatedTraceBaseC* wave, int, int) {
            add_callback(*dynamic_cast<VerilatedFstC*>(wave), callback, names);
        });
    };
    call(&open_scopes);
    auto model = std::make_unique<Model>(&context, model_name(names).c_str());
    call(&close_scopes);
    return model;
}

#else

template <typename Model>
std::unique_ptr<Model> make_within(const std::string& names, VerilatedContext& context) {
    return std::make_unique<Model>(&context, model_name(names).c_str());
}

#endif

// Adds a model of make_within() to a wave that is not open yet.
template <typename Model>
void trace_within([[maybe_unused]] const std::string& names, Model& model, VerilatedFstC& wave, int levels) {
#if defined TRNSIM_VERILATOR_HAS_PREFIXES && !defined TRNSIM_VERILATOR_TRACES_CONTEXTS
    add_callback(wave, &open_scopes, names);
    model.trace(&wave, levels);
    add_callback(wave, &close_scopes, names);
#else
    model.trace(&wave, levels);
#endif
}

}  // namespace trnsim::tlm
