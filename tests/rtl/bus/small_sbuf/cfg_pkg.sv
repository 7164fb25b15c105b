// The smallest SBUF that a configuration may have beside the largest PSUM.
package cfg_pkg;
  localparam int unsigned Lanes = 16;
  localparam int unsigned SbufBytes = 4096;
  localparam int unsigned PsumBytes = 16384;
  localparam int unsigned AxiDataWidth = 512;
endpackage
