import { z } from 'zod';
import {
	createDocument,
	type ZodOpenApiOperationObject,
	type ZodOpenApiParameters,
	type ZodOpenApiPathsObject,
	type ZodOpenApiRequestBodyObject,
} from 'zod-openapi';
import type { Route } from '../../contract/http/route.ts';
import { version } from '../../contract/version.ts';
import { encodingsOf, mediaTypes } from '../bodies/body.ts';
import { limitsOf } from '../limits.ts';
import { idempotencyKeyPattern, lastEventIdPattern, takesIdempotencyKey } from '../routing/call.ts';
import { acceptsNothing } from '../validation/validate.ts';
import { describeAnswers, errorSchema } from './answers.ts';
import { type Node, splitEncodings, tidySchema } from './schemas.ts';

/** Describes routes as OpenAPI 3.1, from the schemas that check the requests. The plugin of a route is its tag. */
export function describeRoutes(owners: ReadonlyMap<Route, string>): object {
	const paths: ZodOpenApiPathsObject = {};
	const tags = new Set<string>();
	for (const [route, owner] of owners) {
		tags.add(owner);
		paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, owner) };
	}
	const document = createDocument(
		{
			openapi: '3.1.1',
			info: { title: 'Plinth', version, description: readingRules },
			servers: [],
			// Two entries: either scheme alone is enough.
			security: [{ bearer: [] }, { apiKey: [] }],
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
		{ allowEmptySchema: { unknown: true, any: true, custom: true, transform: true }, override: tidySchema },
	);
	return splitEncodings(document as unknown as Node);
}

const readingRules = [
	'Clients ignore members and events that they do not know, and expect that enumerations in responses grow.',
	'Ids are opaque.',
	'Unknown members of requests are ignored and named in `warnings`, unless an operation says otherwise.',
	'In JSON bodies, `null` for an optional member means that it is absent.',
	'Lengths of texts are counted in Unicode code points.',
].join(' ');

function operation(route: Route, tag: string): ZodOpenApiOperationObject {
	const { summary, description, scope, body } = route;
	const scoped = scope === 'public' || scope === 'authenticated' ? '' : `Needs the scope \`${scope}\`.`;
	const text = [description, scoped].filter(Boolean).join('\n\n');
	const requestParams = parameters(route);
	return {
		// Stable and unique, because a path has one operation per method.
		operationId: [route.method.toLowerCase(), ...(route.path.match(/\w+/g) ?? [])].join('_'),
		tags: [tag],
		summary,
		...(text ? { description: text } : {}),
		...(scope === 'public' ? { security: [] } : {}),
		...(Object.keys(requestParams).length > 0 && { requestParams }),
		...(body ? { requestBody: requestBody(route, body) } : {}),
		responses: describeAnswers(route),
	};
}

type ObjectSchema = z.ZodType<unknown, Record<string, unknown>>;

function parameters(route: Route): ZodOpenApiParameters {
	const { params, query } = route as { readonly params?: ObjectSchema; readonly query?: ObjectSchema };
	const headers = {
		...(takesIdempotencyKey(route) && { 'Idempotency-Key': idempotencyKey }),
		...(route.response.resumes && { 'Last-Event-ID': lastEventId }),
	};
	return {
		...(params && { path: params }),
		...(query && { query }),
		...(Object.keys(headers).length > 0 && { header: z.object(headers) }),
	};
}

const headerOf = (pattern: RegExp, description: string) => z.string().regex(pattern).optional().meta({ description });

const idempotencyKey = headerOf(
	idempotencyKeyPattern,
	'Identifies this request for 24 hours: a repeat with the same key gets the same response, another request a 422.',
);

const lastEventId = headerOf(
	lastEventIdPattern,
	'The `id` of the last event that was received: the stream continues after it. Browsers send it when they reconnect.',
);

function requestBody(route: Route, body: z.ZodType): ZodOpenApiRequestBodyObject {
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
