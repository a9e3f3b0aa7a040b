import { alternative } from '../flow/alternative.ts';
import { formulaParts } from '../flow/formula.ts';
import { fields } from './fields.ts';
import { lists } from './lists.ts';
import { both, type Opening, type Page } from './page.ts';
import { tables } from './tables.ts';
import type { Attributes } from './tags.ts';

const block =
	(gap: 0 | 1): Opening =>
	(page) => {
		page.flow.block(gap);
		return () => page.flow.block(gap);
	};

const hidden: Opening = (page) => page.hide();

/** Paragraphs of a list item stand below each other: where the item ends is seen from the marks. */
const paragraph: Opening = (page) => block(page.list ? 0 : 1)(page, new Map());

const indented =
	(gap: 0 | 1): Opening =>
	(page) => {
		page.flow.block(gap);
		page.flow.indent(1);
		return () => {
			page.flow.block(gap);
			page.flow.indent(-1);
		};
	};

const exact: Opening = (page) => {
	page.flow.block(1);
	return both(page.keepSpace(), () => page.flow.block(1));
};

const between =
	(before: string, after: string): Opening =>
	(page) => {
		page.flow.text(before);
		return () => page.flow.text(after);
	};

/** The sign of a note is set in brackets: without, it would run into the word before it. */
const raised: Opening = (page) => {
	const { flow, isRaised } = page;
	if (isRaised) return undefined;
	const own = page.scratch();
	page.isRaised = true;
	const isInLink = page.openLinks > 0;
	const before = page.links;
	return both(page.divert(own), () => {
		page.isRaised = false;
		const lines = own.finish();
		const [text = ''] = lines;
		if (lines.length > 1) flow.lines(lines);
		else flow.text(isSign(text, isInLink || page.links > before) ? `[${text}]` : text);
	});
};

function isSign(text: string, isLink: boolean): boolean {
	return isLink && /^[\p{L}\p{N}*†‡]{1,4}$/u.test(text);
}

const link: Opening = (page, attributes) => {
	if (!attributes.has('href')) return undefined;
	page.links++;
	page.openLinks++;
	return both(isNoteLink(attributes) ? raised(page, attributes) : undefined, () => {
		page.openLinks--;
	});
};

/** Books say so when a link is the sign of a note, and raise it by a style sheet. */
function isNoteLink(attributes: Attributes): boolean {
	return /\bnoteref\b/.test(`${attributes.get('epub:type')} ${attributes.get('role')}`);
}

const furigana: Opening = (page) => {
	const { flow, isRaised } = page;
	if (isRaised) return undefined;
	const own = page.scratch();
	page.isRaised = true;
	return both(page.divert(own), () => {
		page.isRaised = false;
		const text = own.finish().join(' ');
		if (text !== '') flow.text(`(${text})`);
	});
};

const picture: Opening = (page, attributes) => {
	const text = alternative(attributes.get('alt'));
	if (text !== undefined) aside(page, text);
	return undefined;
};

function aside(page: Page, text: string): void {
	page.flow.blank();
	page.flow.text(text);
	page.flow.blank();
}

const drawing: Opening = (page) => {
	const before = page.isDrawing;
	page.isDrawing = true;
	return () => {
		page.isDrawing = before;
	};
};

/** The document's first title; those of drawings are hints that nobody sees. */
const title: Opening = (page) => {
	if (page.isDrawing) return page.hide();
	const flow = page.scratch();
	return both(page.divert(flow), () => {
		const text = flow.finish().join(' ');
		if (text !== '') page.facts.title ??= text;
	});
};

const meta: Opening = ({ facts }, attributes) => {
	const name = (attributes.get('name') ?? attributes.get('property') ?? '').toLowerCase();
	const content = attributes.get('content')?.trim();
	if (!content) return undefined;
	if (/^(author|dc\.creator|dcterms\.creator)$/.test(name)) facts.author ??= content;
	if (/^(date|created|dc\.date|dcterms\.(created|date)|article:published_time)$/.test(name)) {
		facts.created ??= content;
	}
	return undefined;
};

const all = (names: string, opening: Opening): [string, Opening][] => names.split(' ').map((name) => [name, opening]);

/** What elements do, by name. The others are inline: only their text counts. */
export const openings: ReadonlyMap<string, Opening> = new Map<string, Opening>([
	...all(
		'script style template noscript iframe noembed noframes object audio video canvas map datalist rp annotation annotation-xml desc metadata defs',
		hidden,
	),
	...all(
		'address article aside center details div figcaption footer form header hgroup legend main nav search section summary dt text',
		block(0),
	),
	...all('h1 h2 h3 h4 h5 h6 dl figure fieldset', block(1)),
	['p', paragraph],
	['blockquote', indented(1)],
	['dd', indented(0)],
	...all('pre listing xmp plaintext', exact),
	['q', between('“', '”')],
	['rt', furigana],
	['sup', raised],
	['a', link],
	['img', picture],
	...all('svg math', drawing),
	['title', title],
	['meta', meta],
	['dialog', (page, attributes) => (attributes.has('open') ? block(1)(page, attributes) : page.hide())],
	[
		'br',
		(page) => {
			page.flow.break();
			return undefined;
		},
	],
	[
		'hr',
		(page) => {
			page.flow.lines(['', '---', '']);
			return undefined;
		},
	],
	...formulaParts,
	...lists,
	...tables,
	...fields,
]);
