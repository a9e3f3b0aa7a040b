import { type BoundModel, defineRoute, type Models, type Route } from '@plinth/core';
import { z } from 'zod';
import type { VideoModel } from '../model.ts';

const list = <T extends z.ZodType>(item: T) => z.array(item).nullable();

const schema = z
	.object({
		id: z.string(),
		canonical_slug: z.string(),
		name: z.string(),
		created: z.int().min(0).meta({ description: 'Unix seconds.' }),
		supported_durations: list(z.number()).meta({ description: 'Seconds.' }),
		supported_sizes: list(z.string()),
		supported_resolutions: list(z.string()),
		supported_aspect_ratios: list(z.string()),
		supported_frame_images: list(z.literal('first_frame')),
		generate_audio: z.literal(false),
		seed: z.literal(false),
		pricing_skus: z
			.record(z.string(), z.string())
			.nullable()
			.meta({ description: 'US dollars: of a second, and of a request. Null: no price, or another currency.' }),
		allowed_passthrough_parameters: z.array(z.string()),
	})
	.meta({ id: 'OpenRouterVideoModel' });

/** `GET /api/v1/videos/models`: the video models in the shape of OpenRouter's list. Null: not known. */
export function openRouterModels(models: Models<VideoModel>, created: number): Route {
	return defineRoute({
		method: 'GET',
		path: '/api/v1/videos/models',
		scope: 'authenticated',
		summary: 'List the video models as OpenRouter does',
		description: 'For clients that choose a model by its abilities. `GET /v1/models` has the same data.',
		response: { description: 'Every video model.', schema: z.object({ data: z.array(schema) }) },
		errors: [],
		handler: () => ({ data: models.list().map((model) => describe(model, created)) }),
	});
}

function describe({ id, price, model: { abilities = {} } }: BoundModel<VideoModel>, created: number) {
	const { sizes, seconds, reference } = abilities;
	const pairs = sizes?.map((size) => size.split('x').map(Number) as [width: number, height: number]);
	return {
		id,
		canonical_slug: id,
		name: id,
		created,
		supported_durations: seconds ? [...seconds] : null,
		supported_sizes: sizes ? [...sizes] : null,
		supported_resolutions: pairs ? [...new Set(pairs.map((pair) => `${Math.min(...pair)}p`))] : null,
		supported_aspect_ratios: pairs ? [...new Set(pairs.map(ratioOf))] : null,
		supported_frame_images: reference === undefined ? null : reference ? ['first_frame' as const] : [],
		// Videos here have no sound, and requests no seed.
		generate_audio: false as const,
		seed: false as const,
		pricing_skus: skusOf(price),
		allowed_passthrough_parameters: [],
	};
}

/** The prices under OpenRouter's names, as strings in US dollars. */
function skusOf({ currency, per_second: second, per_request: request }: BoundModel<unknown>['price'] = {}) {
	const amounts = Object.entries({ duration_seconds: second, request });
	const prices = amounts.flatMap(([name, amount]) => (amount === undefined ? [] : [[name, asDecimal(Number(amount))]]));
	return currency === 'USD' && prices.length > 0 ? Object.fromEntries(prices) : null;
}

/** Without an exponent, which small numbers have in JavaScript. */
function asDecimal(amount: number): string {
	return amount.toLocaleString('en', { maximumFractionDigits: 20, useGrouping: false });
}

function ratioOf([width, height]: readonly [width: number, height: number]): string {
	const divisor = greatestCommonDivisor(width, height);
	return `${width / divisor}:${height / divisor}`;
}

function greatestCommonDivisor(a: number, b: number): number {
	return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
