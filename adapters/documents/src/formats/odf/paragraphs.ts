import type { Attributes } from '../../markup/xml.ts';
import type { Body, Close, Opening } from './body.ts';
import { lists, markItem, numberHeading } from './lists.ts';
import { breakWithin } from './tables.ts';

/** More blanks than any line is wide. */
const maxBlanks = 1_000;

/** Paragraphs and what stands in them, by the element. */
export const paragraphs: readonly (readonly [string, Opening])[] = [
	['text:p', paragraph],
	['text:h', heading],
	['text:span', span],
	['text:section', section],
	['text:hidden-text', hiddenText],
	['text:s', blanks],
	['text:tab', tab],
	['text:line-break', lineBreak],
	['text:soft-page-break', pageBreak],
	['text:ruby-text', ruby],
	['text:note', note],
	['text:note-citation', (body) => body.hide()],
	['office:annotation', comment],
	['text:tracked-changes', (body) => body.hide()],
	['office:binary-data', (body) => body.hide()],
	...lists,
];

function paragraph(body: Body, attributes: Attributes): Close {
	const isClose = body.styles.find('paragraph', attributes['text:style-name'], 'isClose');
	return begin(body, attributes, body.list || isClose ? 0 : body.gap);
}

function heading(body: Body, attributes: Attributes): Close {
	const close = begin(body, attributes, body.gap);
	numberHeading(body, attributes);
	return close;
}

function begin(body: Body, attributes: Attributes, gap: 0 | 1): Close {
	const name = attributes['text:style-name'];
	const { styles } = body;
	if (styles.find('paragraph', name, 'isHidden')) return body.hide();
	breakBefore(body, name);
	body.flow.block(gap);
	markItem(body);
	const end = body.paragraph();
	const outer = body.after;
	body.after = [];
	return () => {
		end();
		body.flow.block(gap);
		// An item without text has no mark that could slip to the next paragraph.
		body.flow.mark(undefined);
		body.flow.lines(body.after);
		if (body.after.length > 0) body.flow.block(gap);
		body.after = outer;
		if (body.isOnPage && styles.find('paragraph', name, 'breakAfter')) body.isBreakDue = true;
	};
}

function breakBefore(body: Body, name: string | undefined): void {
	if (!body.isOnPage) return;
	const { styles } = body;
	const master = styles.find('paragraph', name, 'master');
	if (master) body.masters.use(master);
	const isAsked = body.isBreakDue || master || styles.find('paragraph', name, 'breakBefore');
	if (isAsked && body.isPageBegun) body.breakPage();
	body.isBreakDue = false;
	body.isPageBegun = true;
}

function span(body: Body, attributes: Attributes): Close | undefined {
	const isHidden = body.styles.find('text', attributes['text:style-name'], 'isHidden');
	return isHidden ? body.hide() : undefined;
}

function section(body: Body, attributes: Attributes): Close | undefined {
	return attributes['text:display'] === 'none' ? body.hide() : undefined;
}

function hiddenText(body: Body, attributes: Attributes): Close | undefined {
	return attributes['text:is-hidden'] === 'false' ? undefined : body.hide();
}

function blanks({ flow }: Body, attributes: Attributes): undefined {
	const count = Number.parseInt(attributes['text:c'] ?? '1', 10);
	flow.exact(' '.repeat(Math.max(0, Math.min(maxBlanks, count || 1))));
}

function tab({ flow }: Body): undefined {
	flow.exact('\t');
}

function lineBreak({ flow }: Body): undefined {
	flow.break();
}

/** Where the program that wrote the document began a page. */
function pageBreak(body: Body): undefined {
	if (body.table && body.isOnPage) breakWithin(body, body.table);
	else body.breakPage();
	body.isPageBegun = true;
}

function ruby({ flow }: Body): Close {
	flow.text('(');
	return () => flow.text(')');
}

/** Its sign stands in the text, its text at the end of the page, or of the document. */
function note(body: Body, attributes: Attributes): Close {
	const sign = `[${body.nextNote()}]`;
	body.flow.text(sign);
	const isEndnote = attributes['text:note-class'] === 'endnote';
	return body.apart((lines) => {
		const [first = '', ...others] = lines;
		const notes = isEndnote ? body.endnotes : body.notes;
		notes.push(`${sign} ${first}`.trimEnd());
		for (const line of others) notes.push(line);
	});
}

function comment(body: Body): Close {
	return body.apart((lines) => {
		if (lines.length > 0) body.notes.push(`Comment: ${lines.join(' ')}`);
	});
}
