import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { errorOf, jsonOf, scriptedModel, testApp } from '@plinth/testing';
import { embeddingModels, embeddings, hashedWords } from 'plinth-embeddings';

const fake = scriptedModel(embeddingModels, { embed: async (texts) => texts.map(() => [0, 1]) });
const { post } = await testApp({
	models: { words: hashedWords({ dimensions: 64 }), fake: fake.use },
	plugins: { embeddings: embeddings() },
	onTestFinished: after,
});

const ask = (body) => post('/v1/embeddings', { model: 'words', ...body });
const embed = async (body) => jsonOf(await ask(body));

test('texts that share words are nearer to each other than others', async () => {
	const input = ['a red boat', 'the red boat', 'tax law'];
	const { data } = await embed({ input });
	const [boat, sameBoat, law] = data.map(({ embedding }) => embedding);
	const nearness = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
	assert(nearness(boat, sameBoat) > nearness(boat, law));
});

test('base64 holds the same numbers as 32-bit floats', async () => {
	const plain = await embed({ input: 'a red boat', dimensions: 8 });
	const { data } = await embed({ input: 'a red boat', dimensions: 8, encoding_format: 'base64' });
	const bytes = Uint8Array.from(Buffer.from(data[0].embedding, 'base64'));
	const expected = new Float32Array(plain.data[0].embedding);
	assert.deepEqual(new Float32Array(bytes.buffer), expected);
});

test('the model gets all texts, in order, and the dimensions', async () => {
	const { data } = await embed({ model: 'fake', input: ['b', 'a'], dimensions: 2 });
	assert.deepEqual(data[1], { object: 'embedding', index: 1, embedding: [0, 1] });
	const [{ request, run }] = fake.callsOf('embed');
	assert.deepEqual([request, run.dimensions], [['b', 'a'], 2]);
});

test('an empty list of texts is refused, with the name of the parameter', async () => {
	const { status, param } = await errorOf(await ask({ input: [] }));
	assert.deepEqual([status, param], [400, 'input']);
});

test('a key without the scope is refused', async () => {
	const response = await post('/v1/embeddings', {}, { key: 'alice.videos:read' });
	assert.equal(response.status, 403);
});
