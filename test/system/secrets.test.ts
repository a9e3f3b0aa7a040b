import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Child, plinth } from '../support/cli.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { filesBelow } from '../support/files.ts';
import { sendImageCanaries, sendLinkCanaries } from '../support/image-canaries.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';
import { sendFileCanaries, sendWebhookCanaries, type WebhookCanaries } from '../support/webhook-canaries.ts';

const fixtures = join(import.meta.dirname, '../fixtures/secrets');
const configured = 'canary-configured-key';
const modelKey = 'canary-key-of-the-model';

/** Secrets that must not be found anywhere but where they were sent or configured. */
const keys = [configured, modelKey, 'canary-literal-secret', 'canary-url-password'];

let dir: string;
let env: Record<string, string>;
let child: Child;
let client: RawClient;
let url: string;
let issued: string;
/** Bodies and headers of all error responses. */
const refusals: string[] = [];
let refused = 0;
/** The signed URL of an image. */
let link: URL;
let webhooks: WebhookCanaries;

beforeAll(async () => {
	dir = await temporaryDir('secrets');
	await Promise.all(['work', 'temp'].map((name) => mkdir(join(dir, name))));
	env = {
		PORT: '0',
		TMPDIR: join(dir, 'temp'),
		NODE_DISABLE_COMPILE_CACHE: '1',
		PLINTH_LOG_LEVEL: 'debug',
		PLINTH_DATA_DIR: join(dir, 'data'),
		PLINTH_API_KEYS: `a:${configured}`,
		PLINTH_CONFIG: join(fixtures, 'plinth.config.ts'),
		PLINTH_WEBHOOK_ALLOW_PRIVATE: 'true',
		PLINTH_WEBHOOK_RETRY_SECONDS: '0.1',
		X_API_KEY: modelKey,
	};
	const made = await run(['keys', 'create', '--tenant', 'b', '--scopes', '*', '--quiet']);
	issued = made.stdout.trim();
	child = plinth(['serve'], { cwd: join(dir, 'work'), env });
	url = (await child.printed(/serving +(http:\S+)[\s\S]*try +curl/))[1] ?? '';
	client = rawClient(url, configured);
	await useEverything();
}, 60_000);

afterAll(async () => {
	await child?.kill();
	await removeDir(dir);
});

const run = (args: readonly string[], more: Record<string, string> = {}) =>
	plinth(args, { cwd: join(dir, 'work'), env: { ...env, ...more } }).exit;

/** Sends a request and records error responses. */
async function send(path: string, init: RequestInit = {}, key: string | null = configured) {
	const headers = new Headers(init.headers);
	if (key !== null && !headers.has('authorization')) headers.set('x-api-key', key);
	const answer = await fetch(`${url}${path}`, { ...init, headers });
	const body = Buffer.from(await answer.arrayBuffer().catch(() => new ArrayBuffer(0)));
	if (answer.status >= 400) {
		refused += 1;
		refusals.push(`${answer.status} ${JSON.stringify([...answer.headers])}\n${body.toString()}`);
	}
	return { status: answer.status, body: body.toString() };
}

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return send(path, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		body: text,
	});
}

/** Sends canaries in every place where clients can send data, in valid and invalid requests. */
async function useEverything(): Promise<void> {
	await useKeys();
	await useFields();
	await useFiles();
	await useModels();
	refusals.push(await sendImageCanaries({ post, send }));
	link = await sendLinkCanaries({ post, send });
	webhooks = await sendWebhookCanaries({ post, send });
	await sendFileCanaries({ post, send });
	await disconnectEarly();
}

async function useKeys(): Promise<void> {
	await send('/v1/models', {}, issued);
	await send('/v1/models', {}, 'canary-wrong-key');
	await send('/v1/models', {}, `${issued.slice(0, -1)}x`);
	await send('/v1/models', { headers: { authorization: 'Bearer canary-malformed key' } });
	await send('/v1/models', { headers: { authorization: `Basic ${btoa('canary:canary-basic')}` } });
	await send('/v1/models', {
		headers: { authorization: 'Bearer canary-disagrees', 'x-api-key': issued },
	});
	await send('/v1/unknown-path', {}, 'canary-wrong-key');
	await send('/unknown-path?key=canary-query');
}

async function useFields(): Promise<void> {
	const video = {
		model: 'leaky-video',
		prompt: 'canary-prompt',
		user: 'canary-user',
		seconds: '2',
	};
	for (const path of [
		'/v1/videos?after=canary-query',
		'/v1/videos?limit=canary-query',
		'/v1/videos?api_key=canary-query',
		'/v1/videos/canary-id?token=canary-query',
		'/healthz?x=canary-query',
		'/readyz?x=canary-query',
	]) {
		await send(path, {
			headers: { cookie: 'session=canary-cookie', 'user-agent': 'canary-agent' },
		});
	}
	await post('/v1/videos', { ...video, seconds: 3, extra: 'canary-field' });
	await post('/v1/videos', { ...video, prompt: ['canary-prompt'] });
	await post('/v1/videos', '{"model":"leaky-video","prompt":"canary-prompt');
	await post('/v1/videos', 'canary-prompt');
	await post('/v1/videos', { ...video, input_reference: 'canary-reference' });
	await post('/v1/videos', { ...video, input_reference: { image_url: 'https://canary-url/x' } });
	await post('/v1/videos', { ...video, prompt: `canary-prompt${'x'.repeat(1_200_000)}` });
	await post('/v1/videos', video, { 'idempotency-key': 'canary idempotency key' });
	await post('/v1/videos', video, { 'idempotency-key': 'canary-idempotency-key' });
	await post(
		'/v1/videos',
		{ ...video, prompt: 'another canary-prompt' },
		{ 'idempotency-key': 'canary-idempotency-key' },
	);
	await post('/v1/videos', video, { 'x-request-id': 'canary request id' });
	await post('/v1/videos', video, { 'content-type': 'text/plain' });
	await raw('GET /canary-path HTTP/1.1\r\nhost: x\r\nx-canary header: canary-header\r\n\r\n');
}

async function useFiles(): Promise<void> {
	const form = (type: string, content: string) => {
		const fields = new FormData();
		fields.set('model', 'leaky-video');
		fields.set('prompt', 'canary-prompt');
		fields.set('input_reference', new File([content], 'canary-file-name.png', { type }));
		return fields;
	};
	await send('/v1/videos', { method: 'POST', body: form('image/png', 'canary-file-content') });
	await send('/v1/audio/speech', {
		method: 'POST',
		body: form('image/png', 'canary-file-content'),
	});
	await send('/v1/videos', {
		method: 'POST',
		headers: { 'content-type': 'multipart/form-data; boundary=b' },
		body: '--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\ncanary-prompt',
	});
}

async function useModels(): Promise<void> {
	const speech = {
		model: 'leaky-speech',
		voice: 'nova',
		input: 'canary-input',
		response_format: 'wav',
	};
	const video = { model: 'leaky-video', seconds: '2' };
	await post('/v1/audio/speech', { ...speech, instructions: 'canary-instructions' });
	await post('/v1/audio/speech', { ...speech, instructions: 'canary-instructions politely' });
	await post('/v1/audio/speech', {
		...speech,
		stream_format: 'sse',
		instructions: 'canary-instructions halfway',
	});
	await post('/v1/audio/speech', {
		...speech,
		response_format: 'pcm',
		instructions: 'halfway canary',
	}).catch(() => {});
	await post('/v1/audio/speech', { ...speech, model: 'builtin-speech', input: 'A canary-input.' });
	for (const prompt of ['canary-prompt', 'canary-prompt politely']) {
		const made = await post('/v1/videos', { ...video, prompt });
		const { id } = JSON.parse(made.body) as { id: string };
		const { error } = await client.finished(id);
		refusals.push(JSON.stringify(error));
		await send(`/v1/videos/${id}/content`);
	}
	const made = await client.create({
		model: 'builtin-video',
		prompt: 'canary-prompt that is drawn',
	});
	await client.finished(made.id);
	await send(`/v1/videos/${made.id}/content`, { headers: { range: 'bytes=999999999-' } });
}

/** One client that disconnects during the response, and one that disconnects during its upload. */
async function disconnectEarly(): Promise<void> {
	const controller = new AbortController();
	const answer = await fetch(`${url}/v1/audio/speech?secret=canary-query`, {
		method: 'POST',
		headers: { 'x-api-key': configured, 'content-type': 'application/json' },
		body: JSON.stringify({
			model: 'endless-speech',
			voice: 'nova',
			input: 'canary-input',
			response_format: 'pcm',
		}),
		signal: controller.signal,
	});
	await answer.body?.getReader().read();
	controller.abort();
	const upload = request(`${url}/v1/videos`, {
		method: 'POST',
		headers: {
			'x-api-key': configured,
			'content-type': 'multipart/form-data; boundary=b',
			'content-length': '5000000',
		},
	});
	upload.on('error', () => {});
	upload.write(
		'--b\r\ncontent-disposition: form-data; name="input_reference"; filename="canary-file-name"\r\n\r\ncanary-file-content',
	);
	await eventually('the upload is spooled', async () => (await readdir(join(dir, 'temp'))).length > 0);
	upload.destroy();
	await eventually('both disconnects are logged', () => (child.stderr().match(/"status":499/g) ?? []).length >= 2);
}

/** Sends bytes unchanged and records the response as an error response. */
function raw(bytes: string): Promise<void> {
	return new Promise((resolve, reject) => {
		let answer = '';
		const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
		socket.on('data', (chunk) => {
			answer += chunk;
		});
		socket.on('error', reject);
		socket.on('close', () => {
			refusals.push(answer);
			resolve();
		});
	});
}

/** The context of each canary in a text. */
const canariesIn = (text: string) => text.match(/.{0,60}canary.{0,60}/gis) ?? [];

describe('planted secrets', () => {
	test('were sent: requests failed in many ways, and the log was written', () => {
		expect(refused).toBeGreaterThan(25);
		expect(child.stderr()).toMatch(/"level":20/);
		expect(child.stderr()).toMatch(/asking upstream/);
		expect(child.stderr()).toMatch(/ECONNREFUSED/);
		expect(refusals.join('')).toMatch(/The upstream refused the key \[redacted\]/);
	});

	test('are not in the log, at level debug', () => {
		expect(canariesIn(child.stderr())).toEqual([]);
		expect(child.stderr()).not.toContain(issued);
	});

	test('are not in the log as parts of signed URLs', () => {
		const output = `${child.stderr()}${child.stdout()}${refusals.join('')}`;
		expect(output).toContain('/v1/images/results/{name}');
		const parts = [...link.searchParams.values(), link.pathname.split('/').at(-1) ?? ''];
		expect(parts.filter((part) => part.length < 32 || output.includes(part))).toEqual([]);
	});

	test('are not shown together with the signing key', async () => {
		const files = await filesBelow(join(dir, 'data'));
		const stored = await Promise.all(files.map((file) => readFile(file, 'latin1')));
		const found = stored.flatMap((text) => [...text.matchAll(/\{"key":"([0-9a-f]{64})"\}/g)]);
		const [signingKey = ''] = found.map(([, key]) => key);
		expect(signingKey).toHaveLength(64);
		expect(`${child.stderr()}${child.stdout()}${refusals.join('')}`).not.toContain(signingKey);
	});

	test('that sign webhooks are returned when they are created, and never again', async () => {
		const { secrets, responses } = webhooks;
		expect(responses).toContain(secrets[1]?.slice(-4));
		const output = `${responses}${child.stderr()}${child.stdout()}${refusals.join('')}`;
		expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
		// The server needs these secrets for signing, so the database contains them.
		const files = await filesBelow(join(dir, 'data'));
		const stored = await Promise.all(files.map((file) => readFile(file, 'latin1')));
		const missing = secrets.filter((secret) => !stored.some((text) => text.includes(secret)));
		expect(missing).toEqual([]);
	});

	test('are not in the output of the server', () => {
		expect(canariesIn(child.stdout())).toEqual([]);
	});

	test('are not in refusals', () => {
		expect(refusals.flatMap(canariesIn)).toEqual([]);
		expect(refusals.join('')).not.toContain(issued);
	});

	test.each(['/openapi.json', '/v1/models', '/readyz'])('are not in %s', async (path) => {
		const { status, body } = await send(path);
		expect([status, canariesIn(body)]).toEqual([200, []]);
	});

	test('are not in temporary files', async () => {
		await eventually('no temporary file is left', async () => (await readdir(join(dir, 'temp'))).length === 0);
	});

	test('are not in the data directory if they are keys', async () => {
		const files = await readdir(join(dir, 'data'), { recursive: true, withFileTypes: true });
		const found: string[] = [];
		let isPromptThere = false;
		for (const file of files.filter((entry) => entry.isFile())) {
			const bytes = await readFile(join(file.parentPath, file.name));
			found.push(...[...keys, issued].filter((key) => bytes.includes(key)));
			// The database contains the prompts. This shows that the search finds canaries.
			isPromptThere ||= bytes.includes('canary-prompt');
		}
		expect([found, isPromptThere]).toEqual([[], true]);
	});
});

describe('secrets of a config', () => {
	test.each(['check', 'doctor', 'openapi'])('are not printed by plinth %s', async (command) => {
		const { code, stdout, stderr } = await run([command]);
		expect([code, canariesIn(stdout + stderr)]).toEqual([0, []]);
	});

	test.each([
		['bad.config.ts', /problems in/, 'check'],
		['bad.config.ts', /problems in/, 'doctor'],
		['failing.config.ts', /401 from upstream/, 'check'],
		['failing.config.ts', /401 from upstream/, 'serve'],
		['crashing.config.ts', /^Error: 401 from upstream.*\n +at /m, 'serve'],
	])('are not in the report of %s', async (name, pattern, command) => {
		const { code, stdout, stderr } = await run([command], { PLINTH_CONFIG: join(fixtures, name) });
		expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(pattern)]);
		expect(canariesIn(stdout + stderr)).toEqual([]);
	});

	test.each([
		['json', '{"models": {"a": {"with": {"apiKey": canary-of-json}}}}'],
		['yaml', 'models:\n  a: { with: { apiKey: @canary-of-yaml } }\n'],
		['yaml', 'models:\n  a: |canary-of-yaml canary\n    x\n'],
		['mjs', 'export default { models: { a: "canary-of-mjs };\n'],
		['ts', 'export default { models: { a: "canary-of-ts };\n'],
	])('are not quoted from a broken %s file', async (extension, text) => {
		const file = join(dir, 'work', `broken.${extension}`);
		await writeFile(file, text);
		const { code, stdout, stderr } = await run(['check'], { PLINTH_CONFIG: file });
		expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be (parsed|loaded)/)]);
		expect(canariesIn(stdout + stderr)).toEqual([]);
	});
});
