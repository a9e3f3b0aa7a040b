import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A process whose tasks name what it does. It responds with its process id, unless the task has another result. A task
 * with `once` does its action only once, also across several processes. Plain JavaScript without imports of Plinth, so
 * that it starts fast.
 */
const source = (folder: string) => `
import { existsSync, writeFileSync, writeSync } from 'node:fs';
const send = (header) => {
	const json = Buffer.from(JSON.stringify({ rss: 1, ...header }));
	const lengths = Buffer.alloc(8);
	lengths.writeUInt32BE(json.length);
	writeSync(3, Buffer.concat([lengths, json]));
};
const done = (value = process.pid, rss = 1) => send({ kind: 'done', value, rss });
const once = (name) => {
	const mark = ${JSON.stringify(folder)} + '/' + name;
	if (existsSync(mark)) return false;
	writeFileSync(mark, '');
	return true;
};
const actions = {
	env: () => done(process.env),
	flags: () => done(process.execArgv),
	crash: () => process.exit(1),
	'crash once': () => (once('crash') ? process.exit(1) : done()),
	'mark once': () => done(once('mark')),
	hang: () => {},
	swell: () => done(process.pid, 1e9),
	refuse: () => send({ kind: 'refused', code: 'E_BAD', sentence: 'It is bad.', cause: 'Why.' }),
	fail: () => send({ kind: 'failed', message: 'EACCES' }),
	babble: () => writeSync(3, 'What a lovely picture this is!'),
	'babble JSON': () => send({ kind: 'lovely' }),
	'babble null': () => writeSync(3, Buffer.from('\\0\\0\\0\\x04\\0\\0\\0\\0null', 'latin1')),
	'babble news': () => { send({ kind: 'update', value: 'nonsense' }); done(); },
	flood: () => { for (;;) send({ kind: 'update', value: 'x'.repeat(60_000) }); },
	'talk much': () => { for (let i = 0; i < 300; i++) try { writeSync(2, 'x'.repeat(10_000)); } catch {} done(); },
	'talk and die': () => { writeSync(2, 'Segmentation fault.'); process.exit(1); },
	news: () => { for (const value of [1, 2, 3]) send({ kind: 'update', value }); done(); },
	'news slowly': () => { send({ kind: 'update', value: 'wait' }); setTimeout(done, 300); },
};
send({ kind: 'ready' });
// Requests are small and arrive one at a time, so each is one chunk.
process.stdin.on('data', (bytes) => {
	const { task } = JSON.parse(bytes.toString('utf8', 8, 8 + bytes.readUInt32BE()));
	(actions[task] ?? (() => done()))();
});
`;

/** Writes the program to its own folder, which `remove` deletes. */
export async function fakeProcess(): Promise<{ file: URL; remove(): Promise<void> }> {
	const folder = await mkdtemp(join(tmpdir(), 'fake-process-'));
	const file = join(folder, 'process.mjs');
	await writeFile(file, source(folder));
	return { file: pathToFileURL(file), remove: () => rm(folder, { recursive: true }) };
}
