import { type ApiDocument, escapePointer, type Operation } from './document.ts';
import { SchemaChecks } from './schemas.ts';

/** A response as a client received it. */
export interface ReceivedResponse {
	/** The method of the request, in upper case. */
	readonly method: string;
	/** The path of the request, without its query. */
	readonly path: string;
	readonly status: number;
	readonly headers: Headers;
	/** The body; undefined when it was not read, which is only allowed when it is not JSON. */
	readonly body: Uint8Array | undefined;
}

/** Checks responses against the document that describes them. */
export class ResponseChecker {
	readonly #document: ApiDocument;
	readonly #checks: SchemaChecks;

	constructor(document: ApiDocument) {
		this.#document = document;
		this.#checks = new SchemaChecks(document, 'response');
	}

	/** The violations of the document by a response, one sentence each. */
	violations(response: ReceivedResponse): readonly string[] {
		const { method, path, status } = response;
		const operation = this.#document.find(method, path);
		const found = [...this.#headers(response)];
		found.push(...(operation ? this.#inside(operation, response) : this.#outside(response)));
		return found.map((violation) => `${method} ${path} answered ${status}: ${violation}`);
	}

	/** Responses that the document cannot list: unknown paths and unsupported methods. Authentication comes first. */
	#outside(response: ReceivedResponse): readonly string[] {
		const { method, status } = response;
		if (method === 'OPTIONS' && status === 204) return [];
		const isExpected = [401, 404, 405, 429, 503].includes(status);
		if (!isExpected) return ['the document has no such operation'];
		return method === 'HEAD' ? [] : this.#json(response, '#/components/schemas/Error');
	}

	#inside(operation: Operation, response: ReceivedResponse): readonly string[] {
		const { method, status, headers, body } = response;
		const described = operation.responses[status];
		if (!described) return ['the document does not list this status'];
		const types = Object.keys(described.content ?? {});
		const type = mediaType(headers);
		if (types.length === 0) return body?.byteLength ? ['the document describes no body'] : [];
		if (type === undefined || !types.includes(type)) {
			return [`the content type ${type} is none of ${types.join(', ')}`];
		}
		if (method === 'HEAD' || type !== 'application/json') return [];
		const pointer = `${operation.pointer}/responses/${status}/content/${escapePointer(type)}/schema`;
		return this.#json(response, pointer);
	}

	#json({ body, headers }: ReceivedResponse, pointer: string): readonly string[] {
		if (mediaType(headers) !== 'application/json') return ['the content type is not JSON'];
		try {
			return this.#checks.at(pointer)(JSON.parse(new TextDecoder().decode(body)));
		} catch (error) {
			return [`the body is not JSON: ${(error as Error).message}`];
		}
	}

	#headers({ headers, body }: ReceivedResponse): readonly string[] {
		const missing = ['x-request-id', 'openai-processing-ms'].filter((name) => !headers.get(name));
		const violations = missing.map((name) => `the header ${name} is missing`);
		if (body?.byteLength && !headers.get('content-type')) violations.push('no content type');
		return violations;
	}
}

/** The media type of a response, without its parameters. */
export function mediaType(headers: Headers): string | undefined {
	return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}

/** Checks a response that the caller will read. JSON is read from a clone; otherwise only the head is checked. */
export async function violationsOf(
	checker: ResponseChecker,
	request: { readonly method: string; readonly path: string },
	response: Response,
): Promise<readonly string[]> {
	const { status, headers } = response;
	const isJson = mediaType(headers) === 'application/json' && request.method !== 'HEAD';
	const body = isJson ? new Uint8Array(await response.clone().arrayBuffer()) : undefined;
	return checker.violations({ ...request, status, headers, body });
}
