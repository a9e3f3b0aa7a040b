import { type ApiDocument, resolved, type Schema } from '../../../api/openapi.ts';

/** The kind of a field. `checks`: several options of a list. `json`: a text that must be JSON. */
export type FieldKind = 'text' | 'number' | 'choice' | 'check' | 'checks' | 'file' | 'json';

/** A parameter of a request, as a form shows it. */
export interface FieldSpec {
	readonly name: string;
	readonly kind: FieldKind;
	readonly required: boolean;
	readonly hint: string | undefined;
	/** Of `choice` and `checks`. */
	readonly options: readonly string[];
	/** Suggested texts. */
	readonly suggestions: readonly string[];
	/** The server's default. */
	readonly fallback: string | number | boolean | undefined;
	readonly minimum: number | undefined;
	readonly maximum: number | undefined;
	/** Of `file`: whether it accepts several files. */
	readonly isMultiple: boolean;
}

/** The schemas of the body of a POST request by encoding. Undefined if the server does not offer it. */
export function bodiesOf(
	{ paths, components }: ApiDocument,
	path: string,
): { readonly json: Schema | undefined; readonly form: Schema | undefined } {
	const content = paths[path]?.post?.requestBody?.content ?? {};
	const [json, form] = ['application/json', 'multipart/form-data'].map((type) => {
		const schema = content[type]?.schema;
		return schema && resolved(schema, components?.schemas);
	});
	return { json, form };
}

/** The parameters of a POST request, in the order of its schema. Empty if the server does not offer it. */
export function fieldsOf(document: ApiDocument, path: string): readonly FieldSpec[] {
	const { json, form } = bodiesOf(document, path);
	// The multipart body is the one with files.
	const { properties = {}, required = [] } = form ?? json ?? {};
	return Object.entries(properties).map(([name, schema]) =>
		fieldOf(document, { name, required: required.includes(name) }, resolved(schema, document.components?.schemas)),
	);
}

function fieldOf(
	document: ApiDocument,
	{ name, required }: { readonly name: string; readonly required: boolean },
	schema: Schema,
): FieldSpec {
	const branches = branchesOf(document, schema);
	const { kind, options = [], isMultiple = false } = kindOf(branches);
	const { default: fallback, examples = [] } = schema;
	const [numbers] = branches.filter(({ type }) => typesOf(type).some((each) => /^(?:integer|number)$/.test(each)));
	return {
		name,
		kind,
		required,
		hint: hintOf(schema.description, kind),
		options,
		suggestions: examples.filter((example) => typeof example === 'string'),
		fallback: isPlain(fallback) ? fallback : undefined,
		minimum: numbers?.minimum,
		maximum: numbers?.maximum,
		isMultiple,
	};
}

/** The hint of a field. For files, sentences about how programs send them are left out. */
function hintOf(description: string | undefined, kind: FieldKind): string | undefined {
	const text = description?.replaceAll('`', '');
	if (kind !== 'file') return text;
	return text
		?.split(/(?<=\.) /)
		.filter((sentence) => !/multipart|data URL/.test(sentence))
		.join(' ');
}

interface Kind {
	readonly kind: FieldKind;
	readonly options?: readonly string[];
	readonly isMultiple?: boolean;
}

/** The kind of field for a schema with several branches: the one that is easiest to fill in. */
function kindOf(branches: readonly Schema[]): Kind {
	const isFile = ({ format }: Schema = {}) => format === 'binary';
	const lists = branches.flatMap(({ items }) => (items ? [items] : []));
	if (branches.some(isFile) || lists.some(isFile)) return { kind: 'file', isMultiple: lists.some(isFile) };
	const texts = branches.filter(({ type }) => typesOf(type).includes('string'));
	const options = texts.flatMap(({ enum: values = [] }) => textsOf(values));
	if (texts.length > 0 && texts.every((text) => text.enum)) return { kind: 'choice', options };
	if (texts.length > 0) return { kind: 'text' };
	const has = (pattern: RegExp) => branches.some(({ type }) => typesOf(type).some((each) => pattern.test(each)));
	if (has(/^boolean$/)) return { kind: 'check' };
	if (has(/^(?:integer|number)$/)) return { kind: 'number' };
	const [list] = lists;
	if (list?.enum) return { kind: 'checks', options: textsOf(list.enum) };
	return { kind: 'json' };
}

function branchesOf(document: ApiDocument, schema: Schema): readonly Schema[] {
	const branches = schema.oneOf ?? schema.anyOf;
	return branches
		? branches.flatMap((branch) => branchesOf(document, resolved(branch, document.components?.schemas)))
		: [schema];
}

function typesOf(type: Schema['type'] = []): readonly string[] {
	return typeof type === 'string' ? [type] : type;
}

function textsOf(values: readonly unknown[]): readonly string[] {
	return values.filter((value) => typeof value === 'string');
}

function isPlain(value: unknown): value is string | number | boolean {
	return ['string', 'number', 'boolean'].includes(typeof value);
}
