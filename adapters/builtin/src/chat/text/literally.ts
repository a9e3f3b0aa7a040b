/** The source of a regular expression that matches a text and nothing else. */
export function literally(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
