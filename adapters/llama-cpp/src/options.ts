import { z } from 'zod';

// In YAML configs, the value of `${NAME}` is a string.
const number = z.coerce.number<number | string>();
const count = (max: number) => number.int().min(1).max(max);

/** The options of a chat model. */
export const chatOptions = z.strictObject({
	/** The GGUF file; a relative path starts at the folder of the config. Of a split model, the first part. */
	file: z.string().min(1),
	/** Maximum tokens of a conversation with its answer. The context size of the model's training limits it. */
	contextSize: count(4_194_304).default(8_192),
	/** Maximum concurrent answers. Each has memory for its own context. */
	slots: count(64).default(1),
	/** The GPU interface for the computation. `auto`: the best one that is installed. `false`: only the CPU. */
	gpu: z.union([z.enum(['auto', 'cuda', 'vulkan', 'metal']), z.literal(false)]).default('auto'),
	/** Layers in the memory of the GPU. `auto`: as many as fit. */
	gpuLayers: z.union([z.enum(['auto', 'max']), number.int().min(0)]).default('auto'),
	/** Threads on the CPU. Absent: the engine decides. */
	threads: count(1_024).optional(),
	/** The temperature of requests without `temperature`. */
	temperature: number.min(0).max(2).default(0.8),
	/** The value for requests without `top_p`. */
	topP: number.min(0).max(1).default(0.95),
	/** Samples from only this number of the likeliest tokens. 0: from all. */
	topK: number.int().min(0).default(40),
	/** Minimum probability of a token, as a fraction of that of the likeliest token. */
	minP: number.min(0).max(1).default(0.05),
	/** Maximum document characters of one request. Absent: twice the context size. */
	documentCharacters: count(Number.MAX_SAFE_INTEGER).optional(),
});

/** The checked options. */
export type ChatOptions = z.output<typeof chatOptions>;
