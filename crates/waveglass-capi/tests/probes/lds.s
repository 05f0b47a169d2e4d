// Stores to LDS at the address in s0.
  v_mov_b32 v1, s0
.if GFX >= 11
  ds_store_b32 v1, v1
.else
  ds_write_b32 v1, v1
.endif
  s_endpgm
