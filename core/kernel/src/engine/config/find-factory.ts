import type { Instance, InstanceKind } from '../../contract/factory.ts';
import { nearest } from '../../contract/words.ts';
import { importFrom, NotFound, type PackageFolders } from './import-from.ts';

type Factory = (options?: unknown) => Instance;

const makers = { backend: 'defineBackend', model: 'defineModel', plugin: 'definePlugin' } as const;

const maxNames = 12;

/**
 * Finds the factory of `package`, `package#name` or `./file.js#group.name`. Without a name, the module must export
 * exactly one of the kind. Rejects with a message that lists what the module exports, or with the error of its import.
 */
export async function findFactory(use: string, kind: InstanceKind, folders: PackageFolders): Promise<Factory> {
	const [specifier = '', name] = use.split(/#(?=[^#]*$)/);
	const module = await importFrom(specifier, folders);
	const expected = `${kind} factory`;
	const isExpected = (value: unknown): value is Factory => describeValue(value) === expected;
	const refuse = (message: string) => {
		const all = exportsOf(module);
		const names = all.filter(({ what }) => what === expected).map((each) => each.name);
		return new NotFound(`${message}; ${listed(all)}`, remedy(specifier, name, names));
	};

	if (name !== undefined) {
		const value = name.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], module);
		if (isExpected(value)) return value;
		if (value === undefined) throw refuse(`${specifier} exports no ${expected} named ${name}`);
		const what = describeValue(value) ?? 'value of another kind';
		throw refuse(`${specifier}#${name} is a ${what}, and a ${expected} belongs here`);
	}
	const [first, ...others] = new Set(Object.values(module).filter(isExpected));
	if (!first) throw refuse(`${specifier} exports no ${expected}, which is what ${makers[kind]} returns`);
	if (others.length > 0) throw refuse(`${specifier} exports ${others.length + 1} ${kind} factories`);
	return first;
}

function remedy(specifier: string, name: string | undefined, names: readonly string[]): string | undefined {
	if (names.length === 0) return undefined;
	const near = name === undefined ? undefined : nearest(name, names);
	if (near) return `Did you mean ${specifier}#${near}?`;
	const proposed = names.slice(0, maxNames).map((each) => `${specifier}#${each}`);
	return `Name one: ${proposed.join(', ')}.`;
}

function describeValue(value: unknown): string | undefined {
	const { $kind } = (value ?? {}) as { readonly $kind?: unknown };
	const [, kind, factory] = /^plinth\.(backend|model|plugin)(\.factory)?$/.exec(String($kind)) ?? [];
	return kind && (factory ? `${kind} factory` : `${kind} factory that has been called already`);
}

type Export = { readonly name: string; readonly what: string | undefined };

function listed(all: readonly Export[]): string {
	const factories = all.flatMap(({ name, what }) => (what ? [`${name} (${what})`] : []));
	const names = [...factories, ...all.flatMap(({ name, what }) => (what ? [] : [name]))];
	if (names.length === 0) return 'it exports nothing';
	const rest = names.length - maxNames;
	return `it exports ${names.slice(0, maxNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Exported names, including factories that are members of an exported object, as in `openai.chat`. */
function exportsOf(module: object): readonly Export[] {
	return Object.entries(module).flatMap(([name, value]) => {
		const what = describeValue(value);
		if (what || typeof value !== 'object' || value === null) return [{ name, what }];
		const members = Object.entries(value).map(([key, member]) => [`${name}.${key}`, describeValue(member)] as const);
		const factories = members.flatMap(([member, kind]) => (kind ? [{ name: member, what: kind }] : []));
		return factories.length > 0 ? factories : [{ name, what }];
	});
}
