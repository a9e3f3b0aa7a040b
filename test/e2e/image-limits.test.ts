import { afterAll, beforeAll, describe, test } from 'vitest';
import { type RawClient, rawClient } from '../support/client.ts';
import { fakeImage } from '../support/fake-models.ts';
import { solidPng } from '../support/png.ts';
import {
	expectRule,
	missing,
	postForm,
	postJson,
	prompts,
	type Rule,
	titled,
	tooLong,
	tooShort,
	waves,
} from '../support/rules.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

let served: Served;
let client: RawClient;

beforeAll(async () => {
	served = await serveEmbedded({
		models: { 'paint-1': fakeImage([], { width: 16, height: 16 }) },
	});
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

const pixel = solidPng(16, 16, [1, 2, 3]);
const pictureUrl = `data:image/png;base64,${Buffer.from(pixel).toString('base64')}`;

/** The rules of both image operations. */
const imageRules: readonly Rule[] = [
	...prompts,
	['model', undefined, missing],
	['model', '', tooShort],
	['model', 'm'.repeat(257), tooLong],
	['user', waves(1_024)],
	['user', waves(1_025), tooLong],
	['n', '10'],
	['n', '0', 'integer_below_min_value'],
	['n', '11', 'integer_above_max_value'],
	['n', '1.5', 'invalid_type'],
	['n', '', 'invalid_type'],
	['output_compression', '0'],
	['output_compression', '101', 'integer_above_max_value'],
	['partial_images', '3'],
	['partial_images', '4', 'integer_above_max_value'],
	['num_inference_steps', '50'],
	['num_inference_steps', '51', 'integer_above_max_value'],
	['seed', '4294967295'],
	['seed', '4294967296', 'integer_above_max_value'],
	['seed', '-1', 'integer_below_min_value'],
	['stream', 'true'],
	['stream', 'yes', 'invalid_type'],
	['background', 'transparent'],
	['background', 'pink', 'invalid_value'],
	['output_format', 'gif', 'invalid_value'],
	['response_format', 'url'],
	['response_format', 'file', 'invalid_value'],
	['moderation', 'none', 'invalid_value'],
	['quality', 'best', 'invalid_value'],
	['size', '1536x1024'],
	['size', '1024X1024', 'invalid_value'],
	['size', '', 'invalid_value'],
	['size', '64x64'],
	['size', '3840x2160'],
	['size', '3840x1280'],
	['size', '64x192'],
	['size', '48x64', 'invalid_value'],
	['size', '3856x2160', 'invalid_value'],
	['size', '1032x1024', 'invalid_value'],
	['size', '64x208', 'invalid_value'],
	['size', '01024x1024', 'invalid_value'],
	['size', '1024x01024', 'invalid_value'],
	['size', '3840x2176', 'invalid_value'],
];
const generationRules: readonly Rule[] = [
	...imageRules,
	['quality', 'hd'],
	['style', 'vivid'],
	['style', 'plain', 'invalid_value'],
];
const editRules: readonly Rule[] = [
	...imageRules,
	['quality', 'hd', 'invalid_value'],
	['input_fidelity', 'high'],
	['input_fidelity', 'some', 'invalid_value'],
];

describe('POST /v1/images/generations', () => {
	const good = { model: 'paint-1', prompt: 'x' };

	test.each(titled(generationRules))('$title', async ({ rule }) => {
		const response = await postJson(client, '/v1/images/generations', {
			...good,
			[rule[0]]: rule[1],
		});
		await expectRule(response, rule, 200);
	});
});

describe('POST /v1/images/edits', () => {
	const good = { model: 'paint-1', prompt: 'x' };

	test.each(titled(editRules))('in JSON: $title', async ({ rule }) => {
		const body = { ...good, images: [{ image_url: pictureUrl }], [rule[0]]: rule[1] };
		await expectRule(await postJson(client, '/v1/images/edits', body), rule, 200);
	});

	test.each(titled(editRules))('in a form: $title', async ({ rule }) => {
		const body = { ...good, image: new Blob([pixel]), [rule[0]]: rule[1] };
		await expectRule(await postForm(client, '/v1/images/edits', body), rule, 200);
	});
});
