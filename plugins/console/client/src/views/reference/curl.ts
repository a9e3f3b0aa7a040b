import { type Parameter, resolved, type Schema, type Schemas } from '../../api/openapi.ts';
import { textOf } from '../playground/call/call.ts';
import { shellWord } from '../playground/snippets/curl.ts';
import { type ApiOperation, type Body, bodiesOf } from './document.ts';

/** The curl command of an example call. The key comes from a shell variable. */
export function curlOf(listed: ApiOperation, schemas: Schemas, addressOf: (path: string) => string): string {
	const { method, path, needsKey, operation } = listed;
	const { parameters = [], requestBody, responses = {} } = operation;
	const exampleFor = ({ name, schema = {} }: Parameter) => {
		const [example] = resolved(schema, schemas).examples ?? [];
		return example === undefined ? name.toUpperCase() : String(example);
	};
	const filledPath = parameters
		.filter(({ in: place }) => place === 'path')
		.reduce((text, each) => text.replace(`{${each.name}}`, () => encodeURIComponent(exampleFor(each))), path);
	const query = parameters
		.filter(({ in: place, required }) => place === 'query' && required)
		.map((parameter) => `${parameter.name}=${encodeURIComponent(exampleFor(parameter))}`);
	const address = addressOf(filledPath) + (query.length > 0 ? `?${query.join('&')}` : '');
	const bodies = bodiesOf(requestBody?.content);
	const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
	const types = Object.keys(success?.content ?? {});
	return [
		`curl ${method === 'GET' || (method === 'POST' && bodies.length > 0) ? '' : `-X ${method} `}${shellWord(address)}`,
		...(needsKey ? ['-H "Authorization: Bearer $PLINTH_API_KEY"'] : []),
		...bodyOf(bodies, schemas),
		...(types.includes('text/event-stream') && types.length === 1 ? ['-N'] : []),
		...(types.length > 0 && types.every(isBinary) ? ['-o answer'] : []),
	].join(' \\\n  ');
}

function isBinary(mediaType: string): boolean {
	return !mediaType.startsWith('text/') && !mediaType.includes('json');
}

function bodyOf(bodies: readonly Body[], schemas: Schemas): readonly string[] {
	const [body] = bodies;
	if (!body) return [];
	const example = exampleOf(body.schema, schemas);
	if (body.mediaType === 'application/json') {
		return [`-H 'content-type: application/json'`, `-d ${shellWord(JSON.stringify(example))}`];
	}
	const { properties = {} } = resolved(body.schema, schemas);
	return Object.entries((example ?? {}) as Readonly<Record<string, unknown>>).map(([name, value]) => {
		const isFile = isBinaryField(properties[name], schemas);
		return isFile ? `-F ${shellWord(`${name}=@FILE`)}` : `--form-string ${shellWord(`${name}=${textOf(value)}`)}`;
	});
}

function isBinaryField(schema: Schema | undefined, schemas: Schemas): boolean {
	if (!schema) return false;
	const { format, items } = resolved(schema, schemas);
	return format === 'binary' || (items !== undefined && isBinaryField(items, schemas));
}

/** The first example of a schema, or a value with its required properties. */
function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
	const whole = resolved(schema, schemas);
	const { examples, const: constant, default: fallback, enum: values, items, properties = {}, required = [] } = whole;
	if (examples?.length) return examples[0];
	if (constant !== undefined) return constant;
	if (fallback !== undefined) return fallback;
	if (values?.length) return values[0];
	const [form] = whole.oneOf ?? whole.anyOf ?? [];
	if (form && depth < maxDepth) return exampleOf(form, schemas, depth + 1);
	const [type] = [whole.type].flat();
	if (type === 'object' || whole.properties) {
		if (depth >= maxDepth) return {};
		const members = required.map((name) => [name, exampleOf(properties[name] ?? {}, schemas, depth + 1)] as const);
		return Object.fromEntries(members);
	}
	if (items) return depth < maxDepth ? [exampleOf(items, schemas, depth + 1)] : [];
	return type === 'integer' || type === 'number' ? 1 : type === 'boolean' ? true : 'text';
}

/** The nesting limit of examples, because schemas may contain themselves. */
const maxDepth = 6;
