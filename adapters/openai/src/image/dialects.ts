/** The differences between servers in pictures. */
export interface ImageDialect {
	/** Maximum pictures of one call. */
	readonly count: number;
	/** The endpoint of edits, the maximum number of input pictures, and whether a mask is required. */
	readonly edits: { readonly path: string; readonly images: number; readonly needsMask: boolean };
	/** The name of the form field for one input picture and for several, and whether WebP is accepted. */
	readonly inputs: { readonly one: string; readonly many: string; readonly webp: boolean };
	/** The name of the mask, and its editable area: transparent or white pixels. Undefined: no masks. */
	readonly mask?: { readonly name: string; readonly opens: 'transparent' | 'white' };
	/** Whether to request base64; otherwise the server decides. */
	readonly requestsBase64: boolean;
	/** Whether the server streams partial pictures. */
	readonly streams: boolean;
	/** `field`: a member `seed`. `prompt`: a part of the prompt. Undefined: not supported. */
	readonly seed?: 'field' | 'prompt';
	/** The member with the number of steps, or `prompt`. Undefined: not supported. */
	readonly steps?: string;
	/** Whether the server supports `quality`, `moderation`, `input_fidelity`, `output_format`, `output_compression`. */
	readonly supportsOutputOptions: boolean;
	/** Whether the server supports `background`. */
	readonly transparency: boolean;
	/** Whether requests may pass through unchanged. */
	readonly passthrough: boolean;
}

const openaiEdits = { path: '/images/edits', images: 16, needsMask: false };

/** The common properties of servers of diffusion models. */
const diffusion = {
	// Pictures of one call share the memory of one GPU. With one picture per call, each has its own seed.
	count: 1,
	edits: openaiEdits,
	inputs: { one: 'image', many: 'image', webp: true },
	requestsBase64: true,
	streams: false,
	seed: 'field',
	steps: 'num_inference_steps',
	supportsOutputOptions: false,
	transparency: false,
	passthrough: false,
} as const satisfies ImageDialect;

/** The supported servers. */
export const imageDialects = {
	openai: {
		count: 10,
		edits: openaiEdits,
		inputs: { one: 'image', many: 'image[]', webp: true },
		mask: { name: 'mask', opens: 'transparent' },
		requestsBase64: false,
		streams: true,
		supportsOutputOptions: true,
		transparency: true,
		passthrough: true,
	},
	'vllm-omni': { ...diffusion, mask: { name: 'mask_image', opens: 'white' } },
	sglang: { ...diffusion, transparency: true },
	localai: {
		...diffusion,
		edits: { path: '/images/inpainting', images: 1, needsMask: true },
		mask: { name: 'mask', opens: 'white' },
		steps: 'step',
	},
	sdcpp: {
		...diffusion,
		inputs: { one: 'image[]', many: 'image[]', webp: false },
		mask: { name: 'mask', opens: 'white' },
		requestsBase64: false,
		seed: 'prompt',
		steps: 'prompt',
	},
} as const satisfies Record<string, ImageDialect>;
