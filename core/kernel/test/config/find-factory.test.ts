import { memoryBlobs } from '@plinth/memory';
import { expect, test } from 'vitest';
import { findFactory } from '../../src/engine/config/find-factory.ts';

const find = (use: string, sort: 'backend' | 'plugin') => findFactory(use, sort, { folder: import.meta.dirname });

test('a factory is found by its name', async () => {
	expect(await find('@plinth/memory#memoryBlobs', 'backend')).toBe(memoryBlobs);
});

const exported = /; it exports .*memoryBlobs \(backend factory\), memoryEvents \(backend factory\)/;

test.each([
	['a package of other factories', '@plinth/memory', 'exports no plugin factory'],
	['a name that nothing has', '@plinth/memory#memory', 'exports no plugin factory named memory'],
	[
		'a factory of another kind',
		'@plinth/memory#memoryBlobs',
		'is a backend factory, and a plugin factory belongs here',
	],
])('%s is refused with the available names and their kinds', async (_, use, words) => {
	const failure = await find(use, 'plugin').catch((error: Error) => error);
	expect(failure).toMatchObject({ message: expect.stringContaining(words) });
	expect(failure).toMatchObject({ message: expect.stringMatching(exported) });
});

test('several factories of the kind are refused unless one is named', async () => {
	await expect(find('@plinth/memory', 'backend')).rejects.toMatchObject({
		message: expect.stringMatching(/^@plinth\/memory exports \d backend factories; it exports/),
		remedy: expect.stringMatching(/^Name one: @plinth\/memory#memory\w+, @plinth\/memory#/),
	});
	await expect(find('@plinth/memory#memoryBlob', 'backend')).rejects.toMatchObject({
		remedy: 'Did you mean @plinth/memory#memoryBlobs?',
	});
});

test('members of an exported object are listed by their names in a config', async () => {
	await expect(find('@plinth/builtin', 'plugin')).rejects.toThrow(/builtin\.chat \(model factory\)/);
});

test('of many names the first are listed, factories before others, and the rest is counted', async () => {
	await expect(find('@plinth/core', 'plugin')).rejects.toThrow(/; it exports (?:\w+, ){11}\w+ and \d+ more$/);
});
