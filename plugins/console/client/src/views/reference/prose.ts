/** A piece of a line: plain text, or code between backticks. */
export interface Piece {
	readonly text: string;
	readonly isCode: boolean;
}

/** A paragraph, or a list. */
export interface Block {
	readonly isList: boolean;
	readonly items: readonly (readonly Piece[])[];
}

/** The paragraphs, lists and code of a description. Links are not supported, so a server's text cannot create any. */
export function blocksOf(text: string): readonly Block[] {
	return text
		.split(/\n{2,}/)
		.filter((part) => part.trim() !== '')
		.map((part) => {
			const isList = part.startsWith('- ');
			const lines = isList ? part.split(/\n(?=- )/).map((line) => line.slice(2)) : [part];
			return { isList, items: lines.map(piecesOf) };
		});
}

function piecesOf(line: string): readonly Piece[] {
	return line
		.split('`')
		.map((text, index, all) => ({ text, isCode: index % 2 === 1 && index < all.length - 1 }))
		.filter(({ text }) => text !== '');
}
