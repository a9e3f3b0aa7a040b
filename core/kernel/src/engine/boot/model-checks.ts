import type { UnusedModel } from '../../contract/boot-tree.ts';
import { unknownNames } from '../config/issue-words.ts';
import type { ResolvedConfig } from '../config/resolve.ts';
import { type BootProblem, bootProblem } from './problem.ts';

/** An entry under `models`. */
interface Entry {
	readonly id: string;
	readonly aliases?: readonly string[] | undefined;
	readonly fallback?: readonly string[] | undefined;
	readonly inherited: boolean;
	/** Of a model; undefined where its definition has none, which is reported with the definition. */
	readonly kind?: string | undefined;
	/** The names of a pool's members. */
	readonly members?: readonly string[];
}

/** Checks the names under `models` against each other, and tells which entries nobody consumes. */
export function checkModels(
	config: ResolvedConfig,
	problems: BootProblem[],
): readonly UnusedModel[] {
	const checks = new ModelChecks(config);
	checks.run();
	problems.push(...checks.problems);
	return checks.unused;
}

class ModelChecks {
	readonly problems: BootProblem[] = [];
	readonly unused: UnusedModel[] = [];
	readonly #entries: readonly Entry[];
	readonly #named = new Map<string, Entry>();
	/** Names of entries that could not be read: that has been reported, and it is no mistake to name them. */
	readonly #unread: ReadonlySet<string>;
	readonly #isPresetLost: boolean;
	readonly #consumed: ReadonlySet<string>;

	constructor({ models, pools, plugins, problems }: ResolvedConfig) {
		this.#entries = [
			...Object.entries(models).map(([id, model]) => ({
				...model,
				id,
				kind: model.use.definition.kind?.name,
			})),
			...Object.entries(pools).map(([id, pool]) => ({
				...pool,
				id,
				members: Object.keys(pool.balance),
			})),
		];
		this.#unread = new Set(problems.map(({ owner }) => owner));
		this.#isPresetLost = problems.some(({ path }) => path === 'extends');
		const definitions = Object.values(plugins).map(({ definition }) => definition);
		this.#consumed = new Set(
			definitions.flatMap((each) => (each.models ?? []).map(({ name }) => name)),
		);
	}

	run(): void {
		this.#nameAll();
		for (const entry of this.#entries) {
			this.#checkMembers(entry);
			this.#checkFallback(entry);
			this.#checkUse(entry);
		}
	}

	/** Two models must not answer to one name. */
	#nameAll(): void {
		for (const entry of this.#entries) this.#named.set(entry.id, entry);
		for (const entry of this.#entries) {
			for (const alias of entry.aliases ?? []) {
				const other = this.#named.get(alias);
				if (!other) this.#named.set(alias, entry);
				else {
					const message = `claims the name ${alias}, which model ${other.id} has.`;
					this.#report('E_MODEL_DUPLICATE', entry, 'aliases', message);
				}
			}
		}
	}

	#checkMembers(entry: Entry): void {
		const kind = this.#kindOf(entry);
		const seen = new Set<Entry>();
		for (const name of entry.members ?? []) {
			const member = this.#lookUp(entry, `balance.${name}`, name);
			if (!member) continue;
			const what = (message: string, remedy?: string) =>
				this.#report('E_CONFIG_SHAPE', entry, `balance.${name}`, message, remedy);
			if (member === entry) what('names itself.');
			else if (member.members) {
				what(`names ${name}, which is a pool.`, 'Name its members: a pool holds models only.');
			} else if (seen.has(member)) what(`names the model ${member.id} twice.`);
			else this.#checkKind(entry, `balance.${name}`, name, member, kind);
			seen.add(member);
		}
	}

	#checkFallback(entry: Entry): void {
		const kind = this.#kindOf(entry);
		const seen = new Set<Entry>();
		for (const [index, name] of (entry.fallback ?? []).entries()) {
			const at = `fallback[${index}]`;
			const other = this.#lookUp(entry, at, name);
			if (!other) continue;
			if (other === entry) this.#report('E_CONFIG_SHAPE', entry, at, 'names itself.');
			else if (seen.has(other)) {
				this.#report('E_CONFIG_SHAPE', entry, at, `names the model ${other.id} twice.`);
			} else this.#checkKind(entry, at, name, other, kind);
			seen.add(other);
		}
	}

	/** What came with a preset may outlive its plugin; what the config itself names may not. */
	#checkUse(entry: Entry): void {
		const { id, inherited } = entry;
		const kind = this.#kindOf(entry);
		if (kind === undefined || this.#consumed.has(kind)) return;
		this.unused.push({ id, kind });
		if (inherited) return;
		const message = `is a ${kind} model, and no plugin consumes that kind.`;
		this.#report('E_MODEL_UNUSED', entry, undefined, message);
	}

	#checkKind(entry: Entry, at: string, name: string, other: Entry, kind: string | undefined): void {
		const found = this.#kindOf(other);
		if (found === undefined || kind === undefined || found === kind) return;
		const message = `names ${name}, a ${found} model, where ${kind} models belong.`;
		this.#report('E_MODEL_KIND', entry, at, message, 'Name models of one kind.');
	}

	#lookUp(entry: Entry, at: string, name: string): Entry | undefined {
		const found = this.#named.get(name);
		if (!found && !this.#isPresetLost && !this.#unread.has(`model ${name}`)) {
			const message = `names ${name}, and there is no such model.`;
			const remedy = unknownNames([name], [...this.#named.keys()]);
			this.#report('E_CONFIG_SHAPE', entry, at, message, remedy);
		}
		return found;
	}

	/** A pool is of its first model's kind. */
	#kindOf({ kind, members = [] }: Entry): string | undefined {
		const kinds = members.map((name) => this.#named.get(name)?.kind);
		return kind ?? kinds.find((each) => each !== undefined);
	}

	#report(
		code: BootProblem['code'],
		{ id }: Entry,
		at: string | undefined,
		message: string,
		remedy?: string,
	): void {
		const path = at === undefined ? `models.${id}` : `models.${id}.${at}`;
		this.problems.push(bootProblem(code, { owner: `model ${id}`, path }, message, remedy));
	}
}
