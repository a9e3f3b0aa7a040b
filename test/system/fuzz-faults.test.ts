import { afterAll, describe, expect, test } from 'vitest';
import type { Facts } from '../support/openapi/facts.ts';
import { faultyPlugin, seededFaults } from '../support/openapi/faulty-plugin.ts';
import { Fuzzer } from '../support/openapi/fuzz.ts';
import { fetchTransport, socketTransport } from '../support/openapi/transports.ts';
import { keyA, serveEmbedded } from '../support/serve.ts';

const nothing: Facts = {
	known: {},
	files: [],
	tolerated: [],
	bodyRules: { 'POST /v1/faults/pairs': ({ a, b }) => !(a && b) },
	live: async () => 'x',
	absent: () => ['x'],
	clear: async () => {},
};

const served = await serveEmbedded({
	plugins: { faults: faultyPlugin() },
	server: { authFailuresPerMinute: 0 },
});
const sockets = socketTransport(served.url);
const target = {
	document: served.app.openapi(),
	facts: nothing,
	transports: {
		fetch: fetchTransport((request) => served.app.fetch(request)),
		socket: sockets.send,
	},
	key: keyA,
};

afterAll(async () => {
	sockets.close();
	await served.stop();
});

describe('2,000 generated requests find', () => {
	test.each(seededFaults)('$name', async ({ operation: name, message }) => {
		const isSlow = name.endsWith('/waits');
		const fuzzer = new Fuzzer({ ...target, slowMs: isSlow ? 500 : 5_000 });
		const operation = fuzzer.document.operations.find((each) => each.name === name);
		if (!operation) throw new Error(`${name} is not described.`);
		const found = await fuzzer.run(operation, { runs: 2_000, seed: 1, shrink: !isSlow }).catch(String);
		expect(found).toMatch(message);
		// The report has the request in a form that can be sent again, and its description.
		expect(found).toContain(`${name} failed after`);
		expect(found).toMatch(/POST \/v1\/faults\/\w+ {3}\((?:fetch|socket); .*; to \w+\)/);
	});
});
