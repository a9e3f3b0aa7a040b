import { afterAll, describe, expect, test } from 'vitest';
import { overSockets, throughFetch } from '../support/openapi/carriers.ts';
import type { Facts } from '../support/openapi/facts.ts';
import { faultyPlugin, seededFaults } from '../support/openapi/faulty.ts';
import { Fuzzer } from '../support/openapi/fuzz.ts';
import { keyA, serveEmbedded } from '../support/serve.ts';

const nothing: Facts = {
	known: {},
	files: [],
	tolerated: [],
	whole: { 'POST /v1/faults/pairs': ({ a, b }) => !(a && b) },
	live: async () => 'x',
	absent: () => ['x'],
	clear: async () => {},
};

const served = await serveEmbedded({
	plugins: { faults: faultyPlugin() },
	server: { authFailuresPerMinute: 0 },
});
const sockets = overSockets(served.url);
const lab = {
	document: served.app.openapi(),
	facts: nothing,
	carriers: {
		fetch: throughFetch((request) => served.app.fetch(request)),
		socket: sockets.send,
	},
	key: keyA,
};

afterAll(async () => {
	sockets.close();
	await served.stop();
});

describe('2,000 generated requests find', () => {
	test.each(seededFaults)('$name', async ({ operation: name, said }) => {
		const isSlow = name.endsWith('/waits');
		const fuzzer = new Fuzzer({ ...lab, slowMs: isSlow ? 500 : 5_000 });
		const operation = fuzzer.document.operations.find((each) => each.name === name);
		if (!operation) throw new Error(`${name} is not described.`);
		const found = await fuzzer.run(operation, { runs: 2_000, seed: 1, shrink: !isSlow }).catch(String);
		expect(found).toMatch(said);
		// A person can send it again, and sees what is special about it.
		expect(found).toContain(`${name} failed after`);
		expect(found).toMatch(/POST \/v1\/faults\/\w+ {3}\((?:fetch|socket); .*; to \w+\)/);
	});
});
