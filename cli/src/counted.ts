/** A number with its noun, which gets an `s` unless the number is 1: `0 models`, `1 model`. */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
