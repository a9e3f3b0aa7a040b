/** Where servers differ in pictures. */
export interface ImageDialect {
	/** Most pictures of one call. */
	readonly count: number;
	/** How edits are asked for: by any pictures, or by one picture and its mask. */
	readonly edits: { readonly path: string; readonly images: number; readonly needsMask: boolean };
	/** The name of an input picture in a form, when there is one and when there are several. */
	readonly inputs: { readonly one: string; readonly many: string; readonly webp: boolean };
	/** The name of the mask, and what it opens: what is see-through, or what is white. Undefined: it takes none. */
	readonly mask?: { readonly name: string; readonly opens: 'transparent' | 'white' };
	/** Whether pictures must be asked for as base64; else the server decides. */
	readonly asksForBase64: boolean;
	/** Whether unfinished pictures are shown as events. */
	readonly streams: boolean;
	/** `field`: a member `seed`; `prompt`: an inset of the prompt. Undefined: it knows none. */
	readonly seed?: 'field' | 'prompt';
	/** The name of the number of steps, or `prompt`. Undefined: it knows none. */
	readonly steps?: string;
	/** Whether it knows `quality`, `moderation`, `input_fidelity`, `output_format` and `output_compression`. */
	readonly knowsFinish: boolean;
	/** Whether it knows `background`. */
	readonly transparency: boolean;
	/** Whether requests may pass through as clients have written them. */
	readonly passthrough: boolean;
}

const open = { path: '/images/edits', images: 16, needsMask: false };

/** What servers of diffusion models have in common. */
const diffusion = {
	// Pictures of one call share the memory of one card; and so each has the seed that it is to have.
	count: 1,
	edits: open,
	inputs: { one: 'image', many: 'image', webp: true },
	asksForBase64: true,
	streams: false,
	seed: 'field',
	steps: 'num_inference_steps',
	knowsFinish: false,
	transparency: false,
	passthrough: false,
} as const satisfies ImageDialect;

/** The servers that make pictures, and how. */
export const imageDialects = {
	openai: {
		count: 10,
		edits: open,
		inputs: { one: 'image', many: 'image[]', webp: true },
		mask: { name: 'mask', opens: 'transparent' },
		asksForBase64: false,
		streams: true,
		knowsFinish: true,
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
		asksForBase64: false,
		seed: 'prompt',
		steps: 'prompt',
	},
} as const satisfies Record<string, ImageDialect>;
