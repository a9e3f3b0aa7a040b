/** How much of a prompt is read for its words; what stands behind it still counts through the hash. */
const READ_CHARS = 32_000;

/** Makes one clean line: no control, format, private or unassigned characters, no lone surrogates, single spaces. */
export function cleanLine(text: string): string {
	return text
		.slice(0, READ_CHARS)
		.toWellFormed()
		.replaceAll('\ufffd', ' ')
		.normalize('NFC')
		.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\s]+/gu, ' ')
		.trim();
}

/** The lower-case words of a prompt, in order. */
export function wordsOf(text: string): readonly string[] {
	return (
		cleanLine(text)
			.toLowerCase()
			.match(/[\p{L}\p{N}]+/gu) ?? []
	);
}

/** The first passage in double quotes: what a prompt wants to be written on a picture. */
export function quotedPart(text: string): string | undefined {
	const found = /["“„«]([^"“”„«»]{1,300})["”“»]/u.exec(cleanLine(text));
	return found?.[1]?.trim() || undefined;
}
