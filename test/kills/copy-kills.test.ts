import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { plinth } from '../support/cli.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';
import { smallDisk } from '../support/small-disk.ts';
import { fillStores, localStores, readContents, runKilledCopy, writeConfig } from '../support/store-copies.ts';

let folder: string;

beforeEach(async () => {
	folder = await temporaryDir('copy-kills');
});

afterEach(() => removeDir(folder));

test('a copy that is killed before, during or after any write continues, and both sides end up equal', async () => {
	const from = await writeConfig(folder, 'from', localStores(join(folder, 'from')));
	const to = await writeConfig(folder, 'to', localStores(join(folder, 'to')));
	await fillStores(from, 250, 8);
	const source = await readContents(from);
	let [killed, exit] = [0, await runKilledCopy(from, to, 0, folder)];
	for (; exit.signal === 'SIGKILL'; exit = await runKilledCopy(from, to, killed, folder)) {
		killed += 1;
		const { blobs } = await readContents(to);
		for (const [key, digest] of Object.entries(blobs)) {
			if (key !== 'store-identity') expect([key, digest]).toEqual([key, source.blobs[key]]);
		}
	}
	expect([exit.code, exit.stderr]).toEqual([0, expect.stringContaining('blobs')]);
	expect(killed).toBeGreaterThanOrEqual(18);
	const last = await plinth(['copy', '--from', from, '--to', to], { cwd: folder }).exit;
	expect([last.code, last.stdout.match(/equal/g)]).toEqual([0, ['equal', 'equal', 'equal', 'equal']]);
	const { 'store-identity': identity, ...blobs } = (await readContents(to)).blobs;
	expect({ ...(await readContents(to)), blobs }).toEqual(source);
	expect(identity).toBeDefined();
});

test('a full target keeps no partial blob, and the copy continues once there is space', async () => {
	const disk = await smallDisk(8);
	try {
		const from = await writeConfig(folder, 'from', localStores(join(folder, 'from')));
		const blobs = { use: '@plinth/fs#fsBlobs', with: { dir: join(disk.dir, 'blobs') } };
		const to = await writeConfig(folder, 'to', { ...localStores(join(folder, 'to')), blobs });
		await fillStores(from, 10, 4);
		await readContents(to);
		disk.fill();
		const copy = () => plinth(['copy', '--from', from, '--to', to], { cwd: folder }).exit;
		const { code, stderr } = await copy();
		expect([code, stderr]).toEqual([1, expect.stringContaining('E_STORE_FULL')]);
		expect(stderr).toContain(`Make room for ${to} and run the same command again: it continues the copy.`);
		expect((await readContents(to)).blobs).toEqual({});
		await disk.empty();
		expect((await copy()).code).toBe(0);
		const { 'store-identity': _, ...copied } = (await readContents(to)).blobs;
		expect(copied).toEqual((await readContents(from)).blobs);
	} finally {
		await disk.remove();
	}
});
