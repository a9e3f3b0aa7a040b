import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageEditRequest, ImageInput, ImageModel, Picture } from '@plinth/plugin-image/model';
import { imageModelSuite } from '@plinth/plugin-image/testing';
import { sharpImages } from '@plinth/sharp';
import { createBackend } from '@plinth/testing';
import type { ImageCodec } from '@plinth/toolkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { solidPng } from '../../../test/support/png.ts';
import { command } from '../src/index.ts';
import { createHarness, type Harness, image, imageRun, shell } from './harness.ts';

const { provided: images, stop } = await createBackend<ImageCodec>(sharpImages());

let harness: Harness;
let pictures: string;
/** The model has no state between requests. */
let sharedModel: Promise<ImageModel>;

beforeAll(async () => {
	harness = await createHarness();
	pictures = `${harness.dir}-pictures`;
	await mkdir(pictures);
	await writeFile(join(pictures, '0.png'), solidPng(64, 64, [20, 40, 60]));
	await writeFile(join(pictures, '1.png'), solidPng(64, 64, [200, 140, 60]));
	sharedModel = painting();
});

afterAll(async () => {
	await harness.remove();
	await stop();
	await rm(pictures, { recursive: true, force: true });
});

/** A scripted program that returns one of two pictures, chosen by the seed. */
const scriptedProgram = `
asked=$(cat)
seed=\${asked##*'"seed":'}
seed=\${seed%%[!0-9]*}
cp "$PICTURES/$((seed % 2)).png" a.png
echo '{"type":"partial","file":"a.png"}'
echo '{"type":"partial","file":"a.png"}'
echo '{"type":"warning","message":"The words are not understood."}'
echo '{"type":"result","file":"a.png","revisedPrompt":"A plain colour"}'
`;

function painting(): Promise<ImageModel> {
	return harness.make(command.image, {
		protocol: 'json',
		argv: shell(scriptedProgram),
		env: { PICTURES: pictures },
		operations: ['generate', 'edit'],
		sizes: [{ width: 64, height: 64 }],
		fit: 'cover',
		mask: true,
	});
}

describe('a program of the JSON protocol conforms as an image model:', () => {
	for (const { name, run } of imageModelSuite({
		create: async () => ({ model: await sharedModel, close: () => harness.clean() }),
		images,
		supports: { deterministic: true, partials: true },
	})) {
		test(name, run, 60_000);
	}
});

function inputOf(bytes: Uint8Array, source: ImageInput['source'] = bytes): ImageInput {
	return {
		mediaType: 'image/png',
		size: bytes.byteLength,
		width: 8,
		height: 8,
		hasAlpha: false,
		sha256: createHash('sha256').update(bytes).digest('hex'),
		source,
		bytes: async () => bytes,
	};
}

const small = solidPng(8, 8, [1, 2, 3]);

function bytesOf(picture: Picture | undefined): Buffer {
	return Buffer.from(picture && 'body' in picture ? picture.body : []);
}

describe('a program of the JSON protocol', () => {
	test('gets the names of the pictures in its folder, and may write to them', async () => {
		const file = join(pictures, 'upload');
		await writeFile(file, small);
		const script = `cat > asked; ls image-* mask.png >> asked; cp image-2.png a; echo x >> image-1.png; cat asked >> $OUT; echo '{"type":"result","files":["a"]}'`;
		const model = await harness.make(command.image, {
			protocol: 'json',
			argv: shell(script),
			operations: ['edit'],
			mask: true,
			env: { OUT: join(pictures, 'said') },
		});
		const request: ImageEditRequest = {
			...image,
			images: [inputOf(small, { path: file }), inputOf(small)],
			mask: inputOf(small),
			fidelity: 'high',
		};
		const made = await model.edit?.(request, imageRun());
		expect(bytesOf(made?.images[0])).toEqual(Buffer.from(small));
		const [line = '', ...listed] = (await readFile(join(pictures, 'said'), 'utf8')).split('\n');
		expect(JSON.parse(line)).toMatchObject({
			kind: 'image',
			operation: 'edit',
			images: ['image-1.png', 'image-2.png'],
			mask: 'mask.png',
			fidelity: 'high',
			count: 1,
		});
		expect(listed).toEqual(['image-1.png', 'image-2.png', 'mask.png', '']);
		expect(await readFile(file)).toEqual(Buffer.from(small));
	});

	test('returns the revised prompt and its warnings', async () => {
		const model = await sharedModel;
		const made = await model.generate?.(image, imageRun());
		expect(made).toMatchObject({
			images: [{ mediaType: 'image/png', revisedPrompt: 'A plain colour' }],
			warnings: ['The words are not understood.'],
		});
	});

	test('sends no partial images when none are requested', async () => {
		const shown: Picture[] = [];
		const model = await sharedModel;
		await model.generate?.(image, imageRun({ partial: (picture) => shown.push(picture) }));
		expect(shown).toEqual([]);
	});
});

describe('a plain program', () => {
	test('generates pictures, and edits them when it has a placeholder for one', async () => {
		const argv = [...shell('test $# = 0 && cat $PICTURES/0.png || cat "$1"'), ['{image}']];
		const env = { PICTURES: pictures };
		const model = await harness.make(command.image, { protocol: 'plain', argv, env });
		const made = await model.generate?.(image, imageRun());
		expect(bytesOf(made?.images[0])).toEqual(Buffer.from(solidPng(64, 64, [20, 40, 60])));
		const request: ImageEditRequest = { ...image, images: [inputOf(small)], fidelity: 'low' };
		const changed = await model.edit?.(request, imageRun());
		expect(bytesOf(changed?.images[0])).toEqual(Buffer.from(small));
		expect(model.abilities).toMatchObject({ images: 1, mask: false });
	});

	test.each([
		[['{width}'], ['generate']],
		[['{image}'], ['edit']],
		[[['{image}']], ['generate', 'edit']],
	])('with the arguments %j supports %j', async (args, operations) => {
		const argv = [...shell('true'), ...args];
		const model = await harness.make(command.image, { protocol: 'plain', argv });
		expect(['generate', 'edit'].filter((name) => name in model)).toEqual(operations);
	});

	test('gets a default size when the request has none, and the format in the name of the output file', async () => {
		const argv = [...shell('echo $* > "$3"'), '{width}x{height}', '{quality}', '{output}'];
		const model = await harness.make(command.image, { protocol: 'plain', argv });
		const made = await model.generate?.({ ...image, format: 'webp' }, imageRun());
		expect(bytesOf(made?.images[0]).toString()).toBe('1024x1024 low output.webp\n');
	});
});
