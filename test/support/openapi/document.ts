/** A JSON Schema, with the keywords that these tests read. */
export interface Schema {
	readonly $ref?: string;
	readonly type?: string | readonly string[];
	readonly enum?: readonly unknown[];
	readonly const?: unknown;
	readonly default?: unknown;
	readonly example?: unknown;
	readonly examples?: readonly unknown[];
	readonly oneOf?: readonly Schema[];
	readonly anyOf?: readonly Schema[];
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly additionalProperties?: boolean | Schema;
	readonly items?: Schema;
	readonly minItems?: number;
	readonly maxItems?: number;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly pattern?: string;
	readonly format?: string;
}

/** A path, query or header parameter. */
export interface Parameter {
	readonly name: string;
	readonly in: 'path' | 'query' | 'header';
	readonly required?: boolean;
	readonly schema: Schema;
}

/** The response of one status. */
export interface ResponseObject {
	readonly headers?: Readonly<Record<string, unknown>>;
	readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface RawOperation {
	readonly operationId?: string;
	readonly summary?: string;
	readonly tags?: readonly string[];
	readonly security?: readonly unknown[];
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: {
		readonly required?: boolean;
		readonly description?: string;
		readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
	};
	readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** The parts of an OpenAPI document that these tests read. */
export interface RawDocument {
	readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One operation: a method and a path template. */
export interface Operation extends RawOperation {
	/** Upper case. */
	readonly method: string;
	readonly path: string;
	/** `POST /v1/videos`. */
	readonly name: string;
	/** A JSON pointer to the operation. */
	readonly pointer: string;
}

/** An OpenAPI document with lookups. */
export class ApiDocument {
	readonly raw: RawDocument;
	readonly operations: readonly Operation[];

	constructor(raw: unknown) {
		this.raw = raw as RawDocument;
		this.operations = Object.entries(this.raw.paths).flatMap(([path, methods]) =>
			Object.entries(methods).map(([method, operation]) => ({
				...operation,
				method: method.toUpperCase(),
				path,
				name: `${method.toUpperCase()} ${path}`,
				pointer: `#/paths/${escapePointer(path)}/${method}`,
			})),
		);
	}

	/** The operation of a request. `HEAD` is answered by `GET`. The path has no query. */
	find(method: string, path: string): Operation | undefined {
		const wanted = method === 'HEAD' ? 'GET' : method;
		const onPath = this.operations.filter((operation) => isMatch(operation.path, path));
		const literal = Math.min(...onPath.map(parameterCount));
		return onPath.find((each) => each.method === wanted && parameterCount(each) === literal);
	}

	/** Follows `$ref`. */
	resolve(schema: Schema): Schema {
		if (schema.$ref === undefined) return schema;
		const name = schema.$ref.split('/').at(-1) ?? '';
		const found = this.raw.components.schemas[name];
		if (!found) throw new Error(`The document has no schema ${schema.$ref}.`);
		return this.resolve(found);
	}
}

/** One step of a JSON pointer in a URI fragment (RFC 6901 §6). */
export function escapePointer(step: string): string {
	return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function isMatch(template: string, path: string): boolean {
	const [left, right] = [template.split('/'), path.split('/')];
	if (left.length !== right.length) return false;
	return left.every((step, index) => step.startsWith('{') || step === right[index]);
}

function parameterCount({ path }: Operation): number {
	return path.split('{').length;
}
