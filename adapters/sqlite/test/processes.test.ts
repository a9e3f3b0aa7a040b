import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { JobStore } from '@plinth/core';
import { createBackend, eventually } from '@plinth/testing';
import { expect, test } from 'vitest';
import { sqliteJobs, sqliteRecords } from '../src/index.ts';
import { temporaryFile } from './subject.ts';

const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

test('three processes on one file lose no job and claim no job twice', async () => {
	const { file, remove } = await temporaryFile();
	const children = ['a', 'b', 'c'].map((name) => start(file, name, '40'));
	const codes = await Promise.all(children.map(({ exited }) => exited));
	const lines = children.flatMap(({ lines }) => lines());
	const claimed = lines.filter((line) => line.startsWith('claimed'));
	expect({ codes, errors: children.map(({ errors }) => errors()) }).toEqual({
		codes: [0, 0, 0],
		errors: ['', '', ''],
	});
	expect(new Set(claimed).size).toBe(claimed.length);

	const { provided: store, stop } = await createBackend<JobStore>(sqliteJobs({ file }));
	const { jobs } = await store.list('acme', { kind: 'video', limit: 200, order: 'asc' });
	expect(jobs.map(({ status, attempt }) => [status, attempt])).toEqual(
		Array.from({ length: 120 }, () => ['completed', 1]),
	);
	await stop();
	await remove();
}, 30_000);

test('a killed process loses no acknowledged job', async () => {
	const { file, remove } = await temporaryFile();
	const child = start(file, 'a', '0', 'forever');
	await eventually('some jobs are acknowledged', () => child.lines().length > 20, 20_000);
	child.process.kill('SIGKILL');
	await child.exited;
	const acknowledged = child.lines().map((line) => line.replace('created ', ''));

	const { provided: store, stop } = await createBackend<JobStore>(sqliteJobs({ file }));
	const found = await Promise.all(acknowledged.map((id) => store.get('acme', id)));
	expect(found.filter((job) => job === null)).toEqual([]);
	await stop();
	await remove();
}, 30_000);

// Without these locks, another program that opens the file, such as sqlite3, deletes the log of a running server.
test.runIf(process.platform === 'linux')('a process keeps its locks when more backends open the file', async () => {
	const { file, remove } = await temporaryFile();
	// One after the other, as an app creates them.
	const backends = [await createBackend(sqliteJobs({ file })), await createBackend(sqliteRecords({ file }))];
	const { ino } = await stat(file);
	const locks = await readFile('/proc/locks', 'utf8');
	const ours = locks.split('\n').filter((line) => line.includes(`:${ino} `));
	// The bytes whose lock marks a database as in use (SQLite's SHARED_FIRST and its 510 bytes).
	expect(ours.join()).toContain(` ${process.pid} `);
	expect(ours.join()).toContain(' 1073741826 1073742335');
	for (const backend of backends) await backend.stop();
	await remove();
});

function start(...args: string[]): {
	process: ChildProcess;
	exited: Promise<unknown>;
	lines(): string[];
	errors(): string;
} {
	const child = spawn(process.execPath, ['--conditions=@plinth/source', program, ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	let errors = '';
	child.stdout.on('data', (chunk) => {
		output += chunk;
	});
	child.stderr.on('data', (chunk) => {
		errors += chunk;
	});
	return {
		process: child,
		exited: once(child, 'close').then(([code]) => code),
		// The last line may be incomplete.
		lines: () => output.split('\n').slice(0, -1),
		errors: () => errors,
	};
}
