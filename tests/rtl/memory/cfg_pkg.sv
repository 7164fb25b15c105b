// A small core with two slices of eight partitions.
package cfg_pkg;
  localparam int unsigned Lanes = 16;
  localparam int unsigned Rows = 16;
  localparam int unsigned Cols = 16;
  localparam int unsigned SbufBytes = 4096;
  localparam int unsigned PsumBytes = 2048;
  localparam int unsigned PsumBanks = 4;
  localparam int unsigned AxiDataWidth = 256;
endpackage
