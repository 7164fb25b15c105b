// The memories of the Scalar engine's activation functions, and the beats that fill them;
// arch/activation/table_image.hpp makes the beats.
package scalar_table_pkg;

  import activation_table_pkg::RowBits;

  // The tables of the activation functions: a bank of rows for the expansion points, one for each
  // coefficient, one for the segments; in a separate table the parts of (e - 127) ln 2. They arrive in beats:
  // a header and words for consecutive rows of a bank.
  localparam int unsigned TableBanks = 8;
  localparam int unsigned SegmentBank = 7;
  localparam int unsigned TableBankBits = $clog2(TableBanks);
  localparam int unsigned TableBits = RowBits + TableBankBits;
  localparam int unsigned TableWords = 1 << TableBits;
  localparam int unsigned ExponentBits = 9;
  localparam int unsigned ExponentWords = 1 << ExponentBits;
  localparam int unsigned TableBeatWords = 127;  // beside the header
  localparam int unsigned TableBeatBytes = 4 * (TableBeatWords + 1);
  localparam logic [6:0] TableTag = 7'h54;

  typedef struct packed {
    logic [6:0]         tag;
    logic [6:0]         count;  // number of words
    logic [3:0]         bank;   // TableBanks stands for the parts of (e - 127) ln 2
    logic [RowBits-1:0] row;    // row of the first word
  } table_header_t;

  typedef struct packed {
    logic [TableBeatWords-1:0][31:0] words;
    table_header_t                   header;
  } table_beat_t;

  /* verilator lint_off UNUSEDSIGNAL */  // the row may be anything
  function automatic logic is_table_beat(table_header_t header);
    return (header.tag == TableTag) & (32'(header.bank) <= TableBanks) & (header.count != '0);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

endpackage
