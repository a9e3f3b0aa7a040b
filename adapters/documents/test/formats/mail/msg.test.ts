import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../src/read.ts';
import { compoundOf, type Folder } from '../../ole/compound.ts';

const wide = (text: string) => Buffer.from(text, 'utf16le');

/** A property stream with `head` bytes before the properties, which are 32-bit numbers or times. */
function list(head: number, properties: Readonly<Record<number, number | Date>>): Buffer {
	const entries = Object.entries(properties).map(([tag, value]) => {
		const entry = Buffer.alloc(16);
		entry.writeUInt16LE(typeof value === 'number' ? 0x03 : 0x40, 0);
		entry.writeUInt16LE(Number(tag), 2);
		if (typeof value === 'number') entry.writeUInt32LE(value, 8);
		else entry.writeBigUInt64LE((BigInt(value.getTime()) + 11_644_473_600_000n) * 10_000n, 8);
		return entry;
	});
	return Buffer.concat([Buffer.alloc(head), ...entries]);
}

function message(files: Folder, head = 32, properties = {}): Folder {
	return {
		'__properties_version1.0': list(head, { 57: new Date('2026-03-04T05:06:07Z'), ...properties }),
		'__substg1.0_0037001F': wide('Grüße'),
		'__substg1.0_0C1A001F': wide('Ann'),
		'__substg1.0_5D01001F': wide('ann@a.example'),
		...files,
	};
}

const body = { '__substg1.0_1000001F': wide('The body\r\n') };
const recipient = (name: string, address: string, kind: number): Folder => ({
	'__properties_version1.0': list(8, { 3093: kind }),
	'__substg1.0_3001001F': wide(name),
	'__substg1.0_39FE001F': wide(address),
});
const attachment = (name: string, content: Uint8Array | string, more: Folder = {}): Folder => ({
	'__properties_version1.0': list(8, {}),
	'__substg1.0_3707001F': wide(name),
	'__substg1.0_37010102': content,
	...more,
});

const text = async (files: Folder) => (await readDocument(compoundOf(files))).text;
const head = 'From: Ann <ann@a.example>\nDate: Wed, 04 Mar 2026 05:06:07 GMT\nSubject: Grüße';

describe('an Outlook message', () => {
	test('contains its headers, then its text', async () => {
		const file = message({
			...body,
			'__recip_version1.0_#00000000': recipient('Bo', 'bo@b.example', 1),
			'__recip_version1.0_#00000001': recipient('c@d.example', 'c@d.example', 2),
		});
		expect(await readDocument(compoundOf(file))).toMatchObject({
			mediaType: 'application/vnd.ms-outlook',
			text: [
				'From: Ann <ann@a.example>',
				'To: Bo <bo@b.example>',
				'Cc: c@d.example',
				'Date: Wed, 04 Mar 2026 05:06:07 GMT',
				'Subject: Grüße\n\nThe body',
			].join('\n'),
			metadata: { title: 'Grüße', created: '2026-03-04T05:06:07.000Z' },
		});
	});

	test('has bold headers in Markdown', async () => {
		const { text } = await readDocument(compoundOf(message(body)), { format: 'markdown' });
		expect(text).toMatch(/^\*\*From:\*\* Ann <ann@a\.example>\n.*\n\*\*Subject:\*\* Grüße\n\nThe body$/);
	});

	test('of the ANSI format has texts in a code page', async () => {
		const narrow = Buffer.from([0xcf, 0xf0]);
		expect(await text(message({ '__substg1.0_1000001E': narrow }, 32, { 16381: 1251 }))).toBe(`${head}\n\nПр`);
	});

	test('may have different code pages for its text and its HTML body', async () => {
		const pages = { 16381: 1251, 16350: 65_001 };
		const narrow = Buffer.from([0xcf, 0xf0]);
		expect(await text(message({ '__substg1.0_1000001E': narrow }, 32, pages))).toBe(`${head}\n\nПр`);
		const page = Buffer.from('<p>schön');
		expect(await text(message({ '__substg1.0_10130102': page }, 32, pages))).toBe(`${head}\n\nschön`);
	});

	test('with only an HTML body contains the text of that', async () => {
		const page = Buffer.from('<p>sch\xf6n<p>more', 'latin1');
		expect(await text(message({ '__substg1.0_10130102': page }, 32, { 16350: 28_591 }))).toBe(
			`${head}\n\nschön\n\nmore`,
		);
	});

	test('with only RTF contains the text of that', async () => {
		const rtf = Buffer.from("{\\rtf1\\ansi sch\\'f6n\\par more}", 'latin1');
		const start = Buffer.alloc(16);
		start.writeUInt32LE(rtf.length + 12, 0);
		start.writeUInt32LE(rtf.length, 4);
		start.write('MELA', 8, 'latin1');
		const packed = Buffer.concat([start, rtf]);
		expect(await text(message({ '__substg1.0_10090102': packed }))).toBe(`${head}\n\nschön\n\nmore`);
		expect(await text(message({ '__substg1.0_10090102': packed.subarray(0, -1) }))).toBe(head);
	});

	test('is followed by its attachments, including other messages', async () => {
		const inner = message(
			{
				'__substg1.0_1000001F': wide('inner'),
				'__attach_version1.0_#00000000': attachment('deep.txt', 'x'),
			},
			24,
		);
		const file = message({
			...body,
			'__attach_version1.0_#00000000': attachment('t.csv', 'a,b\n1,2\n'),
			'__attach_version1.0_#00000001': attachment('m', '', { '__substg1.0_3701000D': inner }),
			'__attach_version1.0_#00000002': attachment('p.png', 'x', {
				'__substg1.0_370E001F': wide('image/png'),
				'__substg1.0_3712001F': wide('one'),
			}),
		});
		expect(await text(file)).toBe(
			[
				`${head}\n\nThe body`,
				'--- attachment: t.csv ---\na\tb\n1\t2',
				`--- attachment: m ---\n${head}\n\ninner`,
				'--- attachment: deep.txt ---',
			].join('\n\n'),
		);
	});

	test('contains the name of an attachment that is only a link', async () => {
		const link: Folder = { '__properties_version1.0': list(8, {}), '__substg1.0_3707001F': wide('far.pdf') };
		expect(await text(message({ ...body, '__attach_version1.0_#00000000': link }))).toMatch(
			/The body\n\n--- attachment: far\.pdf ---$/,
		);
	});

	test('that is damaged is read or rejected with a document error', async () => {
		const file = compoundOf(message({ ...body, '__attach_version1.0_#00000000': attachment('a.txt', 'text') }));
		for (let at = 512; at + 4 < file.length; at += 11) {
			const damaged = Buffer.from(file);
			damaged.fill(0xff, at, at + 4);
			for (const bytes of [damaged, file.subarray(0, at)]) {
				const outcome = await readDocument(bytes).catch((error) => error.code);
				expect(outcome).toSatisfy(
					(value) => typeof value === 'object' || /^E_DOCUMENT_(UNREADABLE|UNSUPPORTED)$/.test(value),
				);
			}
		}
	});
});
