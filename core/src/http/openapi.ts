import { z } from 'zod';
import {
	createDocument,
	type ZodOpenApiMediaTypeObject,
	type ZodOpenApiOperationObject,
	type ZodOpenApiPathItemObject,
	type ZodOpenApiPathsObject,
	type ZodOpenApiResponseObject,
	type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { type ErrorSpec, errors } from '../errors.ts';
import { encodingsOf, mediaTypes } from './body.ts';
import { limitsOf } from './limits.ts';
import type { ResponseSpec, Route } from './route.ts';
import { acceptsNothing } from './validate.ts';

/** What the document says besides the routes. */
export interface DocumentOptions {
	readonly title: string;
	readonly version: string;
	/** The address of the server, without a trailing slash. */
	readonly url: string;
	/** The default tag of a route. */
	readonly tagOf: (route: Route) => string;
}

/** Describes routes as OpenAPI 3.1, from the schemas that check the requests. */
export function describeRoutes(routes: readonly Route[], options: DocumentOptions): object {
	const { title, version, url, tagOf } = options;
	const paths: ZodOpenApiPathsObject = {};
	for (const route of routes) {
		const path: ZodOpenApiPathItemObject = paths[route.path] ?? {};
		path[lower(route.method)] = operation(route, route.tag ?? tagOf(route));
		paths[route.path] = path;
	}
	return createDocument(
		{
			openapi: '3.1.1',
			info: { title, version },
			servers: [{ url }],
			security: keySchemes,
			paths,
			components: {
				schemas: { Error: errorSchema },
				securitySchemes: {
					bearer: { type: 'http', scheme: 'bearer' },
					apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
				},
			},
		},
		{
			allowEmptySchema: { unknown: true, any: true, custom: true, transform: true },
			// zod leaves the default out where text is turned into another type; it is what happens all the same.
			override: ({ zodSchema, jsonSchema }) => {
				const { def } = zodSchema._zod;
				if (def.type === 'default' && !('$ref' in jsonSchema))
					jsonSchema.default ??= def.defaultValue;
			},
		},
	);
}

// Two entries: either scheme alone is enough.
const keySchemes = [{ bearer: [] }, { apiKey: [] }];

const errorSchema = z
	.object({
		error: z.object({
			message: z.string(),
			type: z.string(),
			param: z.string().nullable(),
			code: z.string().nullable(),
		}),
	})
	.meta({ id: 'Error', description: 'What every failed request is answered with.' });

function operation(route: Route, tag: string): ZodOpenApiOperationObject {
	const { params, query, summary, description, scope } = route;
	const scoped =
		scope === 'public' || scope === 'authenticated' ? '' : `Needs the scope \`${scope}\`.`;
	const text = [description, scoped].filter(Boolean).join('\n\n');
	const body = requestBody(route);
	return {
		operationId: operationId(route),
		tags: [tag],
		summary,
		...(text ? { description: text } : {}),
		...(scope === 'public' ? { security: [] } : {}),
		...(params || query
			? {
					requestParams: {
						...(params && { path: asObject(params) }),
						...(query && { query: asObject(query) }),
					},
				}
			: {}),
		...(body ? { requestBody: body } : {}),
		responses: responses(route),
	};
}

/** Stable and unique: method and path, for a path has one operation per method. */
function operationId({ method, path }: Route): string {
	const words = path.match(/\w+/g) ?? [];
	return [method.toLowerCase(), ...words].join('_');
}

function requestBody(route: Route): ZodOpenApiOperationObject['requestBody'] {
	const { body } = route;
	if (!body) return undefined;
	const limits = limitsOf(route);
	const encodings = encodingsOf(route);
	const sizes = encodings.map((encoding) => {
		const whole = `${mediaTypes[encoding]}: at most ${limits[encoding]} bytes`;
		if (encoding === 'json') return `${whole}.`;
		return `${whole}, ${limits.files} files of ${limits.file} bytes each, ${limits.field} bytes per text field.`;
	});
	return {
		required: !acceptsNothing(body),
		description: `${sizes.join(' ')} Compressed bodies are refused.`,
		content: Object.fromEntries(encodings.map((name) => [mediaTypes[name], { schema: body }])),
	};
}

function responses(route: Route): ZodOpenApiResponsesObject {
	const { response } = route;
	const status = response.status ?? 200;
	const result: Record<string, ZodOpenApiResponseObject> = {
		[status]: success(response, response.description),
	};
	if (response.ranges) {
		result['206'] = success(response, 'The requested window of the content.');
		result['304'] = { description: 'The content is unchanged.', headers };
	}
	for (const [code, rows] of Map.groupBy(errorRows(route), (row) => row.status)) {
		result[code] = failure(rows);
	}
	return result as ZodOpenApiResponsesObject;
}

const headers = {
	'x-request-id': {
		description: 'Names this request in the log of the server.',
		schema: { type: 'string' as const },
	},
};

function success(response: ResponseSpec, description: string): ZodOpenApiResponseObject {
	const binary = { schema: { type: 'string', format: 'binary' } } as const;
	const types = (response.mediaTypes ?? []).map((type): [string, ZodOpenApiMediaTypeObject] => [
		type,
		type === 'text/event-stream' ? { schema: { type: 'string' } } : binary,
	]);
	const json: [string, ZodOpenApiMediaTypeObject][] = response.schema
		? [['application/json', { schema: response.schema }]]
		: [];
	const content = Object.fromEntries([...json, ...types]);
	return { description, headers, ...(Object.keys(content).length > 0 ? { content } : {}) };
}

function failure(rows: readonly ErrorSpec[]): ZodOpenApiResponseObject {
	const lines = rows.map(({ code, message }) => `- \`${code}\`: ${message}`);
	return {
		description: [...new Set(lines)].join('\n'),
		headers,
		content: { 'application/json': { schema: errorSchema } },
	};
}

/** The rows of the route and those that the kernel adds to every route of its kind. */
function errorRows(route: Route): readonly ErrorSpec[] {
	const rows = new Set<ErrorSpec>(route.errors);
	const add = (...codes: (keyof typeof errors)[]) => {
		for (const code of codes) rows.add(errors[code]);
	};
	if (route.scope !== 'public') add('E_KEY_MISSING', 'E_KEY_INVALID', 'E_STOPPING');
	if (!['public', 'authenticated'].includes(route.scope)) add('E_SCOPE_MISSING');
	if (route.params || route.query || route.body) {
		add('E_VALUE_MISSING', 'E_VALUE_INVALID', 'E_VALUE_TYPE', 'E_VALUE_UNKNOWN');
		add('E_STRING_TOO_LONG', 'E_STRING_TOO_SHORT', 'E_INTEGER_TOO_LARGE', 'E_INTEGER_TOO_SMALL');
	}
	if (route.body) {
		add('E_BODY_MALFORMED', 'E_BODY_TOO_LARGE', 'E_MEDIA_TYPE_UNSUPPORTED', 'E_REQUEST_TIMEOUT');
	}
	if (route.response.ranges) add('E_RANGE_NOT_SATISFIABLE');
	add('E_DEADLINE', 'E_INTERNAL');
	return [...rows];
}

function asObject(schema: z.ZodType): z.ZodType<unknown, Record<string, unknown>> {
	return schema as z.ZodType<unknown, Record<string, unknown>>;
}

type LowerMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

function lower(method: Route['method']): LowerMethod {
	return method.toLowerCase() as LowerMethod;
}
