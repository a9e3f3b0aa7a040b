import type { OfficeContentNode as Node, OfficeParserAST } from 'officeparser';
import type { FormatReader } from '../format.ts';
import { brokenContent, pagesContent, refuseBeyond } from '../pages.ts';
import { marksOf } from './marks.ts';
import { metadataIn, officeParts, parseOffice, zipped } from './parts.ts';
import { wordCharts, wordParts } from './word.ts';
import { type WriteOptions, writeNodes } from './write.ts';

const office = 'application/vnd.openxmlformats-officedocument';
const open = 'application/vnd.oasis.opendocument';

/** Readers of office files. Pages of a text document end at explicit and rendered page breaks. Each slide is a page. */
export const readDocx = reader('docx', `${office}.wordprocessingml.document`);
export const readOdt = reader('odt', `${open}.text`);
export const readPptx = reader('pptx', `${office}.presentationml.presentation`);
export const readOdp = reader('odp', `${open}.presentation`);

function reader(type: 'docx' | 'odt' | 'pptx' | 'odp', mediaType: string): FormatReader {
	return async (bytes, context) => {
		const all = await officeParts(bytes, context);
		const parts = type === 'docx' ? wordParts(all) : all;
		const textOf = (name: string) => parts[name]?.toString() ?? '';
		const ast = await parseOffice(zipped(parts), type);
		const charts = await wordCharts(parts);
		for (const { name } of charts) ast.content.push({ type: 'chart', metadata: { attachmentName: name } });
		const options = {
			isMarkdown: context.options.format === 'markdown',
			charts: new Map([...ast.attachments, ...charts].map(({ name, chartData }) => [name, chartData])),
			markOf: marksOf(textOf('word/numbering.xml')),
		};
		const { options: requested } = context;
		// The tree has no empty slides.
		const slides = textOf('ppt/presentation.xml').match(/<p:sldId\s/g) ?? [];
		const content = ['docx', 'odt'].includes(type)
			? brokenContent(brokenPages(ast, options), requested)
			: pagesContent(slidePages(ast.content, slides.length, options), requested);
		return { mediaType, ...content, metadata: metadataIn(ast) };
	};
}

function slidePages(nodes: readonly Node[], count: number, options: WriteOptions): string[] {
	refuseBeyond(count);
	const pages: string[] = Array(count).fill('');
	for (const node of nodes) {
		const number = node.type === 'slide' ? (node.metadata?.slideNumber ?? 1) : 1;
		refuseBeyond(number);
		while (pages.length < number) pages.push('');
		// The title may be last in the file.
		node.children?.sort((one, two) => Number(two.type === 'heading') - Number(one.type === 'heading'));
		pages[number - 1] = writeNodes([node], options).join('\n\n').replaceAll('‹#›', String(number));
	}
	return pages;
}

/** The pages of a text: headers once above the first, footers once below the last. */
export function brokenPages(ast: OfficeParserAST, options: WriteOptions): string[] {
	const once = (nodes: readonly Node[] = []) => {
		const texts = nodes.flatMap((node) => writeNodes([node], options).map((text) => text.trim()));
		// A page number alone is left out.
		return [...new Set(texts)].filter((text) => /[^\d\s]/.test(text)).join('\n\n');
	};
	const pages = writeNodes(ast.content, options);
	refuseBeyond(pages.length);
	const [head, foot, last] = [once(ast.auxiliary?.headers), once(ast.auxiliary?.footers), pages.length - 1];
	return pages.map((text, at) => [at === 0 && head, text, at === last && foot].filter(Boolean).join('\n\n'));
}
