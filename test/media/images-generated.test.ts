import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawClient } from '../support/client.ts';
import { colourFrame, difference, textInPicture } from '../support/programs.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

/** Prompts and the captions that they contain. */
const prompts = [
	['A lighthouse at dusk on a stormy sea with the words "Harbour Lights"', 'Harbour Lights'],
	['Snowy mountains at night with northern lights, caption "Winter is coming"', 'Winter is coming'],
	['Neon city in the rain at night: “OPEN ALL NIGHT”', 'OPEN ALL NIGHT'],
	['A whale under water, „Deep Blue Sea“', 'Deep Blue Sea'],
	['A misty forest at dawn «The quiet path»', 'The quiet path'],
	['A calm lake with a sailboat at sunset, caption: Gone sailing', 'Gone sailing'],
	['A windmill in a meadow in spring "Fresh bread since 1874"', 'Fresh bread since 1874'],
	['Rolling hills with vineyards in autumn "Harvest week"', 'Harvest week'],
	['A castle under a full moon "Once upon a time"', 'Once upon a time'],
	['A snowman in a winter village with the words "Season’s greetings"', 'Seasons greetings'],
	['A campfire in the woods under the stars "Camp Pinewood"', 'Camp Pinewood'],
	['Fireworks over the city harbour "Happy New Year"', 'Happy New Year'],
] as const;

/** All prompts at the square size, and half of them at each of the others. */
const sizes = [
	['1024x1024', prompts],
	['1536x1024', prompts.slice(0, 6)],
	['1024x1536', prompts.slice(6)],
] as const;

let served: Served;
const drawn = new Map<string, Promise<Buffer>>();

beforeAll(async () => {
	served = await serveEmbedded();
});

afterAll(() => served?.stop());

/** The image of a prompt. Each is drawn once. */
function draw(prompt: string, size: string): Promise<Buffer> {
	const key = `${size} ${prompt}`;
	const image = drawn.get(key) ?? generate(prompt, size);
	drawn.set(key, image);
	return image;
}

async function generate(prompt: string, size: string): Promise<Buffer> {
	const fields = { model: 'builtin-image', prompt, size };
	const response = await rawClient(served.url, keyA).post('/v1/images/generations', fields);
	if (response.status !== 200) throw new Error(await response.text());
	const { data } = (await response.json()) as { data: [{ b64_json: string }] };
	return Buffer.from(data[0].b64_json, 'base64');
}

/** Only letters and digits are compared. A vertical bar counts as a capital I without serifs. */
function letters(text: string): string {
	return text
		.toLowerCase()
		.replaceAll('|', 'i')
		.replace(/[^a-z0-9]/gu, '');
}

async function textIn(picture: Buffer, name: string): Promise<string> {
	const file = join(served.dataDir, `${name}.png`);
	await writeFile(file, picture);
	return textInPicture(file, 11);
}

describe('generated images', () => {
	test.each(sizes)('have captions that a text recogniser can read, at %s', async (size, some) => {
		const missed: string[] = [];
		for (const [i, [prompt, caption]] of some.entries()) {
			const read = await textIn(await draw(prompt, size), `${size}-${i}`);
			if (!letters(read).includes(letters(caption))) missed.push(caption);
		}
		console.log(`${size}: ${some.length - missed.length} of ${some.length} captions read`, missed);
		expect(missed.length).toBeLessThanOrEqual(1);
	});

	test('differ from each other by more than 15 % on average', async () => {
		const small: Buffer[] = [];
		for (const [i, [prompt]] of prompts.entries()) {
			const file = join(served.dataDir, `different-${i}.png`);
			await writeFile(file, await draw(prompt, '1024x1024'));
			small.push(await colourFrame(file, { at: 0, width: 1024, height: 1024 }));
		}
		const distances = small.flatMap((a, i) => small.slice(i + 1).map((b) => difference(a, b) / 255));
		const mean = distances.reduce((sum, each) => sum + each, 0) / distances.length;
		console.log(`mean difference of ${distances.length} pairs: ${(mean * 100).toFixed(1)} %`);
		expect(mean).toBeGreaterThan(0.15);
	});
});
