import { formulaParts } from '../flow/formula.ts';
import type { Opening } from './body.ts';

/** Formulas, by the element. */
export const formulas: readonly (readonly [string, Opening])[] = [
	['math:math', (body) => body.paragraph()],
	['math:annotation', (body) => body.hide()],
	['math:annotation-xml', (body) => body.hide()],
	...formulaParts.map(([name, part]) => [`math:${name}`, part] as const),
];
