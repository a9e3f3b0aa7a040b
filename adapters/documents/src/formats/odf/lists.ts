import type { Attributes } from '../../markup/xml.ts';
import { listNumber } from '../flow/numbers.ts';
import type { Body, Close, Opening } from './body.ts';
import type { ListRun } from './runs.ts';

/** Lists, by the element. */
export const lists: readonly (readonly [string, Opening])[] = [
	['text:list', list],
	['text:list-item', item],
	['text:list-style', style],
	['text:outline-style', outlineStyle],
	['text:list-level-style-number', level(true)],
	['text:outline-level-style', level(true)],
	['text:list-level-style-bullet', level(false)],
	['text:list-level-style-image', level(false)],
];

function list(body: Body, attributes: Attributes): Close {
	const { list: outer, styles } = body;
	const style = styles.list(attributes['text:style-name']) ?? outer?.style;
	const depth = (outer?.level ?? 0) + 1;
	const isContinued = attributes['text:continue-numbering'] === 'true' || 'text:continue-list' in attributes;
	const before = isContinued && !outer ? style?.last : undefined;
	const own: ListRun = {
		level: depth,
		outer,
		style,
		number: before ?? (style?.start(depth) ?? 1) - 1,
		isItemDue: false,
	};
	body.flow.block(outer ? 0 : body.gap);
	body.flow.indent(1);
	body.list = own;
	return () => {
		if (style && !outer) style.last = own.number;
		body.flow.block(outer ? 0 : body.gap);
		body.flow.indent(-1);
		body.list = outer;
	};
}

function item({ list }: Body, attributes: Attributes): Close | undefined {
	if (!list) return undefined;
	list.isItemDue = true;
	const start = listNumber(attributes['text:start-value']);
	if (start !== undefined) list.number = start - 1;
	return () => {
		list.isItemDue = false;
	};
}

/** Marks the paragraph that begins, when it is the first of an item. */
export function markItem({ list, flow }: Body): void {
	if (!list?.isItemDue) return;
	list.isItemDue = false;
	list.number++;
	const numbers: number[] = [];
	for (let run: ListRun | undefined = list; run; run = run.outer) numbers.unshift(run.number);
	flow.mark(list.style?.mark(numbers) ?? '- ');
}

/** Puts the number before a heading that begins, where headings are numbered. */
export function numberHeading(body: Body, attributes: Attributes): void {
	const { outline } = body.styles;
	const level = listNumber(attributes['text:outline-level']) ?? 1;
	const isLeftOut = body.styles.find('paragraph', attributes['text:style-name'], 'list') === '';
	if (!outline || body.list || level < 1 || level > 10 || isLeftOut) return;
	if (attributes['text:is-list-header'] === 'true') return;
	const numbers = body.headings.slice(0, level);
	for (let at = numbers.length; at < level; at++) numbers.push(outline.start(at + 1) - 1);
	numbers[level - 1] = (numbers[level - 1] ?? 0) + 1;
	body.headings = numbers;
	const mark = outline.mark(numbers);
	if (mark !== '- ') body.flow.mark(mark);
}

function style({ styles }: Body, attributes: Attributes): undefined {
	styles.beginList(attributes);
}

function outlineStyle({ styles }: Body): undefined {
	styles.beginOutline();
}

function level(isNumber: boolean): Opening {
	return ({ styles }, attributes) => {
		styles.setLevel(attributes, isNumber);
		return undefined;
	};
}
