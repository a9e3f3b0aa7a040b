import { describe, expect, test } from 'vitest';
import { zipOfFiles } from '../../../../../test/support/zip.ts';
import { readDocument } from '../../../src/read.ts';

const read = (...lines: string[]) => readDocument(Buffer.from(lines.join('\r\n')));
const head = ['From: Ann <ann@a.example>', 'To: bo@b.example', 'Subject: Hello', 'MIME-Version: 1.0'];

/** A multipart mail. Each part is given as its header lines, an empty line and its content. */
function parts(kind: string, ...contents: readonly (readonly string[])[]): string[] {
	const all = contents.flatMap((content) => ['--edge', ...content]);
	return [...head, `Content-Type: multipart/${kind}; boundary=edge`, '', ...all, '--edge--'];
}

const plain = (text: string) => ['Content-Type: text/plain; charset=utf-8', '', text];
const shownHead = 'From: Ann <ann@a.example>\nTo: bo@b.example\nSubject: Hello';

describe('a mail', () => {
	test('contains its headers, then its text', async () => {
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

	test('with a text and an HTML part contains the text', async () => {
		const mail = await read(...parts('alternative', plain('as text'), ['Content-Type: text/html', '', '<p>as page']));
		expect(mail.text).toBe(`${shownHead}\n\nas text`);
	});

	test('contains its HTML part when the text only refers to that', async () => {
		const page = `<p>${'There is much to tell. '.repeat(20).trim()}`;
		const mail = await read(...parts('alternative', plain('Look at the page.'), ['Content-Type: text/html', '', page]));
		expect(mail.text).toBe(`${shownHead}\n\n${page.slice(3)}`);
	});

	test('with headers in the charset of its body is read', async () => {
		const head = Buffer.from('From: a@b.c\nTo: b\nContent-Type: text/plain; charset=koi8-r\nSubject: ');
		const { metadata, text } = await readDocument(Buffer.concat([head, Buffer.from('f0d2c9d7c5d40a0ad4', 'hex')]));
		expect([metadata.title, text?.at(-1)]).toEqual(['Привет', 'т']);
	});

	test('with headers in Latin-1 is read', async () => {
		const bytes = Buffer.from('From: ann@a.example\r\nTo: b\r\nSubject: Gr\xfc\xdfe\r\n\r\nx', 'latin1');
		expect((await readDocument(bytes)).metadata.title).toBe('Grüße');
	});

	test.each([false, true])('in UTF-16 without a byte order mark is read, big endian: %s', async (isBig) => {
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

	test('that is signed does not list the signature as an attachment', async () => {
		const signature = ['Content-Type: application/pkcs7-signature; name=smime.p7s', '', 'x'];
		const mail = await read(...parts('signed', plain('text'), signature));
		expect(mail.text).toBe(`${shownHead}\n\ntext`);
	});

	test('that is a saved web page omits style sheets', async () => {
		const mail = await read(
			...parts(
				'related',
				['Content-Type: text/html', '', '<p>page'],
				['Content-Type: text/css', 'Content-Location: https://a.example/a.css', '', 'p { }'],
			),
		);
		expect(mail.text).toBe(`${shownHead}\n\npage`);
	});

	test('with only an HTML part contains the text of that', async () => {
		const mail = await read(
			...head,
			'Content-Type: text/html; charset=iso-8859-1',
			'Content-Transfer-Encoding: quoted-printable',
			'',
			'<html><meta charset=3Dkoi8-r><p>sch=F6n<p>more</html>',
		);
		expect(mail.text).toBe(`${shownHead}\n\nschön\n\nmore`);
	});

	test('is followed by its attachments of all types', async () => {
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

	test('contains an attached mail, and only the names of the attachments of that', async () => {
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

	test('does not list inline pictures as attachments', async () => {
		const mail = await read(
			...parts(
				'related',
				['Content-Type: text/html', '', '<p>look: <img src="cid:one">'],
				['Content-Type: image/png', 'Content-ID: <one>', '', 'picture'],
			),
		);
		expect(mail.text).toBe(`${shownHead}\n\nlook:`);
	});

	test('has one page for each mail of an mbox file', async () => {
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
			'parts nested without end',
			Array.from({ length: 3_000 }, (_, at) => [
				`Content-Type: multipart/mixed; boundary=b${at}`,
				'',
				`--b${at}`,
			]).flat(),
		],
		[
			'mails nested without end',
			Array.from({ length: 3_000 }, () => ['Content-Type: message/rfc822', '', ...head]).flat(),
		],
		['headers without end', Array.from({ length: 50_000 }, (_, at) => `X-${at}: ${'x'.repeat(60)}`)],
		['lines without end', ['', ...Array<string>(100_001).fill('')]],
		['a boundary that is missing', ['Content-Type: multipart/mixed; boundary=none', '', 'text']],
		['broken codes', ['Content-Transfer-Encoding: base64', '', '=?=*!', 'QQ=Q=', '====']],
		['an unknown charset', ['Content-Type: text/plain; charset=x-none', '', 'text']],
		['addresses without end', [`Cc: ${'(<",'.repeat(20_000)}`, '', 'text']],
	])('with %s is read or rejected', async (_, lines) => {
		const outcome = await read(...head, ...lines).catch((error) => error.code);
		expect(outcome).toSatisfy(
			(value) => value.text?.startsWith('From: Ann') || /^E_DOCUMENT_(UNREADABLE|TOO_LARGE)$/.test(String(value)),
		);
	});
});
