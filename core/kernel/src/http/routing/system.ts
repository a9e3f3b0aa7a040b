import { hash } from 'node:crypto';
import { z } from 'zod';
import { plinthError } from '../../contract/errors/coded-error.ts';
import { errors } from '../../contract/errors/errors.ts';
import { Reply } from '../../contract/http/reply.ts';
import { defineRoute, type Route } from '../../contract/http/route.ts';
import type { ModelInfo } from '../../contract/model.ts';

export type Readiness = () => Promise<{ readonly ready: boolean; readonly reason?: string }>;

export interface SystemOptions {
	readonly readiness: Readiness;
	readonly models: () => readonly ModelInfo[];
	readonly openapi: (url: string) => Readonly<Record<string, unknown>>;
}

export function systemRoutes({ readiness, models, openapi }: SystemOptions): readonly Route[] {
	let cached: { readonly url: string; readonly bytes: Buffer; readonly etag: string } | undefined;
	const description = defineRoute({
		method: 'GET',
		path: '/openapi.json',
		scope: 'public',
		summary: 'Describe this server as OpenAPI 3.1',
		response: {
			description: 'This document.',
			schema: z.looseObject({}),
			headers: { etag: 'Identifies this document, for `If-None-Match`.' },
		},
		errors: [errors.E_PRECONDITION_FAILED],
		handler: (_, { publicUrl: url }) => {
			// Cached, because serializing takes milliseconds and anyone may request the document.
			if (cached?.url !== url) {
				const bytes = Buffer.from(JSON.stringify(openapi(url)));
				// A weak tag, which is valid for every encoding of the document.
				cached = { url, bytes, etag: `W/"${hash('sha256', bytes, 'base64url')}"` };
			}
			const headers = { etag: cached.etag, 'cache-control': 'no-cache' };
			return Reply.binary(cached.bytes, { mediaType: 'application/json; charset=utf-8', headers });
		},
	});
	return [health, readyRoute(readiness), description, ...modelRoutes(models)];
}

/** The paths of the kernel's own routes, all of them `GET`. */
export const systemPaths = ['/healthz', '/readyz', '/openapi.json', '/v1/models', '/v1/models/{id}'] as const;

/** The paths that monitoring requests every few seconds. Their requests are logged at level debug. */
export const probePaths: readonly string[] = ['/healthz', '/readyz'];

const health = defineRoute({
	method: 'GET',
	path: '/healthz',
	scope: 'public',
	summary: 'Tell whether the process is running',
	response: { description: 'The process is running.', schema: z.object({ status: z.literal('ok') }) },
	errors: [],
	handler: () => ({ status: 'ok' }),
});

function readyRoute(readiness: Readiness): Route {
	const unready = z.object({ status: z.literal('not ready'), reason: z.string() });
	return defineRoute({
		method: 'GET',
		path: '/readyz',
		scope: 'public',
		summary: 'Tell whether the server accepts requests',
		description:
			'Returns 503 with `status` and `reason` while it starts, while it stops, and while a store does not respond.',
		response: {
			description: 'The server accepts requests.',
			schema: z.object({ status: z.literal('ready') }),
			others: { 503: { description: 'The server does not accept requests.', schema: unready } },
		},
		errors: [],
		handler: async () => {
			const { ready, reason = '' } = await readiness();
			return ready ? { status: 'ready' } : Reply.json({ status: 'not ready', reason }, { status: 503 });
		},
	});
}

function modelRoutes(models: () => readonly ModelInfo[]): readonly Route[] {
	const all = defineRoute({
		method: 'GET',
		path: '/v1/models',
		scope: 'authenticated',
		summary: 'List the models',
		response: {
			description: 'Every model that this server offers.',
			schema: z.object({ object: z.literal('list'), data: z.array(modelSchema) }).meta({ id: 'ModelList' }),
		},
		errors: [],
		handler: () => ({ object: 'list', data: models().map(modelObject) }),
	});
	const one = defineRoute({
		method: 'GET',
		path: '/v1/models/{id}',
		scope: 'authenticated',
		summary: 'Describe one model',
		params: z.object({ id: z.string().meta({ description: 'The id of a model, or an alias.' }) }),
		response: { description: 'The model.', schema: modelSchema },
		errors: [errors.E_MODEL_NOT_FOUND],
		handler: ({ params }) => {
			const model = models().find(({ id, aliases }) => id === params.id || aliases?.includes(params.id));
			if (model) return modelObject(model);
			const message = `There is no model ${JSON.stringify(params.id.slice(0, 100))}.`;
			throw plinthError('E_MODEL_NOT_FOUND', { message });
		},
	});
	return [all, one];
}

const modelSchema = z
	.object({
		id: z.string(),
		object: z.literal('model'),
		created: z.int().min(0).meta({ description: 'Unix seconds.' }),
		owned_by: z.string(),
		description: z.string().optional(),
		kind: z.string().optional().meta({ description: 'The capability that uses it.' }),
		aliases: z.array(z.string()).optional(),
		health: z.enum(['up', 'trying', 'down']).meta({
			description:
				'`down`: its calls kept failing, so it gets none for a while. `trying`: the next call decides if it is `up`. ' +
				'A pool has the health of the best of its models.',
		}),
		capabilities: z
			.record(z.string(), z.json())
			.optional()
			.meta({ description: 'What it can do, by its kind. A missing capability is unknown and is not checked.' }),
		price: z
			.record(z.string(), z.union([z.string(), z.number()]))
			.optional()
			.meta({ description: 'What calls cost, as the operator states it: `currency` and amounts such as `perSecond`.' }),
		group: z
			.object({
				id: z.string(),
				state: z.enum(['unloaded', 'loaded', 'busy']).meta({ description: '`busy`: loaded, and working.' }),
				waiting: z.int().min(0).meta({ description: 'Calls that wait for the model.' }),
			})
			.optional()
			.meta({ description: 'The group of models with which it shares a device.' }),
	})
	.meta({ id: 'Model' });

function modelObject({ ownedBy, ...model }: ModelInfo) {
	return { ...model, object: 'model' as const, owned_by: ownedBy };
}
