// The scopes of a verilated model in a waveform that lie within scopes of another model. Verilator
// 5.006 takes a model's name apart at blanks, and each model is added to a wave. Current versions take the name for
// one scope, and add all models of a context in the order in which they were made; so the scopes above are opened
// before a model and closed after it.
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
    for_each_above(*static_cast<std::string*>(names), [wave](const std::string& name) {
        wave->pushPrefix(name.c_str(), VerilatedTracePrefixType::SCOPE_MODULE);
    });
}

inline void close_scopes(void* names, VerilatedFst* wave, std::uint32_t) {
    for_each_above(*static_cast<std::string*>(names), [wave](const std::string&) { wave->popPrefix(); });
}

// Makes a model whose signals lie in the scopes `names`, from the top, separated by blanks.
template <typename Model>
std::unique_ptr<Model> make_within(const std::string& names, VerilatedContext& context) {
    const auto kept = std::make_shared<std::string>(names);
    const auto call = [&](auto callback) {
        context.traceBaseModelCbAdd([kept, callback](VerilatedTraceBaseC* wave, int, int) {
            auto* const trace = dynamic_cast<VerilatedFstC*>(wave)->spTrace();
            if constexpr (requires { trace->addInitCb(callback, kept.get(), "", false, 0); })
                trace->addInitCb(callback, kept.get(), "", false, 0);
            else
                trace->addInitCb(callback, kept.get());  // Verilator 5.032's
        });
    };
    call(&open_scopes);
    auto model = std::make_unique<Model>(&context, names.substr(names.rfind(' ') + 1).c_str());
    call(&close_scopes);
    return model;
}

#else

template <typename Model>
std::unique_ptr<Model> make_within(const std::string& names, VerilatedContext& context) {
    return std::make_unique<Model>(&context, names.c_str());
}

#endif

}  // namespace trnsim::tlm
