import type { Attributes, XmlHandler } from '../../../markup/xml.ts';
import { oneLine } from '../rows.ts';
import { plainLines, TextBody } from './text-body.ts';

/** Points of these types are drawn between the nodes, or nowhere. */
const beside: ReadonlySet<string> = new Set(['parTrans', 'sibTrans', 'pres']);
const deepest = 8;

/** Reads the text of a diagram (SmartArt) from its data model: one line a node, children below their parents and indented. */
export class Diagram implements XmlHandler {
	readonly #texts = new Map<string, string>();
	readonly #children = new Map<string, { readonly id: string; readonly order: number }[]>();
	#root = '';
	#point = '';
	#body: TextBody | undefined;

	get lines(): string[] {
		const lines: string[] = [];
		const seen = new Set<string>();
		// Damaged files have nodes that the root does not lead to, or that lead to themselves.
		const waiting = [...this.#texts.keys()].reverse().map((id) => ({ id, depth: 0 }));
		waiting.push({ id: this.#root, depth: -1 });
		for (let next = waiting.pop(); next; next = waiting.pop()) {
			const { id, depth } = next;
			if (seen.has(id)) continue;
			seen.add(id);
			const text = this.#texts.get(id);
			if (text) lines.push(`${'  '.repeat(Math.max(0, depth))}- ${text}`);
			const children = (this.#children.get(id) ?? []).sort((one, other) => other.order - one.order);
			for (const child of children) waiting.push({ id: child.id, depth: Math.min(deepest, depth + 1) });
		}
		return lines;
	}

	open(name: string, attributes: Attributes): void {
		if (this.#body) this.#body.open(name, attributes);
		else if (name === 'dgm:pt') this.#begin(attributes);
		else if (name === 'dgm:t') this.#body = new TextBody();
		else if (name === 'dgm:cxn') this.#link(attributes);
	}

	text(text: string): void {
		this.#body?.text(text);
	}

	close(name: string): void {
		if (name === 'dgm:t') this.#keep();
		else this.#body?.close(name);
	}

	#keep(): void {
		const text = this.#body ? plainLines(this.#body).map(oneLine).join(' ') : '';
		if (text !== '' && this.#point !== '') this.#texts.set(this.#point, text);
		this.#body = undefined;
	}

	#begin({ modelId = '', type = 'node' }: Attributes): void {
		this.#point = beside.has(type) ? '' : modelId;
		if (type === 'doc') this.#root = modelId;
	}

	#link({ type = 'parOf', srcId = '', destId = '', srcOrd }: Attributes): void {
		if (type !== 'parOf') return;
		const children = this.#children.get(srcId) ?? [];
		children.push({ id: destId, order: Number(srcOrd ?? 0) });
		this.#children.set(srcId, children);
	}
}
