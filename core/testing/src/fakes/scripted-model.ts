import { defineModel, type ModelInstance, type ModelKind } from '@plinth/core';
import { z } from 'zod';

/** The names of a model's functions. */
type MethodOf<M> = {
	[K in keyof M]-?: NonNullable<M[K]> extends (...args: never[]) => unknown ? K : never;
}[keyof M];

/** The arguments of one call of a model's function: nearly all accept a request and the context of the call. */
export interface RecordedCall<F> {
	readonly request: Parameters<Extract<F, (...args: never[]) => unknown>>[0];
	readonly run: Parameters<Extract<F, (...args: never[]) => unknown>>[1];
}

/** A fake model that runs functions of the test, and records its calls. */
export interface ScriptedModel<M> {
	/** For the `models` of a config. */
	readonly use: ModelInstance<M>;
	/** The functions of the model. A function that a test replaces here is called from then on. */
	readonly script: { -readonly [K in keyof M]: M[K] };
	/** The calls of one function so far. The list grows with each further call. */
	callsOf<K extends MethodOf<M>>(method: K): readonly RecordedCall<M[K]>[];
}

/** Makes a fake model of a kind. `script` fixes which members it has; its functions can be replaced later. */
export function scriptedModel<M extends object>(kind: ModelKind<M>, script: M): ScriptedModel<M> {
	const calls = new Map<PropertyKey, RecordedCall<unknown>[]>();
	const current = { ...script };
	const callsOf = (method: PropertyKey) => {
		const list = calls.get(method) ?? [];
		calls.set(method, list);
		return list;
	};
	const members = Object.entries(script).map(([name, member]) => {
		if (typeof member !== 'function') return [name, member];
		const recorded = (...args: unknown[]) => {
			callsOf(name).push({ request: args[0], run: args[1] } as RecordedCall<unknown>);
			return (current[name as keyof M] as (...args: unknown[]) => unknown)(...args);
		};
		return [name, recorded];
	});
	const model = Object.fromEntries(members) as M;
	const config = z.strictObject({});
	return {
		use: defineModel({ kind, name: 'scriptedModel', config, create: () => model })(),
		script: current,
		callsOf: (method) => callsOf(method) as never,
	};
}

/** Fake models by id, for the `models` of a config, where a test does not look at the calls. */
export function fakeModels<M extends object>(
	kind: ModelKind<M>,
	models: Readonly<Record<string, M>>,
): Record<string, ModelInstance<M>> {
	return Object.fromEntries(Object.entries(models).map(([id, model]) => [id, scriptedModel(kind, model).use]));
}
