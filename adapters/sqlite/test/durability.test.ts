import { Worker } from 'node:worker_threads';
import { eventually } from '@plinth/testing';
import { expect, test } from 'vitest';
import { temporaryFile } from './subject.ts';

const full = 2;

test('each commit of the writer is on the disk before anybody is told of it: synchronous is FULL', async () => {
	const { file, remove } = await temporaryFile();
	const writer = new Worker(new URL('./watched-writer.ts', import.meta.url), {
		workerData: { file },
		execArgv: ['--disable-warning=ExperimentalWarning', '--conditions=@plinth/source'],
	});
	const messages: Record<string, unknown>[] = [];
	writer.on('message', (message) => messages.push(message));
	const told = (name: string) => messages.filter((message) => name in message);
	await eventually('the file is open', () => told('opened').length === 1);
	const input = { duty: 'd', holder: 'h', now: 1, until: 2 };
	writer.postMessage([{ name: 'jobs.lead', input }]);
	await eventually('the write is answered', () => told('outcomes').length === 1);
	expect(told('outcomes')[0]).toMatchObject({ outcomes: [{ ok: true, value: true }] });
	const synced = told('synchronous').map(({ synchronous }) => synchronous);
	// Of the schema, and of the write.
	expect(synced).toEqual([full, full]);
	writer.postMessage('close');
	await new Promise((resolve) => writer.once('exit', resolve));
	await remove();
});
