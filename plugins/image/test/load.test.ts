import { errorOf, eventually, gate } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { RequestLimit } from '../src/work/request-limit.ts';
import { harness, solid } from './harness.ts';

describe('requests beyond the limit of concurrent ones', () => {
	it.each([false, true])('are rejected before their body is read, until there is room (stream: %s)', async (stream) => {
		const h = await harness({ options: { maxRequests: 1 } });
		const held = gate();
		h.model.generate = async (request, { seed }) => {
			await held.passed;
			return { images: [solid(request, seed)] };
		};
		const first = h.generations({ stream }).then(async (answer) => ({
			status: answer.status,
			text: await answer.text(),
		}));
		await eventually('the model is at work', () => h.calls.length === 1);
		const refused = await h.generations({ prompt: 5 });
		expect(refused.headers.get('retry-after')).toBe('5');
		expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'server_overloaded' });
		held.open();
		expect(await first).toMatchObject({ status: 200 });
		expect((await h.generations({})).status).toBe(200);
	});

	it('no longer count when they have failed', async () => {
		const h = await harness({ options: { maxRequests: 1 } });
		h.model.generate = () => Promise.reject(new Error('The model failed.'));
		for (const stream of [false, true, false]) {
			expect((await h.generations({ stream })).status).toBe(502);
		}
	});
});

describe('RequestLimit', () => {
	it('counts a request that is released twice only once', () => {
		const load = new RequestLimit(1);
		const release = load.acquire();
		expect(() => load.check()).toThrow();
		release();
		release();
		load.acquire();
		expect(() => load.check()).toThrow();
	});
});
