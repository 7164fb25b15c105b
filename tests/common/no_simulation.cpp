// SystemC's library refers to this function. Tests that link the library but simulate nothing have it; Google
// Test's main() runs them.
extern "C" int sc_main(int, char**) {
    return 1;
}
