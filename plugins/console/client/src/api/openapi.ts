/** A JSON Schema, as far as the page reads it. */
export interface Schema {
	readonly $ref?: string;
	readonly type?: string | readonly string[];
	readonly description?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly items?: Schema;
	readonly additionalProperties?: boolean | Schema;
	readonly oneOf?: readonly Schema[];
	readonly anyOf?: readonly Schema[];
	readonly allOf?: readonly Schema[];
	readonly enum?: readonly unknown[];
	readonly const?: unknown;
	readonly default?: unknown;
	readonly examples?: readonly unknown[];
	readonly format?: string;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly [bound: string]: unknown;
}

/** Schemas by name. */
export type Schemas = Readonly<Record<string, Schema>>;

/** A body by media type. */
export type Contents = Readonly<Record<string, { readonly schema?: Schema }>>;

/** A parameter in a path, a query or a header. */
export interface Parameter {
	readonly name: string;
	readonly in: string;
	readonly required?: boolean;
	readonly description?: string;
	readonly schema?: Schema;
}

/** The response with one status. */
export interface Response {
	readonly description?: string;
	readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema?: Schema }>>;
	readonly content?: Contents;
}

/** One method of one path. */
export interface Operation {
	readonly operationId?: string;
	readonly tags?: readonly string[];
	readonly summary?: string;
	readonly description?: string;
	readonly security?: readonly unknown[];
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: { readonly description?: string; readonly content?: Contents };
	readonly responses?: Readonly<Record<string, Response>>;
}

/** `/openapi.json`, as far as the page reads it. */
export interface ApiDocument {
	readonly info?: { readonly description?: string };
	readonly tags?: readonly { readonly name: string }[];
	readonly security?: readonly unknown[];
	/** By path and method. */
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components?: { readonly schemas?: Schemas };
}

/** The name of the schema that a reference points to. */
export function nameOf({ $ref: ref }: Schema): string | undefined {
	return ref?.slice(ref.lastIndexOf('/') + 1);
}

/** The schema, with its reference replaced by the schema that it points to. */
export function resolved(schema: Schema, schemas: Schemas = {}): Schema {
	const name = nameOf(schema);
	if (name === undefined) return schema;
	const { $ref: _, ...siblings } = schema;
	return { ...schemas[name], ...siblings };
}
