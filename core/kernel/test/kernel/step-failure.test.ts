import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { explainFailure } from '../../src/engine/run/step-failure.ts';

const path = 'backends.jobs';
const step = (...variables: (readonly [string, string])[]) => ({
	phase: 'create',
	path,
	variables: new Map(variables),
});
const place = [`${path}.with.dir`, 'PLINTH_DATA_DIR'] as const;
const failed = (code: string, syscall: string) =>
	Object.assign(new Error(`${code}: …`), { code, syscall, path: '/data/plinth' });

test('a folder that cannot be created is named, with its variable', () => {
	const cause = failed('EACCES', 'mkdir');
	const error = new Error('The store does not answer.', { cause });
	expect(explainFailure(error, step(place))).toEqual({
		message: 'the data folder /data/plinth cannot be made: permission denied.',
		remedy: 'Make this user the owner of its parent, or set PLINTH_DATA_DIR to another folder.',
	});
});

test('a file that cannot be opened is named, with the options if no variable was used', () => {
	expect(explainFailure(failed('EROFS', 'open'), step())).toEqual({
		message: '/data/plinth cannot be opened: the file system is read-only.',
		remedy: `Make this user the owner of it and its folder, or name another folder in the options of ${path}.`,
	});
});

test('a file in the place of a parent folder is named, at any height', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'plinth-test-'));
	onTestFinished(() => rm(folder, { recursive: true }));
	const file = join(folder, 'data');
	await writeFile(file, '');
	const error = await mkdir(join(file, 'a', 'b'), { recursive: true }).catch((thrown) => thrown);
	expect(explainFailure(error, step(place))).toEqual({
		message: `the data folder ${file} cannot be made: a file has that name.`,
		remedy: 'Move the file away, or set PLINTH_DATA_DIR to another folder.',
	});
});

test('other failures are reported with their message and cause', () => {
	const error = new Error('The store does not answer.', { cause: new Error('no route') });
	expect(explainFailure(error, step()).message).toBe('failed to create: The store does not answer: no route');
});
