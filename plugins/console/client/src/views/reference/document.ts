import type { ApiDocument, Contents, Operation, Schema } from '../../api/openapi.ts';

/** An operation with the data about it from other parts of the document. */
export interface ApiOperation {
	/** Also the id of its element in the page. */
	readonly id: string;
	readonly method: string;
	readonly path: string;
	readonly tag: string;
	readonly needsKey: boolean;
	readonly operation: Operation;
}

/** Operations of one tag. */
export interface Group {
	readonly tag: string;
	readonly operations: readonly ApiOperation[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head'];

/** All operations of a document in its order. */
export function operationsOf({ paths, security = [] }: ApiDocument): readonly ApiOperation[] {
	return Object.entries(paths).flatMap(([path, item]) =>
		Object.entries(item)
			.filter(([method]) => methods.includes(method))
			.map(([method, operation]) => ({
				id: operation.operationId ?? `${method}${path.replaceAll(/\W+/g, '_')}`,
				method: method.toUpperCase(),
				path,
				tag: operation.tags?.[0] ?? 'other',
				needsKey: (operation.security ?? security).length > 0,
				operation,
			})),
	);
}

/** Groups by tag those operations that have all words of a search. */
export function groupsOf(document: ApiDocument, operations: readonly ApiOperation[], search: string): readonly Group[] {
	const words = search.toLowerCase().split(/\s+/).filter(Boolean);
	const matches = operations.filter(({ method, path, tag, id, operation: { summary, description } }) => {
		const text = [method, path, tag, summary, description, id].join('\n').toLowerCase();
		return words.every((word) => text.includes(word));
	});
	const order = [...(document.tags ?? []).map(({ name }) => name), ...matches.map(({ tag }) => tag)];
	return [...new Set(order)]
		.map((tag) => ({ tag, operations: matches.filter((operation) => operation.tag === tag) }))
		.filter((group) => group.operations.length > 0);
}

/** The body of a request or a response in one media type. */
export interface Body {
	readonly mediaType: string;
	readonly schema: Schema;
}

/** The bodies by media type. JSON is first, because most programs send it. */
export function bodiesOf(content: Contents = {}): readonly Body[] {
	return Object.entries(content)
		.map(([mediaType, { schema = {} }]) => ({ mediaType, schema }))
		.toSorted((a, b) => Number(b.mediaType === 'application/json') - Number(a.mediaType === 'application/json'));
}
