import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '@plinth/core';
import type { ChatModel } from '@plinth/plugin-chat/model';
import { eventually, silentLogger } from '@plinth/testing';
import { findConfig } from 'plinth';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asking, chatModel, enginesOf, memoryOf, modelFolder, response, stream } from './support/models.ts';
import { writeTinyModel } from './support/tiny-gguf.ts';

const { folder, remove } = modelFolder();
const file = 'endless.gguf';
const key = 'the-key-of-tenant-a';
let close = async () => {};

beforeAll(() => writeTinyModel(join(folder, file), { endBias: -20 }));

afterEach(async () => {
	await close();
	close = async () => {};
	expect(enginesOf()).toEqual([]);
});

afterAll(remove);

async function make(options: Partial<Parameters<typeof chatModel>[1]> = {}): Promise<ChatModel> {
	const running = await chatModel(folder, { file, ...options });
	({ close } = running);
	return running.model;
}

/** The only engine process that runs. */
function engine(): number {
	const [pid, ...others] = enginesOf();
	expect(others).toEqual([]);
	return pid ?? Number.NaN;
}

function killEngines(): void {
	for (const pid of enginesOf()) process.kill(pid, 'SIGKILL');
}

describe('the process of the engine', () => {
	test('starts with the first request, not with the server', async () => {
		const model = await make();
		expect(enginesOf()).toEqual([]);
		await response(model, asking('Hello', { maxTokens: 2 }));
		expect(engine()).toBeGreaterThan(0);
	});

	test.each(['SIGABRT', 'SIGSEGV', 'SIGKILL'] as const)(
		'fails its responses when it ends by %s, and restarts',
		async (signal) => {
			const model = await make({ slots: 2 });
			const responses = [1, 2].map(() => stream(model, asking('Go on.'))[Symbol.asyncIterator]());
			await Promise.all(responses.map((each) => each.next()));
			const pid = engine();
			process.kill(pid, signal);
			for (const each of responses) await expect(readToEnd(each)).rejects.toMatchObject({ spec: { status: 503 } });
			expect((await response(model, asking('Hello', { maxTokens: 3 }))).text).not.toBe('');
			expect(engine()).not.toBe(pid);
		},
	);

	test('survives 50 kills: each response is complete or fails, and the next request succeeds', async () => {
		const model = await make();
		const request = asking('Go on.', { maxTokens: 30 });
		const { text } = await response(model, request);
		const outcomes = { whole: 0, failed: 0 };
		for (let round = 0; round < 50; round++) {
			const pieces: string[] = [];
			const events = stream(model, request)[Symbol.asyncIterator]();
			try {
				let isSettled = false;
				const first = events.next().finally(() => {
					isSettled = true;
				});
				first.catch(() => {});
				// Every fifth kill while the model is loading, the others after some tokens.
				if (round % 5 === 0) await eventually('the engine runs', () => isSettled || enginesOf().length > 0);
				if (round % 5 === 0) killEngines();
				let left = round % 35;
				for (let next = await first; !next.done; next = await events.next()) {
					if (next.value.type === 'text') pieces.push(next.value.text);
					if (left-- === 0) killEngines();
				}
				expect(pieces.join('')).toBe(text);
				outcomes.whole++;
			} catch (error) {
				expect(error).toMatchObject({ code: 'E_MODEL_UNAVAILABLE' });
				expect(text.startsWith(pieces.join(''))).toBe(true);
				outcomes.failed++;
			}
		}
		expect(outcomes.failed).toBeGreaterThan(20);
		expect((await response(model, request)).text).toBe(text);
	});

	test('frees its memory when the model is unloaded, and loads again', async () => {
		await writeTinyModel(join(folder, 'wide.gguf'), { width: 512 });
		const model = await make({ file: 'wide.gguf', slots: 4 });
		const request = asking('Hello', { maxTokens: 5 });
		const { text } = await response(model, request);
		const megabytes = memoryOf(engine());
		expect(megabytes).toBeGreaterThan(100);
		await model.unload?.();
		expect(enginesOf()).toEqual([]);
		await model.unload?.();
		expect((await response(model, request)).text).toBe(text);
	});

	test('ends when the server is killed', async () => {
		const host = join(import.meta.dirname, 'support/host.ts');
		const args = ['--conditions=@plinth/source', host, folder, file];
		const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
		await once(server.stdout, 'data');
		const [pid = 0] = enginesOf(server.pid);
		expect(memoryOf(pid)).toBeGreaterThan(0);
		server.kill('SIGKILL');
		await eventually('the engine has ended', () => Number.isNaN(memoryOf(pid)));
	});
});

async function readToEnd(events: AsyncIterator<unknown>): Promise<void> {
	while (!(await events.next()).done);
}

describe('a server', () => {
	test('survives an abort of native code, and the client gets an error', async () => {
		const path = join(folder, 'plinth.config.yaml');
		await writeFile(
			path,
			`extends: plinth:embedded
models:
  local:
    use: '@plinth/llama-cpp#llamaCpp.chat'
    with: { file: ./${file}, threads: '\${THREADS}', gpu: false }
`,
		);
		const env = { THREADS: '1', PLINTH_DATA_DIR: join(folder, 'data'), PLINTH_API_KEYS: `a:${key}` };
		const { config } = await findConfig({ file: path, env });
		const app = await createApp(config, { env, file: path, log: silentLogger() });
		close = () => app.stop();
		const { url } = await app.listen({ host: '127.0.0.1', port: 0 });
		const ask = (more: object) =>
			fetch(`${url}/v1/chat/completions`, {
				method: 'POST',
				headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
				body: JSON.stringify({ model: 'local', messages: [{ role: 'user', content: 'Hello' }], ...more }),
			});
		const streamed = await ask({ stream: true });
		const reader = streamed.body?.pipeThrough(new TextDecoderStream()).getReader();
		const first = await reader?.read();
		expect(first?.value).toContain('chat.completion.chunk');
		process.kill(engine(), 'SIGABRT');
		let rest = '';
		for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) rest += piece.value;
		expect(rest).toContain('model_unavailable');
		const next = await ask({ max_tokens: 4, seed: 1 });
		expect(next.status).toBe(200);
		const body = (await next.json()) as { readonly choices: readonly { message: { content: string } }[] };
		expect(body).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 4 } });
		const content = body.choices[0]?.message.content ?? '';
		const cut = await (await ask({ max_tokens: 4, seed: 1, stop: [content.slice(0, 1)] })).json();
		expect(cut).toMatchObject({ choices: [{ finish_reason: 'stop', message: { content: '' } }] });
	});
});

describe('boot', () => {
	const broken = async (name: string, change: (path: string) => Promise<unknown>) => {
		const path = join(folder, name);
		await change(path);
		return expect(make({ file: name })).rejects;
	};

	test('names a missing file, and how to download it', async () => {
		const missing = make({ file: 'models/none.gguf' });
		await expect(missing).rejects.toThrow(`The model ${folder}/models/none.gguf cannot be read. There is no such file`);
		await expect(missing).rejects.toThrow('plinth models pull URL --sha256 HEX');
	});

	test('names a folder that is given as a file', async () => {
		await expect(make({ file: '.' })).rejects.toThrow(`The model ${folder} cannot be read. EISDIR`);
	});

	test('names a file of another format', async () => {
		const rejects = await broken('page.gguf', (path) => writeFile(path, '<html>Not found</html>'));
		await rejects.toThrow(`${folder}/page.gguf is no GGUF file. plinth models pull`);
	});

	test('names a file of another version', async () => {
		const rejects = await broken('old.gguf', async (path) => {
			const bytes = await readFile(join(folder, file));
			bytes.writeUInt32LE(1, 4);
			await writeFile(path, bytes);
		});
		await rejects.toThrow('has version 1 of GGUF, not 2 or 3.');
	});

	test.each([
		['in its header', 4_000],
		['in its weights', 300_000],
	])('names a file that is truncated %s', async (_, length) => {
		const rejects = await broken('short.gguf', async (path) => {
			await writeTinyModel(path);
			await truncate(path, length);
		});
		await rejects.toThrow(`The engine cannot use ${folder}/short.gguf.`);
	});

	test.each([
		['an adapter', { type: 'adapter' }, 'kind adapter'],
		['an encoder', { architecture: 'bert' }, ''],
	])('names a file of %s', async (_, options, message) => {
		const rejects = await broken('other.gguf', (path) => writeTinyModel(path, options));
		await rejects.toThrow(`The engine cannot use ${folder}/other.gguf.`);
		await rejects.toThrow(message);
	});

	test('names a file that makes native code abort', async () => {
		const rejects = await broken('no-bytes.gguf', (path) => writeTinyModel(path, { hasBytes: false }));
		await rejects.toThrow(/The engine cannot use .*no-bytes.gguf.*It ended with SIGABRT/s);
	});

	test('names a GPU without a program for this machine', async () => {
		await expect(make({ gpu: 'cuda' })).rejects.toThrow('Install the package of @node-llama-cpp for gpu: cuda');
	});

	test('names the package that is missing', async () => {
		const model = chatModel(tmpdir(), { file: join(folder, file) });
		await expect(model).rejects.toThrow(`node-llama-cpp is not installed beside ${tmpdir()}. Run npm install`);
	});
});
