// The operations of vector_special on elements.
package vector_special_pkg;

  typedef enum logic [3:0] {
    SpecialSeed, SpecialRng, SpecialDropout, SpecialMax8, SpecialFind8, SpecialReplace8, SpecialLoadMask, SpecialShuffle,
    SpecialTranspose
  } special_e;

endpackage
