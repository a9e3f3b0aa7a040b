import { Parser } from 'htmlparser2';
import { documentError } from '../refusal.ts';
import { charactersOf } from './decode.ts';
import { Scope } from './namespaces.ts';

/** Attributes of an element by name. Names have the prefixes of `namespaces.ts`. */
export type Attributes = Readonly<Record<string, string>>;

/** Told what an XML file holds, in its order. Element names have the prefixes of `namespaces.ts`, whatever the file calls them: `w:p`, `text:h`. */
export interface XmlHandler {
	open?(name: string, attributes: Attributes): void;
	/** A piece of text: what stands between two tags may come in several. */
	text?(text: string): void;
	close?(name: string): void;
}

/** How an XML file is read. */
export interface XmlOptions {
	/** `refused`, the default, or `ignored` for formats that have one by tradition. Neither way is anything of it read or expanded. */
	readonly doctype?: 'refused' | 'ignored';
}

/** Elements within elements: office programs nest a few dozen. */
const maxDepth = 256;
const noScope = new Scope();

/**
 * Reads an XML file from its bytes without a tree. Only the five entities of XML and numeric ones are known; others stay as written.
 * Throws `E_DOCUMENT_UNREADABLE` for a DOCTYPE, for elements nested more than 256 deep, and for files that end early or hold no element.
 */
export function readXml(bytes: Uint8Array, handler: XmlHandler, options: XmlOptions = {}): void {
	const elements = new Elements(handler, options.doctype === 'ignored');
	const parser = new Parser(elements, { xmlMode: true });
	for (const characters of charactersOf(bytes)) parser.write(characters);
	// The parser's own end would close what is open, so that half a file looked like a whole one.
	if (elements.depth > 0) throw unreadable('ends too early');
	if (elements.isEmpty) throw unreadable('is not XML');
}

/** The parser's events as ours. */
class Elements {
	readonly #handler: XmlHandler;
	readonly #isDoctypeIgnored: boolean;
	readonly #scopes: Scope[] = [];
	readonly #names: string[] = [];
	isEmpty = true;

	constructor(handler: XmlHandler, isDoctypeIgnored: boolean) {
		this.#handler = handler;
		this.#isDoctypeIgnored = isDoctypeIgnored;
	}

	get depth(): number {
		return this.#names.length;
	}

	onopentag(written: string, attributes: Record<string, string>): void {
		if (this.depth >= maxDepth) throw unreadable('is nested too deeply');
		this.isEmpty = false;
		const around = this.#scopes.at(-1) ?? noScope;
		const isPlain = isWithoutPrefix(attributes);
		const scope = isPlain ? around : around.within(attributes);
		const name = scope.element(written);
		this.#scopes.push(scope);
		this.#names.push(name);
		this.#handler.open?.(name, isPlain ? attributes : renamed(attributes, scope));
	}

	ontext(text: string): void {
		if (this.depth > 0) this.#handler.text?.(text);
	}

	onclosetag(): void {
		this.#scopes.pop();
		const name = this.#names.pop();
		if (name !== undefined) this.#handler.close?.(name);
	}

	onprocessinginstruction(name: string): void {
		if (!this.#isDoctypeIgnored && /^!doctype/i.test(name)) throw unreadable('has a DOCTYPE');
	}
}

/** Most elements of large files, which are sheets, have neither prefixes nor declarations. */
function isWithoutPrefix(attributes: Attributes): boolean {
	for (const name in attributes) if (name === 'xmlns' || name.includes(':')) return false;
	return true;
}

function renamed(attributes: Attributes, scope: Scope): Attributes {
	const all: Record<string, string> = {};
	for (const name in attributes) all[scope.attribute(name)] = attributes[name] as string;
	return all;
}

function unreadable(what: string) {
	return documentError('E_DOCUMENT_UNREADABLE', { message: `A part of the document ${what}.` });
}
