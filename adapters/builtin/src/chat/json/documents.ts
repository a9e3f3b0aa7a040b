import type { JsonObject } from '@plinth/core';
import type { Listed } from '../ask/intent.ts';
import type { Question } from '../ask/question.ts';
import { rank } from '../ask/rank.ts';
import type { ChatContext } from '../chat-context.ts';
import { gather } from '../commands/list.ts';
import { telling } from '../commands/summary.ts';
import type { Answer } from '../quotes.ts';
import { fold } from '../text/words.ts';
import { anything, byQuestion, fitsKind, onlyOne } from './ask.ts';
import { type Candidate, type Field, type Finder, fieldTerms, spaced } from './field.ts';
import { type Label, labelsIn, valuesByName } from './labels.ts';
import { namedSchemas, resolve, type Schema, typesOf } from './schema.ts';
import { rowsFor } from './tables.ts';

const answerNames = /^(?:answer|response|reply|result|text|message|content|output|explanation|final answer)$/i;
const quoteNames = /\b(?:quotes?|evidence|citations?|excerpts?|passages?|snippets?|verbatim|sources?|references?)\b/i;
const fileNames = /^(?:file|filename|file name|source|source file|document|document name)$/i;
const lists: readonly (readonly [RegExp, Listed])[] = [
	[/\bdates\b/i, 'date'],
	[/\be-?mails?\b/i, 'email'],
	[/\b(?:amounts|prices|sums)\b/i, 'amount'],
	[/\b(?:links|urls|web ?sites)\b/i, 'link'],
	[/\bphone/i, 'phone'],
	[/\bpercentages\b/i, 'percentage'],
	[/\b(?:headings|sections|chapters)\b/i, 'heading'],
];

const currencyCodes = [
	['€', 'EUR'],
	['£', 'GBP'],
	['¥', 'JPY'],
	['₹', 'INR'],
	['zł', 'PLN'],
	['euro', 'EUR'],
	['$', 'USD'],
	['dollar', 'USD'],
] as const;

/** Finds values for a schema's fields in documents: by labels and tables, by what the field asks for, and from the answer that was given. */
export async function documentFinder(
	schema: Schema,
	question: Question,
	answer: Answer,
	desk: ChatContext,
): Promise<Finder> {
	const labels = await labelsIn(desk.collection.units, desk.slices);
	const lone = loneString(schema);
	const values = async (field: Field): Promise<readonly Candidate[]> => {
		if (desk.slices.isOver) await desk.slices.pause();
		if (/\bcurrency\b/i.test(spaced(field.name))) return currencies(question, desk);
		if (Array.isArray(field.schema.enum)) return members(field, labels, desk);
		const said = await fromAnswer(field, answer, desk);
		if (said) return said;
		if (field.path.length === 1 && field.name === lone) return [answer.brief ?? answer.text];
		const named = valuesByName(field, labels);
		const asked = await byQuestion(field, question, desk);
		const found = [...named, ...asked].filter((value) => fitsKind(String(value), field));
		return found.length > 0 ? found : onlyOne(field, question, desk);
	};
	return {
		values,
		list: async (field) => (await listFor(field, question, answer, desk)) ?? values(field),
		rows: async (names, field) => rowsFor(names, field, answer, desk),
	};
}

/** The only property of an object, when it takes any text: it is for the answer. */
function loneString(schema: Schema): string | undefined {
	const flat = resolve(schema, schema);
	const strings = namedSchemas(flat.properties).filter(([, property]) => {
		const own = resolve(property, schema);
		return typesOf(own)[0] === 'string' && !own.enum && !own.format && own.const === undefined && !own.pattern;
	});
	return strings.length === 1 && Object.keys((flat.properties as JsonObject) ?? {}).length === 1
		? strings[0]?.[0]
		: undefined;
}

/** What a field gets by its name alone: the answer, its quotes and places, facts about the files. */
async function fromAnswer(field: Field, answer: Answer, desk: ChatContext): Promise<readonly Candidate[] | undefined> {
	const name = spaced(field.name).toLowerCase();
	const [quote] = answer.quotes;
	const isText = typesOf(field.schema)[0] === 'string';
	if (answerNames.test(name))
		return isText ? [answer.brief ?? answer.text] : answer.brief === undefined ? [] : [answer.brief];
	if (isText && fileNames.test(name))
		return quote ? [quote.file] : desk.sources.slice(0, 1).map((source) => source.filename);
	if (isText && quoteNames.test(name) && !/\bnumber|date\b/.test(name)) return quote ? [quote.text] : undefined;
	if (/^page(?: number)?$/.test(name)) return quote?.page === undefined ? undefined : [quote.page];
	if (/^(?:page count|pages|number of pages|num pages|total pages)$/.test(name)) return pagesOf(desk);
	if (/^(?:(?:is )?found|answerable|has answer|is answered)$/.test(name)) return [answer.brief !== undefined];
	if (isText && /^(?:summary|abstract|overview)$/.test(name)) return [await summaryOf(desk)];
	if (isText && /^(?:title|heading|document title)$/.test(name)) return titleOf(desk);
	return undefined;
}

/** Codes of the currencies that amounts are written in. */
async function currencies(question: Question, desk: ChatContext): Promise<readonly Candidate[]> {
	const codes = (await gather('amount', question, desk)).map(({ text }) => {
		const code = /[A-Z]{3}/.exec(text)?.[0];
		return code ?? currencyCodes.find(([sign]) => text.includes(sign))?.[1];
	});
	return [...new Set(codes.filter((code) => code !== undefined))];
}

function pagesOf({ sources }: ChatContext): readonly Candidate[] {
	const paged = sources.filter((source) => source.hasPages);
	return paged.length > 0 ? [paged.reduce((sum, source) => sum + source.pageCount, 0)] : [];
}

async function summaryOf({ collection, slices }: ChatContext): Promise<string> {
	const units = await telling(collection.units, 3, slices);
	return units.map((unit) => unit.text).join(' ');
}

function titleOf({ collection }: ChatContext): readonly string[] {
	const heading = collection.units.slice(0, 40).find((unit) => unit.kind === 'heading') ?? collection.units[0];
	return heading ? [heading.text] : [];
}

/** Members of an enumeration that a label gives, or that stand in the passage about the field, or alone in the documents. */
async function members(
	{ schema, ...field }: Field,
	labels: readonly Label[],
	desk: ChatContext,
): Promise<readonly Candidate[]> {
	const all = (schema.enum as readonly unknown[]).filter((member) =>
		['string', 'number', 'boolean'].includes(typeof member),
	) as Candidate[];
	const standsIn = (text: string) => all.filter((member) => hasWord(text, spaced(String(member))));
	for (const value of valuesByName({ ...field, schema }, labels)) {
		const found = standsIn(value);
		if (found.length > 0) return found;
	}
	const terms = fieldTerms({ ...field, schema });
	const ranked = await rank(desk, { ...anything, terms }, () => true);
	const about = ranked.filter(({ coverage }) => coverage >= 0.4);
	for (const { unit } of about.slice(0, 8)) {
		const found = standsIn(unit.text);
		if (found.length > 0) return found;
	}
	const anywhere = all.filter(
		(member) => typeof member === 'string' && desk.collection.units.some((unit) => hasWord(unit.text, spaced(member))),
	);
	return anywhere.length === 1 ? anywhere : [];
}

function hasWord(text: string, word: string): boolean {
	const [inside, wanted] = [fold(text), fold(word)];
	const at = inside.indexOf(wanted);
	return at >= 0 && !/[\p{L}\p{N}]/u.test((inside[at - 1] ?? '') + (inside[at + wanted.length] ?? ''));
}

async function listFor(
	field: Field,
	question: Question,
	answer: Answer,
	desk: ChatContext,
): Promise<readonly Candidate[] | undefined> {
	const words = spaced(field.name);
	const all = async (what: Listed) => (await gather(what, question, desk)).slice(0, 100).map((entry) => entry.text);
	if (Array.isArray(field.schema.enum)) return members(field, [], desk);
	if (fileNames.test(words.replace(/s$/, ''))) return desk.sources.map((source) => source.filename);
	if (quoteNames.test(words)) return answer.quotes.map((quote) => quote.text);
	const kind = lists.find(([pattern]) => pattern.test(words))?.[1];
	if (kind) return all(kind);
	if (field.schema.format === 'email') return all('email');
	if (field.schema.format === 'date') return all('date');
	if (/\b(?:points|takeaways|highlights|sentences|facts|findings|bullets)\b/i.test(words))
		return (await telling(desk.collection.units, 5, desk.slices)).map((unit) => unit.text);
	if (/\b(?:answers?|results?|items|passages)\b/i.test(words)) return answer.quotes.map((quote) => quote.text);
	return undefined;
}
