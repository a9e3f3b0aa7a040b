import { countedAs, countingOf, listNumber } from '../flow/numbers.ts';
import type { List, Opening, Page } from './page.ts';
import type { Attributes, Close } from './tags.ts';

/** Lists: an item begins with `- ` or its number. */
export const lists: readonly (readonly [string, Opening])[] = [
	...['ul', 'menu', 'dir'].map((name) => [name, unordered] as const),
	['ol', ordered],
	['li', item],
];

function unordered(page: Page): Close {
	return begin(page, { next: undefined, step: 1, counting: undefined });
}

function ordered(page: Page, attributes: Attributes): Close {
	const start = listNumber(attributes.get('start'));
	const isReversed = attributes.has('reversed');
	return begin(page, {
		// Without a start, a list that counts down begins with the number of its items, which are still to come.
		next: isReversed ? start : (start ?? 1),
		step: isReversed ? -1 : 1,
		counting: attributes.get('type'),
	});
}

function begin(page: Page, list: List): Close {
	const { flow, list: outer } = page;
	const gap = outer ? 0 : 1;
	flow.block(gap);
	flow.indent(1);
	page.list = list;
	return () => {
		flow.block(gap);
		flow.mark(undefined);
		flow.indent(-1);
		page.list = outer;
	};
}

function item(page: Page, attributes: Attributes): Close {
	const { flow, list } = page;
	flow.block();
	flow.mark(markOf(list, listNumber(attributes.get('value'))));
	return () => {
		flow.block();
		flow.mark(undefined);
	};
}

function markOf(list: List | undefined, value: number | undefined): string {
	const number = value ?? list?.next;
	if (!list || number === undefined) return '- ';
	list.next = number + list.step;
	return `${countedAs(number, countingOf(list.counting))}. `;
}
