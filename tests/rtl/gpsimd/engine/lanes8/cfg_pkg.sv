// A core with half of a GpSimd core.
package cfg_pkg;
  localparam int unsigned Lanes = 8;
  localparam int unsigned Rows = 8;
  localparam int unsigned Cols = 8;
  localparam int unsigned SbufBytes = 16384;
  localparam int unsigned PsumBytes = 2048;
  localparam int unsigned PsumBanks = 8;
  localparam int unsigned PsumStrict = 1;
  localparam int unsigned Ecc = 1;
  localparam int unsigned AxiPorts = 1;
  localparam int unsigned AxiDataWidth = 1024;
  localparam int unsigned GpsimdIssueLatency = 116;
  localparam int unsigned GpsimdVlen = 128;
endpackage
