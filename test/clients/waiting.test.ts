import { eventually, manualClock } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fakeChat } from '../support/fake-chat.ts';
import { gate } from '../support/fake-models.ts';
import { keyA, keyB, serveEmbedded } from '../support/serve.ts';
import { lines, sdkClient } from './sdk.ts';

describe.each(lines)('a stream that waits for a device, with $name', ({ OpenAI }) => {
	test('begins with comments about its queue position, which the SDK ignores', async () => {
		const clock = manualClock();
		const working = gate();
		const held = async () => {
			working.reach();
			await working.opened;
		};
		const served = await serveEmbedded({
			clock,
			models: { first: fakeChat({ held }), second: fakeChat() },
			groups: { card: { exclusive: true, models: ['first', 'second'], maxBatchSeconds: 0 } },
		});
		onTestFinished(() => served.stop());
		const { client, violations } = sdkClient(OpenAI, { url: served.url, key: keyA, mode: 'Bearer only' });
		const ask = (body: object) =>
			fetch(`${served.url}/v1/chat/completions`, {
				method: 'POST',
				headers: { authorization: `Bearer ${keyB}`, 'content-type': 'application/json' },
				body: JSON.stringify({ messages: [{ role: 'user', content: 'hello there' }], ...body }),
			});
		const waiting = async (count: number) => {
			const all = await client.models.list();
			const second = all.data.find(({ id }) => id === 'second') as unknown as { group: { waiting: number } };
			return second.group.waiting === count;
		};

		const first = ask({ model: 'first' });
		await working.reached;
		const messages = [{ role: 'user' as const, content: 'good morning' }];
		const streaming = client.chat.completions.create({ model: 'second', messages, stream: true });
		await eventually('the SDK waits', () => waiting(1));
		const raw = ask({ model: 'second', stream: true });
		await eventually('both wait', () => waiting(2));
		// Until then, an error would have its own status.
		await clock.advance(10_000);
		const pieces = await raw.then(({ body }) => body?.pipeThrough(new TextDecoderStream()).getReader());
		const { value: begin } = (await pieces?.read()) ?? {};
		expect(begin).toBe(': waiting, 1 ahead\n\n');

		const stream = await streaming;
		working.open();
		let text = '';
		for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
		expect(text).toBe('good morning');
		let rest = '';
		for (let piece = await pieces?.read(); piece && !piece.done; piece = await pieces?.read()) rest += piece.value;
		expect(rest).toMatch(/^data: \{.*"content":"there".*data: \[DONE\]\n\n$/s);
		expect((await first).status).toBe(200);
		expect(violations).toEqual([]);
	});
});
