import type { DocumentPage } from '@plinth/toolkit';
import { maxCharacters } from '../budget.ts';
import type { FormatReader } from '../format.ts';
import { isAsked, refuseBeyond } from '../pages.ts';
import { OfficePackage } from './package.ts';
import { Layouts } from './pptx/layouts.ts';
import { slideText } from './pptx/slide.ts';
import { metadataOf } from './properties.ts';

interface Deck {
	/** Relations of the slides, in order. */
	readonly slides: Set<string>;
	width: number;
	height: number;
}

/** English Metric Units of a point. */
const unitsPerPoint = 12_700;

/** Reads PPTX and its templates, shows and variants with macros: a page for each slide, hidden ones too. */
export const readPptx: FormatReader = async (bytes, { budget, options, progress }) => {
	const office = await OfficePackage.open(bytes, budget);
	const main = await office.main('ppt/presentation.xml');
	const { slides, width, height } = await deckOf(office, main);
	refuseBeyond(slides.size);
	const targets = new Map((await office.relations(main)).map(({ id, target }) => [id, target]));
	const layouts = new Layouts(office);
	const pages: DocumentPage[] = [];
	const size = width > 0 && height > 0 ? { width, height } : {};
	let page = 0;
	let written = 0;
	for (const id of slides) {
		page += 1;
		if (!isAsked(page, options)) continue;
		// What is beyond would be cut anyway; each slide may repeat the long text of a master.
		const target = written <= maxCharacters ? targets.get(id) : undefined;
		const text = target ? await slideText(office, target, layouts, page) : '';
		written += text.length;
		pages.push({ page, text, ...size });
		progress(page, slides.size);
	}
	return {
		mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
		pages,
		pageCount: slides.size,
		metadata: await metadataOf(office),
	};
};

async function deckOf(office: OfficePackage, part: string): Promise<Deck> {
	const deck: Deck = { slides: new Set(), width: 0, height: 0 };
	await office.read(part, {
		open(name, attributes) {
			if (name === 'p:sldId' && attributes['r:id']) deck.slides.add(attributes['r:id']);
			else if (name === 'p:sldSz') {
				deck.width = Number(attributes.cx) / unitsPerPoint;
				deck.height = Number(attributes.cy) / unitsPerPoint;
			}
		},
	});
	return deck;
}
