import { z } from 'zod';
import {
	createDocument,
	type ZodOpenApiOperationObject,
	type ZodOpenApiPathItemObject,
	type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Route } from '../../contract/http/route.ts';
import { lastEventIdPattern } from '../answers/sse.ts';
import { encodingsOf, mediaTypes } from '../bodies/body.ts';
import { limitsOf } from '../limits.ts';
import { idempotencyKeyPattern, takesIdempotencyKey } from '../routing/idempotency.ts';
import { acceptsNothing } from '../validation/validate.ts';
import { describeAnswers, errorSchema } from './answers.ts';
import { type Node, splitEncodings, tidySchema } from './schemas.ts';

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
	const tags = new Set<string>();
	for (const route of routes) {
		const tag = route.tag ?? tagOf(route);
		tags.add(tag);
		const path: ZodOpenApiPathItemObject = paths[route.path] ?? {};
		path[lower(route.method)] = operation(route, tag);
		paths[route.path] = path;
	}
	const document = createDocument(
		{
			openapi: '3.1.1',
			info: { title, version, description: readingRules },
			servers: [{ url }],
			security: keySchemes,
			tags: [...tags].map((name) => ({ name })),
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
			override: tidySchema,
		},
	);
	return splitEncodings(document as unknown as Node);
}

const readingRules = [
	'Clients ignore members and events that they do not know, and expect that enumerations of answers grow.',
	'Ids are opaque.',
	'Unknown members of requests are ignored, unless an operation says otherwise.',
	'In JSON bodies, `null` for an optional member means that it is absent.',
	'Lengths of texts are counted in Unicode code points.',
].join(' ');

// Two entries: either scheme alone is enough.
const keySchemes = [{ bearer: [] }, { apiKey: [] }];

function operation(route: Route, tag: string): ZodOpenApiOperationObject {
	const { summary, description, scope } = route;
	const scoped = scope === 'public' || scope === 'authenticated' ? '' : `Needs the scope \`${scope}\`.`;
	const text = [description, scoped].filter(Boolean).join('\n\n');
	const body = requestBody(route);
	const requestParams = parameters(route);
	return {
		operationId: operationId(route),
		tags: [tag],
		summary,
		...(text ? { description: text } : {}),
		...(scope === 'public' ? { security: [] } : {}),
		...(requestParams ? { requestParams } : {}),
		...(body ? { requestBody: body } : {}),
		responses: describeAnswers(route),
	};
}

/** Stable and unique: method and path, for a path has one operation per method. */
function operationId({ method, path }: Route): string {
	const words = path.match(/\w+/g) ?? [];
	return [method.toLowerCase(), ...words].join('_');
}

function parameters(route: Route): ZodOpenApiOperationObject['requestParams'] {
	const { params, query } = route;
	const headers = {
		...(takesIdempotencyKey(route) && idempotencyHeader),
		...(route.response.resumes && lastEventHeader),
	};
	const hasHeaders = Object.keys(headers).length > 0;
	if (!params && !query && !hasHeaders) return undefined;
	return {
		...(params && { path: asObject(params) }),
		...(query && { query: asObject(query) }),
		...(hasHeaders && { header: z.object(headers) }),
	};
}

const idempotencyHeader = {
	'Idempotency-Key': z
		.string()
		.regex(idempotencyKeyPattern)
		.optional()
		.meta({
			description:
				'Names this request for 24 hours: a repeat with the same key gets the same answer, ' +
				'another request with it a 422.',
		}),
};

const lastEventHeader = {
	'Last-Event-ID': z
		.string()
		.regex(lastEventIdPattern)
		.optional()
		.meta({
			description:
				'The `id` of the last event that was received: the stream goes on behind it. ' +
				'Browsers send it when they connect again.',
		}),
};

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

function asObject(schema: z.ZodType): z.ZodType<unknown, Record<string, unknown>> {
	return schema as z.ZodType<unknown, Record<string, unknown>>;
}

type LowerMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

function lower(method: Route['method']): LowerMethod {
	return method.toLowerCase() as LowerMethod;
}
