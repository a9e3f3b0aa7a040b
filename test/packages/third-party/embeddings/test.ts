import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { errorOf, jsonOf, scriptedModel, testApp } from '@plinth/testing';
import { embeddingModels, embeddings, hashedWords } from 'plinth-embeddings';

const fake = scriptedModel(embeddingModels, { apiVersion: 1, embed: async (texts) => texts.map(() => [0, 1]) });
const { post } = await testApp({
	models: { words: hashedWords({ dimensions: 64 }), fake: fake.use },
	plugins: { embeddings: embeddings() },
	onTestFinished: after,
});

const ask = (body: object) => post('/v1/embeddings', { model: 'words', ...body });
const embed = async <V = number[]>(body: object) => {
	const { data } = await jsonOf<{ data: { embedding: V }[] }>(await ask(body));
	return data.map(({ embedding }) => embedding);
};

test('texts that share words get similar vectors', async () => {
	const [boat, sameBoat, law] = await embed({ input: ['a red boat', 'the red boat', 'tax law'] });
	const similarity = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * b[at], 0);
	assert(similarity(boat, sameBoat) > similarity(boat, law));
});

test('base64 holds the same numbers as 32-bit floats', async () => {
	const [numbers] = await embed({ input: 'a red boat', dimensions: 8 });
	const [text] = await embed<string>({ input: 'a red boat', dimensions: 8, encoding_format: 'base64' });
	const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
	assert.deepEqual(new Float32Array(bytes.buffer), new Float32Array(numbers));
});

test('the model receives the texts in order and the dimensions', async () => {
	assert.deepEqual(await embed({ model: 'fake', input: ['b', 'a'], dimensions: 2 }), [
		[0, 1],
		[0, 1],
	]);
	const [{ request, run }] = fake.callsOf('embed');
	assert.deepEqual([request, run.dimensions], [['b', 'a'], 2]);
});

test('an empty list of texts is refused with the name of the parameter', async () => {
	const { status, param } = await errorOf(await ask({ input: [] }));
	assert.deepEqual([status, param], [400, 'input']);
});

test('a key without the scope is refused', async () => {
	const response = await post('/v1/embeddings', {}, { key: 'alice.videos:read' });
	assert.equal(response.status, 403);
});
