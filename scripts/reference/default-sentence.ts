/** The meaning of an option without a sentence that repeats its default. `fallback` is the cell of the default. */
export function withoutDefault(meaning: string, fallback: string): string {
	return meaning
		.replace(sentence, (whole, told: string, end: string) =>
			isSame(told, fallback) ? (end.startsWith('.') ? '' : ' ') : whole,
		)
		.trim();
}

// `The default is 20.`, or `The default is 20; 0 sets no limit.`
const sentence = / ?The default is (`[^`]+`|[^.;`]+)(\.(?= |$)|; )/g;

/** Whether both name the same value. A text such as `1 GiB` says more than the cell, so it stays. */
function isSame(told: string, fallback: string): boolean {
	const cell = fallback.replace(/[`"]/g, '');
	const value = told.replace(/[`,]/g, '').replace(/ seconds$/, '');
	return value === cell || (value === 'none' && cell === '[]');
}
