import { describe, expect, test, vi } from 'vitest';
import { learnEnvironment } from '../../src/contract/errors/redact.ts';
import { createLogger } from '../../src/engine/log/log.ts';
import { modelError } from '../../src/index.ts';

function capture(level: 'info' | 'warn' = 'info') {
	const written: string[] = [];
	return {
		written,
		log: createLogger(level, (line) => void written.push(line)),
		line: () => JSON.parse(written[0] ?? '') as Record<string, unknown>,
	};
}

test('all apps of a process share one buffer of standard error, because its interval is never cleared', () => {
	const setInterval = vi.spyOn(globalThis, 'setInterval');
	for (let n = 0; n < 3; n += 1) createLogger('silent');
	expect(setInterval.mock.calls.length).toBeLessThanOrEqual(1);
	setInterval.mockRestore();
});

describe('the JSON log', () => {
	test('has one JSON object per line, with the fields of its child', () => {
		const { log, line, written } = capture();
		log.child({ plugin: 'video' }).warn({ status: 5 }, 'look here');
		expect(line()).toEqual({
			level: 40,
			time: expect.any(Number),
			plugin: 'video',
			status: 5,
			msg: 'look here',
		});
		expect(written[0]).toMatch(/^\{.*\}\n$/);
	});

	test('writes nothing below its level', () => {
		const { log, written } = capture('warn');
		log.info({}, 'not this');
		log.debug({}, 'nor this');
		log.error({}, 'this');
		expect(written).toHaveLength(1);
	});

	test('writes type, code, message, stack and causes of an error, and no other properties', () => {
		const { log, line } = capture();
		const cause = Object.assign(new Error('refused'), {
			code: 'ECONNREFUSED',
			config: { x: 'canary' },
		});
		const err = Object.assign(new TypeError('upstream failed', { cause }), {
			request: { headers: { authorization: 'canary' } },
			response: { data: 'canary' },
			headers: { cookie: 'canary' },
		});
		log.error({ err }, 'it failed');
		expect(line().err).toEqual({
			type: 'TypeError',
			message: 'upstream failed',
			stack: expect.stringContaining('log.test.ts'),
			cause: { type: 'Error', code: 'ECONNREFUSED', message: 'refused', stack: expect.anything() },
		});
	});

	test('omits a cause that is not an error', () => {
		const { log, written } = capture();
		log.error({ err: modelError('no', { body: 'canary' }) }, 'it failed');
		expect(written[0]).not.toContain('canary');
	});

	test.each([
		['a secret', { apiKey: 'canary' }],
		['a secret deep inside', { options: { auth: [{ clientSecret: 'canary' }] } }],
		['headers', { headers: { host: 'canary' } }],
		['a prompt', { prompt: 'canary' }],
		['bytes', { data: Buffer.from('canary') }],
		['a password in a URL', { url: new URL('https://me:canary-canary@example.test') }],
	])('redacts %s', (_sentence, fields) => {
		const { log, written } = capture();
		log.info(fields, 'a line');
		log.child(fields as Record<string, unknown>).info({}, 'a child');
		expect(written).toHaveLength(2);
		expect(written.join('')).not.toContain('canary');
	});

	test('shows numbers, although their names suggest secrets', () => {
		const { log, line } = capture();
		log.info({ input: 1_024, tokens: 5 }, 'sizes');
		expect(line()).toMatchObject({ input: 1_024, tokens: 5 });
	});

	test('handles cycles and endless structures', () => {
		const circle: Record<string, unknown> = {
			wide: Array.from({ length: 5_000 }, () => ({ a: {} })),
		};
		circle.self = circle;
		const { log, written } = capture();
		log.info({ circle, text: 'x'.repeat(1_000_000) }, 'much');
		expect(written).toHaveLength(1);
		expect(written[0]?.length).toBeLessThan(100_000);
	});
});

describe('unusual values in the log', () => {
	const broken = (): never => {
		throw new Error('no');
	};

	test.each([
		[
			'a getter',
			{
				get part() {
					return broken();
				},
			},
		],
		['toJSON', { toJSON: broken }],
		['a proxy', new Proxy({}, { ownKeys: broken })],
		['the message of an error', Object.defineProperty(new Error('x'), 'message', { get: broken })],
	])('the line is written, although %s throws', (_sentence, odd) => {
		const { log, written } = capture();
		log.info({ odd, after: 1 }, 'a line');
		log.error(odd, 'by itself');
		expect(written).toHaveLength(2);
		expect(JSON.parse(written[0] ?? '')).toMatchObject({ odd: '[unreadable]', after: 1 });
	});

	test.each([
		['members', Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, 'x'.repeat(50)]))],
		['lists of texts', Array.from({ length: 400 }, () => Array(500).fill('x'.repeat(50)))],
	])('a line stays short with many %s', (_sentence, much) => {
		const { log, written } = capture();
		log.info({ much }, 'much');
		expect(written[0]?.length).toBeLessThan(100_000);
	});

	test('no part of a long secret is left when a text is truncated', () => {
		const secret = `${'canary-1'.repeat(400)}.`;
		learnEnvironment({ SIGNING_KEY: secret });
		const { log, written } = capture();
		log.info({ note: `${'x'.repeat(1_500)} ${secret}` }, 'cut');
		expect(written[0]).not.toContain('canary');
	});
});
