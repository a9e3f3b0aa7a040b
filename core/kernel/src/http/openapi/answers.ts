import { z } from 'zod';
import type { ZodOpenApiHeadersObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorSpec, errors } from '../../contract/errors/errors.ts';
import type { ResponseSpec, Route } from '../../contract/http/route.ts';
import { takesIdempotencyKey } from '../routing/call.ts';
import { probePaths } from '../routing/system.ts';

export const errorSchema = z
	.object({
		error: z.object({
			message: z.string().meta({ description: 'For people; its wording may change.' }),
			type: z.string(),
			param: z
				.string()
				.nullable()
				.meta({ description: 'The parameter at fault, as a path such as `messages[1].content`.' }),
			code: z.string().nullable().meta({ description: 'For programs; stable.' }),
		}),
	})
	.meta({
		id: 'Error',
		description: 'The body of every error response.',
		examples: [
			{
				error: {
					message: 'prompt: a value is required.',
					type: 'invalid_request_error',
					param: 'prompt',
					code: 'missing_required_parameter',
				},
			},
		],
	});

export function describeAnswers(route: Route): ZodOpenApiResponsesObject {
	const { response } = route;
	const own = [
		...(takesIdempotencyKey(route) ? ['idempotent-replayed'] : []),
		...(response.ranges ? rangeHeaders : []),
		...(route.errors.includes(errors.E_MODEL_BUSY) ? ['x-plinth-model'] : []),
		...(route.body ? ['x-plinth-warnings'] : []),
	];
	const result: Record<string, ZodOpenApiResponseObject> = {
		[response.status ?? 200]: success(response, response.description, own),
	};
	if (response.ranges) {
		result['206'] = success(response, 'The requested range of the content.', [...rangeHeaders, 'content-range']);
	}
	if (response.ranges || response.headers?.etag) {
		result['304'] = { description: 'The content is unchanged.', headers: described(['etag']) };
	}
	if (response.nothing) result['204'] = { description: response.nothing, headers: described([]) };
	for (const [code, rows] of Map.groupBy(errorRows(route), (row) => row.status)) result[code] = failure(rows);
	for (const [code, { description, schema }] of Object.entries(response.others ?? {})) {
		result[code] = success({ schema }, description, []);
	}
	return result as ZodOpenApiResponsesObject;
}

const headerTexts: Readonly<Record<string, string>> = {
	'x-request-id': 'Identifies this request in the log of the server.',
	'openai-processing-ms': 'How long the server worked on the response, in milliseconds.',
	'x-plinth-model':
		'The model that generated this response, percent-encoded if its id has other than visible ASCII characters.',
	'x-plinth-warnings':
		'Warnings about the request, as a JSON array of texts, if the body of the response has no place for them.',
	'retry-after': 'Seconds after which another try makes sense.',
	'x-should-retry': '`false`: the same request will fail again.',
	'www-authenticate': 'How to authenticate (RFC 9110 §11.6.1).',
	'idempotent-replayed': '`true` if this response repeats the one to an earlier request.',
	'accept-ranges': '`bytes`: single ranges are served.',
	'content-range': 'The range of the content that this response has.',
	'content-disposition': 'A name for the file.',
	etag: 'Identifies these bytes, for `If-Match`, `If-None-Match` and `If-Range`.',
	'last-modified': 'When these bytes were stored, for `If-Unmodified-Since` and `If-Modified-Since`.',
};

const rangeHeaders = ['accept-ranges', 'etag', 'last-modified', 'content-disposition'];

/** The headers with these names and those that every response has. */
function described(names: readonly string[]): ZodOpenApiHeadersObject {
	const all = ['x-request-id', 'openai-processing-ms', ...names];
	return Object.fromEntries(all.map((name) => [name, header(headerTexts[name])]));
}

function header(description: string | undefined) {
	return { ...(description && { description }), schema: { type: 'string' as const } };
}

function success(
	{ schema, mediaTypes = [], headers = {} }: Pick<ResponseSpec, 'schema' | 'mediaTypes' | 'headers'>,
	description: string,
	names: readonly string[],
): ZodOpenApiResponseObject {
	const binary = { type: 'string', format: 'binary' } as const;
	const content = {
		...(schema && { 'application/json': { schema } }),
		...Object.fromEntries(
			mediaTypes.map((type) => [type, { schema: type === 'text/event-stream' ? { type: 'string' as const } : binary }]),
		),
	};
	const own = Object.entries(headers).map(([name, text]) => [name, header(text)]);
	return {
		description,
		headers: { ...described(names), ...Object.fromEntries(own) },
		...(Object.keys(content).length > 0 ? { content } : {}),
	};
}

function failure(rows: readonly ErrorSpec[]): ZodOpenApiResponseObject {
	const lines = rows.map(({ code, message }) => `- \`${code}\`: ${message}`);
	const names = rows.flatMap((row) => Object.keys(row.headers ?? {}));
	return {
		description: [...new Set(lines)].join('\n'),
		headers: described(names),
		content: { 'application/json': { schema: errorSchema } },
	};
}

/** The rows of the route and those that the kernel adds to every route of its kind. */
function errorRows(route: Route): readonly ErrorSpec[] {
	const { scope, path, params, query, body, response } = route;
	const rows = new Set<ErrorSpec>(route.errors);
	const add = (...codes: (keyof typeof errors)[]) => {
		for (const code of codes) rows.add(errors[code]);
	};
	if (scope !== 'public') add('E_KEY_MISSING', 'E_KEY_INVALID', 'E_RATE_LIMITED', 'E_STOPPING', 'E_TENANT_BUSY');
	if (!['public', 'authenticated'].includes(scope)) add('E_SCOPE_MISSING');
	if (!probePaths.includes(path)) add('E_NOT_READY');
	if (takesIdempotencyKey(route) || response.resumes) add('E_VALUE_INVALID');
	if (params || query || body) {
		add('E_VALUE_MISSING', 'E_VALUE_INVALID', 'E_VALUE_TYPE', 'E_VALUE_UNKNOWN');
		add('E_STRING_TOO_LONG', 'E_STRING_TOO_SHORT', 'E_INTEGER_TOO_LARGE', 'E_INTEGER_TOO_SMALL');
		add('E_NUMBER_TOO_LARGE', 'E_NUMBER_TOO_SMALL');
	}
	if (body) {
		add('E_BODY_MALFORMED', 'E_BODY_TOO_LARGE', 'E_MEDIA_TYPE_UNSUPPORTED', 'E_REQUEST_TIMEOUT', 'E_OVERLOADED');
	}
	if (response.mediaTypes?.includes('text/event-stream')) add('E_OVERLOADED');
	if (response.ranges) add('E_PRECONDITION_FAILED', 'E_RANGE_NOT_SATISFIABLE');
	add('E_DEADLINE', 'E_INTERNAL');
	return [...rows];
}
