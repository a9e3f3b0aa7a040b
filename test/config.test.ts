import { join } from 'node:path';
import { findConfig } from 'plinth';
import { describe, expect, test } from 'vitest';

const folder = join(import.meta.dirname, 'fixtures/spellings');
const read = (name: string, env: Record<string, string> = { TEST_KEY: 't:k' }) =>
	findConfig({ file: join(folder, name), env });

describe('a composition as TypeScript and as YAML', () => {
	test('results in equal configs', async () => {
		const [typescript, yaml] = await Promise.all([read('plinth.config.ts'), read('plinth.config.yaml')]);
		expect(yaml.config).toEqual(typescript.config);
		expect(yaml.config.problems).toEqual([]);
		const plugins = ['video', 'transcription', 'parse', 'chat', 'files', 'events', 'console', 'webhooks'];
		expect(Object.keys(yaml.config.plugins)).toEqual(plugins);
		expect(yaml.config.models['clip-1']).toMatchObject({
			aliases: ['clip'],
			use: { options: { workers: 1 } },
		});
		expect(yaml.config.backends.blobs?.options).toEqual({ dir: './.plinth/media' });
	});

	test('reports a missing variable at the same path', async () => {
		const [typescript, yaml] = await Promise.all([read('plinth.config.ts', {}), read('plinth.config.yaml', {})]);
		expect(yaml.config.problems).toEqual(typescript.config.problems);
		expect(yaml.config.problems).toMatchObject([{ code: 'E_CONFIG_ENV', path: 'backends.auth.with.keys' }]);
	});
});
