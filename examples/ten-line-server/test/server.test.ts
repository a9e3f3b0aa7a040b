import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Child, root, startNode } from '../../../test/support/cli.ts';
import { rawClient } from '../../../test/support/client.ts';
import { fencedCode } from '../../../test/support/readme.ts';
import { removeDir, temporaryDir } from '../../../test/support/serve.ts';
import { readWav } from '../../../test/support/wav.ts';

const script = join(import.meta.dirname, '../server.ts');

describe('the ten-line server', () => {
	let cwd: string;
	let server: Child;
	let url: string;

	beforeAll(async () => {
		cwd = await temporaryDir('ten-lines');
		server = startNode([script], { cwd, env: { PORT: '0', PLINTH_LOG_LEVEL: 'silent' } });
		url = (await server.printed(/curl (http:\S+)\/v1\/models/))[1] ?? '';
	}, 30_000);

	afterAll(async () => {
		await server?.kill();
		await removeDir(cwd);
	});

	test('responds to the printed curl command', async () => {
		expect((await rawClient(url, 'a-long-key-of-my-own').send('/v1/models')).status).toBe(200);
	});

	test('rejects requests without the key', async () => {
		expect((await rawClient(url, 'another-key').send('/v1/models')).status).toBe(401);
	});

	test('returns speech', async () => {
		const answer = await rawClient(url, 'a-long-key-of-my-own').post('/v1/audio/speech', {
			model: 'builtin-speech',
			voice: 'nova',
			input: 'Ten lines.',
			response_format: 'wav',
		});
		expect(readWav(new Uint8Array(await answer.arrayBuffer())).seconds).toBeGreaterThan(0.3);
	});

	test('ends on SIGTERM by itself', async () => {
		server.signal('SIGTERM');
		await expect(server.exit).resolves.toMatchObject({ code: 0, signal: null });
	});
});

describe('the server of the README', () => {
	test('equals this example, except for the port', async () => {
		const [shown = ''] = await fencedCode(join(root, 'README.md'), /apiKeys/);
		const lines = (text: string) =>
			text
				.split('\n')
				.map((line) => line.trim())
				.filter((line) => line !== '' && !/\bport\b/i.test(line));
		expect(lines(await readFile(script, 'utf8'))).toEqual(lines(shown));
	});
});
