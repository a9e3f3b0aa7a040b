import type { DocumentMetadata } from '@plinth/toolkit';
import { type FormatReader, metadataOf } from '../format.ts';
import { brokenContent } from '../pages.ts';
import { parseOffice } from './parts.ts';
import { brokenPages } from './read.ts';
import { writeNodes } from './write.ts';

/** Reads RTF. Pages end at explicit page breaks. */
export const readRtf: FormatReader = async (bytes, context) => {
	const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
	const ast = await parseRtf(shownRtf(rtf));
	const pages = brokenPages(ast, { isMarkdown: context.options.format === 'markdown' });
	return { mediaType: 'application/rtf', ...brokenContent(pages, context.options), metadata: await metadataIn(rtf) };
};

const parseRtf = (rtf: string) => parseOffice(Buffer.from(rtf, 'latin1'), 'rtf');

const characters = new Map(Object.entries({ emdash: '—', endash: '–', '~': ' ', _: '-', page: '\f', pagebb: '\f' }));
const named = /\\(?:\\|(emdash|endash|pagebb|page)(?![a-z0-9-]) ?|([~_])|(sect)(?![a-z]) ?)/g;
/** Groups of hidden text, of deleted text and of index entries. */
const hiddenGroup = /\{((?:\\[a-z]+-?\d* ?){0,30}?)\\(?:v|deleted|xe|tc)(?![a-z0-9-])/g;

/** Adapts RTF to the library: named characters and page breaks become numbers, hidden text becomes skipped groups. */
function shownRtf(rtf: string): string {
	const unicode = (character = '') => `{\\uc1\\u${character.charCodeAt(0)}?}`;
	return rtf
		.replace(named, (all, word, sign, section, at) => {
			if (!section) return word || sign ? unicode(characters.get(word ?? sign)) : all;
			const isContinuous = /^(?:\\[a-z]+-?\d*\s?){0,60}?\\sbknone/.test(rtf.slice(at, at + 1_000));
			return `\\par ${isContinuous ? '' : unicode('\f')}`;
		})
		.replace(hiddenGroup, '{\\*\\unseen$1');
}

/** The metadata, which the library leaves out. */
async function metadataIn(rtf: string): Promise<DocumentMetadata> {
	const start = rtf.indexOf('{\\info');
	const info = start === -1 ? '' : rtf.slice(start, start + 10_000);
	const charset = /\\ansicpg\d{3,5}/.exec(rtf.slice(0, 1_000))?.[0] ?? '';
	const infoText = async (name: string) => {
		const written = new RegExp(`\\{\\\\${name} ([^{}]{0,2000})\\}`).exec(info)?.[1];
		return (
			written &&
			writeNodes((await parseRtf(`{\\rtf1\\ansi${charset} ${written}}`)).content, { isMarkdown: false }).join(' ')
		);
	};
	const units = info.slice(info.indexOf('\\creatim')).matchAll(/\\(?:yr|mo|dy|hr|min)(\d{1,4})/g);
	const [year = Number.NaN, month = 1, ...rest] = [...units].slice(0, 5).map(([, number]) => Number(number));
	return metadataOf(await infoText('title'), await infoText('author'), new Date(Date.UTC(year, month - 1, ...rest)));
}
