/** The members of a V8 profile (`--cpu-prof`) that this module reads. */
export interface Profile {
	readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
	/** Ids of the top nodes of the samples, and the microseconds since the sample before. */
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
 * Prints the self time of each package, file and function as a share of the busy time, the largest first. Idle time
 * and the first `skipMs` milliseconds (start and compilation) do not count.
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

/** Plinth's files by folder, packages by name, Node by module, and V8's own work by its kind. */
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
