import { apiKeys } from '@plinth/keys';
import { type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import {
	type App,
	type AppConfig,
	createApp,
	defineModel,
	defineModelKind,
	definePlugin,
	defineRoute,
	type Logger,
	type ModelCaller,
	type Models,
	modelErrors,
} from '../../src/index.ts';

/** A toy model. It returns its own id. */
export interface Toy {
	readonly id: string;
}

export const toyKind = defineModelKind<Toy>('toy');
export const noiseKind = defineModelKind<Toy>('noise');

const none = z.strictObject({});
export const toy = defineModel({
	kind: toyKind,
	name: 'test.toy',
	description: 'A toy.',
	config: none,
	create: ({ id }) => ({ id }),
});
export const noise = defineModel({
	kind: noiseKind,
	name: 'test.noise',
	config: none,
	create: ({ id }) => ({ id }),
});

export interface Line {
	readonly level: string;
	readonly fields: Readonly<Record<string, unknown>>;
	readonly message: string;
}

/** An app with models, and the context of the plugin that consumes them. */
export interface ToyApp {
	readonly app: App;
	readonly toys: Models<Toy>;
	readonly clock: ManualClock;
	readonly lines: Line[];
	/** The models as `/v1/models` lists them. */
	list(): Promise<readonly Readonly<Record<string, unknown>>[]>;
	send(path: string): Promise<Response>;
}

/** The work of the route `/v1/toys/{id}`. */
export type ToyWork = (id: string) => Promise<unknown>;

/** Boots an app whose only plugin consumes toys. Stops it when the test ends. */
export async function toyApp(
	models: NonNullable<AppConfig['models']>,
	work: ToyWork = async (id) => ({ id }),
): Promise<ToyApp> {
	const clock = manualClock();
	const lines: Line[] = [];
	const { plugin, handle } = toyPlugin(work);
	const backends = { auth: apiKeys({ keys: 'key-of-the-tests' }) };
	const app = await createApp(
		{ backends, models, plugins: { toys: plugin() } },
		{ log: recorder(lines), clock, env: {} },
	);
	onTestFinished(() => app.stop());
	const send = (path: string) =>
		app.fetch(new Request(`http://plinth.test${path}`, { headers: { authorization: 'Bearer key-of-the-tests' } }));
	return {
		app,
		toys: handle(),
		clock,
		lines,
		send,
		list: async () => ((await (await send('/v1/models')).json()) as { data: [] }).data,
	};
}

/** A plugin that consumes models of both kinds, and the context of its `setup`. */
export function toyPlugin(work: ToyWork = async (id) => ({ id })) {
	let toys: Models<Toy> | undefined;
	const plugin = definePlugin({
		id: 'toys',
		config: none,
		models: [toyKind, noiseKind],
		setup: (ctx) => {
			const models = ctx.models(toyKind);
			toys = models;
			ctx.route(
				defineRoute({
					method: 'GET',
					path: '/v1/toys/{id}',
					scope: 'toys',
					summary: 'Ask a toy',
					params: z.object({ id: z.string() }),
					response: { description: 'What it says.' },
					errors: modelErrors,
					handler: ({ params }, call) => models.ask(params.id, call, ({ id }) => work(id)),
				}),
			);
		},
	});
	return { plugin, handle: () => toys as Models<Toy> };
}

/** A caller that records the models of its turns. */
export interface TestCaller extends ModelCaller {
	readonly asked: string[];
	readonly lines: Line[];
	leave(reason?: unknown): void;
}

export function caller(tenant = 'one'): TestCaller {
	const controller = new AbortController();
	const [asked, lines]: [string[], Line[]] = [[], []];
	return {
		principal: { tenant },
		signal: controller.signal,
		log: recorder(lines),
		asked,
		lines,
		answeredBy: (model) => asked.push(model),
		leave: (reason = new DOMException('left', 'AbortError')) => controller.abort(reason),
	};
}

/** Work that runs until the test ends it. */
export function openWork() {
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	return { work: () => promise, resolve, reject };
}

/** Waits until all work has settled that needs no timer. */
export function settle(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

function recorder(lines: Line[]): Logger {
	const write = (level: string) => (fields: object, message: string) => {
		lines.push({ level, fields: fields as Record<string, unknown>, message });
	};
	const logger: Logger = {
		...silentLogger(),
		info: write('info'),
		warn: write('warn'),
		error: write('error'),
		child: () => logger,
	};
	return logger;
}
