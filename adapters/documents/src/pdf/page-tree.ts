import { type PdfObjects, referenceOf } from './objects.ts';

/** The catalogue, if there is one. */
export function catalogueOf(objects: PdfObjects): number | undefined {
	const named = referenceOf(objects.trailer, 'Root');
	if (named !== undefined && objects.text(named) !== undefined) return named;
	return objects.numbers.find((number) => /\/Type\s*\/Catalog/.test(objects.text(number) ?? ''));
}

/**
 * Numbers of the pages below a catalogue, in their order. Each node counts once, so that loops end; nodes that are missing are left out.
 */
export function leavesOf(objects: PdfObjects, catalogue: number | undefined): number[] {
	const tree = referenceOf(objects.text(catalogue ?? -1) ?? '', 'Pages');
	const waiting = tree === undefined ? [] : [tree];
	const seen = new Set<number>();
	const leaves: number[] = [];
	// A list instead of recursion: trees of hostile files are deeper than the stack.
	for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
		if (seen.has(number)) continue;
		seen.add(number);
		const text = objects.text(number);
		if (text === undefined) continue;
		const kids = kidsOf(objects, text);
		if (!kids) leaves.push(number);
		else for (const kid of kids.reverse()) waiting.push(kid);
	}
	return leaves;
}

function kidsOf(objects: PdfObjects, node: string): number[] | undefined {
	const reference = referenceOf(node, 'Kids');
	const list = reference === undefined ? node : `/Kids ${objects.text(reference) ?? ''}`;
	const [, kids] = /\/Kids\s*\[([^\]]*)\]/.exec(list) ?? [];
	return kids === undefined ? undefined : referencesIn(kids);
}

/** The numbers of a list of references: `3 0 R 5 0 R` are 3 and 5. */
export function referencesIn(list: string): number[] {
	return [...list.matchAll(/(\d+)\s+\d+\s+R/g)].map(([, number]) => Number(number));
}
