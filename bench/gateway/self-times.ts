/** What V8 writes under `--cpu-prof`, as far as it is read here. */
export interface Profile {
	readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
	/** Ids of the nodes that were on top when looked at, and the microseconds since the look before. */
	readonly samples: readonly number[];
	readonly timeDeltas: readonly number[];
}

interface Frame {
	readonly functionName: string;
	readonly url: string;
	/** From 0. */
	readonly lineNumber: number;
}

/**
 * Prints the share of the busy time that each package, file and function spent in itself, the largest first. Time in which nothing ran is left out, and so are the
 * first `skipMs` milliseconds: start and compilation.
 */
export function printSelfTimes({ nodes, samples, timeDeltas }: Profile, skipMs: number): void {
	const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
	const tallies = { package: new Tally(), file: new Tally(), function: new Tally() };
	let at = 0;
	samples.forEach((id, index) => {
		const frame = frames.get(id);
		const us = timeDeltas[index] ?? 0;
		at += us;
		if (at < skipMs * 1_000 || !frame || frame.functionName === '(idle)') return;
		const file = shortName(frame.url);
		tallies.package.add(packageOf(frame), us);
		tallies.file.add(file || packageOf(frame), us);
		tallies.function.add(`${frame.functionName || '(anonymous)'} ${file}:${frame.lineNumber + 1}`, us);
	});
	for (const [by, tally] of Object.entries(tallies)) console.log(`\nby ${by}\n${tally.shares(20)}`);
}

class Tally {
	readonly #us = new Map<string, number>();

	add(name: string, us: number): void {
		this.#us.set(name, (this.#us.get(name) ?? 0) + us);
	}

	shares(most: number): string {
		const all = this.#us.values().reduce((sum, us) => sum + us, 0);
		return [...this.#us]
			.toSorted(([, a], [, b]) => b - a)
			.slice(0, most)
			.map(([name, us]) => `${((100 * us) / all).toFixed(1).padStart(6)} %  ${name}`)
			.join('\n');
	}
}

/** Ours by their folder, others by their name, Node by its module, and what is V8's own by what it does. */
function packageOf({ url, functionName }: Frame): string {
	const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
	if (installed) return installed;
	if (url.startsWith('node:')) return url.replace('internal/', '').split('/')[0] ?? url;
	if (url !== '') return shortName(url).split('/src/')[0] ?? url;
	return functionName.startsWith('(') ? functionName : `native ${functionName}`;
}

const root = new URL('../..', import.meta.url).href;

function shortName(url: string): string {
	return url.replace(root, '').replace(/^.*\/node_modules\//, '');
}
