"""Pure text work: analysis, understanding, rendering. No clock, no I/O."""
