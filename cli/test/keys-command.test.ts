import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { plinth } from '../../test/support/cli.ts';
import { plinthHere } from '../../test/support/command.ts';
import { writeProject } from '../../test/support/readme.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';
import { createKey, listKeys, revokeKey } from '../src/commands/keys.ts';
import { UserError } from '../src/user-error.ts';

const timeout = 30_000;
const keyLine = /^plinth_live_[\w-]{43}[0-9a-f]{8}\n$/;

let cwd: string;

beforeAll(async () => {
	cwd = await temporaryDir('cli-keys');
	vi.stubEnv('PLINTH_DATA_DIR', join(cwd, 'data'));
});

afterAll(async () => {
	vi.unstubAllEnvs();
	await removeDir(cwd);
});

const options = () => ({ cwd, env: { PLINTH_DATA_DIR: join(cwd, 'data') } });
const keys = (...args: string[]) => plinthHere(['keys', ...args], options());
const keysElsewhere = (...args: string[]) => plinth(['keys', ...args], options()).exit;

describe('plinth keys', () => {
	test('creates a key, lists it without printing it, and revokes it', { timeout }, async () => {
		const end = '2999-12-31T12:00:00Z';
		const made = await keysElsewhere(
			...['create', '--tenant', 'team', '--scopes', 'videos:read, speech'],
			...['--name', 'the ci', '--expires', end],
		);
		expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(keyLine)]);
		const key = made.stdout.trim();
		const [id = ''] = /key_[0-9a-f]{12}/.exec(made.stderr) ?? [];
		expect(made.stderr).toContain('only this once');
		expect(made.stderr).toContain(end);
		expect(made.stderr).not.toContain(key);

		const listed = await keys('list');
		const [head = '', row = '', rest] = listed.stdout.split('\n');
		expect(head.split(/ {2,}/)).toEqual([
			...['id', 'name', 'tenant', 'scopes', 'hint', 'created', 'expires', 'last used', 'state'],
		]);
		expect(row.split(/ {2,}/)).toEqual([
			...[id, 'the ci', 'team', 'videos:read,speech', `…${key.slice(-4)}`],
			...[expect.stringMatching(/^\d{4}-.*Z$/), end, 'never', 'active'],
		]);
		expect(rest).toBe('');

		const json = await keys('list', '--json');
		expect(JSON.parse(json.stdout)).toEqual([
			{
				id,
				name: 'the ci',
				tenant: 'team',
				scopes: ['videos:read', 'speech'],
				hint: key.slice(-4),
				created: expect.stringMatching(/Z$/),
				expires: end,
				lastUsed: null,
				state: 'active',
			},
		]);
		expect(listed.stdout + json.stdout).not.toContain(key);

		const revoked = await keys('revoke', id);
		expect([revoked.code, revoked.stdout]).toEqual([0, `${id} (the ci) of tenant team is revoked.\n`]);
		const empty = await keys('list');
		expect([empty.code, empty.stdout]).toEqual([0, '']);
		expect(empty.stderr).toContain("npm run plinth -- keys create --tenant default --scopes '*'\n");
	});

	test('prints only the key with --quiet', { timeout }, async () => {
		const made = await keys('create', '--tenant', 'team', '--scopes', '*', '--quiet');
		expect([made.code, made.stdout, made.stderr]).toEqual([0, expect.stringMatching(keyLine), '']);
	});

	test('prints a one-line error, and exits 1', { timeout }, async () => {
		const made = await keys('create', '--tenant', 'team', '--scopes', 'videos:read,paint');
		expect([made.code, made.stdout]).toEqual([1, '']);
		expect(made.stderr).toMatch(/^No route asks for "paint"\.\nThe scopes .* are .+, and \* for all of them\.\n$/);
		for (const scope of ['speech', 'videos:read', 'videos:write']) {
			expect(made.stderr).toContain(scope);
		}
	});

	test('prints its commands when none is given', { timeout }, async () => {
		const { code, stderr } = await keysElsewhere();
		expect(code).toBe(1);
		for (const name of ['create', 'list', 'revoke']) expect(stderr).toContain(name);
	});
});

describe('a key is not created', () => {
	test.each([
		['without a scope', { scopes: ' , ' }, /at least one scope/],
		['with a time that is none', { expires: 'soon' }, /"soon" is not a time/],
		['with a time in the past', { expires: '2020-01-01' }, /is in the past/],
		['with a name of nothing', { name: '' }, /The name has 1 to 128/],
		['for a tenant that cannot be printed', { tenant: 'a\u001b[2J' }, /The tenant has 1 to 128/],
	])('%s', { timeout }, async (_what, flags, reason) => {
		const wrong = createKey({ tenant: 'team', scopes: '*', ...flags });
		await expect(wrong).rejects.toThrow(reason);
		await expect(wrong).rejects.toBeInstanceOf(UserError);
	});
});

describe('a key that does not exist', () => {
	test('cannot be revoked, and is not printed: it may be a secret', { timeout }, async () => {
		const failure = await revokeKey('plinth_live_secret', {}).catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(UserError);
		expect(String(failure)).toMatch(/No issued key matches.*PLINTH_API_KEYS/);
		expect(String(failure)).not.toContain('plinth_live_secret');
	});
});

describe('a composition that cannot store keys is reported', () => {
	test.each([
		['memory', { records: { use: '@plinth/memory#memoryRecords' } }, /memory of one process/],
		['no-records', { records: false }, /RecordStore/],
		['no-ring', { auth: false }, /cannot issue keys/],
	])('%s', { timeout }, async (name, backends, reason) => {
		const text = JSON.stringify({
			extends: 'plinth:embedded',
			server: { auth: 'off' },
			backends,
			// These plugins need the record store: for the key of links, files, endpoints.
			plugins: { image: false, files: false, webhooks: false },
		});
		const config = await writeProject(join(cwd, name), 'plinth.config.json', text);
		await expect(listKeys({ config })).rejects.toThrow(reason);
		await expect(createKey({ config, tenant: 't', scopes: '*' })).rejects.toThrow(reason);
		await expect(revokeKey('key_000000000000', { config })).rejects.toThrow(reason);
	});
});
