import { importFrom, NotFound } from './names.ts';
import { nearest } from './nearest.ts';

/** What a config entry can be an instance of. */
export type InstanceKind = 'plinth.backend' | 'plinth.model' | 'plinth.plugin';

/** A factory called with its options. */
export type Instance = { readonly $kind: InstanceKind; readonly options: unknown };

type Factory = ((options?: unknown) => Instance) & { readonly $kind: string };

const makers: Readonly<Record<InstanceKind, string>> = {
	'plinth.backend': 'defineBackend',
	'plinth.model': 'defineModel',
	'plinth.plugin': 'definePlugin',
};

/** More names than this are counted only. */
const maxNames = 12;

/**
 * Finds the factory that `package`, `package#name` or `./file.js#group.name` means; without a name the module has to
 * export exactly one of the kind. Rejects with what the module exports instead, or with what made it fail while it
 * loaded.
 */
export async function findFactory(use: string, kind: InstanceKind, folder: string): Promise<Factory> {
	const [specifier = '', name] = use.split(/#(?=[^#]*$)/);
	const module = await importFrom(specifier, folder);
	const found = name === undefined ? onlyFactory(module, specifier, kind) : namedFactory(module, specifier, kind, name);
	if (typeof found !== 'string') return found;
	throw new NotFound(`${found}; ${describeExports(module)}`, remedy(module, specifier, kind, name));
}

/** The names that could have been meant; undefined where there is none. */
function remedy(module: object, specifier: string, kind: InstanceKind, name: string | undefined) {
	const wanted = `${kind.slice(7)} factory`;
	const names = exportsOf(module).flatMap((each) => (each.what === wanted ? [each.name] : []));
	if (names.length === 0) return undefined;
	const near = name === undefined ? undefined : nearest(name, names);
	if (near) return `Did you mean ${specifier}#${near}?`;
	return `Name one: ${names
		.slice(0, maxNames)
		.map((each) => `${specifier}#${each}`)
		.join(', ')}.`;
}

/** The only factory of a kind, or why there is none. */
function onlyFactory(module: object, specifier: string, kind: InstanceKind): Factory | string {
	const found = Object.values(module).filter((value) => isFactory(value, kind));
	const [first, ...others] = new Set<Factory>(found);
	if (!first) {
		return `${specifier} exports no ${kind.slice(7)} factory, which is what ${makers[kind]} returns`;
	}
	if (others.length === 0) return first;
	const count = others.length + 1;
	return `${specifier} exports ${count} ${kind.slice(7)} factories`;
}

/** The factory of a kind under a name, or why it is none. */
function namedFactory(module: object, specifier: string, kind: InstanceKind, name: string): Factory | string {
	const found = name.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], module);
	if (isFactory(found, kind)) return found;
	const wanted = `${kind.slice(7)} factory`;
	if (found === undefined) return `${specifier} exports no ${wanted} named ${name}`;
	const what = describeValue(found) ?? 'value of another kind';
	return `${specifier}#${name} is a ${what}, and a ${wanted} belongs here`;
}

function isFactory(value: unknown, kind: InstanceKind): value is Factory {
	return describeValue(value) === `${kind.slice(7)} factory`;
}

/** `model factory`, or what has become of one; undefined for what is neither. */
function describeValue(value: unknown): string | undefined {
	const { $kind } = (value ?? {}) as { readonly $kind?: unknown };
	const [, kind, factory] = /^plinth\.(backend|model|plugin)(\.factory)?$/.exec(String($kind)) ?? [];
	return kind && (factory ? `${kind} factory` : `${kind} factory that has been called already`);
}

/** The names that a module exports, and which of them are factories: those first. */
function describeExports(module: object): string {
	const found = exportsOf(module);
	const names = [
		...found.flatMap(({ name, what }) => (what ? [`${name} (${what})`] : [])),
		...found.flatMap(({ name, what }) => (what ? [] : [name])),
	];
	if (names.length === 0) return 'it exports nothing';
	const rest = names.length - maxNames;
	return `it exports ${names.slice(0, maxNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

interface Export {
	readonly name: string;
	readonly what: string | undefined;
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
