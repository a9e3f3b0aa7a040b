import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webhooks } from '@plinth/plugin-webhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fakeChat } from '../support/fake-chat.ts';
import { fakeImage, fakeSpeech, fakeVideo, gate, heldVideo } from '../support/fake-models.ts';
import { fakeTranscription } from '../support/fake-transcription.ts';
import { embeddedFacts } from '../support/openapi/embedded.ts';
import { Fuzzer, type Tally, tallyTable } from '../support/openapi/fuzz.ts';
import { fetchTransport, socketTransport } from '../support/openapi/transports.ts';
import { keyA, removeDir, serveEmbedded } from '../support/serve.ts';

const long = process.env.PLINTH_TEST_LONG === '1';
const runs = long ? 10_000 : 1_000;
// The default seed is fixed, so that every run of one commit tests the same cases. The long run uses new seeds.
const seed = Number(process.env.PLINTH_FUZZ_SEED ?? (long ? Date.now() % 2 ** 31 : 20_261_122));

const held = gate();
// In memory where the system has such a folder. The speed of the disk is not part of this test.
const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'plinth-fuzz-'));
const served = await serveEmbedded({
	models: {
		'instant-1': fakeVideo(),
		'held-1': heldVideo(held),
		'silent-1': fakeSpeech(),
		'echo-1': fakeChat(),
		'paint-1': fakeImage([], { width: 16, height: 12 }),
		'hear-1': fakeTranscription(),
	},
	plugins: { webhooks: webhooks({ allowPrivate: true }) },
	// The cases contain hundreds of invalid keys.
	server: { authFailuresPerMinute: 0 },
	dataDir: folder,
});
const receiver = createServer((req, res) => void req.resume().on('end', () => res.end()));
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const { port } = receiver.address() as AddressInfo;
const sockets = socketTransport(served.url);
const fuzzer = new Fuzzer({
	document: served.app.openapi(),
	facts: await embeddedFacts(served.app, `http://127.0.0.1:${port}/events`),
	transports: { fetch: fetchTransport((request) => served.app.fetch(request)), socket: sockets.send },
	key: keyA,
	slowMs: 5_000,
});
const tallies: Tally[] = [];

beforeAll(() => console.log(`${runs} cases per operation; PLINTH_FUZZ_SEED=${seed} repeats them`));

afterAll(async () => {
	console.log(tallyTable(tallies));
	sockets.close();
	held.open();
	await served.stop();
	receiver.close();
	await removeDir(folder);
});

describe('the responses to generated requests match the document', () => {
	const { operations } = fuzzer.document;
	test.each(operations)('$name', async (operation) => {
		const tally = await fuzzer.run(operation, { runs, seed: seed + operations.indexOf(operation) });
		tallies.push(tally);
		expect([...tally.statuses.values()].reduce((sum, n) => sum + n, 0)).toBe(runs);
	});
});

describe('after all requests', () => {
	test('the server is alive and ready', async () => {
		const response = await fetch(`${served.url}/readyz`);
		expect([response.status, await response.json()]).toEqual([200, { status: 'ready' }]);
	});

	test('no prototype is polluted', () => {
		expect(Object.keys(Object.prototype)).toEqual([]);
		expect({}).not.toHaveProperty('evil');
	});
});
