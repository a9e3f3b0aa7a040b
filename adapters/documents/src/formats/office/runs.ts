import type { OfficeContentNode as Node } from 'officeparser';

/** A piece of a line, and its Markdown marks. */
export interface Run {
	text: string;
	readonly start?: string;
	readonly end?: string;
}

/** Joins runs to a line. Adjacent runs with equal marks become one run. */
export function lineOf(runs: readonly Run[]): string {
	const joined: Run[] = [];
	for (const run of runs) {
		const last = joined.at(-1);
		if (last && last.end === run.end) last.text += run.text;
		else if (run.text !== '') joined.push({ ...run });
	}
	return joined
		.map(({ text, start, end }) => (end ? text.replace(/\S(?:[\s\S]*\S)?/, (core) => start + core + end) : text))
		.join('');
}

export function runOf(node: Node & { readonly type: 'text' }, isMarkdown: boolean): Run {
	const { bold, italic, strikethrough, superscript, font } = node.formatting ?? {};
	const { link, linkType } = node.metadata ?? {};
	const isNote = superscript && linkType === 'internal' && /^\w+$/.test(node.text ?? '');
	const text = (isNote ? `[${node.text}]` : (node.text ?? '')).replaceAll('\u00ad', '').replaceAll('\u00a0', ' ');
	if (!isMarkdown) return { text };
	const isCode = font === 'monospace';
	const marks = [strikethrough && '~~', bold && '**', italic && '*', isCode && '`'].filter(Boolean);
	const isLink = link !== undefined && linkType !== 'internal' && !/[\s<>]/.test(link);
	const target = isLink ? `](${link.replace(/[()]/g, '\\$&')})` : '';
	const start = (isLink ? '[' : '') + marks.join('');
	return { text: escaped(text, !isCode), start, end: marks.reverse().join('') + target };
}

/** Text with escaped Markdown marks. An underscore within a word is not a mark. */
export function escaped(text: string, isMarkdown: boolean): string {
	return isMarkdown ? text.replace(/[\\`*[\]<~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&') : text;
}

/** LaTeX with the braces that the library leaves out. */
export function formula(latex: string): string {
	const first = latex.replace(/\\(frac|sqrt)([0-9A-Za-z])/g, '\\$1{$2}');
	return first.replace(/(\\frac\{.\})([0-9A-Za-z])/g, '$1{$2}').trim();
}

const meaningless = /^\S+\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|[ew]mf)$|^(?:https?|data):\S*$|^[^\p{L}\p{N}]*$/iu;
const kinds = /^(?:an? )?(?:grafik|bild|image|img|picture|photo|graphic|icon|logo|object|shape)[\s_-]*\d*$/i;
const generatedSuffix = /\s*(?:Description automatically generated.*|AI-generated content may be incorrect\.?)$/is;

/** The description of a picture in brackets, unless a program generated it. */
export function pictureText(description = ''): string {
	const text = description.slice(0, 2_000).replace(/\s+/g, ' ').trim().replace(generatedSuffix, '');
	return meaningless.test(text) || kinds.test(text) ? '' : `[${text}]`;
}
