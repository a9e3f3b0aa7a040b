import { describe, expect, test } from 'vitest';
import { learnEnvironment } from '../../src/contract/errors/redact.ts';
import type { LogSettings } from '../../src/engine/config/shape.ts';
import { createLogger } from '../../src/engine/log/log.ts';
import { modelError } from '../../src/index.ts';

function capture(settings: Partial<LogSettings> = {}, terminal: object = {}) {
	const written: string[] = [];
	const output = { write: (text: string) => written.push(text), ...terminal };
	return {
		written,
		log: createLogger({ level: 'info', format: 'json', ...settings }, output),
		line: () => JSON.parse(written[0] ?? '') as Record<string, unknown>,
	};
}

const request = {
	req_id: 'req_1',
	method: 'POST',
	route: '/v1/videos/{id}',
	status: 201,
	dur_ms: 12,
	tenant: 'studio',
	principal: 'key_1',
};

describe('the log for machines', () => {
	test('is a JSON object a line, with what its child was told', () => {
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

	test('says nothing below its level', () => {
		const { log, written } = capture({ level: 'warn' });
		log.info({}, 'not this');
		log.debug({}, 'nor this');
		log.error({}, 'this');
		expect(written).toHaveLength(1);
	});

	test('keeps of an error its type, code, message, stack and causes, and nothing that hangs on it', () => {
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

	test('does not show a cause that is no error', () => {
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
	])('blanks %s', (_sentence, fields) => {
		const { log, written } = capture();
		log.info(fields, 'a line');
		log.child(fields as Record<string, unknown>).info({}, 'a child');
		expect(written).toHaveLength(2);
		expect(written.join('')).not.toContain('canary');
	});

	test('shows sizes, although their names promise more', () => {
		const { log, line } = capture();
		log.info({ input: 1_024, tokens: 5 }, 'sizes');
		expect(line()).toMatchObject({ input: 1_024, tokens: 5 });
	});

	test('survives circles and things without end', () => {
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

describe('whatever is logged', () => {
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
	])('a line stays short, however many %s there are', (_sentence, much) => {
		const { log, written } = capture();
		log.info({ much }, 'much');
		expect(written[0]?.length).toBeLessThan(100_000);
	});

	test('no half of a long secret is left where a text is cut', () => {
		const secret = `${'canary-1'.repeat(400)}.`;
		learnEnvironment({ SIGNING_KEY: secret });
		const { log, written } = capture();
		log.info({ note: `${'x'.repeat(1_500)} ${secret}` }, 'cut');
		expect(written[0]).not.toContain('canary');
	});
});

describe('the log for people', () => {
	const pretty = (terminal?: object) => capture({ format: 'pretty', level: 'debug' }, terminal);

	test('says a request in one short line', () => {
		const { log, written } = pretty();
		log.info(request, 'request');
		expect(written.join('')).toMatch(/^\d\d:\d\d:\d\d info {2}POST \/v1\/videos\/\{id\} 201 12 ms req_1 studio\n$/);
	});

	test('names the part that speaks, and shows what else it says', () => {
		const { log, written } = pretty();
		log.child({ plugin: 'video' }).warn({ media_type: 'text/html' }, 'left out');
		expect(written.join('')).toMatch(/ warn {2}video: left out media_type=text\/html\n$/);
	});

	test('shows the stack of an error and of its causes below the line', () => {
		const { log, written } = pretty();
		log.error({ err: new Error('outer', { cause: new RangeError('inner') }) }, 'it failed');
		const [first, second, ...rest] = written.join('').trimEnd().split('\n');
		expect(first).toMatch(/ error it failed$/);
		expect(second).toMatch(/^ {15}Error: outer$/);
		expect(rest.some((row) => /^ {15}caused by RangeError: inner$/.test(row))).toBe(true);
		expect(rest.every((row) => row.startsWith(' '.repeat(15)))).toBe(true);
	});

	test('lets no text begin a line of its own or steer the terminal', () => {
		const { log, written } = pretty();
		log.info({ note: 'a\n12:00:00 info  forged\u001b[2J' }, 'said');
		expect(written.join('').match(/\n/g)).toHaveLength(1);
		expect(written.join('')).not.toContain('\u001b');
	});

	test('has colours only where the terminal has', () => {
		const seen = [true, false].map((hasColors) => {
			const { log, written } = pretty({ isTTY: true, hasColors: () => hasColors });
			log.warn({}, 'look');
			return written.join('').includes('\u001b[');
		});
		expect(seen).toEqual([true, false]);
	});

	test.each([
		['auto', true, true],
		['auto', false, false],
		['json', true, false],
		['pretty', false, true],
	] as const)('with format %s and a terminal: %s is written: %s', (format, isTTY, expected) => {
		const { log, written } = capture({ format }, { isTTY });
		log.info({}, 'ready');
		expect(written.join('').startsWith('{')).toBe(!expected);
	});
});
