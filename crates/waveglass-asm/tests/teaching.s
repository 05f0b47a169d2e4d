	v_mov_b32 v256, v1
	v_add_f64 v[1:2], v[2:3], v[4:5]
	s_load_dwordx2 s[3:4], s[0:1], 0x0
	global_load_dword v0, v[2:3], off offset:8192
	v_mul_f32 v0, 0x123456789, v1
	v_add_f64 v[0:1], 1.5e400, v[2:3]
	v_add_f32 v0, 0x12345, 0x54321
	global_load_dword v0, v[2:3], off dlc
	v_mov_b32_dpp v0, v1 row_share:3
	buffer_load_u16 v0, off, s[0:3], 0
	v_add_nc_u32 v0, v1, v2
	v_mul_f23 v0, v1, v2
	v_mul_f32 v0, v1
	v_mul_f32 v0, v1, v2, v3
	v_mul_f32 s0, v1, v2
	s_add_u32 s0, s1, v0
	v_mul_f32_e64 v0, v1, v2 mul:2 clamp
	v_mul_f32 v0, v1, v2 quad_perm:[0,1,2,4]
	s_waitcnt vmcnt(64)
	s_sendmsg sendmsg(MSG_NONSENSE)
	ds_read_b32 v0, v1 offset:65536
	.lonng 3
	.set x, y
	.if x
	.endif
