import { expect, test } from 'vitest';
import { Registry } from '../../src/engine/containers/registry.ts';
import { defineService, optional } from '../../src/index.ts';

const colour = defineService<string>('test.colour');
const absent = optional(defineService<string>('test.absent'));

test('a part is created once, when it is first asked for, with what has been provided by then', async () => {
	const registry = new Registry();
	const seen: unknown[] = [];
	registry.register({
		owner: 'plugin one',
		needs: { colour, absent },
		create: async ({ colour, absent }) => void seen.push(colour, absent),
		dispose: async () => {},
	});
	registry.provide(colour, 'red');
	expect(seen).toEqual([]);
	await Promise.all([registry.create('plugin one'), registry.create('plugin one')]);
	expect(seen).toEqual(['red', undefined]);
});

test('the scope of a part has its needs under their local names, and nothing else', async () => {
	const registry = new Registry().provide(colour, 'red').provide(defineService('test.other'), 1);
	let scope: Readonly<Record<string, unknown>> = {};
	registry.register({
		owner: 'plugin one',
		needs: { tint: colour },
		create: async (services) => {
			scope = services;
		},
		dispose: async () => {},
	});
	await registry.create('plugin one');
	expect(scope.tint).toBe('red');
	expect(() => scope['test.other']).toThrow();
	expect(() => scope['test.colour']).toThrow();
	expect(Object.keys(scope)).toEqual(['tint']);
});

test('only a part that was created is disposed of, also when its creation failed', async () => {
	const registry = new Registry();
	const disposed: string[] = [];
	for (const owner of ['whole', 'broken', 'unborn']) {
		registry.register({
			owner,
			needs: {},
			create: async () => {
				if (owner === 'broken') throw new Error('broken');
			},
			dispose: async () => void disposed.push(owner),
		});
	}
	await registry.create('whole');
	await expect(registry.create('broken')).rejects.toThrow('broken');
	for (const owner of ['unborn', 'broken', 'whole']) await registry.dispose(owner);
	expect(disposed).toEqual(['broken', 'whole']);
});
