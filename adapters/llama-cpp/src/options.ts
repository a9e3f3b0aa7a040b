import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = z.coerce.number<number | string>();
const count = (max: number) => number.int().min(1).max(max);

/** The options of a chat model. */
export const chatOptions = z.strictObject({
	/** The GGUF file; a relative path starts at the folder of the config. Of a split model, the first part. */
	file: z.string().min(1),
	/** Tokens of one conversation with its answer, at most what the model was trained with. */
	contextSize: count(4_194_304).default(8_192),
	/** Answers at the same time. Each has memory for its own context. */
	slots: count(64).default(1),
	/** Where the model computes. `auto`: the best that is installed. */
	gpu: z.union([z.enum(['auto', 'cuda', 'vulkan', 'metal']), z.literal(false)]).default('auto'),
	/** Layers in the memory of the GPU. `auto`: as many as fit. */
	gpuLayers: z.union([z.enum(['auto', 'max']), number.int().min(0)]).default('auto'),
	/** Threads on the CPU. Absent: the engine decides. */
	threads: count(1_024).optional(),
	/** For requests without `temperature`. */
	temperature: number.min(0).max(2).default(0.8),
	/** For requests without `top_p`. */
	topP: number.min(0).max(1).default(0.95),
	/** Only this many of the likeliest tokens; 0: all. */
	topK: number.int().min(0).default(40),
	/** Only tokens with this share of the likelihood of the likeliest. */
	minP: number.min(0).max(1).default(0.05),
	/** Maximum document characters of one request. Absent: twice the context size. */
	documentCharacters: count(Number.MAX_SAFE_INTEGER).optional(),
});

/** The checked options. */
export type ChatOptions = z.output<typeof chatOptions>;
