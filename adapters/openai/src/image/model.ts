import { defineModel, services } from '@plinth/core';
import {
	type ImageEditRequest,
	type ImageModel,
	type ImageRequest,
	type ImageResult,
	type ImageRun,
	imageModels,
	type Picture,
} from '@plinth/plugin-image/model';
import { type ImageCodec, mediaServices } from '@plinth/toolkit';
import { z } from 'zod';
import { allowsPassthrough, connectionOptions, flag } from '../options.ts';
import type { Upstream } from '../upstream/client.ts';
import { openUpstream } from '../upstream/open.ts';
import { passthroughTo } from '../upstream/passthrough.ts';
import { usageIn } from '../upstream/passthrough-hooks.ts';
import { formFields, type RequestBody, withExtras } from '../upstream/request.ts';
import { type ImageDialect, imageDialects } from './dialects.ts';
import { pictureParts } from './edit.ts';
import { streamedResult } from './events.ts';
import { allowsImagePassthrough } from './passthrough-rules.ts';
import { ignoredOptions, imageParams, wireFields } from './request.ts';
import { wholeResult } from './result.ts';

const size = z
	.string()
	.regex(/^[1-9]\d{0,4}x[1-9]\d{0,4}$/, 'Expected WIDTHxHEIGHT, such as "1024x1024"')
	.transform((text) => {
		const [width = 0, height = 0] = text.split('x').map(Number);
		return { width, height };
	});

const config = z.strictObject({
	...connectionOptions(imageDialects, { dialect: 'openai', timeoutSeconds: 600 }),
	/** Whether generations pass through. Default: only for OpenAI's models, because others may return URLs. */
	forward: flag().optional(),
	/** The sizes that the model makes, as `1024x1024`. Default: every requested size. */
	sizes: z.array(size).min(1).optional(),
	/** How a picture is fitted to a size that the model does not make. Default: such a size is refused. */
	fit: z.enum(['cover', 'contain', 'fill']).optional(),
	/** The operations of the model: generations, edits, or both. */
	operations: z
		.array(z.enum(['generate', 'edit']))
		.min(1)
		.default(['generate', 'edit']),
});

type Config = z.output<typeof config>;

const generations = '/images/generations';

/** An image model on a server with `/images/generations` and `/images/edits`. */
export const openaiImage = defineModel({
	kind: imageModels,
	name: 'openai.image',
	description: 'A model on another server, called through its OpenAI-compatible API.',
	ownedBy: 'openai-compatible',
	config,
	needs: { clock: services.clock, images: mediaServices.images },
	create(context): ImageModel {
		const { config, id, services } = context;
		const { sizes, fit, operations } = config;
		const dialect: ImageDialect = imageDialects[config.dialect];
		const upstream = openUpstream(context);
		const model = config.model ?? id;
		const client = new ImageClient(upstream, config, model, services.images);
		const forward = passthroughOf(upstream, config, model);
		return {
			apiVersion: 1,
			...upstream.unloading,
			abilities: {
				count: dialect.count,
				images: dialect.edits.images,
				mask: dialect.mask !== undefined,
				transparency: dialect.transparency,
				...(sizes ? { sizes } : {}),
				...(fit ? { fit } : {}),
			},
			...(operations.includes('generate') ? { generate: (request, run) => client.make(request, run) } : {}),
			...(forward ? { forward } : {}),
			...(operations.includes('edit') ? { edit: (request, run) => client.make(request, run) } : {}),
		};
	},
});

/** Models that never return URLs. */
const alwaysBase64 = /^(?:chat)?gpt-image/;

/** Undefined when Plinth has to fit sizes, and for servers with another wire format. */
function passthroughOf(upstream: Upstream, config: Config, model: string): ImageModel['forward'] {
	const { dialect, fit, operations, sizes, forward = alwaysBase64.test(model) } = config;
	const isAllowed =
		allowsPassthrough({ ...config, forward }) &&
		imageDialects[dialect].passthrough &&
		operations.includes('generate') &&
		!sizes &&
		!fit;
	if (!isAllowed) return undefined;
	const mediaType = 'application/json';
	const request = passthroughTo(upstream, {
		path: generations,
		accept: mediaType,
		types: new Set([mediaType]),
		params: imageParams,
		isCostly: true,
		usage: usageIn,
	});
	return (raw) => (allowsImagePassthrough(raw) ? request(raw, model) : undefined);
}

/** One image model of a server. */
class ImageClient {
	readonly #upstream: Upstream;
	readonly #config: Config;
	readonly #model: string;
	readonly #images: ImageCodec;
	readonly #dialect: ImageDialect;

	constructor(upstream: Upstream, config: Config, model: string, images: ImageCodec) {
		this.#upstream = upstream;
		this.#config = config;
		this.#model = model;
		this.#images = images;
		this.#dialect = imageDialects[config.dialect];
	}

	async make(request: ImageRequest | ImageEditRequest, run: ImageRun): Promise<ImageResult> {
		run.signal.throwIfAborted();
		const result = await this.#pictures(request, run);
		return { ...result, warnings: ignoredOptions(request, this.#dialect) };
	}

	/** Events do not state their picture, so several streamed pictures need one request each. */
	async #pictures(request: ImageRequest | ImageEditRequest, run: ImageRun): Promise<ImageResult> {
		const isStreamed = this.#dialect.streams && run.partials > 0;
		if (!isStreamed || request.count === 1) return this.#request(request, run, isStreamed ? run.partials : 0);
		const one = { ...request, count: 1 };
		const others = new AbortController();
		const signal = AbortSignal.any([run.signal, others.signal]);
		const calls = Array.from({ length: request.count }, (_, image) => {
			const partial = (picture: Picture) => run.partial(picture, image);
			return this.#request(one, { ...run, signal, partial }, run.partials);
		});
		try {
			return joined(await Promise.all(calls));
		} finally {
			// After one failure, the other requests are not needed.
			others.abort();
		}
	}

	async #request(
		request: ImageRequest | ImageEditRequest,
		{ signal, seed, partial }: ImageRun,
		partials: number,
	): Promise<ImageResult> {
		const wire = { model: this.#model, dialect: this.#dialect, seed, partials };
		const fields = withExtras(wireFields(request, wire), this.#config.body);
		const isEdit = 'images' in request;
		const body: RequestBody = isEdit
			? {
					form: [...formFields(fields), ...(await pictureParts(request, this.#dialect, this.#images, signal))],
				}
			: { json: fields };
		const answer = await this.#upstream.send({
			method: 'POST',
			path: isEdit ? this.#dialect.edits.path : generations,
			body,
			params: imageParams,
			// A repeated request costs money again.
			isCostly: true,
			signal,
		});
		const tools = { upstream: this.#upstream, signal };
		return answer.mediaType === 'text/event-stream'
			? streamedResult(answer, partial, tools)
			: wholeResult(answer, request.count, tools);
	}
}

/** Combines the results of several calls for one picture each. */
function joined(results: readonly ImageResult[]): ImageResult {
	const [first] = results;
	const usages = results.flatMap(({ usage }) => usage ?? []);
	const sum = (count: (usage: (typeof usages)[number]) => number) =>
		usages.reduce((all, usage) => all + count(usage), 0);
	return {
		images: results.flatMap(({ images }) => images),
		...(first?.quality ? { quality: first.quality } : {}),
		...(usages.length === results.length
			? {
					usage: {
						inputTextTokens: sum(({ inputTextTokens }) => inputTextTokens),
						inputImageTokens: sum(({ inputImageTokens }) => inputImageTokens),
						outputTokens: sum(({ outputTokens }) => outputTokens),
					},
				}
			: {}),
	};
}
