import type { OfficeParserAST } from 'officeparser';
import { type Parts, parseOffice, zipped } from './parts.ts';

const mainPart = /<Relationship\s(?=[^<>]*\/officeDocument["'])[^<>]*\bTarget\s*=\s*["']\/?word\/([^"'/]+)["']/;

/** The parts of a Word document, adapted to the library. */
export function wordParts(parts: Parts): Parts {
	// Some programs name the main part `word/document2.xml`; the library expects `word/document.xml`.
	const main = mainPart.exec(parts['_rels/.rels']?.toString() ?? '')?.[1] ?? 'document.xml';
	const styles = stylesOf(parts['word/styles.xml']?.toString() ?? '');
	return Object.fromEntries(
		Object.entries(parts).map(([name, content]) => {
			if (!/^word\/.*xml(?:\.rels)?$/.test(name)) return [name, content];
			return [name.replace(main, 'document.xml'), Buffer.from(withStyles(shown(content.toString()), styles))];
		}),
	);
}

/** The library finds headings only by the style ids of English programs, and ignores lists in styles. */
function stylesOf(styles: string) {
	const all = styles.split('<w:style ').map((style) => {
		const id = /w:styleId="([^"]*)"/.exec(style)?.[1] ?? '';
		const level = /<w:name w:val="heading (\d)"/i.exec(style)?.[1];
		const numbering = /<w:numPr>[\s\S]*?<\/w:numPr>/.exec(style)?.[0];
		return [id, { name: level ? `Heading${level}` : id, numbering }] as const;
	});
	return new Map(all);
}

const styled = /<w:pStyle w:val="([^"]*)"\/>((?:<w:(?:keep|page|frame|widow)[^>]*>)*<w:numPr>)?/g;

function withStyles(xml: string, styles: ReturnType<typeof stylesOf>): string {
	const named = xml.replace(styled, (_, id, own) => {
		const { name = id, numbering = '' } = styles.get(id) ?? {};
		return `<w:pStyle w:val="${name}"/>${own ?? numbering}`;
	});
	return named.replace(/<w:numPr>(?:<w:ilvl[^>]*>)?<w:numId w:val="0"\/><\/w:numPr>/g, '');
}

/** Elements without text, which are removed because each element of the tree takes a kilobyte. */
const withoutText = new RegExp(
	[
		/<w:(?:spacing|jc|ind|shd|tcW|proofErr|bookmark(?:Start|End))(?:\s[^>]*)?\/>/,
		/ w:rsid\w*="[^"]*"/,
		/<w:rPrChange\s[^>]*>(?:(?!<w:rPrChange)[\s\S]){0,4000}?<\/w:rPrChange>/,
	]
		.map(({ source }) => source)
		.join('|'),
	'g',
);
const runStyles = /<w:rPr>((?:(?!<w:rPr>)[\s\S]){0,4000}?)<\/w:rPr>/g;
const hiddenRun = /<w:r(?: [^>]*)?><w:vanish\/>(?:(?!<w:r[ >])[\s\S]){0,20000}?<\/w:r>/g;
const plainRuns = /<w:r><w:t(?: [^>]*)?>[^<]*(?:<\/w:t><\/w:r><w:r><w:t(?: [^>]*)?>[^<]*)+/g;

/** The XML of a Word part, with the hyphens that the library drops, without hidden runs, with separated formulas. */
function shown(xml: string): string {
	return xml
		.replace(withoutText, '')
		.replace(/[\r\n]+/g, ' ')
		.replaceAll('</m:oMath><m:oMath>', '<m:r><m:t>\u2003</m:t></m:r></m:oMath><m:oMath>')
		.replace(/<w:noBreakHyphen\s*\/>/g, '<w:t>-</w:t>')
		.replace(runStyles, (_, style: string) => {
			if (/<w:vanish(?:\s*\/>|\s+w:val="(?:1|true|on)")/.test(style)) return '<w:vanish/>';
			const kept = style.match(/<w:(?:b|i|strike)(?:\s[^>]*)?\/>/g)?.join('');
			return kept ? `<w:rPr>${kept}</w:rPr>` : '';
		})
		.replace(hiddenRun, '')
		.replace(plainRuns, (runs) => `<w:r><w:t xml:space="preserve">${runs.replace(/<[^>]*>/g, '')}`);
}

/** Charts follow the text. The library reads only charts of presentations, but those of Word have the same format. */
export async function wordCharts(parts: Parts): Promise<OfficeParserAST['attachments']> {
	const charts = Object.entries(parts).filter(([name]) => /^word\/charts\/chart\d+\.xml$/.test(name));
	if (charts.length === 0) return [];
	const others = charts.map(([name, content]) => [name.replace('word', 'ppt'), content]);
	const all = Object.fromEntries([['ppt/presentation.xml', Buffer.from('<p:presentation xmlns:p="x"/>')], ...others]);
	return (await parseOffice(zipped(all), 'pptx')).attachments;
}
