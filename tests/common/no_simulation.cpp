// The entry that SystemC's library names, for tests that link it and simulate nothing with it: Google Test's main() runs them.
extern "C" int sc_main(int, char**) {
    return 1;
}
