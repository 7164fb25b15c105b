// Sizes of a GpSimd core.
package gpsimd_cfg_pkg;

  localparam int unsigned Vlen = cfg_pkg::GpsimdVlen; // bits of a vector register: 128, 256 or 512
  localparam int unsigned TcmBytes = 65536;           // tightly coupled memory
  localparam int unsigned SliceBytes = 16 * 196608;   // size of the SBUF partitions of a core

endpackage
