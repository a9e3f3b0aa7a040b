import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { findConfig } from 'plinth';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../support/cli.ts';
import { pagesOf, snippetsOf } from './snippets.ts';

const schema = JSON.parse(readFileSync(join(root, 'cli/schema.json'), 'utf8'));
const validate = new Ajv({ strict: false }).compile(schema);
const embedded = 'extends: plinth:embedded\n';

/** The paths of the mistakes that the schema finds; empty for a valid config. */
function mistakesIn(text: string): readonly string[] {
	return validate(parse(text)) ? [] : [...new Set((validate.errors ?? []).map(({ instancePath }) => instancePath))];
}

const patterns = ['examples/*', 'cli/create-plinth/templates/*', 'test/packages/third-party/*', 'test/fixtures/*'];
const configs = globSync(
	[...patterns, 'core/kernel/test/models/*', 'cli/test/fixtures/*'].map((each) => `${each}/*.yaml`),
	{
		cwd: root,
	},
).filter((file) => !/five-mistakes|no-use/.test(file));

test.each(configs)('the schema accepts %s', (file) => {
	expect(mistakesIn(readFileSync(join(root, file), 'utf8'))).toEqual([]);
});

test('the schema accepts every YAML config of the documentation', () => {
	const snippets = snippetsOf(pagesOf()).filter(({ language }) => language === 'yaml');
	const wrong = snippets.map(({ place, text }) => [place, mistakesIn(text)]).filter(([, mistakes]) => mistakes?.length);
	expect(snippets.length).toBeGreaterThan(10);
	expect(wrong).toEqual([]);
});

test('the examples are numerous enough', () => {
	expect(configs.length).toBeGreaterThan(10);
});

test.each([
	['a section', 'plugin: {}', ''],
	['a setting of the server', 'server: { prot: 1 }', '/server'],
	['a number out of its range', 'server: { port: 70000 }', '/server/port'],
	['a value outside of an enum', 'log: { level: loud }', '/log/level'],
	['a setting of jobs', 'jobs: { concurency: 2 }', '/jobs'],
	['a factory', "models: { a: { use: '@plinth/builtin#builtin.vidio' } }", '/models/a/use'],
	['a factory of another kind', "models: { a: { use: '@plinth/fs#fsBlobs' } }", '/models/a/use'],
	[
		'an option',
		"plugins: { video: { use: '@plinth/plugin-video', with: { retentionHour: 1 } } }",
		'/plugins/video/with',
	],
	['a missing required option', "backends: { blobs: { use: '@plinth/fs#fsBlobs' } }", '/backends/blobs'],
	['an option of the preset', 'plugins: { video: { with: { retentionHour: 1 } } }', '/plugins/video/with'],
	['a member of a binding', 'models: { a: { use: ./a.ts, fallbacks: [b] } }', '/models/a'],
	['a member of a pool', 'models: { a: { balance: { b: 1 }, concurrency: 1 } }', '/models/a'],
	['an entry', 'plugins: { video: true }', '/plugins/video'],
	['an id', 'models: { "a b": { use: ./a.ts } }', '/models'],
])('the schema reports a mistake: %s', (_what, text, path) => {
	expect(mistakesIn(embedded + text)).toContain(path);
});

test.each([
	['variables', "server: { port: '${PORT}', auth: '${AUTH:-on}' }\nrole: '${ROLE:-all}'"],
	['numbers and booleans as text', "server: { port: '8080' }\njobs: { concurrency: '4' }"],
	['third-party packages', 'models: { a: { use: their-package, with: { anything: 1 } } }'],
	['third-party presets', 'extends: their-package:preset'],
	['removed parts', 'plugins: { speech: false, anything: false }'],
	['changes of the preset', 'plugins: { video: { with: { retentionHours: 1 } } }'],
	['aliases for a model of the preset', 'models: { builtin-chat: { aliases: [gpt-4o] } }'],
	['its own address', '$schema: ./node_modules/plinth/schema.json'],
])('the schema accepts %s', (_what, text) => {
	expect(mistakesIn(text)).toEqual([]);
});

test('members have descriptions and defaults', () => {
	const { port } = schema.properties.server.properties;
	expect([port.default, port.description]).toEqual([8080, expect.stringMatching(/^The port to listen on\./)]);
	const { retentionHours } = schema.definitions['plugin:video'].properties;
	expect(retentionHours).toMatchObject({ description: expect.any(String), default: expect.any(Number) });
});

describe.each(['backend', 'plugin'] as const)('the names of each %s in the schema', (kind) => {
	test('are names of factories', async () => {
		const names: readonly string[] = schema.definitions[kind].properties.use.anyOf[0].enum;
		const entries = Object.fromEntries(names.map((use, index) => [`part${index}`, { use, with: {} }]));
		const { problems } = await resolved({ [`${kind}s`]: entries });
		expect(names.length).toBeGreaterThan(8);
		expect(problems).toEqual([]);
	});
});

test('the names of each model in the schema are names of factories', async () => {
	const names: readonly string[] = schema.definitions.model.else.properties.use.anyOf[0].enum;
	const entries = Object.fromEntries(names.map((use, index) => [`part${index}`, { use, with: {} }]));
	expect((await resolved({ models: entries })).problems).toEqual([]);
});

/** A config whose factories are found. Options are checked later. */
async function resolved(fallback: object) {
	const { config } = await findConfig({ cwd: join(root, 'test'), env: {}, fallback });
	return config;
}
