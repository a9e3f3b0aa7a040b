import type { OfficeContentNode as Node } from 'officeparser';
import type { MarkOf } from './marks.ts';
import { escaped, formula, lineOf, pictureText, type Run, runOf } from './runs.ts';
import { type ChartData, cellsOf, chartRows, isLayout, tableText } from './tables.ts';

export interface WriteOptions {
	readonly isMarkdown: boolean;
	readonly charts?: ReadonlyMap<string, ChartData | undefined>;
	readonly markOf?: MarkOf;
}

/** Writes a tree as one string for each page. Notes and comments are at the end of their page. */
export function writeNodes(nodes: readonly Node[], options: WriteOptions): string[] {
	const pages = [''];
	// A rendered break (`\v`) next to an explicit one (`\f`) counts once. A break at the start of a document does not.
	for (const part of new Writer(options).blocks(nodes).split(/(?=[\f\v])/)) {
		const hasText = pages.at(-1)?.trim() !== '';
		if (hasText || (part.startsWith('\f') && pages.length > 1)) pages.push(part);
		else pages.push((pages.pop() ?? '') + part);
	}
	return pages.map((page) => {
		const notes = Array.from(page.matchAll(aside), ([, note]) => note);
		const text = page.replace(aside, '');
		return [text.replace(/^\s*[\n\f\v]/, '').trimEnd(), ...notes].filter(Boolean).join('\n\n');
	});
}

const aside = /\uE00C([^\uE00C\uE00D]*)\uE00D/g;
const contentOf = ({ children, text = '' }: Node): readonly Node[] => children ?? [{ type: 'text', text }];
const isBlank = (text: string) => !/[\S\f\v]/.test(text);

/** The level of a heading that is a numbered list item; 0 for other nodes. */
const headingLevel = ({ type, metadata }: Node) =>
	Number(/^Heading(\d)/.exec((type === 'list' && metadata?.style) || '')?.[1] ?? 0);

/** Writes texts with breaks of pages, `\f` and `\v`, and with notes between U+E00C and U+E00D. */
class Writer {
	readonly #options: WriteOptions;
	readonly #numbers = new Map<Node, number>();
	#isInCell = false;

	constructor(options: WriteOptions) {
		this.#options = options;
	}

	blocks(nodes: readonly Node[]): string {
		let text = '';
		let previous = '';
		let line: Node[] = [];
		const add = (block: string, type: string) => {
			if (isBlank(block)) return;
			const isTight = type === 'definitionDescription' || (type === 'list' && previous === 'list');
			text += (text && (isTight ? '\n' : '\n\n')) + block;
			previous = type;
		};
		for (const node of [...nodes, undefined]) {
			if (node && this.#isInline(node)) {
				line.push(node);
				continue;
			}
			add(this.#line(line), 'paragraph');
			line = [];
			if (node) add(this.#block(node) + this.#annotations(node), headingLevel(node) ? 'heading' : node.type);
		}
		return text;
	}

	/** A picture with chart data is a chart of OpenDocument. */
	#isInline(node: Node): boolean {
		if (node.type === 'image') return !this.#options.charts?.get(node.metadata?.attachmentName ?? '');
		return /^(?:text|break|comment)$/.test(node.type) || (node.type === 'code' && node.metadata?.math === 'inline');
	}

	#block(node: Node): string {
		const { children = [] } = node;
		if (node.type === 'heading') return this.#heading(children, node.metadata?.level ?? 1);
		if (node.type === 'list') return this.#item(node);
		if (node.type === 'table') return this.#table(children);
		if (node.type === 'chart' || node.type === 'image') return this.#chart(node.metadata?.attachmentName ?? '');
		if (node.type === 'code') return this.#code(node.text ?? '', node.metadata?.math !== undefined);
		if (node.type === 'definitionDescription') return `  ${this.blocks(children).replaceAll('\n', '\n  ')}`;
		return node.type === 'paragraph' ? this.#paragraph(children) : this.blocks(children);
	}

	/** Anchored elements follow their paragraph. */
	#paragraph(children: readonly Node[]): string {
		const line = this.#line(children.filter((child) => this.#isInline(child)));
		const blocks = this.blocks(children.filter((child) => !this.#isInline(child)));
		return [line, blocks].filter((text) => !isBlank(text)).join('\n\n');
	}

	#heading(children: readonly Node[], level: number): string {
		const text = this.#paragraph(children);
		if (!this.#options.isMarkdown || this.#isInCell) return text;
		const mark = `${'#'.repeat(Math.min(level, 6))} `;
		return text.replace(/^(\s*)(?:\*\*([^*\n]+)\*\*$)?(?=.)/m, (_, start, bold = '') => start + mark + bold);
	}

	#item(node: Node & { readonly type: 'list' }): string {
		const { listType, indentation = 0, itemIndex = 0, listId = '' } = node.metadata ?? {};
		const written = this.blocks(contentOf(node)).trimEnd();
		const content = written.trimStart();
		const start = written.slice(0, written.length - content.length);
		const mark = this.#options.markOf?.(listId, indentation);
		const { number = itemIndex + 1, text = listType === 'ordered' ? `${number}.` : '-' } = mark ?? {};
		if (content === '') return written;
		const head = '#'.repeat(headingLevel(node));
		if (head) return `${start}${this.#options.isMarkdown ? `${head} ` : ''}${`${text} ${content}`.trim()}`;
		const shown = this.#options.isMarkdown && /[^-]/.test(text) ? `${number}.` : text;
		const step = this.#options.isMarkdown ? '    ' : '  ';
		const indent = step.repeat(Math.min(indentation, 12));
		const lines = content.replace(/\n+(?=.)/g, (lines) => (this.#options.isMarkdown ? lines : '\n') + indent + step);
		return `${start}${indent}${shown && `${shown} `}${lines}`;
	}

	/** A page break inside a row is moved below the row. */
	#table(rows: readonly Node[]): string {
		const cells = rows.flatMap(({ children = [] }) => children);
		if (this.#isInCell) return cells.map((cell) => this.#cell(cell)).join(' ');
		if (isLayout(rows)) return this.blocks(cells.flatMap(contentOf));
		const parts: string[][][] = [[]];
		for (const row of cellsOf(rows, (cell) => this.#cell(cell))) {
			parts.at(-1)?.push(row.map((text) => text.replaceAll('\v', '')));
			if (row.some((text) => text.includes('\v'))) parts.push([]);
		}
		return parts.map((part) => tableText(part, this.#options.isMarkdown)).join('\v');
	}

	/** A line, with `\v` at its end if a page ends in it. */
	#cell(cell: Node): string {
		const text = this.#inside(cell);
		const line = text.replace(/[\f\v]/g, '').replace(/\\?\s*\n\s*/g, ' ');
		return line.trim() + (/[\f\v]/.test(text) ? '\v' : '');
	}

	#inside(node: Node): string {
		const wasInCell = this.#isInCell;
		this.#isInCell = true;
		const text = this.blocks(contentOf(node));
		this.#isInCell = wasInCell;
		return text;
	}

	#chart(name: string): string {
		const data = this.#options.charts?.get(name);
		if (!data) return '';
		const parts = [data.title, tableText(chartRows(data), this.#options.isMarkdown)].filter(Boolean);
		return parts.join(this.#options.isMarkdown ? '\n\n' : '\n');
	}

	#code(text: string, isMath: boolean): string {
		if (isMath) return this.#options.isMarkdown ? `$$${formula(text)}$$` : formula(text);
		const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
		return this.#options.isMarkdown ? `${fence}\n${text}\n${fence}` : text;
	}

	#line(nodes: readonly Node[]): string {
		const { isMarkdown } = this.#options;
		const runs = nodes.flatMap((node, at): Run[] => {
			const run = node.type === 'text' ? runOf(node, isMarkdown) : { text: this.#sign(node, nodes[at - 1]) };
			return [run, { text: this.#annotations(node) }];
		});
		const line = lineOf(runs);
		if (!isMarkdown) return line;
		// A mark that would start a list, a heading or a quotation is escaped.
		const trimmed = line.replace(/^ +| +$/g, '');
		return trimmed.replace(/^(#{1,6}|[-+>]|\d+[.)])(?=\s)/, (mark) => mark.replace(/.$/, '\\$&'));
	}

	#sign(node: Node, before?: Node): string {
		const { isMarkdown } = this.#options;
		if (node.type === 'break') {
			const breaks: Readonly<Record<string, string>> = { page: '\f', lastRenderedPage: '\v', thematic: '' };
			return breaks[node.metadata?.breakType ?? ''] ?? (isMarkdown ? '\\\n' : '\n');
		}
		if (node.type === 'image') return escaped(pictureText(node.metadata?.altText), isMarkdown);
		if (node.type !== 'code') return '';
		const text = formula(node.text ?? '');
		return (before?.type === 'code' ? ' ' : '') + (isMarkdown ? `$${text}$` : text);
	}

	/** The comments of a node, and its notes with signs. Speaker notes have no sign and may end with a page number. */
	#annotations({ notes = [], comments = [] }: Node): string {
		const commented = comments.map((comment) => {
			const author = (comment.type === 'comment' && comment.metadata?.author) || '';
			return this.#aside(`Comment${author && ` by ${author}`}:`, comment);
		});
		const noted = notes.map((note) => {
			if (note.type === 'note' && note.metadata?.slideNumber) return this.#aside('Notes:', note, /(?:^|\n+)\d{1,4}$/);
			const known = this.#numbers.get(note);
			const number = known ?? this.#numbers.size + 1;
			this.#numbers.set(note, number);
			const sign = this.#options.isMarkdown ? `[^${number}]` : `[${number}]`;
			return known ? sign : sign + this.#aside(this.#options.isMarkdown ? `${sign}:` : sign, note);
		});
		return [...commented, ...noted].join('');
	}

	#aside(start: string, node: Node, without = /^$/): string {
		const text = this.#inside(node).replace(/[\f\v\uE00C\uE00D]/g, '');
		const kept = text.trim().replace(without, '');
		return kept && `\uE00C${start} ${kept}\uE00D`;
	}
}
