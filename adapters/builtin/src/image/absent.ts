import { meaningOf } from '../scene/lexicon.ts';
import type { Absent, ScenePlan } from '../scene/plan.ts';

/** A prompt's words, parted into what is to be drawn and what is not. */
export interface Wanted {
	readonly words: readonly string[];
	/** What is to be left out, as it was called: `sun` of `no sun`. */
	readonly absent: readonly string[];
}

const denials = new Set(['no', 'without', 'not', 'zero', 'minus']);
const articles = new Set(['a', 'an', 'any', 'the', 'single', 'visible', 'other']);

/** Takes `no sun`, `without clouds or birds` and `nothing but` out of the words. */
export function partWanted(all: readonly string[]): Wanted {
	const words: string[] = [];
	const absent: string[] = [];
	for (let at = 0; at < all.length; at++) {
		const word = all[at] as string;
		if (word === 'nothing' && /^(?:but|except|else)$/.test(all[at + 1] ?? '')) {
			at++;
			continue;
		}
		const named = denials.has(word) ? namesBehind(all, at) : undefined;
		if (!named) {
			words.push(word);
			continue;
		}
		absent.push(...named.names);
		at = named.last;
	}
	return { words, absent };
}

/** The names behind a denial: `clouds or birds`, `dark clouds`. */
function namesBehind(
	all: readonly string[],
	from: number,
): { readonly names: readonly string[]; readonly last: number } | undefined {
	const names: string[] = [];
	let last = from;
	for (let at = from + 1; ; ) {
		while (articles.has(all[at] ?? '')) at++;
		// `no dark clouds`: what is meant is the noun.
		const next = all[at + 1];
		if (next !== undefined && isAdjective(all[at] ?? '') && isThing(next)) at++;
		const name = all[at];
		if (name === undefined || !(isThing(name) || names.length === 0)) break;
		// `not in the city` leaves nothing out.
		if (all[from] === 'not' && (at === from + 1 || !isThing(name))) return undefined;
		names.push(name);
		last = at;
		if (!/^(?:or|nor)$/.test(all[at + 1] ?? '')) break;
		at += 2;
	}
	return names.length > 0 ? { names, last } : undefined;
}

function isThing(word: string): boolean {
	const { setting, weather, element, subject, home } = meaningOf(word) ?? {};
	return [setting, weather, element, subject, home].some((one) => one !== undefined);
}

function isAdjective(word: string): boolean {
	const { color, ...rest } = meaningOf(word) ?? {};
	return color !== undefined || (!isThing(word) && rest.time !== undefined);
}

/** The scene without what is to be left out, and the names of what cannot be. */
export function leaveOut(
	plan: ScenePlan,
	absent: readonly string[],
): { readonly scene: ScenePlan; readonly kept: readonly string[] } {
	const gone = new Set<Absent>();
	const kept: string[] = [];
	for (const word of absent) {
		const { element, weather, subject, setting } = meaningOf(word) ?? {};
		if (element) gone.add(element);
		if (weather) gone.add(weather);
		const isPlace = setting !== undefined && !element && !weather && !subject;
		const isSky = isPlace && setting === 'sky' && plan.setting !== 'abstract';
		if (isSky || (isPlace && setting === plan.setting)) kept.push(word);
	}
	if (gone.size === 0) return { scene: plan, kept };
	const { subject, ...open } = plan;
	const isUnwanted = absent.some((word) => subject && meaningOf(word)?.subject === subject);
	const scene: ScenePlan = {
		...(isUnwanted ? open : plan),
		weather: gone.has(plan.weather) ? 'clear' : plan.weather,
		elements: plan.elements.filter((element) => !gone.has(element)),
		without: [...gone],
	};
	return { scene, kept: [...new Set(kept)] };
}

/** `a tree` alone stands by itself, and is green; `trees`, and a tree beside something else, are a wood. */
export function aloneTree(words: readonly string[]): readonly string[] {
	const at = words.indexOf('tree');
	const isOne = /^(?:a|an|one|single|lone|lonely|old|big|tall|little|small)$/.test(words[at - 1] ?? '');
	if (!isOne || words.some((word) => meaningOf(word)?.subject)) return words;
	const isColored = words.some((word) => meaningOf(word)?.color);
	return words.toSpliced(at, 1, ...(isColored ? [] : ['green']), 'treealone');
}
