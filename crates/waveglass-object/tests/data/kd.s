// One descriptor for each generation, with as many fields set as the assembler lets through.
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size 1234
  .amdhsa_private_segment_fixed_size 48
  .amdhsa_kernarg_size 72
  .amdhsa_next_free_vgpr 37
  .amdhsa_next_free_sgpr 40
  .amdhsa_user_sgpr_dispatch_ptr 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_count 9
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_vgpr_workitem_id 2
  .amdhsa_float_round_mode_32 1
  .amdhsa_float_round_mode_16_64 2
  .amdhsa_float_denorm_mode_32 3
  .amdhsa_float_denorm_mode_16_64 1
  .amdhsa_exception_fp_ieee_overflow 1
  .amdhsa_fp16_overflow 1
#ifdef GFX90A
  .amdhsa_accum_offset 36
  .amdhsa_tg_split 1
  .amdhsa_user_sgpr_kernarg_preload_length 3
  .amdhsa_user_sgpr_kernarg_preload_offset 2
#endif
#ifdef GFX10
  .amdhsa_wavefront_size32 1
  .amdhsa_workgroup_processor_mode 0
  .amdhsa_forward_progress 1
#endif
#ifdef WAVE64
  .amdhsa_wavefront_size32 0
  .amdhsa_shared_vgpr_count 2
#endif
#ifdef GFX11
  .amdhsa_wavefront_size32 1
  .amdhsa_inst_pref_size 5
#endif
#ifdef GFX1250
  .amdhsa_inst_pref_size 7
  .amdhsa_named_barrier_count 2
#endif
.end_amdhsa_kernel
