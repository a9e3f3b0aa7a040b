import type { BootTree } from '../../contract/app.ts';
import { withArticle } from '../../contract/words.ts';
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
	/** Of a model; undefined if its definition has none, which is reported with the definition. */
	readonly kind?: string | undefined;
	readonly members?: readonly string[];
}

export function checkGroups({ groups, models, pools }: ResolvedConfig, problems: BootProblem[]): void {
	const report = (owner: string, path: string, message: string, remedy: string) =>
		problems.push(bootProblem('E_CONFIG_SHAPE', { owner, path }, message, remedy));
	const groupOf = new Map<string, string>();
	for (const [id, { models: names, exclusive = false, memory }] of Object.entries(groups)) {
		const owner = `group ${id}`;
		if (exclusive === (memory !== undefined)) {
			report(owner, `groups.${id}`, 'needs either exclusive: true or memory.', 'Set one of the two.');
		}
		for (const [index, name] of names.entries()) {
			const path = `groups.${id}.models[${index}]`;
			const model = Object.hasOwn(models, name) && models[name];
			if (!model && Object.hasOwn(pools, name)) {
				report(owner, path, `names ${name}, which is a pool.`, 'Name its members.');
			} else if (!model) {
				const remedy = unknownNames([name], Object.keys(models));
				report(owner, path, `names ${name}, and there is no model with that id.`, remedy);
			} else if (groupOf.has(name)) {
				report(owner, path, `names ${name}, which is in ${groupOf.get(name)} already.`, 'Remove one of the two.');
			} else if (memory !== undefined && (model.memory ?? Number.POSITIVE_INFINITY) > memory) {
				const lack = model.memory === undefined ? 'has no memory setting' : 'needs more memory than the group has';
				report(owner, path, `names ${name}, which ${lack}.`, `Set models.${name}.memory to what it needs.`);
			}
			groupOf.set(name, owner);
		}
	}
	for (const [name, { memory }] of Object.entries(models)) {
		const isUsed = Object.values(groups).some((group) => group.memory !== undefined && group.models.includes(name));
		if (memory === undefined || isUsed) continue;
		const remedy = 'Name the model in a group that has memory, or remove it.';
		report(`model ${name}`, `models.${name}.memory`, 'has no effect without such a group.', remedy);
	}
}

/** Checks the names under `models`. */
export class ModelChecks {
	readonly #config: ResolvedConfig;
	readonly #problems: BootProblem[];
	readonly #entries: readonly Entry[];
	readonly #named = new Map<string, Entry>();

	constructor(config: ResolvedConfig, problems: BootProblem[]) {
		const { models, pools } = config;
		this.#config = config;
		this.#problems = problems;
		this.#entries = [
			...Object.entries(models).map(([id, model]) => ({ ...model, id, kind: model.use.definition.kind?.name })),
			...Object.entries(pools).map(([id, pool]) => ({ ...pool, id, members: Object.keys(pool.balance) })),
		];
	}

	/** Returns the entries whose kind no plugin consumes. */
	run(): BootTree['unusedModels'] {
		for (const entry of this.#entries) this.#named.set(entry.id, entry);
		for (const entry of this.#entries) this.#nameAliases(entry);
		for (const [id, plugin] of Object.entries(this.#config.plugins)) this.#checkDefault(id, plugin);
		return this.#entries.flatMap((entry) => {
			const { members = [], fallback = [] } = entry;
			this.#checkReferences(entry, new Map(members.map((name) => [`balance.${name}`, name])));
			this.#checkReferences(entry, new Map(fallback.map((name, index) => [`fallback[${index}]`, name])));
			return this.#checkUse(entry);
		});
	}

	#nameAliases(entry: Entry): void {
		for (const alias of entry.aliases ?? []) {
			const other = this.#named.get(alias);
			const isRepeat = other === entry && alias !== entry.id;
			const claim = `claims the name ${alias}, which model ${other?.id} has.`;
			if (!other) this.#named.set(alias, entry);
			else this.#report('E_MODEL_DUPLICATE', entry, '.aliases', isRepeat ? `lists the alias ${alias} twice.` : claim);
		}
	}

	/** Checks the members of a pool, or a fallback chain, by path: other models of the same kind, each once. */
	#checkReferences(entry: Entry, references: ReadonlyMap<string, string>): void {
		const kind = this.#kindOf(entry);
		const seen = new Set<Entry>();
		for (const [at, name] of references) {
			const other = this.#lookUp(entry, at, name);
			if (!other) continue;
			const report = (message: string, remedy?: string) =>
				this.#report('E_CONFIG_SHAPE', entry, `.${at}`, message, remedy);
			const otherKind = this.#kindOf(other);
			if (other === entry) report('names itself.');
			else if (other.members && at.startsWith('balance')) {
				report(`names ${name}, which is a pool.`, 'Name its members: a pool holds models only.');
			} else if (seen.has(other)) report(`names the model ${other.id} twice.`);
			else if (otherKind !== undefined && kind !== undefined && otherKind !== kind) {
				const message = `names ${name}, ${withArticle(otherKind)} model, where ${kind} models belong.`;
				this.#report('E_MODEL_KIND', entry, `.${at}`, message, 'Name models of one kind.');
			}
			seen.add(other);
		}
	}

	#checkDefault(id: string, { definition, defaultModel: name }: ResolvedPlugin): void {
		if (name === undefined) return;
		const entry: Entry = { id, section: 'plugin' };
		const model = this.#lookUp(entry, 'defaultModel', name);
		const kind = model && this.#kindOf(model);
		if (kind === undefined || uses(definition, kind)) return;
		const message = `names ${name}, ${withArticle(kind)} model, and this plugin does not use that kind.`;
		this.#report('E_MODEL_KIND', entry, '.defaultModel', message, 'Name a model of the kind that the plugin uses.');
	}

	/** A preset may have a model that no plugin consumes; the config itself may not. */
	#checkUse(entry: Entry): BootTree['unusedModels'] {
		const kind = this.#kindOf(entry);
		const { plugins, own } = this.#config;
		if (kind === undefined || Object.values(plugins).some(({ definition }) => uses(definition, kind))) return [];
		if (own.has(`models.${entry.id}`)) {
			this.#report('E_MODEL_UNUSED', entry, '', `is ${withArticle(kind)} model, and no plugin consumes that kind.`);
		}
		return [{ id: entry.id, kind }];
	}

	#lookUp(entry: Entry, at: string, name: string): Entry | undefined {
		const other = this.#named.get(name);
		// A preset or an entry that could not be read may define the name. That problem has been reported.
		const mayBeUnread = this.#problems.some(({ owner, path }) => path === 'extends' || owner === `model ${name}`);
		if (!other && !mayBeUnread) {
			const remedy = unknownNames([name], [...this.#named.keys()]);
			this.#report('E_CONFIG_SHAPE', entry, `.${at}`, `names ${name}, and there is no such model.`, remedy);
		}
		return other;
	}

	/** The kind of a pool is that of its first model. */
	#kindOf({ kind, members = [] }: Entry): string | undefined {
		return kind ?? members.map((name) => this.#named.get(name)?.kind).find((each) => each !== undefined);
	}

	#report(code: BootProblem['code'], entry: Entry, at: string, message: string, remedy?: string): void {
		const { section = 'model', id } = entry;
		const place = { owner: `${section} ${id}`, path: `${section}s.${id}${at}` };
		this.#problems.push(bootProblem(code, place, message, remedy));
	}
}

function uses({ models = [] }: ResolvedPlugin['definition'], kind: string): boolean {
	return models.some(({ name }) => name === kind);
}
