import { type ApiDocument, escapePointer, type Operation } from './document.ts';
import { SchemaChecks } from './schemas.ts';

/** An answer as a client sees it. */
export interface SeenAnswer {
	/** Of the request, upper case. */
	readonly method: string;
	/** Of the request, without its query. */
	readonly path: string;
	readonly status: number;
	readonly headers: Headers;
	/** The bytes; undefined when they were not read, which is only right for what is not JSON. */
	readonly body: Uint8Array | undefined;
}

/** Compares answers with the document that describes them. */
export class ReplyChecker {
	readonly #document: ApiDocument;
	readonly #checks: SchemaChecks;

	constructor(document: ApiDocument) {
		this.#document = document;
		this.#checks = new SchemaChecks(document, 'answer');
	}

	/** Everything in an answer that the document does not allow, one sentence each. */
	complaints(answer: SeenAnswer): readonly string[] {
		const { method, path, status } = answer;
		const operation = this.#document.find(method, path);
		const found = [...this.#headers(answer)];
		found.push(...(operation ? this.#inside(operation, answer) : this.#outside(answer)));
		return found.map((complaint) => `${method} ${path} answered ${status}: ${complaint}`);
	}

	/** What the document cannot list: unknown paths, methods that a path does not have. Authentication comes first. */
	#outside(answer: SeenAnswer): readonly string[] {
		const { method, status } = answer;
		if (method === 'OPTIONS' && status === 204) return [];
		const fitting = [401, 404, 405, 429, 503].includes(status);
		if (!fitting) return ['the document has no such operation'];
		return method === 'HEAD' ? [] : this.#json(answer, '#/components/schemas/Error');
	}

	#inside(operation: Operation, answer: SeenAnswer): readonly string[] {
		const { method, status, headers, body } = answer;
		const described = operation.responses[status];
		if (!described) return ['the document does not list this status'];
		const types = Object.keys(described.content ?? {});
		const type = mediaType(headers);
		if (types.length === 0) return body?.byteLength ? ['the document promises no body'] : [];
		if (type === undefined || !types.includes(type)) {
			return [`the content type ${type} is none of ${types.join(', ')}`];
		}
		if (method === 'HEAD' || type !== 'application/json') return [];
		const pointer = `${operation.pointer}/responses/${status}/content/${escapePointer(type)}/schema`;
		return this.#json(answer, pointer);
	}

	#json({ body, headers }: SeenAnswer, pointer: string): readonly string[] {
		if (mediaType(headers) !== 'application/json') return ['the content type is not JSON'];
		try {
			return this.#checks.at(pointer)(JSON.parse(new TextDecoder().decode(body)));
		} catch (error) {
			return [`the body is no JSON: ${(error as Error).message}`];
		}
	}

	#headers({ headers, body }: SeenAnswer): readonly string[] {
		const missing = ['x-request-id', 'openai-processing-ms'].filter((name) => !headers.get(name));
		const complaints = missing.map((name) => `the header ${name} is missing`);
		if (body?.byteLength && !headers.get('content-type')) complaints.push('no content type');
		return complaints;
	}
}

/** The media type of an answer, without its parameters. */
export function mediaType(headers: Headers): string | undefined {
	return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}

/** Checks an answer that somebody else will read. JSON is read from a copy; of anything else only the head is looked at. */
export async function complaintsAbout(
	checker: ReplyChecker,
	request: { readonly method: string; readonly path: string },
	answer: Response,
): Promise<readonly string[]> {
	const { status, headers } = answer;
	const isJson = mediaType(headers) === 'application/json' && request.method !== 'HEAD';
	const body = isJson ? new Uint8Array(await answer.clone().arrayBuffer()) : undefined;
	return checker.complaints({ ...request, status, headers, body });
}
