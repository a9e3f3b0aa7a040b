import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { embeddings, hashedWords } from 'plinth-embeddings';

const config = {
	server: { auth: 'off' },
	models: { words: hashedWords({ dimensions: 64 }) },
	plugins: { embeddings: embeddings() },
};
const app = await createApp(config, { log: silentLogger() });

async function embed(body) {
	const headers = { 'content-type': 'application/json' };
	const init = { method: 'POST', headers, body: JSON.stringify({ model: 'words', ...body }) };
	const response = await app.fetch(new Request('http://localhost/v1/embeddings', init));
	return { status: response.status, ...(await response.json()) };
}

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

test('an empty list of texts is refused, with the name of the parameter', async () => {
	const { status, error } = await embed({ input: [] });
	assert.deepEqual([status, error.param], [400, 'input']);
});
