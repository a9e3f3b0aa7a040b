import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiKeys } from '@plinth/keys';
import { silentLogger } from '@plinth/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
	type AppConfig,
	BootError,
	createApp,
	defineModel,
	defineModelKind,
	definePlugin,
	version,
} from '../../src/index.ts';

const kind = defineModelKind<object>('toy');
const config = z.strictObject({});
const toy = defineModel({ kind, name: 'test.toy', config, create: () => ({}) });
const toys = definePlugin({ id: 'toys', config, models: [kind], setup: () => {} });

const here = new URL('../../src/contract/factory.ts', import.meta.url);
// Node loads a file again for another query, which gives a second copy without a second folder.
const { markCopy }: typeof import('../../src/contract/factory.ts') = await import(`${here}?again`);

const boot = (composed: AppConfig) => createApp(composed, { log: silentLogger(), env: {} });

test('parts of another copy of the kernel are refused; the report names each part and both copies', async () => {
	const failure = await boot({
		backends: { auth: markCopy(apiKeys({ keys: 'key-of-the-tests' })) },
		models: { one: markCopy(toy()), two: { use: markCopy(toy()), aliases: ['second'] } },
		plugins: { toys: markCopy(toys()) },
	}).catch((error: unknown) => error);

	const { problems } = failure as BootError;
	expect(failure).toBeInstanceOf(BootError);
	expect(problems.map(({ code, owner, path }) => [code, owner, path])).toEqual([
		['E_CORE_COPY', 'backend auth', 'backends.auth'],
		['E_CORE_COPY', 'model one', 'models.one'],
		['E_CORE_COPY', 'model two', 'models.two'],
		['E_CORE_COPY', 'plugin toys', 'plugins.toys'],
	]);
	const place = `${version} in ${dirname(dirname(fileURLToPath(here)))}`;
	expect(problems[0]?.message.split(place)).toHaveLength(3);
	expect(problems[0]?.remedy).toMatch(/peer dependency.*npm ls @plinth\/core.*npm dedupe/);
});

test('parts that were written without the kernel have no copy, and start', async () => {
	const { definition } = toys();
	const plain = { $kind: 'plinth.plugin', apiVersion: 1, definition, options: {} } as const;
	const app = await boot({
		backends: { auth: apiKeys({ keys: 'key-of-the-tests' }) },
		plugins: { toys: plain },
	});
	expect(app.tree().parts.map(({ owner }) => owner)).toContain('plugin toys');
	await app.stop();
});
