import { alternative } from '../flow/alternative.ts';
import type { Opening, Page } from './page.ts';
import { both } from './page.ts';
import type { Attributes, Close } from './tags.ts';

/** Forms: what is filled in, as it is seen. */
export const fields: readonly (readonly [string, Opening])[] = [
	['input', input],
	['select', select],
	['option', option],
	['textarea', textarea],
	['button', apart],
];

function input({ flow }: Page, attributes: Attributes): undefined {
	const value = shownValue(attributes);
	if (!value) return;
	flow.blank();
	flow.text(value);
	flow.blank();
}

function shownValue(attributes: Attributes): string | undefined {
	switch (attributes.get('type')?.toLowerCase()) {
		case 'hidden':
		case 'password':
		case 'file':
		case 'color':
			return undefined;
		case 'checkbox':
		case 'radio':
			return attributes.has('checked') ? '[x]' : '[ ]';
		case 'image':
			return alternative(attributes.get('alt'));
		default:
			return attributes.get('value');
	}
}

function select(page: Page, attributes: Attributes): Close {
	const { choice: outer, flow } = page;
	const choice = {
		selected: [],
		first: undefined,
		isMultiple: attributes.has('multiple'),
	};
	page.choice = choice;
	return both(page.divert(page.scratch()), () => {
		page.choice = outer;
		flow.blank();
		flow.text(selectedOf(choice).join(', '));
		flow.blank();
	});
}

/** A list that shows one line shows its first option when none is chosen. */
function selectedOf(choice: {
	readonly selected: readonly string[];
	readonly first: string | undefined;
	readonly isMultiple: boolean;
}): readonly string[] {
	if (choice.selected.length > 0) return choice.isMultiple ? choice.selected : choice.selected.slice(-1);
	return choice.isMultiple || choice.first === undefined ? [] : [choice.first];
}

function option(page: Page, attributes: Attributes): Close | undefined {
	const { choice } = page;
	if (!choice) return undefined;
	const flow = page.scratch();
	return both(page.divert(flow), () => {
		const text = attributes.get('label') ?? flow.finish().join(' ');
		choice.first ??= text;
		if (attributes.has('selected')) choice.selected.push(text);
	});
}

function textarea(page: Page): Close {
	page.flow.blank();
	return both(page.keepSpace(), () => page.flow.blank());
}

function apart({ flow }: Page): Close {
	flow.blank();
	return () => flow.blank();
}
