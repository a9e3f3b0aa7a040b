import type { Attributes } from '../../markup/xml.ts';

/** An element of a formula with what is within it so far. */
interface Node {
	readonly name: string;
	readonly parts: { readonly name: string; readonly text: string }[];
	/** Signs that its properties name: `chr`, `begChr`. */
	readonly signs: Map<string, string>;
	text: string;
}

type Rule = (node: Node) => string;

const signs: ReadonlySet<string> = new Set(['m:chr', 'm:begChr', 'm:sepChr', 'm:endChr']);

const isLetter = /[\p{L}\p{N}]/u;

/** How an element is written on one line. Those that are not here are the texts within them, one after the other. */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
	['m:f', (node) => `${grouped(part(node, 'num'))}/${grouped(part(node, 'den'))}`],
	['m:sSup', (node) => part(node, 'e') + raised(node)],
	['m:sSub', (node) => part(node, 'e') + lowered(node)],
	['m:sSubSup', (node) => part(node, 'e') + lowered(node) + raised(node)],
	['m:nary', (node) => `${sign(node, 'chr', '∫')}${lowered(node)}${raised(node)} ${part(node, 'e')}`],
	['m:rad', (node) => `${part(node, 'deg')}√${grouped(part(node, 'e'))}`],
	['m:func', (node) => `${part(node, 'fName')} ${part(node, 'e')}`],
	['m:limLow', (node) => `${part(node, 'e')}_${grouped(part(node, 'lim'))}`],
	['m:limUpp', (node) => `${part(node, 'e')}^${grouped(part(node, 'lim'))}`],
	['m:acc', (node) => part(node, 'e') + sign(node, 'chr', '\u0302')],
	['m:mr', (node) => all(node, 'm:e', ', ')],
	['m:m', (node) => all(node, 'm:mr', '; ')],
	['m:eqArr', (node) => all(node, 'm:e', '; ')],
	[
		'm:d',
		(node) => sign(node, 'begChr', '(') + all(node, 'm:e', sign(node, 'sepChr', '|')) + sign(node, 'endChr', ')'),
	],
]);

/** Writes the formulas of Office (`m:oMath`) on one line: `x=(-b±√(b^2-4ac))/(2a)`. */
export class Formula {
	readonly #nodes: Node[] = [];

	/** Within a formula. */
	get isOpen(): boolean {
		return this.#nodes.length > 0;
	}

	open(name: string, attributes: Attributes): void {
		const inside = this.#nodes.at(-1);
		if (inside && signs.has(name)) inside.signs.set(name.slice(2), attributes['m:val'] ?? '');
		else if (name === 'm:oMath' || (inside && name.startsWith('m:') && !name.endsWith('Pr')))
			this.#nodes.push({ name, parts: [], signs: new Map(), text: '' });
	}

	text(text: string): void {
		const inside = this.#nodes.at(-1);
		if (inside) inside.text += text;
	}

	/** The whole formula at its end; nothing before. */
	close(name: string): string {
		const node = this.#nodes.at(-1);
		if (node?.name !== name) return '';
		this.#nodes.pop();
		const text = rules.get(name)?.(node) ?? node.text;
		const around = this.#nodes.at(-1);
		if (!around) return text;
		around.text += isApart(around, text) ? ` ${text}` : text;
		around.parts.push({ name, text });
		return '';
	}
}

/** What follows `a/b` or `x^2` would seem to belong to it. */
function isApart({ parts }: Node, text: string): boolean {
	const before = parts.at(-1);
	if (!before || before.name === 'm:r') return false;
	return isLetter.test(before.text.at(-1) ?? '') && isLetter.test(text.at(0) ?? '');
}

function part({ parts }: Node, name: string): string {
	return parts.find((one) => one.name === `m:${name}`)?.text ?? '';
}

function all({ parts }: Node, name: string, separator: string): string {
	return parts
		.filter((one) => one.name === name)
		.map(({ text }) => text)
		.join(separator);
}

function sign(node: Node, name: string, usual: string): string {
	return node.signs.get(name) ?? usual;
}

function raised(node: Node): string {
	const text = part(node, 'sup');
	return text && `^${grouped(text)}`;
}

function lowered(node: Node): string {
	const text = part(node, 'sub');
	return text && `_${grouped(text)}`;
}

/** A part of more than one number or word stands in parentheses. */
function grouped(text: string): string {
	return /^(?:[\p{L}\p{M}\p{N}.,′]*|\([^()]*\))$/u.test(text.trim()) ? text.trim() : `(${text.trim()})`;
}
