#include "gen.h"

#include <stdio.h>
#include <string.h>

struct pat {
	char role;
	const char *name;	/* %u: what makes the symbol unique */
};

/* In the order in which a layer, a prologue and so on uses them. */
static const struct pat pats[] = {
	{'b', "void (anonymous namespace)::rms_norm_kernel<c10::BFloat16, %u>("
	      "c10::BFloat16*, c10::BFloat16 const*, float, int)"},
	{'b', "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn_%u"},
	{'b', "void vllm::rotary_embedding_kernel<c10::BFloat16, true, %u>("
	      "long const*, c10::BFloat16*, c10::BFloat16 const*, int)"},
	{'b', "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, "
	      "false, false, cutlass::bfloat16_t>, %u>(Flash_fwd_params)"},
	{'b', "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_"
	      "bf16_128x128_64x3_tn_align8_%u>(cutlass::Params)"},
	{'b', "void at::native::vectorized_elementwise_kernel<4, "
	      "at::native::CUDAFunctor_add<c10::BFloat16>, "
	      "at::detail::Array<char*, %u>>(int, "
	      "at::native::CUDAFunctor_add<c10::BFloat16>, char*)"},
	{'b', "void at::native::(anonymous namespace)::"
	      "vectorized_layer_norm_kernel<c10::BFloat16, float, %u>(int, "
	      "float, c10::BFloat16 const*)"},
	{'b', "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_"
	      "warpgroupsize1x1x1_%u_cublas"},
	{'b', "triton_poi_fused_mul_silu_%u"},
	{'b', "void at::native::vectorized_elementwise_kernel<4, "
	      "at::native::BinaryFunctor<float, float, float, "
	      "at::native::binary_internal::MulFunctor<float>>, "
	      "at::detail::Array<char*, %u>>(int, float*)"},
	{'b', "triton_red_fused__to_copy_add_mean_pow_%u"},
	{'b', "void splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, "
	      "float, __nv_bfloat16, true, true, %u>(cublasSplitKParams)"},
	{'p', "void at::native::(anonymous namespace)::indexSelectLargeIndex<"
	      "c10::BFloat16, long, unsigned int, 2, 2, -2, %u>(char*)"},
	{'p', "void at::native::(anonymous namespace)::elementwise_kernel_with_"
	      "index<int, at::native::arange_cuda_out, %u>(int)"},
	{'p', "triton_poi_fused_embedding_%u"},
	{'s', "void at::native::unrolled_elementwise_kernel<at::native::"
	      "direct_copy_kernel_cuda, at::detail::Array<char*, 2>, %u>(int)"},
	{'e', "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<"
	      "float, at::native::MeanOps<float, float, float>, %u>>(int)"},
	{'e', "ampere_sgemm_128x64_nn_%u"},
	{'e', "void (anonymous namespace)::softmax_warp_forward<float, float, "
	      "float, 8, true, false, %u>(float*, float const*, int)"},
	{'e', "void at::native::(anonymous namespace)::multi_tensor_apply_"
	      "kernel<at::native::FusedAdamMathFunctor<float, 4>, %u>(int)"},
	{'x', "void at::native::(anonymous namespace)::isfinite_reduce_kernel<"
	      "float, %u>(float*, bool*)"},
	{'f', "foreign_kernel_%u(float*, int)"},
	{'r', "ncclDevKernel_AllGather_RING_LL("
	      "ncclDevKernelArgsStorage<4096ul>)"},
	{'r', "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL("
	      "ncclDevKernelArgsStorage<4096ul>)"},
	{'r', "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"},
	{'R', "ncclDevKernel_AllReduce_Sum_f32_RING_LL("
	      "ncclDevKernelArgsStorage<4096ul>)"},
	{'R', "ncclDevKernel_Broadcast_RING_LL("
	      "ncclDevKernelArgsStorage<4096ul>)"},
};

enum { NPATS = sizeof pats / sizeof pats[0] };

uint32_t
gen_name_role(char role, uint32_t i)
{
	uint32_t first = 0, n = 0;

	while (first < NPATS && pats[first].role != role)
		first++;
	while (first + n < NPATS && pats[first + n].role == role)
		n++;
	return n ? first + i % n : 0;
}

/* Pads with parameters up to the length asked for, cut exactly there. */
static size_t
pad_name(char *buf, size_t cap, size_t n, size_t want)
{
	static const char fill[] = ", std::integral_constant<unsigned int, 8u>";

	if (want >= cap)
		want = cap - 1;
	if (n >= want)
		return n;
	buf[n++] = '<';
	for (size_t i = 2; n < want; i++)
		buf[n++] = fill[i % (sizeof fill - 1)];
	buf[n - 1] = '>';
	buf[n] = '\0';
	return n;
}

/* Two symbols of one role without a number in it: the later gets a suffix. */
static bool
taken(const struct gen_prog *g, uint32_t sym)
{
	for (uint32_t i = 0; i < sym; i++)
		if (g->sym[i].pat == g->sym[sym].pat)
			return true;
	return false;
}

size_t
gen_name_kernel(char *buf, size_t cap, const struct gen_prog *g,
    const struct gen_opt *o, uint32_t sym)
{
	const struct gen_symbol *s = &g->sym[sym];
	const char *f = pats[s->pat].name, *p;
	int k;

	if (o->plain_names && s->comm)
		k = snprintf(buf, cap, "ncclDevKernel_%u", s->num);
	else if (o->plain_names)
		k = snprintf(buf, cap, "k%u", s->num);
	else if ((p = strstr(f, "%u")) != NULL)
		k = snprintf(buf, cap, "%.*s%u%s", (int)(p - f), f, s->num,
		    p + 2);
	else if (taken(g, sym))
		k = snprintf(buf, cap, "%.*s_%u%s", (int)strcspn(f, "("), f,
		    s->num, f + strcspn(f, "("));
	else
		k = snprintf(buf, cap, "%s", f);
	if (k < 0)
		gen_die("names", "can't format a name");
	if (s->comm && o->year < 2024 && !strncmp(buf, "ncclDev", 7)) {
		k -= 3; /* ncclKernel_ until NCCL 2.19 */
		memmove(buf + 4, buf + 7, (size_t)k - 3);
	}
	return pad_name(buf, cap, (size_t)k, o->name_len);
}

size_t
gen_name_short(char *buf, size_t cap, const char *name)
{
	const char *p = name, *end;
	size_t n;

	if (strncmp(p, "void ", 5) == 0)
		p += 5;
	for (;;) {
		const char *q;

		if (strncmp(p, "(anonymous namespace)::", 23) == 0) {
			p += 23;
			continue;
		}
		end = p + strcspn(p, "<(");
		q = strstr(p, "::");
		if (!q || q > end)
			break;
		p = q + 2;
	}
	n = (size_t)(end - p);
	if (n >= cap)
		n = cap - 1;
	memcpy(buf, p, n);
	buf[n] = '\0';
	return n;
}

struct call {
	const char *cuda, *hip, *nsys;
	int cbid, cid;
};

static const struct call calls[] = {
	{"cudaLaunchKernel", "hipLaunchKernel", "cudaLaunchKernel_v7000", 211,
	    107},
	{"cudaMemcpyAsync", "hipMemcpyAsync", "cudaMemcpyAsync_v3020", 41, 134},
	{"cudaMemsetAsync", "hipMemsetAsync", "cudaMemsetAsync_v3020", 51, 160},
	{"cudaGraphLaunch", "hipGraphLaunch", "cudaGraphLaunch_v10000", 311,
	    215},
	{"cudaStreamSynchronize", "hipStreamSynchronize",
	    "cudaStreamSynchronize_v3020", 131, 199},
	{"cudaEventRecord", "hipEventRecord", "cudaEventRecord_v3020", 135, 58},
	{"cudaStreamWaitEvent", "hipStreamWaitEvent",
	    "cudaStreamWaitEvent_v3020", 147, 200},
	{"cudaStreamIsCapturing", "hipStreamIsCapturing",
	    "cudaStreamIsCapturing_v10000", 317, 290},
	{"cudaDeviceGetAttribute", "hipDeviceGetAttribute",
	    "cudaDeviceGetAttribute_v5000", 200, 31},
};

const char *
gen_name_call(const struct gen_opt *o, uint32_t call)
{
	if (o->fmt == FMT_NSYS)
		return calls[call].nsys;
	return o->amd ? calls[call].hip : calls[call].cuda;
}

int
gen_name_cbid(const struct gen_opt *o, uint32_t call)
{
	return o->amd ? calls[call].cid : calls[call].cbid;
}

const char *
gen_name_op(uint32_t n)
{
	static const char *const ops[] = {"aten::mm", "aten::add", "aten::mul",
	    "aten::addmm", "aten::linear", "aten::matmul", "aten::copy_",
	    "aten::layer_norm", "aten::_to_copy", "aten::silu", "aten::bmm",
	    "aten::_scaled_dot_product_flash_attention"};

	return ops[n % (sizeof ops / sizeof ops[0])];
}

size_t
gen_name_py(char *buf, size_t cap, uint32_t n)
{
	static const char *const fn[] = {"forward", "_call_impl", "__call__",
	    "_wrapped_call_impl", "__getattr__", "run_batch", "linear"};
	static const char *const file[] = {"torch/nn/modules/module.py",
	    "torch/nn/functional.py", "model/transformer.py",
	    "model/attention.py", "torch/_ops.py"};
	int k = snprintf(buf, cap, "%s(%u): %s", file[n % 5], 20 + n % 977,
	    fn[n % 7]);

	return k < 0 ? 0 : (size_t)k;
}

uint32_t
gen_lane_id(const struct gen_opt *o, uint32_t lane)
{
	return o->amd ? lane : lane == 0 ? 7 : 16 + 4 * lane;
}

uint32_t
gen_comm_lane(const struct gen_opt *o)
{
	return o->streams;
}

uint32_t
gen_dev_id(const struct gen_opt *o, uint32_t proc, uint32_t dev)
{
	return o->share_dev ? dev : proc * o->devs + dev;
}

uint32_t
gen_pid(uint32_t proc)
{
	return 4242 + 101 * proc;
}

uint32_t
gen_tid(uint32_t proc, uint32_t thread)
{
	return gen_pid(proc) + 17 * thread;
}

uint64_t
gen_global_pid(uint32_t proc)
{
	return ((uint64_t)1 << 48) | ((uint64_t)gen_pid(proc) << 24);
}
