const spellings: readonly (readonly [RegExp, string])[] = [
	[/colour/, 'color'],
	[/grey/, 'gray'],
	[/^centre/, 'center'],
	[/is(e|ed|es|ing|ation)$/, 'iz$1'],
	[/^halftoned?$/, 'halftone'],
];

/** Brings the forms of a word together: `flipping`, `flips` and `flip`, `greyscale` and `grayscaled`, `brighter` and `brighten`. */
export function stem(word: string): string {
	let text = word;
	for (const [from, to] of spellings) text = text.replace(from, to);
	for (const ending of ['ization', 'ness', 'ing', 'ed', 'er', 'en', 'ly', 's', 'y']) {
		if (!text.endsWith(ending) || text.length - ending.length < 3 || (ending === 's' && text.endsWith('ss'))) continue;
		text = text.slice(0, -ending.length) + (ending === 'ization' ? 'iz' : '');
		break;
	}
	return text.replace(/e$/, '').replace(/([bdglmnprstz])\1$/, '$1');
}
