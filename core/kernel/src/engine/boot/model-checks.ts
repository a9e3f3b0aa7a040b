import type { BootTree } from '../../contract/boot-tree.ts';
import { withArticle } from '../../contract/errors/words.ts';
import { unknownNames } from '../config/describe-issue.ts';
import type { ResolvedConfig, ResolvedPlugin } from '../config/resolve.ts';
import { type BootProblem, bootProblem } from './problem.ts';

/** An entry under `models`, or a plugin with a default model. */
interface Entry {
	readonly id: string;
	/** `model` unless set. */
	readonly section?: 'model' | 'plugin';
	readonly aliases?: readonly string[] | undefined;
	readonly fallback?: readonly string[] | undefined;
	readonly inherited: boolean;
	/** Of a model; undefined where its definition has none, which is reported with the definition. */
	readonly kind?: string | undefined;
	/** The names of a pool's members. */
	readonly members?: readonly string[];
}

/** Checks the names under `models` against each other, and returns the entries that no plugin consumes. */
export function checkModels(config: ResolvedConfig, problems: BootProblem[]): BootTree['unusedModels'] {
	return new ModelChecks(config, problems).run(config);
}

class ModelChecks {
	readonly #problems: BootProblem[];
	readonly #entries: readonly Entry[];
	/** By id and by alias. */
	readonly #named = new Map<string, Entry>();
	/** Owners of entries that could not be read. That has been reported, so a reference to them is no mistake. */
	readonly #unread: ReadonlySet<string>;
	readonly #isPresetLost: boolean;
	readonly #consumed: ReadonlySet<string>;

	constructor({ models, pools, plugins }: ResolvedConfig, problems: BootProblem[]) {
		this.#problems = problems;
		this.#entries = [
			...Object.entries(models).map(([id, model]) => ({ ...model, id, kind: model.use.definition.kind?.name })),
			...Object.entries(pools).map(([id, pool]) => ({ ...pool, id, members: Object.keys(pool.balance) })),
		];
		this.#unread = new Set(problems.map(({ owner }) => owner));
		this.#isPresetLost = problems.some(({ path }) => path === 'extends');
		const kinds = Object.values(plugins).flatMap(({ definition }) => definition.models ?? []);
		this.#consumed = new Set(kinds.map(({ name }) => name));
	}

	run({ plugins }: ResolvedConfig): BootTree['unusedModels'] {
		for (const entry of this.#entries) this.#named.set(entry.id, entry);
		for (const entry of this.#entries) this.#nameAliases(entry);
		for (const [id, plugin] of Object.entries(plugins)) this.#checkDefault(id, plugin);
		return this.#entries.flatMap((entry) => {
			const { members = [], fallback = [] } = entry;
			this.#checkReferences(entry, new Map(members.map((name) => [`balance.${name}`, name])));
			this.#checkReferences(entry, new Map(fallback.map((name, index) => [`fallback[${index}]`, name])));
			return this.#checkUse(entry);
		});
	}

	/** Two models must not have one name. */
	#nameAliases(entry: Entry): void {
		for (const alias of entry.aliases ?? []) {
			const other = this.#named.get(alias);
			if (!other) this.#named.set(alias, entry);
			else
				this.#report('E_MODEL_DUPLICATE', entry, '.aliases', `claims the name ${alias}, which model ${other.id} has.`);
		}
	}

	/** The members of a pool, or a fallback chain, by place: other models of the same kind, each once. */
	#checkReferences(entry: Entry, references: ReadonlyMap<string, string>): void {
		const kind = this.#kindOf(entry);
		const seen = new Set<Entry>();
		for (const [at, name] of references) {
			const other = this.#lookUp(entry, at, name);
			if (!other) continue;
			const report = (message: string, remedy?: string) =>
				this.#report('E_CONFIG_SHAPE', entry, `.${at}`, message, remedy);
			const found = this.#kindOf(other);
			if (other === entry) report('names itself.');
			else if (other.members && at.startsWith('balance')) {
				report(`names ${name}, which is a pool.`, 'Name its members: a pool holds models only.');
			} else if (seen.has(other)) report(`names the model ${other.id} twice.`);
			else if (found !== undefined && kind !== undefined && found !== kind) {
				const message = `names ${name}, ${withArticle(found)} model, where ${kind} models belong.`;
				this.#report('E_MODEL_KIND', entry, `.${at}`, message, 'Name models of one kind.');
			}
			seen.add(other);
		}
	}

	/** The default model of a plugin is of a kind that the plugin consumes. */
	#checkDefault(id: string, { definition, defaultModel: name }: ResolvedPlugin): void {
		if (name === undefined) return;
		const entry: Entry = { id, section: 'plugin', inherited: false };
		const found = this.#lookUp(entry, 'defaultModel', name);
		const kind = found && this.#kindOf(found);
		if (kind === undefined || definition.models?.some((each) => each.name === kind)) return;
		const message = `names ${name}, ${withArticle(kind)} model, and this plugin does not use that kind.`;
		this.#report('E_MODEL_KIND', entry, '.defaultModel', message, 'Name a model of the kind that the plugin uses.');
	}

	/** A model of a preset may be without a plugin that consumes it; a model of the config itself may not. */
	#checkUse(entry: Entry): BootTree['unusedModels'] {
		const kind = this.#kindOf(entry);
		if (kind === undefined || this.#consumed.has(kind)) return [];
		if (!entry.inherited) {
			this.#report('E_MODEL_UNUSED', entry, '', `is ${withArticle(kind)} model, and no plugin consumes that kind.`);
		}
		return [{ id: entry.id, kind }];
	}

	#lookUp(entry: Entry, at: string, name: string): Entry | undefined {
		const found = this.#named.get(name);
		if (!found && !this.#isPresetLost && !this.#unread.has(`model ${name}`)) {
			const remedy = unknownNames([name], [...this.#named.keys()]);
			this.#report('E_CONFIG_SHAPE', entry, `.${at}`, `names ${name}, and there is no such model.`, remedy);
		}
		return found;
	}

	/** A pool has the kind of its first model. */
	#kindOf({ kind, members = [] }: Entry): string | undefined {
		return kind ?? members.map((name) => this.#named.get(name)?.kind).find((each) => each !== undefined);
	}

	#report(code: BootProblem['code'], entry: Entry, at: string, message: string, remedy?: string): void {
		const { section = 'model', id } = entry;
		const place = { owner: `${section} ${id}`, path: `${section}s.${id}${at}` };
		this.#problems.push(bootProblem(code, place, message, remedy));
	}
}
