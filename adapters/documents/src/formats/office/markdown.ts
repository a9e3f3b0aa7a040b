import { parseOffice } from './parts.ts';
import { writeNodes } from './write.ts';

/** Removes the marks of Markdown. A text that the library cannot read is returned unchanged. */
export async function markdownText(text: string): Promise<string> {
	const ast = await parseOffice(Buffer.from(text), 'md').catch(() => undefined);
	return ast ? writeNodes(ast.content, { isMarkdown: false }).join('\n\n') : text;
}
