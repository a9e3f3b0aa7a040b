import { defineModel, modelError } from '@plinth/core';
import { type ChatModel, chatModels } from '@plinth/plugin-chat/model';
import { events } from '@plinth/plugin-events';
import { eventually } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { rawClient } from '../support/client.ts';
import { openEvents } from '../support/event-stream.ts';
import { fakeChat } from '../support/fake-chat.ts';
import { gate, heldVideo } from '../support/fake-models.ts';
import { fakeTranscription, heardWords } from '../support/fake-transcription.ts';
import { keyA, keyB, serveEmbedded } from '../support/serve.ts';

test('videos of a group stay queued and have a position while another model of the group runs', async () => {
	const [first, second] = [gate(), gate()];
	const served = await serveEmbedded({
		models: { 'clip-1': heldVideo(first), 'clip-2': heldVideo(second), talk: fakeChat() },
		groups: { card: { exclusive: true, models: ['clip-1', 'clip-2', 'talk'], maxBatchSeconds: 0 } },
		plugins: { events: events() },
		jobs: { pollMs: 100 },
	});
	onTestFinished(() => served.stop());
	const [a, b] = [rawClient(served.url, keyA), rawClient(served.url, keyB)];

	const one = await a.create({ model: 'clip-1', prompt: 'one' });
	await first.reached;
	const two = await a.create({ model: 'clip-2', prompt: 'two' });
	const three = await b.create({ model: 'clip-2', prompt: 'three' });
	const stream = await openEvents(`${served.url}/v1/videos/${three.id}/events`, keyB);
	onTestFinished(() => stream.close());
	const waiting = await stream.until('job.waiting');
	expect(waiting.data).toMatchObject({ position: 2, data: { id: three.id, status: 'queued', progress: 0 } });
	const talk = fetch(`${served.url}/v1/chat/completions`, {
		method: 'POST',
		headers: { authorization: `Bearer ${keyB}`, 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'talk', messages: [{ role: 'user', content: 'hello' }] }),
	});
	const groupOf = async (id: string) => (await a.json<{ group: { waiting: number } }>(`/v1/models/${id}`)).group;
	await eventually('both wait', async () => (await groupOf('talk')).waiting === 1);
	expect([await groupOf('clip-1'), await groupOf('clip-2')]).toEqual([
		{ id: 'card', state: 'busy', waiting: 0 },
		{ id: 'card', state: 'unloaded', waiting: 1 },
	]);

	first.open();
	await a.finished(one.id);
	await second.reached;
	expect(await groupOf('clip-1')).toMatchObject({ state: 'unloaded' });
	second.open();
	expect((await talk).status).toBe(200);
	await a.finished(two.id);
	await b.finished(three.id);
	await stream.over();
	expect(stream.types().at(-1)).toBe('job.completed');
});

/** A chat model that responds with its name. */
function chatModel(model: Omit<ChatModel, 'apiVersion'>) {
	const name = 'test.chat';
	return defineModel({
		kind: chatModels,
		name,
		config: z.strictObject({}),
		create: () => ({ apiVersion: 1, ...model }),
	})();
}

describe('audio for a text-only fallback, in one group with the transcription model', () => {
	/** The named model accepts audio and fails. The fallback responds with the text of its request. */
	async function serveHearing() {
		const failing = chatModel({
			abilities: { audio: true },
			// biome-ignore lint/correctness/useYield: it fails before its first event.
			async *stream() {
				throw modelError('out of order');
			},
		});
		const deaf = chatModel({
			async *stream({ messages }) {
				const [part] = messages[0]?.content ?? [];
				yield { type: 'text', text: part?.type === 'document' ? part.text : `${part?.type}` };
			},
		});
		const served = await serveEmbedded({
			models: { hearing: { use: failing, fallback: ['deaf'] }, deaf, ears: fakeTranscription() },
			groups: { card: { exclusive: true, models: ['hearing', 'deaf', 'ears'], maxBatchSeconds: 0 } },
		});
		onTestFinished(() => served.stop());
		const post = (path: string, body: object) =>
			fetch(`${served.url}${path}`, {
				method: 'POST',
				headers: { authorization: `Bearer ${keyA}`, 'content-type': 'application/json' },
				body: JSON.stringify(body),
			});
		const request = { model: 'builtin-speech', voice: 'nova', input: heardWords, response_format: 'wav' };
		const sound = Buffer.from(await (await post('/v1/audio/speech', request)).arrayBuffer());
		const part = { type: 'input_audio', input_audio: { data: sound.toString('base64'), format: 'wav' } };
		return (fields: object) =>
			post('/v1/chat/completions', { model: 'hearing', messages: [{ role: 'user', content: [part] }], ...fields });
	}

	test('is transcribed before the fallback gets the device', async () => {
		const ask = await serveHearing();
		const response = (await (await ask({})).json()) as { choices: { message: { content: string } }[] };
		expect(response.choices[0]?.message.content).toContain(heardWords);
	});

	test('is transcribed in a stream, too', async () => {
		const ask = await serveHearing();
		expect(await (await ask({ stream: true })).text()).toContain(heardWords);
	});
});
