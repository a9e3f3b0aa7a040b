import { describe, expect, test } from 'vitest';
import { zipOfFiles } from '../../../../../test/support/zip.ts';
import { readDocument } from '../../../src/read.ts';

const read = (...lines: string[]) => readDocument(Buffer.from(lines.join('\r\n')));
const head = ['From: Ann <ann@a.example>', 'To: bo@b.example', 'Subject: Hello', 'MIME-Version: 1.0'];

/** A mail of several parts, each given as its head lines, an empty line and its content. */
function parts(kind: string, ...contents: readonly (readonly string[])[]): string[] {
	const all = contents.flatMap((content) => ['--edge', ...content]);
	return [...head, `Content-Type: multipart/${kind}; boundary=edge`, '', ...all, '--edge--'];
}

const plain = (text: string) => ['Content-Type: text/plain; charset=utf-8', '', text];
const shownHead = 'From: Ann <ann@a.example>\nTo: bo@b.example\nSubject: Hello';

describe('a mail', () => {
	test('gives its head, then its text', async () => {
		const mail = await read(
			'Received: from somewhere',
			'From: =?utf-8?q?=C3=84nn?= <ann@a.example>',
			'To: bo@b.example, "C, D" <c@d.example>',
			'Cc: e@f.example',
			'Date: Fri, 16 Dec 2022 17:04:16 -0500',
			'Subject: =?iso-8859-1?B?R3L832U=?=',
			'X-Mailer: none',
			'',
			'The body',
		);
		expect(mail).toMatchObject({
			mediaType: 'message/rfc822',
			text: [
				'From: Änn <ann@a.example>',
				'To: bo@b.example, C, D <c@d.example>',
				'Cc: e@f.example',
				'Date: Fri, 16 Dec 2022 17:04:16 -0500',
				'Subject: Grüße',
				'',
				'The body',
			].join('\n'),
			metadata: {
				title: 'Grüße',
				author: 'Änn <ann@a.example>',
				created: '2022-12-16T22:04:16.000Z',
			},
		});
	});

	test('with a text and a page gives the text', async () => {
		const mail = await read(...parts('alternative', plain('as text'), ['Content-Type: text/html', '', '<p>as page']));
		expect(mail.text).toBe(`${shownHead}\n\nas text`);
	});

	test('whose text only asks to look at the page gives the page', async () => {
		const page = `<p>${'There is much to tell. '.repeat(20).trim()}`;
		const mail = await read(...parts('alternative', plain('Look at the page.'), ['Content-Type: text/html', '', page]));
		expect(mail.text).toBe(`${shownHead}\n\n${page.slice(3)}`);
	});

	test('with a head in the charset of its body is read', async () => {
		const head = Buffer.from('From: a@b.c\nTo: b\nContent-Type: text/plain; charset=koi8-r\nSubject: ');
		const { metadata, text } = await readDocument(Buffer.concat([head, Buffer.from('f0d2c9d7c5d40a0ad4', 'hex')]));
		expect([metadata.title, text?.at(-1)]).toEqual(['Привет', 'т']);
	});

	test('with a head in a charset of its own is read', async () => {
		const bytes = Buffer.from('From: ann@a.example\r\nTo: b\r\nSubject: Gr\xfc\xdfe\r\n\r\nx', 'latin1');
		expect((await readDocument(bytes)).metadata.title).toBe('Grüße');
	});

	test.each([false, true])('in UTF-16 without a mark is read, big end first: %s', async (isBig) => {
		const lines = [
			'From: a@b.example',
			'Subject: Grüße',
			'Content-Type: text/plain; charset=utf-16',
			'',
			'schöne Grüße',
		];
		const bytes = Buffer.from(lines.join('\r\n'), 'utf16le');
		const { text, metadata } = await readDocument(isBig ? bytes.swap16() : bytes);
		expect([text, metadata.title]).toEqual(['From: a@b.example\nSubject: Grüße\n\nschöne Grüße', 'Grüße']);
	});

	test('that is signed has no attachment for it', async () => {
		const signature = ['Content-Type: application/pkcs7-signature; name=smime.p7s', '', 'x'];
		const mail = await read(...parts('signed', plain('text'), signature));
		expect(mail.text).toBe(`${shownHead}\n\ntext`);
	});

	test('that is a saved page gives no style sheets', async () => {
		const mail = await read(
			...parts(
				'related',
				['Content-Type: text/html', '', '<p>page'],
				['Content-Type: text/css', 'Content-Location: https://a.example/a.css', '', 'p { }'],
			),
		);
		expect(mail.text).toBe(`${shownHead}\n\npage`);
	});

	test('with a page only gives the text of that', async () => {
		const mail = await read(
			...head,
			'Content-Type: text/html; charset=iso-8859-1',
			'Content-Transfer-Encoding: quoted-printable',
			'',
			'<html><meta charset=3Dkoi8-r><p>sch=F6n<p>more</html>',
		);
		expect(mail.text).toBe(`${shownHead}\n\nschön\n\nmore`);
	});

	test('has its attachments behind it, whatever they are', async () => {
		const mail = await read(
			...parts(
				'mixed',
				plain('see below'),
				[
					'Content-Type: application/octet-stream',
					"Content-Disposition: attachment; filename*=utf-8''t%C3%A4ble.bin",
					'Content-Transfer-Encoding: base64',
					'',
					Buffer.from('a,b\n1,2\n').toString('base64'),
				],
				[
					'Content-Type: image/x-unknown; name="sound\u0007.wav"',
					'Content-Disposition: attachment',
					'',
					'RIFF\0\0\0\0WAVE\0\0\0\0',
				],
				[
					'Content-Type: application/zip; name=a.zip',
					'Content-Transfer-Encoding: base64',
					'',
					zipOfFiles({ 'a.txt': 'deep' }).toString('base64'),
				],
			),
		);
		expect(mail.text).toBe(
			[
				`${shownHead}\n\nsee below`,
				'--- attachment: täble.bin ---\na\tb\n1\t2',
				'--- attachment: sound .wav ---\n[No text can be read from a file of this format.]',
				'--- attachment: a.zip ---\n[An archive within another file is not opened.]',
			].join('\n\n'),
		);
	});

	test('shows a mail that is attached, and names what is attached to that', async () => {
		const inner = parts('mixed', plain('inner text'), [
			'Content-Type: text/plain; name=deep.txt',
			'Content-Disposition: attachment',
			'',
			'too deep',
		]).map((line) => line.replaceAll('edge', 'other'));
		const mail = await read(...parts('mixed', plain('outer text'), ['Content-Type: message/rfc822', '', ...inner]));
		expect(mail.text).toBe(
			[
				`${shownHead}\n\nouter text`,
				`--- attachment: without a name ---\n${shownHead}\n\ninner text`,
				'--- attachment: deep.txt ---',
			].join('\n\n'),
		);
	});

	test('does not take pictures in its text for attachments', async () => {
		const mail = await read(
			...parts(
				'related',
				['Content-Type: text/html', '', '<p>look: <img src="cid:one">'],
				['Content-Type: image/png', 'Content-ID: <one>', '', 'picture'],
			),
		);
		expect(mail.text).toBe(`${shownHead}\n\nlook:`);
	});

	test('has a page for each when a file holds several', async () => {
		const one = ['From x@y.z Sat Jan  3 01:05:34 1996', ...head, '', 'one', 'From here on, text', ''];
		const { pages } = await read(...one, ...one.map((line) => line.replace('one', 'two')));
		expect(pages?.map(({ text }) => text.split('\n\n')[1])).toEqual([
			'one\nFrom here on, text',
			'two\nFrom here on, text',
		]);
	});
});

describe('a hostile mail', () => {
	test.each([
		[
			'parts within each other, without end',
			Array.from({ length: 3_000 }, (_, at) => [
				`Content-Type: multipart/mixed; boundary=b${at}`,
				'',
				`--b${at}`,
			]).flat(),
		],
		[
			'mails within each other, without end',
			Array.from({ length: 3_000 }, () => ['Content-Type: message/rfc822', '', ...head]).flat(),
		],
		['a head without end', Array.from({ length: 50_000 }, (_, at) => `X-${at}: ${'x'.repeat(60)}`)],
		['lines without end', ['', ...Array<string>(100_001).fill('')]],
		['an edge that never comes', ['Content-Type: multipart/mixed; boundary=none', '', 'text']],
		['broken codes', ['Content-Transfer-Encoding: base64', '', '=?=*!', 'QQ=Q=', '====']],
		['an unknown charset', ['Content-Type: text/plain; charset=x-none', '', 'text']],
		['addresses without end', [`Cc: ${'(<",'.repeat(20_000)}`, '', 'text']],
	])('with %s gives text or is refused', async (_, lines) => {
		const outcome = await read(...head, ...lines).catch((error) => error.code);
		expect(outcome).toSatisfy(
			(value) => value.text?.startsWith('From: Ann') || /^E_DOCUMENT_(UNREADABLE|TOO_LARGE)$/.test(String(value)),
		);
	});
});
