import { expect, test } from 'vitest';
import { Registry } from '../../src/engine/containers/registry.ts';
import { defineService, optional } from '../../src/index.ts';

const colour = defineService<string>('test.colour');
const absent = optional(defineService<string>('test.absent'));
const nothing = async () => {};

test('a part is created once, when it is first requested, with the services that exist then', async () => {
	const registry = new Registry();
	const seen: unknown[] = [];
	const create = async (services: object) => void seen.push({ ...services });
	const part = registry.scope({ colour, absent }, create, nothing);
	registry.provide(colour, 'red');
	expect(seen).toEqual([]);
	await Promise.all([part.create(), part.create()]);
	expect(seen).toEqual([{ colour: 'red', absent: undefined }]);
});

test('the scope of a part has its needs under their local names, and nothing else', async () => {
	const registry = new Registry().provide(colour, 'red').provide(defineService('test.other'), 1);
	let services: Readonly<Record<string, unknown>> = {};
	const create = async (given: typeof services) => {
		services = given;
	};
	await registry.scope({ tint: colour }, create, nothing).create();
	expect(services.tint).toBe('red');
	expect(() => services['test.other']).toThrow();
	expect(() => services['test.colour']).toThrow();
	expect(Object.keys(services)).toEqual(['tint']);
});

test('only a created part is disposed of, also when its creation failed', async () => {
	const registry = new Registry();
	const disposed: string[] = [];
	const part = (name: string, create: () => Promise<void>) =>
		registry.scope({}, create, async () => void disposed.push(name));
	const broken = part('broken', () => Promise.reject(new Error('broken')));
	const [whole, unborn] = [part('whole', nothing), part('unborn', nothing)];
	await whole.create();
	await expect(broken.create()).rejects.toThrow('broken');
	for (const each of [unborn, broken, whole]) await each.dispose();
	expect(disposed).toEqual(['broken', 'whole']);
});
