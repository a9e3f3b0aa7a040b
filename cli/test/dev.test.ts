import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Child, isGroupAlive, plinth } from '../../test/support/cli.ts';
import { plinthHere } from '../../test/support/command.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

const timeout = 60_000;

let cwd: string;
let child: Child | undefined;

beforeEach(async () => {
	cwd = await temporaryDir('cli-dev');
});

afterEach(async () => {
	await child?.kill();
	await removeDir(cwd);
});

const configWith = (host: string) => `import { host } from './${host}';
export default { server: { host, port: 0, auth: 'off' }, log: { level: 'silent' } };
`;

/** Writes a file like editors do: a new file replaces the old one. */
async function save(file: string, text: string): Promise<void> {
	await writeFile(join(cwd, `${file}~`), text);
	await rename(join(cwd, `${file}~`), join(cwd, file));
}

/** Starts `plinth dev`. */
function start(...args: readonly string[]): Child {
	child = plinth(['dev', ...args], { cwd });
	return child;
}

/** The addresses of all started servers, once there are `count` of them. */
async function served({ stdout, stderr }: Child, count: number): Promise<readonly string[]> {
	const addresses = () => [...stdout().matchAll(/serving +(http:\S+)[\s\S]*?try +curl/g)].map(([, url = '']) => url);
	await eventually(`server ${count} is there:\n${stdout()}${stderr()}`, () => addresses().length >= count, 20_000);
	return addresses();
}

describe('plinth dev', () => {
	test('restarts on changes of the config and its imports, and ends with its server', { timeout }, async () => {
		await save('host.ts', "export const host: string = '127.0.0.1';\n");
		await save('plinth.config.ts', configWith('host.ts'));
		const running = start();
		const [first = ''] = await served(running, 1);

		await save('other.ts', '// No module imports this file.\n');
		await save('host.ts', "export const host: string = '127.0.0.2';\n");
		const [, second = ''] = await served(running, 2);
		expect(second).toMatch(/^http:\/\/127\.0\.0\.2:/);
		expect(running.stderr()).toBe('plinth dev: host.ts has changed; restarting\n');
		await expect(fetch(`${first}/healthz`)).rejects.toThrow();

		await save('local.ts', "export const host = '127.0.0.3';\n");
		await save('plinth.config.ts', configWith('local.ts'));
		const [, , third = ''] = await served(running, 3);
		expect((await fetch(`${third}/healthz`)).status).toBe(200);

		running.signal('SIGTERM');
		expect(await running.exit).toMatchObject({ code: 0 });
		expect(isGroupAlive(running.pid)).toBe(false);
	});

	test('waits for a change when the server cannot start, and accepts flags', { timeout }, async () => {
		await save('plinth.config.yaml', 'server: { prot: 1 }\n');
		const running = start('--config', 'plinth.config.yaml', '--port', '0', '--host', '127.0.0.4');
		await eventually('it waits', () => running.stderr().includes('; waiting for a change\n'), 20_000);
		expect(running.stderr()).toMatch(/does not know "prot"[\s\S]*plinth dev: the server has ended with code 1;/);

		await save('plinth.config.yaml', 'server: { auth: off }\n');
		const [url = ''] = await served(running, 1);
		expect([url.slice(0, 17), (await fetch(`${url}/healthz`)).status]).toEqual(['http://127.0.0.4:', 200]);
		running.signal('SIGINT');
		expect(await running.exit).toMatchObject({ code: 0 });
	});

	test('rejects a config in a folder that does not exist', async () => {
		const { code, stderr } = await plinthHere(['dev', '--config', 'nowhere/plinth.config.yaml'], { cwd });
		expect([code, stderr]).toEqual([1, `There is no folder ${join(cwd, 'nowhere')}. Name an existing config.\n`]);
	});
});
