import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type BackendInstance, defineConfig } from '@plinth/core';
import type { NamedBackends } from './store-copies.ts';

const { TEST_TARGET = '', TEST_KILL_AT = '0' } = process.env;

/**
 * The process is killed before, during or after one of its writes. Each write has three kill points, numbered from the
 * first write on.
 */
const killAt = Number(TEST_KILL_AT);
let writeCount = 0;

function killSelf(): Promise<never> {
	process.kill(process.pid, 'SIGKILL');
	return new Promise(() => {});
}

type Method = (...values: unknown[]) => Promise<unknown>;

async function write(method: Method, values: readonly unknown[]): Promise<unknown> {
	const index = writeCount++;
	const point = Math.floor(killAt / 3) === index ? killAt % 3 : undefined;
	if (point === 0) return killSelf();
	const [first, body, ...rest] = values;
	const isBlob = body !== undefined && !(body instanceof Uint8Array);
	if (point === 1 && isBlob) return method(first, killAfterFirstChunk(body as AsyncIterable<Uint8Array>), ...rest);
	const pending = method(...values);
	if (point === 1) {
		await setImmediate();
		return killSelf();
	}
	await pending;
	return point === 2 ? killSelf() : pending;
}

/** Kills the process once some bytes have been read. */
async function* killAfterFirstChunk(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	for await (const chunk of body) {
		yield chunk.subarray(0, 1_000);
		await killSelf();
	}
}

function killedDuringWrites<B extends BackendInstance>(backend: B): B {
	const create = async (context: never) => {
		const store = (await backend.definition.create(context)) as object;
		return new Proxy(store, {
			get(target, name) {
				const value = Reflect.get(target, name);
				if (typeof value !== 'function') return value;
				const method = value.bind(target) as Method;
				return name === 'load' || name === 'put' ? (...values: unknown[]) => write(method, values) : method;
			},
		});
	};
	return { ...backend, definition: { ...backend.definition, create: create as never } };
}

async function backendOf({ use, with: options }: NamedBackends[string]): Promise<BackendInstance> {
	const [name = '', factory = ''] = use.split('#');
	const found = (await import(name)) as Record<string, (options: object) => BackendInstance>;
	return killedDuringWrites(found[factory]?.(options) as BackendInstance);
}

const { backends } = JSON.parse(readFileSync(TEST_TARGET, 'utf8')) as { backends: NamedBackends };
const entries = Object.entries(backends).map(async ([id, backend]) => [id, await backendOf(backend)] as const);

/** The stores of the config file `TEST_TARGET`, in a process that gets killed. */
export default defineConfig({
	extends: 'plinth:embedded',
	backends: Object.fromEntries(await Promise.all(entries)),
});
