import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { OutOfMemory, ProcessPool, Refusal } from '@plinth/toolkit/processes';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { writeFrame } from '../../src/processes/frames.ts';

const entry = (name: string) => new URL(`../../src/processes/${name}.ts`, import.meta.url).href;

/** A child whose tasks name what it does. */
const source = `
import { Refusal, serveTasks } from ${JSON.stringify(entry('child'))};
const actions = {
	echo: async (body) => ({ value: { length: body.byteLength }, body }),
	async refuse() { throw new Refusal('E_BAD', 'It is bad.', { cause: new Error('Why.') }); },
	async fail() { throw new TypeError('Whose fault is this?'); },
	async print() { console.log('to whom?'); process.stdout.write('to whom?'); return {}; },
	async tell(body, tell) { await tell(1); await tell(2, Buffer.from('two')); return { value: 3 }; },
	// Blocks the thread, so that no timer can run.
	async eat() { const held = []; for (;;) held.push(Buffer.alloc(20e6, 1)); },
	hang: () => new Promise(() => {}),
	async spin(body) {
		const { connect } = await import('node:net');
		const { once } = await import('node:events');
		await once(connect(Number(body)), 'connect');
		for (;;);
	},
};
await serveTasks((task, body, tell) => actions[task](body, tell), { maxBytes: 250e6 });
`;

/** The flags that run a test program from the sources. */
const flags = ['--conditions=@plinth/source', '--input-type=module', '--eval'];

let folder: string;
let file: URL;
let pool: ProcessPool;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'child-'));
	file = pathToFileURL(join(folder, 'child.mjs'));
	await writeFile(file, source);
	pool = new ProcessPool({
		name: 'test',
		file,
		workers: 1,
		idleMs: 10_000,
		taskTimeoutMs: 10_000,
		abortGraceMs: 500,
		maxIdleBytes: 450_000_000,
	});
});

afterAll(async () => {
	await pool.close();
	await rm(folder, { recursive: true });
});

describe('a child', () => {
	it('receives bytes and returns bytes', async () => {
		const body = Buffer.alloc(3_000_000, 7);
		const answer = await pool.run('echo', { body });
		expect(answer.value).toEqual({ length: 3_000_000 });
		expect(answer.body.equals(body)).toBe(true);
	});

	it('refuses with a code, and fails with a message', async () => {
		const refused = await pool.run('refuse').catch((error) => error);
		expect(refused).toBeInstanceOf(Refusal);
		expect(refused).toMatchObject({ code: 'E_BAD', sentence: 'It is bad.' });
		const failed = await pool.run('fail').catch((error) => error);
		expect(failed).not.toBeInstanceOf(Refusal);
		expect(failed.message).toContain('Whose fault is this?');
	});

	it('sends updates before its result', async () => {
		const received: unknown[] = [];
		const { value } = await pool.run('tell', {
			onUpdate: (news, body) => received.push([news, String(body)]),
		});
		expect([received, value]).toEqual([
			[
				[1, ''],
				[2, 'two'],
			],
			3,
		]);
	});

	it('may print without side effects', async () => {
		await expect(pool.run('print')).resolves.toMatchObject({ value: {} });
	});

	it('that uses too much memory is ended although its thread is blocked, with the reason', async () => {
		const [before] = pool.pids;
		await expect(pool.run('eat')).rejects.toBeInstanceOf(OutOfMemory);
		expect((await pool.run('echo')).value).toEqual({ length: 0 });
		expect(pool.pids).not.toContain(before);
	});
});

describe('the process of a child', () => {
	/** Starts the program, and waits until it is ready. */
	async function started(): Promise<{ child: ChildProcess; stdin: Socket; answers: Socket }> {
		const child = spawn(process.execPath, [fileURLToPath(file)], {
			stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
		});
		onTestFinished(() => void child.kill('SIGKILL'));
		const [stdin, , , answers] = child.stdio as unknown as Socket[];
		if (!stdin || !answers) return expect.fail('it has no pipes');
		await once(answers, 'data');
		return { child, stdin, answers };
	}

	it('ends with its parent, also in the middle of a task', async () => {
		const [resting, working] = await Promise.all([started(), started()]);
		writeFrame(working.stdin, { task: 'hang' });
		const ends = [once(resting.child, 'exit'), once(working.child, 'exit')];
		// When a parent is killed, the child sees the end of its pipes.
		resting.stdin.end();
		working.stdin.end();
		await Promise.all(ends);
	});

	it('ends with its parent although its thread is blocked', async () => {
		const server = createServer().listen(0, '127.0.0.1');
		onTestFinished(() => void server.close());
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		const program = `
			import { ProcessPool } from ${JSON.stringify(entry('index'))};
			const options = { name: 'test', file: new URL(${JSON.stringify(file.href)}), workers: 1, idleMs: 60_000 };
			const pool = new ProcessPool({ ...options, taskTimeoutMs: 60_000, abortGraceMs: 500, maxIdleBytes: 1e9 });
			await pool.run('spin', { body: Buffer.from('${port}') });`;
		const parent = spawn(process.execPath, [...flags, program]);
		const [socket]: Socket[] = await once(server, 'connection');
		const closed = once(socket?.resume() ?? expect.fail('nobody is there'), 'close');
		parent.kill('SIGKILL');
		await closed;
	});

	it('ignores the signals on which a server drains', async () => {
		const { child, stdin, answers } = await started();
		child.kill('SIGTERM');
		child.kill('SIGINT');
		writeFrame(stdin, { task: 'echo' });
		const [answer] = await once(answers, 'data');
		expect(String(answer)).toContain('"kind":"done"');
	});

	it('does not crash its parent when no file descriptor is free', async () => {
		const program = `
			import { openSync, closeSync } from 'node:fs';
			import { ProcessPool } from ${JSON.stringify(entry('index'))};
			const pool = new ProcessPool({ name: 'test', file: new URL('file:///nowhere'), workers: 1 });
			const open = [];
			try { for (;;) open.push(openSync('/dev/null')); } catch {}
			const said = await pool.run('anything').catch((error) => error.message);
			await new Promise((resolve) => setTimeout(resolve, 20));
			open.forEach((file) => closeSync(file));
			console.log(said);`;
		const command = ['-c', 'ulimit -n 64; exec "$0" "$@"'];
		const parent = spawn('sh', [...command, process.execPath, ...flags, program], {
			stdio: ['ignore', 'pipe', 'ignore'],
		});
		const output = once(parent.stdout, 'data');
		const [code] = await once(parent, 'exit');
		expect(code).toBe(0);
		expect(String(await output)).toContain('no file descriptor is free');
	});

	it('does not keep the process of its parent alive', async () => {
		const program = `
			import { ProcessPool } from ${JSON.stringify(entry('index'))};
			const options = { name: 'test', file: new URL(${JSON.stringify(file.href)}), workers: 2 };
			const limits = { idleMs: 60_000, taskTimeoutMs: 60_000, abortGraceMs: 500, maxIdleBytes: 1e9 };
			const pool = new ProcessPool({ ...options, ...limits });
			console.log(JSON.stringify((await pool.run('echo')).value));`;
		const parent = spawn(process.execPath, [...flags, program], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const output = once(parent.stdout, 'data');
		const [code] = await once(parent, 'exit');
		expect(String(await output)).toContain('"length":0');
		expect(code).toBe(0);
	});
});
