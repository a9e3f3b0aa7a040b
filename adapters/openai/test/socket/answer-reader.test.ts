import type { ForwardController } from '@plinth/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnswerReader, type AnswerSource } from '../../src/upstream/socket/answer-reader.ts';
import { Told } from './told.ts';

/** What becomes of an answer, and whether the connection may be used again. */
interface Outcome {
	readonly status: number;
	readonly body: string;
	readonly fate: 'kept' | 'closed' | 'failed';
}

/** A connection to which nothing is done. */
const deaf: AnswerSource = { pause() {}, resume() {}, abort() {}, finish() {} };

/** Reads an answer that comes in these pieces, behind which the server closes. Every piece comes in the same memory, as from a connection. */
function outcomeOf(pieces: readonly string[]): Outcome {
	const told = new Told();
	let fate: Outcome['fate'] = 'failed';
	const reader = new AnswerReader(told, {
		...deaf,
		finish: (head) => {
			fate = head?.keepsAlive ? 'kept' : 'closed';
		},
	});
	const memory = Buffer.alloc(200_000);
	for (const piece of pieces) {
		if (reader.isOver) break;
		const length = memory.write(piece, 'latin1');
		reader.read(memory.subarray(0, length));
		memory.fill('#', 0, length);
	}
	if (!reader.isOver) reader.close();
	return { status: told.status, body: told.body, fate };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

describe('an answer is read, wherever it is cut,', () => {
	test.each<[string, string, Outcome]>([
		['with a length', `${ok}Content-Length: \t5 \r\n\r\nhello`, kept('hello')],
		['with no bytes', `${ok}content-length: 0\r\n\r\n`, kept('')],
		['without words behind its status', 'HTTP/1.1 200\r\ncontent-length: 1\r\n\r\na', kept('a')],
		['of 204, which has no body', 'HTTP/1.1 204 No Content\r\n\r\n', kept('', 204)],
		['of 304, whose length is another’s', nothing(304), kept('', 304)],
		['behind 100 and 103', `${only(100)}${only(103)}${ok}content-length: 1\r\n\r\na`, kept('a')],
		['in chunks', `${chunked}5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n`, kept('hello!')],
		['in chunks with capitals', `${chunked}00A\r\n0123456789\r\n000\r\n\r\n`, kept('0123456789')],
		['with extensions', `${chunked}1;a=b\r\nx\r\n2;c="d;e"\r\nyz\r\n0;f\r\n\r\n`, kept('xyz')],
		['with trailers', `${chunked}1\r\nx\r\n0\r\na: b\r\nc: d\r\n\r\n`, kept('x')],
		['with CR and LF as its data', `${chunked}4\r\n\r\n\r\n\r\n0\r\n\r\n`, kept('\r\n\r\n')],
		['until the connection is closed', `${ok}\r\nhello`, closed('hello')],
		['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na', closed('a')],
		['of HTTP/1.0 that keeps', old('keep-alive', 'content-length: 1'), kept('a')],
		[
			'of HTTP/1.0 that keeps and closes',
			old('keep-alive, close', 'content-length: 1'),
			closed('a'),
		],
		['that is the last', `${ok}connection: x ,\tClose\r\ncontent-length: 1\r\n\r\na`, closed('a')],
	])('%s', (_, raw, expected) => {
		expect(outcomeOf([raw])).toEqual(expected);
		expect(outcomeOf([...raw])).toEqual(expected);
		for (let at = 1; at < raw.length; at++) {
			expect(outcomeOf([raw.slice(0, at), raw.slice(at)])).toEqual(expected);
		}
	});

	test('with many blanks in a header', () => {
		const blanks = ' '.repeat(60_000);
		const raw = `${ok}connection: a${blanks}b\r\ncontent-length: 1\r\n\r\na`;
		expect(outcomeOf([raw])).toEqual(kept('a'));
	});

	test('in chunks of HTTP/1.0, which nobody there has framed, and never another behind it', () => {
		const raw = `HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n${chunked.slice(ok.length)}1\r\na\r\n0\r\n\r\n`;
		expect(outcomeOf([raw])).toEqual(closed('a'));
	});

	test.each([
		['its length', `${ok}content-length: 2\r\n\r\nhi`],
		['its last chunk', `${chunked}2\r\nhi\r\n0\r\n\r\n`],
	])('and no other one behind bytes that follow %s', (_, raw) => {
		expect(outcomeOf([`${raw}${ok}content-length: 4\r\n\r\nevil`])).toEqual(closed('hi'));
	});
});

describe('an answer fails, wherever it is cut,', () => {
	const digits = '0'.repeat(12);
	test.each([
		['with two lengths', `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
		['with a list of lengths', `${ok}content-length: 1, 1\r\n\r\na`],
		['with a sign before its length', `${ok}content-length: +1\r\n\r\na`],
		['with a length that is no number', `${ok}content-length: 0x1\r\n\r\na`],
		['with a length of too many digits', `${ok}content-length: ${digits}0001\r\n\r\na`],
		['with a length and another blank', `${ok}content-length: 1\xa0\r\n\r\na`],
		['with a length and chunks', `${ok}content-length: 1\r\n${chunked.slice(ok.length)}0\r\n\r\n`],
		['with a coding', `${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
		[
			'with chunks twice',
			`${ok}transfer-encoding: chunked\r\n${chunked.slice(ok.length)}0\r\n\r\n`,
		],
		[
			'with a control character before chunks',
			`${ok}transfer-encoding: \vchunked\r\n\r\n0\r\n\r\n`,
		],
		['with a folded line', `${ok}a: b\r\n c\r\ncontent-length: 1\r\n\r\na`],
		['with a blank before a colon', `${ok}content-length : 1\r\n\r\na`],
		['with a line without a colon', `${ok}content-length 1\r\n\r\na`],
		['with a line end of its own', `${ok}a: b\ncontent-length: 1\r\n\r\na`],
		['with LF alone', 'HTTP/1.1 200 OK\ncontent-length: 1\n\na'],
		['with CR within a line', `${ok}a: b\rc\r\ncontent-length: 1\r\n\r\na`],
		['with NUL in a value', `${ok}a: \0\r\ncontent-length: 1\r\n\r\na`],
		['with NUL in its words', 'HTTP/1.1 200 \0\r\ncontent-length: 1\r\n\r\na'],
		['with NUL in a name', `${ok}a\0: b\r\ncontent-length: 1\r\n\r\na`],
		['of another version', 'HTTP/2.0 200 OK\r\ncontent-length: 1\r\n\r\na'],
		['of another status', 'HTTP/1.1 0200 OK\r\ncontent-length: 1\r\n\r\na'],
		['of another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
		['that changes the protocol', only(101)],
		['with a size that is none', `${chunked}g\r\n`],
		['with no size', `${chunked}\r\n`],
		['with a size of too many digits', `${chunked}${digits}1\r\na\r\n0\r\n\r\n`],
		['with a sign before a size', `${chunked}-1\r\na\r\n0\r\n\r\n`],
		['with two sizes', `${chunked}1 1\r\na\r\n0\r\n\r\n`],
		['with LF alone behind a size', `${chunked}1\na\r\n0\r\n\r\n`],
		['with LF alone in an extension', `${chunked}1;a\nb\r\na\r\n0\r\n\r\n`],
		['with CR alone behind a size', `${chunked}1\rxa\r\n0\r\n\r\n`],
		['with a chunk that is longer than it says', `${chunked}1\r\nab\r\n0\r\n\r\n`],
		['with LF alone behind a chunk', `${chunked}1\r\na\n0\r\n\r\n`],
		['with LF alone at its end', `${chunked}0\r\n\n`],
		['with LF alone behind a trailer', `${chunked}0\r\na: b\n\r\n`],
		['with CR alone behind a trailer', `${chunked}0\r\na: b\rc\r\n\r\n`],
		['with CR alone at its end', `${chunked}0\r\n\rx\r\n\r\n`],
		['cut within its length', `${ok}content-length: 2\r\n\r\na`],
		['cut within a chunk', `${chunked}2\r\na`],
		['cut before its last chunk', `${chunked}1\r\na\r\n`],
		['cut within its trailers', `${chunked}0\r\na: b\r\n`],
		['cut within its head', 'HTTP/1.1 200 OK\r\ncontent-le'],
		['cut behind a head that announces it', only(100)],
		['without a byte', ''],
	])('%s', (_, raw) => {
		expect(outcomeOf([raw]).fate).toBe('failed');
		expect(outcomeOf([...raw]).fate).toBe('failed');
	});

	test.each([
		['a head', `${ok}a: ${'b'.repeat(70_000)}\r\n\r\n`],
		['a head without an end', `${ok}a: ${'b'.repeat(70_000)}`],
		['an extension', `${chunked}1;${'a'.repeat(5_000)}\r\na\r\n0\r\n\r\n`],
		['a trailer', `${chunked}0\r\na: ${'b'.repeat(17_000)}\r\n\r\n`],
	])('with %s that is too long', (_, raw) => {
		expect(outcomeOf([raw]).fate).toBe('failed');
		expect(outcomeOf([raw.slice(0, 9_999), raw.slice(9_999)]).fate).toBe('failed');
	});
});

test('what came along with a paused head is told, although the server has closed', () => {
	const told = new Told((now, controller) => {
		if (now === 'onResponseStart') controller.pause();
	});
	const reader = new AnswerReader(told, deaf);
	reader.read(Buffer.from('HTTP/1.1 200 OK\r\n\r\nall of it'));
	reader.close();
	expect(told.moments).toEqual(['onResponseStart']);
	reader.resume();
	expect([told.body, told.moments.at(-1)]).toEqual(['all of it', 'onResponseEnd']);
});

test('a server of another protocol is not waited for', () => {
	for (const raw of ['SSH-2.0-OpenSSH_9.6\r\n', 'HTTP/1.1 200 OK\n', 'HTTQ']) {
		const told = new Told();
		new AnswerReader(told, deaf).read(Buffer.from(raw));
		expect(told.moments).toEqual(['onResponseError']);
	}
});

/** Keeps what it is lent for as long as it may, and pauses as it is told. */
class Borrower extends Told {
	isPaused = false;
	got = '';
	readonly #lent: Buffer[] = [];

	constructor(pauses: Iterator<boolean>) {
		super((_, controller) => {
			this.isPaused = pauses.next().value;
			if (this.isPaused) controller.pause();
		});
	}

	override onResponseData(controller: ForwardController, chunk: Buffer): void {
		expect(this.isPaused).toBe(false);
		this.#lent.push(chunk);
		super.onResponseData(controller, Buffer.alloc(0));
	}

	/** Goes on until it is not paused. */
	goOn(reader: AnswerReader): void {
		while (this.isPaused) {
			this.#giveBack();
			this.isPaused = false;
			reader.resume();
		}
		this.#giveBack();
	}

	#giveBack(): void {
		this.got += Buffer.concat(this.#lent.splice(0)).toString('latin1');
	}
}

/** A body as pieces of one framing, where it is cut into reads, and in which callbacks it is paused. */
const sent = fc.record({
	chunks: fc.array(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }), {
		maxLength: 8,
	}),
	framing: fc.constantFrom('length', 'chunked', 'close'),
	cuts: fc.infiniteStream(fc.integer({ min: 1, max: 60 })),
	pauses: fc.infiniteStream(fc.boolean()),
});

test('a body is the same however it is framed and cut, and what is lent stays as it was until it is given back', () => {
	fc.assert(
		fc.property(sent, ({ chunks, framing, cuts, pauses }) => {
			const body = chunks.join('');
			const frames = chunks.map((each) => `${each.length.toString(16)}\r\n${each}\r\n`).join('');
			const raw = {
				length: `${ok}content-length: ${body.length}\r\n\r\n${body}`,
				chunked: `${chunked}${frames}0\r\n\r\n`,
				close: `${ok}\r\n${body}`,
			}[framing];
			const borrower = new Borrower(pauses);
			const reader = new AnswerReader(borrower, deaf);
			const memory = Buffer.alloc(1_000);
			for (let at = 0; at < raw.length && !reader.isOver; ) {
				const piece = raw.slice(at, at + cuts.next().value);
				at += piece.length;
				reader.read(memory.subarray(0, memory.write(piece, 'latin1')));
				borrower.goOn(reader);
				memory.fill('#');
			}
			if (!reader.isOver) reader.close();
			borrower.goOn(reader);
			expect(borrower.got).toBe(body);
			expect(borrower.moments.at(-1)).toBe('onResponseEnd');
		}),
		{ numRuns: 300 },
	);
});

function kept(body: string, status = 200): Outcome {
	return { status, body, fate: 'kept' };
}

function closed(body: string): Outcome {
	return { status: 200, body, fate: 'closed' };
}

function only(status: number): string {
	return `HTTP/1.1 ${status} \r\n\r\n`;
}

function nothing(status: number): string {
	return `HTTP/1.1 ${status} \r\ncontent-length: 7\r\n\r\n`;
}

function old(connection: string, length: string): string {
	return `HTTP/1.0 200 OK\r\nconnection: ${connection}\r\n${length}\r\n\r\na`;
}
