// Stores the workgroup's id to scratch at the offset in s2.
//   s[0:1]  where scratch lies (where that is not architected; its offset is then in s4)
//   s2      the offset
//   s3      the workgroup's id
.if GFX == 9 && ARCHITECTED == 0
  s_add_u32 flat_scratch_lo, s0, s4
  s_addc_u32 flat_scratch_hi, s1, 0
.endif
.if GFX >= 12
  v_mov_b32 v1, ttmp9
  scratch_store_b32 off, v1, s2
.else
  v_mov_b32 v1, s3
  .if GFX >= 11
    scratch_store_b32 off, v1, s2
  .else
    scratch_store_dword off, v1, s2
  .endif
.endif
  s_endpgm
