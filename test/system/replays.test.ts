import { afterEach, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { lines, type Sdk, sdkClient } from '../clients/sdk.ts';
import { blobFiles } from '../support/blob-files.ts';
import { allVideos, failure, type RawClient, rawClient } from '../support/client.ts';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';
import { createFleet, type Fleet, fleetKey } from '../support/fleet.ts';
import { solidPng } from '../support/png.ts';

let fleet: Fleet;

beforeEach(async () => {
	// No worker runs, so that every response shows its job in the same state.
	fleet = await createFleet('replays', { role: 'api' });
	onTestFailed(() => console.error(fleet.output()));
});

afterEach(() => fleet.remove());

describe.each(lines)('$name behind a connection that resets after the commit', ({ OpenAI }) => {
	const calls = 200;
	const inParallel = 25;
	let proxy: FaultProxy;
	let client: Sdk;

	beforeEach(async () => {
		const { url } = await fleet.serve();
		let retries = 0;
		proxy = await faultProxy(url);
		proxy.setFaults((head) => {
			const [, count] = /x-stainless-retry-count: (\d+)/i.exec(head) ?? [];
			// Every first response is lost, and every third of the second ones.
			if (count === '1') retries += 1;
			const isLost = count === '0' || (count === '1' && retries % 3 === 0);
			return isLost ? { cutAfter: 0 } : undefined;
		});
		({ client } = sdkClient(OpenAI, { url: proxy.url, key: fleetKey, mode: 'Bearer only' }));
	});

	afterEach(() => proxy.close());

	/** Half of the calls differ in their prompts, the other half only in their keys. */
	function call(index: number) {
		if (index % 2 === 0) return client.videos.create({ model: 'quick', prompt: `call ${index}` });
		const headers = { 'Idempotency-Key': `call-${index}` };
		return client.videos.create({ model: 'quick', prompt: 'equal calls' }, { headers });
	}

	test('makes one job per call, and each call returns its own', async () => {
		const returned: { readonly index: number; readonly id: string; readonly prompt: unknown }[] = [];
		let next = 0;
		const lane = async () => {
			while (next < calls) {
				const index = next++;
				const { id, prompt } = await call(index);
				returned.push({ index, id, prompt });
			}
		};
		await Promise.all(Array.from({ length: inParallel }, lane));
		expect(proxy.cuts).toBeGreaterThan(calls);
		expect(new Set(returned.map(({ id }) => id)).size).toBe(calls);
		for (const { index, prompt } of returned) {
			expect(prompt).toBe(index % 2 === 0 ? `call ${index}` : 'equal calls');
		}
		const { client: direct } = await fleet.serve();
		const made = (await allVideos(direct)).map(({ id }) => id);
		expect(made.sort()).toEqual(returned.map(({ id }) => id).sort());
	});
});

describe.each([1, 2])('50 equal posts with one Idempotency-Key, raced against %i process(es)', (count) => {
	const posts = 50;

	test('create one job and get equal responses; another body is refused', async () => {
		const servers = await Promise.all(Array.from({ length: count }, () => fleet.serve()));
		const clients = servers.map(({ url }) => rawClient(url, fleetKey));
		const post = (index: number, prompt: string) => {
			const body = new FormData();
			body.set('model', 'quick');
			body.set('prompt', prompt);
			body.set('size', '640x480');
			body.set('input_reference', new File([solidPng(640, 480, [9, 9, 9])], `${index}.png`));
			const headers = { 'idempotency-key': 'the-one' };
			const client = clients[index % count] as RawClient;
			return client.send('/v1/videos', { method: 'POST', headers, body });
		};
		const responses = await Promise.all(Array.from({ length: posts }, (_, index) => post(index, 'equal')));
		expect(responses.map(({ status }) => status)).toEqual(Array(posts).fill(201));
		const bodies = await Promise.all(responses.map((response) => response.text()));
		expect(new Set(bodies).size).toBe(1);
		const replayed = responses.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
		expect(replayed.length).toBe(posts - 1);

		const other = await post(0, 'different');
		expect(other.status).toBe(422);
		expect(await failure(other)).toMatchObject({ code: 'idempotency_mismatch' });
		const [video, ...rest] = await allVideos(clients[0] as RawClient);
		expect(rest).toEqual([]);
		// The uploaded images of the other requests are deleted.
		expect(blobFiles(fleet.dataDir)).toEqual([expect.stringContaining(`jobs/${video?.id}/input/`)]);
	});
});
