import { createApp, services } from '@plinth/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prettyLog } from '../src/log-pretty.ts';

/** The log of an app in the pretty or the JSON format. */
async function capture(format: string, terminal: object = {}) {
	const written: string[] = [];
	const write = (text: string) => void written.push(text);
	const logTo = prettyLog(format, { write, ...terminal }) ?? write;
	const app = await createApp({ server: { auth: 'off' }, log: { level: 'debug' } }, { logTo });
	onTestFinished(() => app.stop());
	return { written, log: app.service(services.log) };
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

describe('the pretty log', () => {
	const pretty = (terminal?: object) => capture('pretty', terminal);

	test('has one short line per request', async () => {
		const { log, written } = await pretty();
		log.info(request, 'request');
		expect(written.join('')).toMatch(/^\d\d:\d\d:\d\d info {2}POST \/v1\/videos\/\{id\} 201 12 ms req_1 studio\n$/);
	});

	test('has the name of the component and its other fields', async () => {
		const { log, written } = await pretty();
		log.child({ plugin: 'video' }).warn({ media_type: 'text/html' }, 'left out');
		expect(written.join('')).toMatch(/ warn {2}video: left out media_type=text\/html\n$/);
	});

	test('has the stack of an error and of its causes below the line', async () => {
		const { log, written } = await pretty();
		log.error({ err: new Error('outer', { cause: new RangeError('inner') }) }, 'it failed');
		const [first, second, ...rest] = written.join('').trimEnd().split('\n');
		expect(first).toMatch(/ error it failed$/);
		expect(second).toMatch(/^ {15}Error: outer$/);
		expect(rest.some((row) => /^ {15}caused by RangeError: inner$/.test(row))).toBe(true);
		expect(rest.every((row) => row.startsWith(' '.repeat(15)))).toBe(true);
	});

	test('escapes line breaks and terminal control characters', async () => {
		const { log, written } = await pretty();
		log.info({ note: 'a\n12:00:00 info  forged\u001b[2J' }, 'said');
		expect(written.join('').match(/\n/g)).toHaveLength(1);
		expect(written.join('')).not.toContain('\u001b');
	});

	test('has colours only on a terminal with colours', async () => {
		for (const hasColors of [true, false]) {
			const { log, written } = await pretty({ isTTY: true, hasColors: () => hasColors });
			log.warn({}, 'look');
			expect(written.join('').includes('\u001b[')).toBe(hasColors);
		}
	});

	test.each([
		['auto', true, true],
		['auto', false, false],
		['json', true, false],
		['pretty', false, true],
	] as const)('with format %s and a terminal: %s is written: %s', async (format, isTTY, expected) => {
		const { log, written } = await capture(format, { isTTY });
		log.info({}, 'ready');
		expect(written.join('').startsWith('{')).toBe(!expected);
	});
});
