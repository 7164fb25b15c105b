// Three GpSimd cores with memories that a bus of 1024 bits reaches.
package cfg_pkg;
  localparam int unsigned Lanes = 48;
  localparam int unsigned Rows = 48;
  localparam int unsigned Cols = 48;
  localparam int unsigned SbufBytes = 16384;
  localparam int unsigned PsumBytes = 2048;
  localparam int unsigned PsumBanks = 8;
  localparam int unsigned PsumStrict = 1;
  localparam int unsigned Ecc = 1;
  localparam int unsigned AxiPorts = 2;
  localparam int unsigned AxiDataWidth = 1024;
  localparam int unsigned GpsimdVlen = 512;
endpackage
