import type { Flow } from './flow.ts';

/** What reads a formula: where its text goes, and the element of two parts that is open. */
export interface FormulaReader {
	readonly flow: Flow;
	formula: { readonly sign: string; parts: number } | undefined;
}

/** Begins an element of a formula. What is returned ends it. */
type Part = (reader: FormulaReader) => () => void;

/** Elements of MathML by their names. A formula is one line: the two parts of a fraction or a power have a sign between them. */
export const formulaParts: readonly (readonly [string, Part])[] = [
	['mfrac', pair('/')],
	['msup', pair('^')],
	['msub', pair('_')],
	...'mi mn mo ms mtext mrow mstyle mfenced msqrt mroot munder mover munderover msubsup mtable mtr mtd mspace mpadded mphantom semantics'
		.split(' ')
		.map((name) => [name, part] as const),
];

function pair(sign: string): Part {
	return (reader) => {
		const end = part(reader);
		reader.formula = { sign, parts: 0 };
		return end;
	};
}

/** Whatever stands in an element of two parts is one of them. */
function part(reader: FormulaReader): () => void {
	const { formula: outer } = reader;
	if (outer) {
		outer.parts++;
		if (outer.parts === 2) reader.flow.text(outer.sign);
	}
	reader.formula = undefined;
	return () => {
		reader.formula = outer;
	};
}
