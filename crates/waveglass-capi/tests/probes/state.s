// Writes the state in which waves start: for each lane a record of 16 dwords behind a counter.
//   s[0:1]  the counter, then the records
// Records: s2 to s9, v0 to v2, ttmp9, ttmp7 (on gfx12), and three that stay as they are.
.if GFX >= 12
  v_dual_mov_b32 v10, 1 :: v_dual_mov_b32 v11, 0
  global_atomic_add_u32 v12, v11, v10, s[0:1] th:TH_ATOMIC_RETURN
  s_wait_loadcnt 0x0
  v_mov_b32 v24, ttmp9
  v_mov_b32 v25, ttmp7
.else
  v_mov_b32 v10, 1
  v_mov_b32 v11, 0
  .if GFX >= 11
    global_atomic_add_u32 v12, v11, v10, s[0:1] glc
  .else
    .if ARCHITECTED
      global_atomic_add v12, v11, v10, s[0:1] sc0
    .else
      global_atomic_add v12, v11, v10, s[0:1] glc
    .endif
  .endif
  s_waitcnt vmcnt(0)
  v_mov_b32 v24, 0
  v_mov_b32 v25, 0
.endif
  v_lshlrev_b32 v12, 6, v12
  v_mov_b32 v14, s2
  v_mov_b32 v15, s3
  v_mov_b32 v16, s4
  v_mov_b32 v17, s5
  v_mov_b32 v18, s6
  v_mov_b32 v19, s7
  v_mov_b32 v20, s8
  v_mov_b32 v21, s9
.if GFX >= 11
  global_store_b128 v12, v[14:17], s[0:1] offset:64
  global_store_b128 v12, v[18:21], s[0:1] offset:80
  global_store_b32 v12, v0, s[0:1] offset:96
  global_store_b32 v12, v1, s[0:1] offset:100
  global_store_b32 v12, v2, s[0:1] offset:104
  global_store_b64 v12, v[24:25], s[0:1] offset:108
.else
  global_store_dwordx4 v12, v[14:17], s[0:1] offset:64
  global_store_dwordx4 v12, v[18:21], s[0:1] offset:80
  global_store_dword v12, v0, s[0:1] offset:96
  global_store_dword v12, v1, s[0:1] offset:100
  global_store_dword v12, v2, s[0:1] offset:104
  global_store_dwordx2 v12, v[24:25], s[0:1] offset:108
.endif
  s_endpgm
