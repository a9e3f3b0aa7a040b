import { Worker } from 'node:worker_threads';
import { eventually } from '@plinth/testing';
import { expect, test } from 'vitest';
import { temporaryFile } from './subject.ts';

const full = 2;

test('each commit is on the disk before it is acknowledged: synchronous is FULL', async () => {
	const { file, remove } = await temporaryFile();
	const writer = new Worker(new URL('./watched-writer.ts', import.meta.url), {
		workerData: { file },
		execArgv: ['--disable-warning=ExperimentalWarning', '--conditions=@plinth/source'],
	});
	const messages: Record<string, unknown>[] = [];
	writer.on('message', (message) => messages.push(message));
	const reported = (name: string) => messages.filter((message) => name in message);
	await eventually('the file is open', () => reported('opened').length === 1);
	const input = { duty: 'd', holder: 'h', now: 1, until: 2 };
	writer.postMessage([{ name: 'jobs.lead', input }]);
	await eventually('the write is acknowledged', () => reported('outcomes').length === 1);
	expect(reported('outcomes')[0]).toMatchObject({ outcomes: [{ ok: true, value: true }] });
	const synced = reported('synchronous').map(({ synchronous }) => synchronous);
	// One commit of the schema, and one of the write.
	expect(synced).toEqual([full, full]);
	writer.postMessage('close');
	await new Promise((resolve) => writer.once('exit', resolve));
	await remove();
});
