import type { Intent } from '../ask/intent.ts';
import { type Answer, choose, enumerate } from '../quotes.ts';
import type { Talk } from '../talk.ts';

const self =
	'I am builtin-chat: procedural and extractive, without a neural network. I answer only by quoting the documents that are attached to a message, each quote with its file and page.';
const howTo =
	'Attach documents as file parts of a message (PDF, Office, HTML, text and others): {"type": "file", "file": {"filename": "report.pdf", "file_data": "data:application/pdf;base64,…"}}.';
const abilities =
	'Ask a question, or for a summary, the dates, amounts, e-mail addresses, links, phone numbers or headings, a count (“how many times is “x” mentioned?”), the sentence with certain words, what stands on a page, or a comparison of two documents.';
const noPictures = 'I read no pictures: what a picture shows did not reach me.';

/** Answers what is not about the text of documents. Undefined when documents have to be asked. */
export function answerWithout(intent: Intent, talk: Talk, seed: number): Answer | undefined {
	const has = talk.sources.length > 0;
	const text = talkOf(intent, has, talk, seed);
	if (text === undefined) return undefined;
	return { text: talk.hasPicture ? `${text} ${noPictures}` : text, quotes: [] };
}

/** Adds to an answer that a picture was not looked at. */
export function withPictureNote(answer: Answer, { hasPicture }: Talk): Answer {
	return hasPicture ? { ...answer, text: `${answer.text}\n\n${noPictures}` } : answer;
}

function talkOf(intent: Intent, has: boolean, talk: Talk, seed: number): string | undefined {
	const names = enumerate(talk.sources.map(({ filename }) => filename));
	switch (intent.kind) {
		case 'greeting':
			return `${choose(['Hello!', 'Hi!', 'Good day!'], seed)} ${has ? `I have ${names}. ${abilities}` : `${self} ${howTo} ${abilities}`}`;
		case 'thanks':
			return choose(['You are welcome.', 'With pleasure.', 'Glad that it helped.'], seed);
		case 'about':
			return `${self} ${has ? '' : `${howTo} `}${abilities}`;
		case 'beyond':
			return `I cannot do that: I write, translate and calculate nothing of my own. ${self} ${has ? '' : `${howTo} `}${abilities}`;
		default:
			return has ? undefined : noDocument(talk);
	}
}

function noDocument({ question, hasPicture }: Talk): string {
	if (hasPicture && question === '') return `${self} ${howTo}`;
	return `No document is attached, and I know nothing else. ${self} ${howTo} ${abilities}`;
}
