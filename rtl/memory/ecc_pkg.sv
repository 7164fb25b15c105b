// A code over 32-bit words that corrects one wrong bit and detects two. It has seven check bits, and every
// column of the parity-check matrix has odd weight (Hsiao). Columns of data bits have three ones, those of
// check bits have one; two wrong bits give a syndrome of even weight. Three or more wrong bits may look like
// one.
package ecc_pkg;

  localparam int unsigned WordBits  = 32;
  localparam int unsigned CheckBits = 7;

  typedef logic [CheckBits-1:0] check_t;
  typedef logic [WordBits-1:0][CheckBits-1:0] columns_t;

  // A word as it is stored.
  typedef struct packed {
    check_t              check;
    logic [WordBits-1:0] word;
  } code_t;

  typedef struct packed {
    logic [WordBits-1:0] word;  // the corrected word
    logic                corrected;
    logic                uncorrectable;
  } decoded_t;

  function automatic columns_t make_columns();
    columns_t    columns;
    int unsigned n;
    columns = '0;
    n       = 0;
    for (int unsigned v = 0; v < (1 << CheckBits); v++) begin
      if ($countones(check_t'(v)) == 3 && n < WordBits) begin
        columns[n] = check_t'(v);
        n++;
      end
    end
    return columns;
  endfunction

  localparam columns_t Columns = make_columns();

  function automatic check_t check_of(logic [WordBits-1:0] word);
    check_t check;
    check = '0;
    for (int unsigned i = 0; i < WordBits; i++) check ^= Columns[i] & {CheckBits{word[i]}};
    return check;
  endfunction

  function automatic decoded_t decode(code_t code);
    check_t   syndrome;
    decoded_t result;
    syndrome = check_of(code.word) ^ code.check;
    result   = '{word: code.word, corrected: $onehot(syndrome), uncorrectable: 1'b0};
    for (int unsigned i = 0; i < WordBits; i++) begin
      if (syndrome == Columns[i]) begin
        result.word[i]   = ~code.word[i];
        result.corrected = 1'b1;
      end
    end
    result.uncorrectable = (syndrome != '0) & ~result.corrected;
    return result;
  endfunction

endpackage
