import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScriptedComfy } from '../../adapters/comfyui/test/scripted/server.ts';
import { plinthHere } from '../../test/support/command.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

const workflows = join(import.meta.dirname, '../../adapters/comfyui/test/workflows');

let cwd: string;
let comfy: ScriptedComfy;

beforeAll(async () => {
	cwd = await temporaryDir('online');
	comfy = await new ScriptedComfy().start();
	await cp(workflows, cwd, { recursive: true });
	await writeFile(join(cwd, 'other.json'), JSON.stringify({ ...(await other()) }));
});

afterAll(async () => {
	await comfy.kill();
	await removeDir(cwd);
});

/** A workflow with a node class that the server lacks, and whose output node saves nothing. */
async function other(): Promise<object> {
	const { default: flux } = await import(join(workflows, 'flux-dev.json'), { with: { type: 'json' } });
	return { ...flux, 12: { ...flux['12'], class_type: 'UnetLoaderGGUF' }, 9: { ...flux['9'], class_type: 'VAEDecode' } };
}

function config(workflow: string): string {
	return `extends: plinth:embedded
models:
  painter:
    use: '@plinth/comfyui#comfyui.image'
    with: { baseURL: ${comfy.url}, workflow: ./${workflow}, output: 9, bindings: { prompt: 6.inputs.text } }
`;
}

async function check(workflow: string, ...flags: string[]) {
	const file = join(cwd, 'plinth.config.yaml');
	await writeFile(file, config(workflow));
	return plinthHere(['check', '--config', file, ...flags], { cwd });
}

describe('plinth check --online', () => {
	test('makes models query their servers, and reports the problems', async () => {
		const { code, stderr } = await check('other.json', '--online');
		expect(code).toBe(1);
		expect(stderr).toContain(`model painter: ${comfy.url} does not know the class UnetLoaderGGUF of node 12.`);
		expect(stderr).toContain('model painter: output: node 9 (VAEDecode) saves nothing.');
	});

	test('reports no problem for a valid workflow', async () => {
		const { code, stdout } = await check('flux-dev.json', '--online');
		expect(code).toBe(0);
		expect(stdout).toContain('is fine');
	});

	test('is required for a check against the servers', async () => {
		await comfy.kill();
		expect((await check('flux-dev.json')).code).toBe(0);
		const { code, stderr } = await check('flux-dev.json', '--online');
		expect(code).toBe(1);
		expect(stderr).toContain(`model painter: ${comfy.url} does not answer.`);
	});
});
