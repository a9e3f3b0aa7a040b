import type { ChatRequest, ChatTool } from '@plinth/plugin-chat/model';
import { spaced } from '../json/field.ts';
import { literally } from '../text/literally.ts';
import { contentTerms, fold, termsOf } from '../text/words.ts';

/** A tool that is to be called, with the words of the message that are about it. */
export interface Chosen {
	readonly tool: ChatTool;
	readonly words: string;
}

const noTools = /\b(?:without|no|(?:do not|don['’]t|never) (?:use|call)(?:\sany)?) tools?\b/i;
const denial = /\b(?:do not|don['’]t|never|without|instead of)(?: \w+){0,2} [`"']?$/;
const asking = /\b(?:use|call|run|invoke|execute|try|with|via|then|tool|function)\b/gi;

interface Mention {
	readonly tool: ChatTool;
	readonly from: number;
	readonly to: number;
}

/** The tools that a message wants called, in its order: those it names; where one is required, the one that fits best. */
export function chooseTools(request: ChatRequest, message: string): readonly Chosen[] {
	const { tools, toolChoice, parallelToolCalls } = request;
	if (toolChoice === 'none' || tools.length === 0) return [];
	if (toolChoice === 'auto' && noTools.test(message)) return [];
	const mentions = mentionsOf(tools, message);
	if (typeof toolChoice === 'object') return named(toolChoice.name, tools, mentions, message);
	const chosen = mentions.map((mention, at) => ({
		tool: mention.tool,
		words: message
			.slice(at === 0 ? 0 : mention.to, mentions[at + 1]?.from ?? message.length)
			.replace(nameIn(mention, message), ' '),
	}));
	const calls = withoutEchoes(chosen);
	if (calls.length > 0) return parallelToolCalls ? calls : calls.slice(0, 1);
	const best = toolChoice === 'required' ? mostAlike(tools, message) : undefined;
	return best ? [{ tool: best, words: message }] : [];
}

function named(
	name: string,
	tools: readonly ChatTool[],
	mentions: readonly Mention[],
	message: string,
): readonly Chosen[] {
	const tool = tools.find((one) => one.name === name);
	const mention = mentions.find((one) => one.tool.name === name);
	const words = mention ? message.replace(nameIn(mention, message), ' ') : message;
	return tool ? [{ tool, words }] : [];
}

function nameIn({ from, to }: Mention, message: string): string {
	return message.slice(from, to);
}

/** Each tool wherever it is named, from left to right, unless it must not be called. A name of one word counts only with a verb: “call now”, “now()”. */
function mentionsOf(tools: readonly ChatTool[], message: string): readonly Mention[] {
	const folded = message.toLowerCase();
	const mentions = tools.flatMap((tool) => {
		const name = tool.name.toLowerCase();
		const words = fold(spaced(tool.name));
		const isTelling = /[_\d.-]/.test(name) || words.includes(' ');
		const spellings = isTelling
			? [
					`(?<![\\p{L}\\p{N}_])${literally(name)}(?![\\p{L}\\p{N}_])`,
					`(?<![\\p{L}\\p{N}])${literally(words).replaceAll(' ', '\\s+(?:the\\s+)?')}(?![\\p{L}\\p{N}])`,
				]
			: [
					`(?<![\\p{L}\\p{N}_])${literally(name)}\\s*\\(`,
					`\\b(?:use|call|run|invoke|execute|try|with|via) (?:the )?(?:tool |function )?[\`"']?${literally(name)}\\b`,
					`\\b${literally(name)}[\`"']? (?:tool|function)\\b`,
				];
		const found = spellings
			.map((spelling) => [...folded.matchAll(new RegExp(spelling, 'gu'))])
			.find((matches) => matches.length > 0);
		return (found ?? []).map((match) => {
			const inner = Math.max(match[0].lastIndexOf(name), 0);
			const length = match[0].includes(name) ? name.length : match[0].length;
			return { tool, from: match.index + inner, to: match.index + inner + length };
		});
	});
	return mentions
		.filter(({ from }) => !denial.test(folded.slice(Math.max(0, from - 60), from)))
		.sort((a, b) => a.from - b.from);
}

/** Named again with nothing to go by, a tool is only spoken of: “Use add. Call add with 2 and 3” is one call. */
function withoutEchoes(chosen: readonly Chosen[]): readonly Chosen[] {
	const telling = ({ words }: Chosen) => contentTerms(words.replace(asking, ' ')).length > 0;
	return chosen.filter((one, at) => {
		const others = chosen.filter((other) => other.tool === one.tool);
		if (others.length === 1) return true;
		const isFirst = chosen.findIndex((other) => other.tool === one.tool) === at;
		return others.some(telling) ? telling(one) : isFirst;
	});
}

function mostAlike(tools: readonly ChatTool[], message: string): ChatTool | undefined {
	const said = new Set(termsOf(message));
	const rated = tools.map((tool) => {
		const own = new Set(termsOf(`${spaced(tool.name)} ${tool.description ?? ''}`));
		return { tool, score: [...own].filter((term) => said.has(term)).length };
	});
	return rated.sort((a, b) => b.score - a.score)[0]?.tool;
}
