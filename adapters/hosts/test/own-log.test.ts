import { type AppConfig, createApp, type Logger } from '@plinth/core';
import { apiKeys } from '@plinth/keys';
import Fastify from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';

const key = 'key-of-the-tests';
// Options that have no effect when the host passes its own log.
const config: AppConfig = { log: { level: 'silent' }, backends: { auth: apiKeys({ keys: key }) } };

async function requestLines(hostLog: (write: (line: string) => void) => Logger) {
	const lines: Record<string, unknown>[] = [];
	const app = await createApp(config, { log: hostLog((line) => lines.push(JSON.parse(line))), env: {} });
	onTestFinished(() => app.stop());
	const answer = await app.fetch(new Request('http://plinth.test/v1/models', { headers: { 'x-api-key': key } }));
	await answer.text();
	await app.stop();
	return lines;
}

test.each([
	['pino', (write: (line: string) => void): Logger => pino({ level: 'info' }, { write })],
	['Fastify', (write: (line: string) => void): Logger => Fastify({ logger: { level: 'info', stream: { write } } }).log],
])('an app writes to the log of %s', async (_host, hostLog) => {
	const lines = await requestLines((write) => hostLog(write).child({ part: 'plinth' }));
	const request = { level: 30, part: 'plinth', msg: 'request', method: 'GET', route: '/v1/models', status: 200 };
	expect(lines).toContainEqual(expect.objectContaining(request));
	expect(lines.at(-1)).toMatchObject({ part: 'plinth', msg: 'stopped' });
});
