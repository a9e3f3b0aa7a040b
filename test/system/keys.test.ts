import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth } from '../support/cli.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const keyForm = /^plinth_live_[\w-]{43}[0-9a-f]{8}$/;

interface ListedKey {
	readonly id: string;
	readonly name: string | null;
	readonly tenant: string;
	readonly hint: string;
	readonly expires: string | null;
	readonly lastUsed: string | null;
	readonly state: string;
}

let dir: string;
const servers: { readonly child: Child; readonly url: string }[] = [];
/** Every key that was ever returned. */
const shown: string[] = [];

const env = () => ({
	PORT: '0',
	PLINTH_DATA_DIR: join(dir, 'data'),
	PLINTH_LOG_LEVEL: 'info',
	TMPDIR: dir,
});

beforeAll(async () => {
	dir = await temporaryDir('keys');
	for (let count = 0; count < 2; count++) {
		const child = plinth(['serve'], { cwd: dir, env: env() });
		servers.push({ child, url: '' });
		const [, url = ''] = await child.printed(/serving +(http:\S+)[\s\S]*try +curl/);
		servers[count] = { child, url };
	}
	const [first] = /plinth_live_\S+/.exec(servers[0]?.child.stdout() ?? '') ?? [];
	shown.push(first ?? '');
}, 60_000);

afterAll(async () => {
	await Promise.all(servers.map(({ child }) => child.kill()));
	await removeDir(dir);
});

/** Runs `plinth keys …` to its end while the servers run. */
async function keys(...args: string[]) {
	const ended = await plinth(['keys', ...args], { cwd: dir, env: env() }).exit;
	return { ...ended, stdout: ended.stdout.trim() };
}

async function create(...more: string[]): Promise<string> {
	const { code, stdout, stderr } = await keys('create', '--tenant', 'team', ...more);
	if (code !== 0) throw new Error(stderr);
	shown.push(stdout);
	return stdout;
}

async function listed(): Promise<readonly ListedKey[]> {
	return JSON.parse((await keys('list', '--json')).stdout) as ListedKey[];
}

const idOf = async (key: string) => (await listed()).find(({ hint }) => key.endsWith(hint))?.id ?? 'not listed';

const clients = (key: string): readonly RawClient[] => servers.map(({ url }) => rawClient(url, key));

async function statuses(key: string): Promise<readonly number[]> {
	const responses = clients(key).map((client) => client.send('/v1/models'));
	return (await Promise.all(responses)).map(({ status }) => status);
}

describe('keys of two servers on one data directory', () => {
	test('that the command line creates are valid in both', async () => {
		const key = await create('--scopes', '*');
		expect(key).toMatch(keyForm);
		expect(await statuses(key)).toEqual([200, 200]);
	});

	test('that the command line revokes are refused by both within a second', async () => {
		const key = await create('--scopes', '*');
		expect(await statuses(key)).toEqual([200, 200]);
		const revoked = await keys('revoke', await idOf(key));
		const since = Date.now();
		expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringMatching(/is revoked\.$/)]);
		await eventually('both refuse it', async () => (await statuses(key)).every((status) => status === 401));
		expect(Date.now() - since).toBeLessThan(1_000);
	});

	test('are replaced without a refused request', async () => {
		onTestFailed(() => console.error(servers.map(({ child }) => child.stderr())));
		let key = await create('--scopes', 'videos:read', '--name', 'old');
		const old = key;
		let goesOn = true;
		const seen = new Map<string, number>();
		const traffic = (async () => {
			while (goesOn) {
				const inUse = key;
				for (const status of await statuses(inUse)) {
					seen.set(`${status}`, (seen.get(`${status}`) ?? 0) + 1);
				}
			}
		})();
		key = await create('--scopes', 'videos:read', '--name', 'new');
		const sent = seen.get('200') ?? 0;
		await eventually('the new key is in use', () => (seen.get('200') ?? 0) > sent + 4);
		await keys('revoke', await idOf(old));
		const afterwards = seen.get('200') ?? 0;
		await eventually('the new key still works', () => (seen.get('200') ?? 0) > afterwards + 4);
		goesOn = false;
		await traffic;
		expect([...seen.keys()]).toEqual(['200']);
		expect(await statuses(old)).toEqual([401, 401]);
	});

	test('show their last use in the list', async () => {
		const key = await create('--scopes', '*', '--name', 'used');
		const unused = await create('--scopes', '*', '--name', 'unused');
		const lastUsed = async (wanted: string) => {
			const found = (await listed()).find(({ name }) => name === wanted);
			return found && (found.lastUsed === null ? 'never' : Date.parse(found.lastUsed));
		};
		const before = Date.now();
		await statuses(key);
		await eventually('its use is written', async () => (await lastUsed('used')) !== 'never', 20_000);
		expect(await lastUsed('used')).toBeGreaterThanOrEqual(before - 1);
		expect(await lastUsed('used')).toBeLessThanOrEqual(Date.now());
		expect(await lastUsed('unused')).toBe('never');
		expect(unused).toMatch(keyForm);
	});

	test('are refused from the second of their expiry on', async () => {
		const expires = new Date(Date.now() + 10_000).toISOString().replace(/\.\d+Z$/, 'Z');
		const key = await create('--scopes', '*', '--expires', expires);
		expect(await statuses(key)).toEqual([200, 200]);
		const last = { good: 0 };
		const isRefused = async () => {
			const asked = Date.now();
			const seen = await statuses(key);
			if (seen.includes(200)) last.good = asked;
			return seen.every((status) => status === 401);
		};
		await eventually('it is refused', isRefused, 30_000);
		expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires));
		expect(last.good).toBeLessThan(Date.parse(expires));
	});

	test('are neither in the data directory nor in the output of the servers', async () => {
		expect(shown.length).toBeGreaterThanOrEqual(7);
		expect(shown.filter((key) => !keyForm.test(key))).toEqual([]);
		const entries = await readdir(join(dir, 'data'), { recursive: true, withFileTypes: true });
		const files = entries.filter((entry) => entry.isFile());
		expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['plinth.db', 'plinth.db-wal']));
		const texts = await Promise.all(
			files.map(async ({ parentPath, name }) => ({
				name,
				text: await readFile(join(parentPath, name), 'latin1'),
			})),
		);
		// The banner shows the first key once.
		const printed = servers.map(({ child }) => child.stdout() + child.stderr());
		const others = shown.slice(1);
		for (const key of shown) {
			const body = key.slice('plinth_live_'.length);
			const leaks = texts.filter(({ text }) => text.includes(body));
			expect(leaks.map(({ name }) => name)).toEqual([]);
		}
		for (const key of others) expect(printed.join('')).not.toContain(key);
	});
});
