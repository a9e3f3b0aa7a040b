import * as plinth from '@plinth/core';
import { z } from 'zod';

/** A model that turns texts into vectors. */
export interface EmbeddingModel {
	readonly apiVersion: 1;
	/** Resolves with one array of numbers per text. */
	embed(texts: readonly string[], run: EmbeddingRun): Promise<number[][]>;
}

/** The options and the abort signal of one call. */
export interface EmbeddingRun {
	readonly dimensions?: number | undefined;
	readonly signal: AbortSignal;
}

/** The family of embedding models. */
export const embeddingModels = plinth.defineModelKind<EmbeddingModel>('embedding', {
	apiVersion: 1,
	functions: { embed: 'required' },
});

const text = z.string().min(1).max(8192);
const request = z.object({
	model: z.string(),
	input: z.union([text, z.array(text).min(1).max(2048)]),
	dimensions: z.int().min(1).max(4096).optional(),
	encoding_format: z.enum(['float', 'base64']).default('float'),
});
const vector = z.object({
	object: z.literal('embedding'),
	index: z.int(),
	embedding: z.union([z.array(z.number()), z.string()]),
});
const answer = z.object({
	object: z.literal('list'),
	model: z.string(),
	data: z.array(vector),
	usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

/** Embeddings: `POST /v1/embeddings`. */
export const embeddings = plinth.definePlugin({
	id: 'embeddings',
	config: z.strictObject({}),
	models: [embeddingModels],
	setup({ models, route }) {
		const known = models(embeddingModels);
		const createEmbeddings = plinth.defineRoute({
			method: 'POST',
			path: '/v1/embeddings',
			scope: 'embeddings',
			summary: 'Turn texts into vectors',
			body: request,
			response: { description: 'A vector for each text, in order.', schema: answer },
			errors: [...plinth.valueErrors, ...plinth.modelErrors],
			async handler({ body: { model: id, input, dimensions, encoding_format } }, call) {
				const texts = [input].flat();
				const vectors = await known.ask(id, call, ({ model, signal }) => model.embed(texts, { dimensions, signal }));
				const data = vectors.map((each, index) => {
					const embedding = encoding_format === 'base64' ? base64(each) : each;
					return { object: 'embedding' as const, index, embedding };
				});
				const tokens = Math.ceil(texts.join('').length / 4);
				const usage = { prompt_tokens: tokens, total_tokens: tokens };
				return { object: 'list' as const, model: id, data, usage };
			},
		});
		route(createEmbeddings);
	},
});

/** Counts words in one bucket per dimension. Texts that share words get similar vectors. */
export const hashedWords = plinth.defineModel({
	kind: embeddingModels,
	name: 'toy.embedding',
	config: z.strictObject({ dimensions: z.int().min(1).max(4096).default(256) }),
	create: ({ config }) => ({
		apiVersion: 1,
		async embed(texts, { dimensions = config.dimensions }) {
			return texts.map((each) => {
				const counts = new Array(dimensions).fill(0);
				for (const word of each.toLowerCase().split(/\W+/)) counts[hash(word) % dimensions] += 1;
				const length = Math.hypot(...counts);
				return counts.map((count) => count / length);
			});
		},
	}),
});

const hash = (word: string) => [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
const base64 = (numbers: number[]) => Buffer.from(new Float32Array(numbers).buffer).toString('base64');
