import type { ChatFormat, ChatRun } from '@plinth/plugin-chat/model';
import { answerQuestion } from './ask/answer.ts';
import { type Question, readQuestions } from './ask/question.ts';
import type { ChatContext } from './chat-context.ts';
import { compareDocuments } from './commands/compare.ts';
import { countPhrase, countThings } from './commands/count.ts';
import { answerWithout, withPictureNote } from './commands/help.ts';
import { listThings } from './commands/list.ts';
import { quoteSentences, showPage } from './commands/passages.ts';
import { summarise } from './commands/summary.ts';
import { asJson, bySchema } from './json/answer.ts';
import type { Library } from './library/library.ts';
import type { Source } from './library/portions.ts';
import { Slices } from './library/slices.ts';
import type { Answer } from './quotes.ts';
import type { Talk } from './talk.ts';
import { resultSources, tellResults } from './tools/results.ts';

const partly =
	'The documents are too long to be searched whole: only the passages that hold most of the question\u2019s words were looked at.';

/** Answers the last turn of a conversation, in the format that is asked for. */
export async function respond(talk: Talk, format: ChatFormat, run: ChatRun, library: Library): Promise<Answer> {
	const told = talk.results.length > 0 ? tellResults(talk.results) : undefined;
	const sources = told ? resultSources(talk.results) : talk.sources;
	const questions = readQuestions(talk.question, talk.earlier, sources);
	const [question] = questions;
	const alone = told ?? answerWithout(question.intent, talk, run.seed);
	if (sources.length === 0 || (alone && format.type !== 'schema')) {
		return formatted(alone ?? tellResults([]), question, undefined, format, talk);
	}
	const { desk, isPartial } = await openDesk(questions, sources, run, library);
	const answer = alone ?? withPictureNote(await answerAll(questions, desk), talk);
	const whole = isPartial ? { ...answer, warnings: [partly] } : answer;
	return formatted(whole, question, desk, format, talk);
}

async function formatted(
	answer: Answer,
	question: Question,
	desk: ChatContext | undefined,
	format: ChatFormat,
	talk: Talk,
): Promise<Answer> {
	if (format.type === 'schema') return bySchema(format, answer, question, desk);
	return format.type === 'json' || talk.wantsJson ? asJson(answer) : answer;
}

async function openDesk(
	questions: readonly Question[],
	sources: readonly Source[],
	{ seed, signal }: ChatRun,
	library: Library,
): Promise<{ readonly desk: ChatContext; readonly isPartial: boolean }> {
	const terms = questions.flatMap((question) => [...question.terms, ...question.background]);
	const { collection, isPartial } = await library.open(sources, terms, signal);
	return { desk: { sources, collection, seed, slices: new Slices(signal) }, isPartial };
}

/** Several questions of one message are answered one after another. */
async function answerAll(questions: readonly Question[], desk: ChatContext): Promise<Answer> {
	const answers: Answer[] = [];
	for (const question of questions) answers.push(await answerFrom(question, desk));
	const [only] = answers;
	if (only && answers.length === 1) return only;
	const briefs = answers.flatMap(({ brief }) => brief ?? []);
	return {
		text: answers.map(({ text }) => text).join('\n\n'),
		...(briefs.length > 0 && { brief: briefs.join('; ') }),
		quotes: answers.flatMap(({ quotes }) => quotes),
	};
}

async function answerFrom(question: Question, desk: ChatContext): Promise<Answer> {
	const { intent } = question;
	if (question.text === '') return summarise(question, desk);
	switch (intent.kind) {
		case 'summary':
			return summarise(question, desk);
		case 'compare':
			return compareDocuments(question, desk);
		case 'quote':
			return quoteSentences(question, desk);
		case 'page':
			return showPage(question, desk);
		case 'list':
			return listThings(intent.what, question, desk);
		case 'count':
			return countThings(intent.what, question, desk);
		case 'count-of':
			return countPhrase(intent.phrase, question, desk);
		default:
			return answerQuestion(question, desk);
	}
}
