import { nearest } from '../../contract/nearest.ts';
import { importFrom, NotFound, type PackageFolders } from './import-from.ts';

/** What a config entry can be an instance of. */
export type InstanceKind = 'backend' | 'model' | 'plugin';

/** A factory called with its options. */
export type Instance = { readonly $kind: `plinth.${InstanceKind}`; readonly options: unknown };

type Factory = (options?: unknown) => Instance;

const makers = { backend: 'defineBackend', model: 'defineModel', plugin: 'definePlugin' } as const;

/** How many names a message lists. */
const maxNames = 12;

/**
 * Finds the factory that `package`, `package#name` or `./file.js#group.name` means; without a name the module has to
 * export exactly one of the kind. Rejects with what the module exports instead, or with what made its import fail.
 */
export async function findFactory(use: string, kind: InstanceKind, folders: PackageFolders): Promise<Factory> {
	const [specifier = '', name] = use.split(/#(?=[^#]*$)/);
	const module = await importFrom(specifier, folders);
	const wanted = `${kind} factory`;
	const isWanted = (value: unknown): value is Factory => describeValue(value) === wanted;
	const refuse = (message: string) => {
		const all = exportsOf(module);
		const names = all.filter(({ what }) => what === wanted).map((each) => each.name);
		return new NotFound(`${message}; ${listed(all)}`, remedy(specifier, name, names));
	};

	if (name !== undefined) {
		const found = name.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], module);
		if (isWanted(found)) return found;
		if (found === undefined) throw refuse(`${specifier} exports no ${wanted} named ${name}`);
		const what = describeValue(found) ?? 'value of another kind';
		throw refuse(`${specifier}#${name} is a ${what}, and a ${wanted} belongs here`);
	}
	const [first, ...others] = new Set(Object.values(module).filter(isWanted));
	if (!first) throw refuse(`${specifier} exports no ${wanted}, which is what ${makers[kind]} returns`);
	if (others.length > 0) throw refuse(`${specifier} exports ${others.length + 1} ${kind} factories`);
	return first;
}

/** Proposes the names of factories; undefined where there are none. */
function remedy(specifier: string, name: string | undefined, names: readonly string[]): string | undefined {
	if (names.length === 0) return undefined;
	const near = name === undefined ? undefined : nearest(name, names);
	if (near) return `Did you mean ${specifier}#${near}?`;
	const proposed = names.slice(0, maxNames).map((each) => `${specifier}#${each}`);
	return `Name one: ${proposed.join(', ')}.`;
}

/** Describes a factory or an instance; undefined for other values. */
function describeValue(value: unknown): string | undefined {
	const { $kind } = (value ?? {}) as { readonly $kind?: unknown };
	const [, kind, factory] = /^plinth\.(backend|model|plugin)(\.factory)?$/.exec(String($kind)) ?? [];
	return kind && (factory ? `${kind} factory` : `${kind} factory that has been called already`);
}

interface Export {
	readonly name: string;
	readonly what: string | undefined;
}

/** The names that a module exports, factories first. */
function listed(found: readonly Export[]): string {
	const factories = found.flatMap(({ name, what }) => (what ? [`${name} (${what})`] : []));
	const names = [...factories, ...found.flatMap(({ name, what }) => (what ? [] : [name]))];
	if (names.length === 0) return 'it exports nothing';
	const rest = names.length - maxNames;
	return `it exports ${names.slice(0, maxNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Exported names, with the factories that are members of an exported object, as in `openai.chat`. */
function exportsOf(module: object): readonly Export[] {
	return Object.entries(module).flatMap(([name, value]) => {
		const what = describeValue(value);
		if (what || typeof value !== 'object' || value === null) return [{ name, what }];
		const members = Object.entries(value).map(([key, member]) => ({
			name: `${name}.${key}`,
			what: describeValue(member),
		}));
		const factories = members.filter((member) => member.what);
		return factories.length > 0 ? factories : [{ name, what }];
	});
}
