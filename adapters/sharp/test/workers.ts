import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Task } from '../src/tasks.ts';

/**
 * A worker that decodes nothing: the path of a picture tells what it does. `width` of its answers is its process id. Something with
 * `once` is done once only, even by several processes. In JavaScript and without imports of ours, so that it starts fast.
 */
const source = (folder: string) => `
import { existsSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
const send = (header) => {
	const json = Buffer.from(JSON.stringify({ rss: 1, ...header }));
	const lengths = Buffer.alloc(8);
	lengths.writeUInt32BE(json.length);
	process.stdout.write(Buffer.concat([lengths, json]));
};
const done = (value, rss = 1) => send({ kind: 'done', value: { width: process.pid, ...value }, rss });
const once = (name) => {
	const mark = ${JSON.stringify(folder)} + '/' + name;
	if (existsSync(mark)) return false;
	writeFileSync(mark, '');
	return true;
};
const deeds = {
	env: () => done({ env: process.env }),
	crash: () => process.exit(1),
	'crash once': () => (once('crash') ? process.exit(1) : done()),
	'mark once': () => done({ first: once('mark') }),
	hang: () => {},
	swell: () => done({}, 1e9),
	fail: () => send({ kind: 'failed', message: 'EACCES' }),
	babble: () => process.stdout.write('What a lovely picture this is!'),
};
send({ kind: 'ready' });
// Requests are small and come one at a time: each in one piece.
process.stdin.on('data', (bytes) => {
	const { path } = JSON.parse(bytes.toString('utf8', 8, 8 + bytes.readUInt32BE()));
	(deeds[basename(path)] ?? done)();
});
`;

/** Writes the worker to a folder of its own, which `remove` deletes. */
export async function fakeWorker(): Promise<{ file: URL; remove(): Promise<void> }> {
	const folder = await mkdtemp(join(tmpdir(), 'sharp-worker-'));
	const file = join(folder, 'worker.mjs');
	await writeFile(file, source(folder));
	return { file: pathToFileURL(file), remove: () => rm(folder, { recursive: true }) };
}

/** What is asked of it. */
export const probe: Task = { kind: 'probe' };
