import { silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BootError, createApp, defineModel, defineModelKind, definePlugin } from '../../src/index.ts';

interface Painter {
	readonly apiVersion: 1;
	readonly abilities?: { readonly mask?: boolean; readonly sizes?: readonly string[] };
	paint(colour: string): Promise<{ readonly name: string }>;
	stop?(): void;
}

const config = z.strictObject({});
const kind = defineModelKind<Painter>('painter', {
	apiVersion: 1,
	functions: { paint: 'required', stop: 'optional' },
	abilities: { mask: 'boolean', sizes: 'array' },
});
const either = defineModelKind<{ readonly apiVersion: 1; draw?(): void; erase?(): void }>('pen', {
	apiVersion: 1,
	functions: { draw: 'oneOf', erase: 'oneOf' },
});
const name = 'test.toy';
const paint = async () => ({ name: 'a picture' });
const plugin = definePlugin({ id: 'painting', config, models: [kind, either], setup: () => {} });

/** The problems of a boot whose model `clip-1` is `model`. */
async function problemsOf(model: object, of: typeof kind | typeof either = kind) {
	const factory = defineModel({
		kind: of as typeof kind,
		name,
		config,
		create: () => model as never,
	});
	const given = {
		server: { auth: 'off' },
		models: { 'clip-1': factory() },
		plugins: { plugin: plugin() },
	};
	const booted = createApp(given, { log: silentLogger(), env: {} });
	const error = await booted.then((app) => app.stop()).catch((reason: unknown) => reason);
	return error instanceof BootError ? error.problems : [];
}

describe('a created model', () => {
	test('that has the members of its kind is accepted', async () => {
		const abilities = { mask: true, sizes: [], transparency: undefined };
		expect(await problemsOf({ apiVersion: 1, paint, abilities: { mask: true, sizes: [] } })).toEqual([]);
		expect(await problemsOf({ apiVersion: 1, paint, helper: () => 1 })).toEqual([]);
		expect(await problemsOf({ apiVersion: 1, paint, abilities })).toHaveLength(1);
	});

	test('may be an instance of a class', async () => {
		class Brush {
			readonly apiVersion = 1;
			paint = paint;
		}
		class Wrong extends Brush {
			override readonly paint = undefined as never;
			paints() {}
		}
		expect(await problemsOf(new Brush())).toEqual([]);
		expect(await problemsOf(new Wrong())).toMatchObject([{ remedy: 'Did you mean `paint`?' }]);
	});

	test('without a function that its kind needs keeps the server from starting', async () => {
		expect(await problemsOf({ apiVersion: 1 })).toMatchObject([
			{
				code: 'E_MODEL_SHAPE',
				owner: 'model clip-1',
				path: 'models.clip-1',
				message: 'its paint is missing.',
				remedy: 'Correct what the create function of the model returns.',
			},
		]);
		expect(await problemsOf({ apiVersion: 1, pain: paint })).toMatchObject([
			{ message: 'its paint is missing; it has pain.', remedy: 'Did you mean `paint`?' },
		]);
		expect(await problemsOf({ apiVersion: 1, paint, stop: 'now' })).toMatchObject([
			{ message: 'its stop is no function.' },
		]);
	});

	test('has at least one of the functions of which its kind needs one', async () => {
		expect(await problemsOf({ apiVersion: 1, erase: () => {} }, either)).toEqual([]);
		expect(await problemsOf({ apiVersion: 1 }, either)).toMatchObject([{ message: 'its draw or erase is missing.' }]);
		expect(await problemsOf({ apiVersion: 1, drow: () => {} }, either)).toMatchObject([
			{ remedy: 'Did you mean `draw`?' },
		]);
	});

	test('of another version is refused', async () => {
		expect(await problemsOf({ apiVersion: 2, paint })).toMatchObject([
			{
				code: 'E_API_VERSION',
				message: 'its apiVersion is 2; painter models of this server have 1.',
			},
		]);
		expect(await problemsOf({ paint })).toMatchObject([
			{ message: 'its apiVersion is missing; painter models of this server have 1.' },
		]);
	});

	test('with misspelt or mistyped abilities is refused with the right name', async () => {
		const problems = await problemsOf({
			apiVersion: 1,
			paint,
			abilities: { maks: true, sizes: 'all' },
		});
		expect(problems).toMatchObject([
			{
				message: 'its abilities have "maks", which is not known.',
				remedy: 'Did you mean mask? Known here: mask, sizes.',
			},
			{ message: 'its abilities.sizes is "all"; its type must be array.' },
		]);
		expect(await problemsOf({ apiVersion: 1, paint, abilites: { mask: true } })).toMatchObject([
			{
				message: 'its abilities is missing; it has abilites.',
				remedy: 'Did you mean `abilities`?',
			},
		]);
	});
});

test('the mistakes of all models are in one report', async () => {
	const wrong = defineModel({ kind, name, config, create: () => ({ apiVersion: 1 }) as never });
	const given = {
		server: { auth: 'off' },
		models: { a: wrong(), b: wrong() },
		plugins: { plugin: plugin() },
	};
	const error = await createApp(given, { log: silentLogger(), env: {} }).catch((reason) => reason);
	expect((error as BootError).problems.map(({ path }) => path)).toEqual(['models.a', 'models.b']);
});

// The compiler names the wrong member: each error below is on its line.
export const models = [
	defineModel({ kind, name, config, create: () => ({ apiVersion: 1, paint }) }),
	defineModel({ kind, name, config, create: async () => ({ apiVersion: 1, paint }) }),
	defineModel({
		kind,
		name,
		config,
		create: () => ({
			apiVersion: 1,
			// @ts-expect-error a number is not a picture
			paint: async () => 5,
		}),
	}),
	defineModel({
		kind,
		name,
		config,
		create: () => ({
			// @ts-expect-error no such version
			apiVersion: 2,
			paint,
		}),
	}),
	defineModel({
		kind,
		name,
		config,
		create: () => ({
			apiVersion: 1,
			paint,
			// @ts-expect-error the ability mask is a boolean
			abilities: { mask: 'yes' },
		}),
	}),
	// @ts-expect-error paint is missing
	defineModel({ kind, name, config, create: () => ({ apiVersion: 1, pain: paint }) }),
];

// A kind must list every function and ability of its models.
const abilities = { mask: 'boolean', sizes: 'array' } as const;
const both = { paint: 'required', stop: 'optional' } as const;
const one = { paint: 'required' } as const;
const none = { paint: 'optional', stop: 'optional' } as const;
export const kinds = [
	// @ts-expect-error stop is missing
	defineModelKind<Painter>('p', { apiVersion: 1, functions: one, abilities }),
	// @ts-expect-error sizes is missing
	defineModelKind<Painter>('p', { apiVersion: 1, functions: both, abilities: { mask: 'boolean' } }),
	// @ts-expect-error each painter paints
	defineModelKind<Painter>('p', { apiVersion: 1, functions: none, abilities }),
];
