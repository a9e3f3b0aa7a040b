import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { bootErrors, createApp, errors } from '@plinth/core';
import { postgresErrors } from '@plinth/postgres';
import { s3Errors } from '@plinth/s3';
import { sqliteErrors } from '@plinth/sqlite';
import { silentLogger } from '@plinth/testing';
import { mediaErrors } from '@plinth/toolkit';
import { findConfig } from 'plinth';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { defaultCircuit, modelBindingShape, modelPoolShape } from '../core/kernel/src/contract/model-settings.ts';
import { retryAfterSeconds } from '../core/kernel/src/models/failures.ts';
import { abandonMs } from '../core/kernel/src/models/guarded-model.ts';
import { defaultWaiting } from '../core/kernel/src/models/wait-queue.ts';
import { root } from './support/cli.ts';
import { type Factory, factoriesOf, listOptions, takesNumbersOnly } from './support/factories.ts';
import { codeBlocks, tablesOf } from './support/pages.ts';
import { writeProject } from './support/readme.ts';
import { removeDir, temporaryDir } from './support/serve.ts';

const pages = globSync('docs/**/*.md', {
	cwd: root,
	exclude: ['docs/{node_modules,dist,api,packages,.vitepress}/**'],
}).sort();
const adapters = readdirSync(join(root, 'adapters'));
// The page of openai has other tables, and a test in its package.
const described = adapters.filter((name) => name !== 'openai');
const configured = ['docs/models.md', 'docs/comparison.md', ...described.map((name) => `docs/adapters/${name}.md`)];
/** These configs start a server in `test/engines`, where their dependencies are installed. */
const withEngines = ['llama-cpp', 'postgres', 's3', 'sherpa-onnx'].map((name) => `docs/adapters/${name}.md`);
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the pages in docs', () => {
	test('have one of each adapter', () => {
		const missing = adapters.filter((name) => !pages.includes(`docs/adapters/${name}.md`));
		expect(missing).toEqual([]);
	});

	test('link to existing files', () => {
		const links = pages.flatMap((page) =>
			[...read(page).matchAll(/\]\((?!\/)([^)#:]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => ({ page, to })),
		);
		expect(links.length).toBeGreaterThan(15);
		expect(links.filter(({ page, to }) => !existsSync(join(root, dirname(page), to)))).toEqual([]);
	});

	test('list existing errors, with their status and their code on the wire', () => {
		const known = { ...errors, ...mediaErrors, ...postgresErrors, ...s3Errors, ...sqliteErrors };
		const wrong = configured.flatMap((page) =>
			tablesOf(read(page))
				.flat()
				.flatMap((row) => {
					const names = [...row.join(' ').matchAll(/`(E_[A-Z0-9_]+)`/g)].map(([, name = '']) => name);
					const unknown = names.filter((name) => !(name in known || name in bootErrors));
					const [, status, code] = /(\d{3}) `(\w+)`/.exec(row.at(-1) ?? '') ?? [];
					const specs = names.map((name) => known[name as keyof typeof known]);
					const isKept = !status || specs.some((spec) => spec?.status === Number(status) && spec.code === code);
					return unknown.length > 0 || !isKept ? [`${page}: ${row.join(' | ')}`] : [];
				}),
		);
		expect(wrong).toEqual([]);
	});

	test('show error bodies as the server sends them', () => {
		const bodies = codeBlocks(read('docs/models.md'), 'json').map((text) => JSON.parse(text));
		const [{ error }] = bodies.filter((body) => body.error);
		const { status: _, ...spec } = errors.E_MODEL_UNAVAILABLE;
		const message = `${spec.message} ${spec.remedy}`;
		expect(error).toEqual({ message, type: spec.type, param: null, code: spec.code });
	});
});

describe('docs/models.md', () => {
	test('has every option of models and of pools, and no other', () => {
		const listed = tablesOf(read('docs/models.md')).find(([head]) => head?.[0] === 'option') ?? [];
		const [ofModels, ofPools] = [modelBindingShape, modelPoolShape].map(({ shape }) => Object.keys(shape));
		const names = [...new Set([...(ofModels ?? []), ...(ofPools ?? [])])];
		const owners = names.map((name) => [
			`\`${name}\``,
			!ofPools?.includes(name) ? 'model' : ofModels?.includes(name) ? 'both' : 'pool',
		]);
		expect(
			listed
				.slice(1)
				.map((row) => row.slice(0, 2))
				.sort(),
		).toEqual(owners.sort());
	});

	test('has the default values', () => {
		const text = read('docs/models.md');
		const { failures, seconds } = defaultCircuit;
		expect(text).toContain(`| \`waiting\` | model | \`${defaultWaiting}\` |`);
		expect(text).toContain(`after ${failures} failures for ${seconds} seconds`);
		expect(text).toContain(`1 to ${retryAfterSeconds} seconds`);
		expect(text).toContain(`up to ${abandonMs / 1000} seconds more`);
	});
});

describe.each(described)('docs/adapters/%s.md', (name) => {
	const text = read(`docs/adapters/${name}.md`);
	const tables = tablesOf(text);
	let factories: readonly Factory[];

	beforeAll(async () => {
		factories = factoriesOf(await import(`@plinth/${name}`));
	});

	test('lists the provided and needed services of each factory', () => {
		const ids = (list: readonly string[]) => list.map((id) => `\`${id}\``).join(', ') || '–';
		const rows = factories.map(({ name, provides, needs }) => [`\`${name}\``, ids(provides), ids(needs)]);
		expect(
			tables
				.find(([head]) => head?.[0] === 'factory')
				?.slice(1)
				.sort(),
		).toEqual(rows.sort());
	});

	test('has every option with its default, and no other', () => {
		const [head = [], ...rows] = tables.find(([head]) => head?.[0] === 'option') ?? [];
		const width = head.indexOf('what');
		const options = listOptions(factories).map(({ name, of, value }) =>
			width === 3 ? [name, of, value] : [name, value],
		);
		expect(rows.map((row) => row.slice(0, width)).sort()).toEqual(options.sort());
	});

	test('states which numbers cannot come from a variable', () => {
		const isSaid = text.includes('A `${NAME}` cannot stand for a number here');
		expect(isSaid).toBe(factories.some(({ config }) => takesNumbersOnly(config)));
	});

	test('lists every dependency and its licence', () => {
		const folder = join(root, 'adapters', name, 'package.json');
		const { dependencies = {} } = JSON.parse(readFileSync(folder, 'utf8'));
		const licences = Object.keys(dependencies).map((dependency) => {
			const { license } = JSON.parse(readFileSync(findPackageJSON(dependency, folder) ?? '', 'utf8'));
			return [`\`${dependency}\``, license];
		});
		const [, ...rows] = tables.find(([head]) => head?.[0] === 'package') ?? [];
		const listed = rows.map(([dependency = '', licence]) => {
			const actual = licences.find(([name]) => name === dependency)?.[1];
			return [dependency, actual?.startsWith('SEE LICENSE') ? actual : licence];
		});
		expect(listed.sort()).toEqual(licences.sort());
	});
});

describe('a config of a page', () => {
	let dir: string;

	beforeAll(async () => {
		dir = await temporaryDir('pages');
		const programs = join(dir, 'bin');
		await mkdir(programs);
		// Dependencies of an example need not be installed here.
		for (const name of ['espeak-ng', 'python3', 'tr']) {
			await writeFile(join(programs, name), '#!/bin/sh\n');
			await chmod(join(programs, name), 0o755);
		}
		vi.stubEnv('PATH', `${programs}${delimiter}${process.env.PATH}`);
	});

	afterAll(async () => {
		vi.unstubAllEnvs();
		await removeDir(dir);
	});

	const configs = configured.flatMap((page) =>
		(['yaml', 'ts'] as const).flatMap((language) =>
			codeBlocks(read(page), language).map((text) => ({ page, language, text })),
		),
	);

	test('is in every page, as TypeScript and as YAML', () => {
		const missing = configured.flatMap((page) =>
			['yaml', 'ts']
				.filter((language) => !configs.some((each) => each.page === page && each.language === language))
				.map((language) => `${page}: ${language}`),
		);
		expect(missing).toEqual([]);
	});

	const startable = configs
		.map((each, number) => ({ ...each, number }))
		.filter(({ page }) => !withEngines.includes(page));

	test.each(startable)('starts a server: $page, $language', async ({ page, language, text, number }) => {
		const folder = join(dir, `${number}-${page.replaceAll('/', '-')}-${language}`);
		// The workflow files that examples refer to.
		await cp(join(root, 'adapters/comfyui/test/workflows'), folder, { recursive: true });
		const file = await writeProject(folder, `plinth.config.${language}`, text);
		const env = {
			PLINTH_DATA_DIR: join(folder, 'data'),
			PLINTH_API_KEYS: 'a:key-of-the-pages',
			GPU_KEY: 'secret',
			LITELLM_KEY: 'secret',
		};
		const { config } = await findConfig({ file, env });
		const app = await createApp(config, { file, env, folder, log: silentLogger() });
		await app.stop();
		expect(app.tree().parts.map(({ owner }) => owner)).toContain('plugin chat');
	});
});
