import { describe, expect, test } from 'vitest';
import { zipOfFiles } from '../../../../../test/support/zip.ts';
import { sniff } from '../../../src/formats/sniff/sniff.ts';
import { compoundOf } from '../../ole/compound.ts';

const office = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';
const kind = (content: string | Uint8Array) =>
	sniff(typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
const types = (type: string) =>
	zipOfFiles({ '[Content_Types].xml': `<Types><Override ContentType="${type}"/></Types>` });

describe('the type of a file is detected by its content:', () => {
	test.each([
		['image/png', '\x89PNG\r\n\x1a\n\0\0'],
		['image/jpeg', '\xff\xd8\xff\xe0'],
		['image/gif', 'GIF89a'],
		['image/webp', 'RIFF\x10\0\0\0WEBPVP8 '],
		['image/tiff', 'II*\0\x08\0\0\0'],
		['image/bmp', `BM${'\0'.repeat(12)}\x28\0\0\0${'\0'.repeat(40)}`],
		['application/pdf', '%PDF-1.7\n'],
		['application/pdf', 'HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\n1 0 obj\n<<>>'],
		['application/rtf', '{\\rtf1\\ansi text}'],
		['application/vnd.ms-excel', '\x09\x04\x06\0\0\0\x10\0'],
	])('%s', async (mediaType, content) => {
		expect(await kind(content)).toBe(mediaType);
	});

	test.each([
		[`${office}.wordprocessingml.document`, `${office}.wordprocessingml.document.main+xml`],
		[`${office}.wordprocessingml.document`, 'application/vnd.ms-word.document.macroEnabled.main+xml'],
		[`${office}.presentationml.presentation`, `${office}.presentationml.slideshow.main+xml`],
		[`${office}.spreadsheetml.sheet`, `${office}.spreadsheetml.template.main+xml`],
	])('%s by its main part %s', async (mediaType, part) => {
		expect(await kind(types(part))).toBe(mediaType);
	});

	test.each([
		[`${openDocument}.text`, `${openDocument}.text-template`],
		[`${openDocument}.spreadsheet`, `${openDocument}.spreadsheet`],
		['application/epub+zip', 'application/epub+zip'],
		['application/zip', 'application/java-archive'],
	])('%s by its declaration %s', async (mediaType, declared) => {
		expect(await kind(zipOfFiles({ mimetype: declared, 'a.txt': 'a' }))).toBe(mediaType);
	});

	test.each([
		['application/msword', 'WordDocument'],
		['application/vnd.ms-excel', 'Workbook'],
		['application/vnd.ms-outlook', '__properties_version1.0'],
		[undefined, 'VisioDocument'],
	])('%s by its stream %s', async (mediaType, name) => {
		expect(await kind(compoundOf({ [name]: 'content' }))).toBe(mediaType);
	});
});

describe('the type of a text is detected by its syntax:', () => {
	test.each([
		['message/rfc822', 'Received: from a\r\nSubject: hello\r\n\r\nbody'],
		['message/rfc822', 'From a@b.c Sat Jan  3 01:05:34 1996\nFrom: a@b.c\nTo: d@e.f\n\nbody'],
		['text/plain', 'from: main\nto: release\nsubject: merge\n'],
		['text/plain', 'Note: this is\na text.\n'],
		['text/html', '<!-- saved --><!DOCTYPE html><p>text'],
		['text/html', '\n <HTML><body>text'],
		['text/html', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y"><html></html>'],
		['text/html', '<p>a piece</p>\n<ul><li>only</ul>'],
		['text/markdown', '<p align="center">logo</p>\n\n# A project\n\n```\ncode\n```\n<br>'],
		['text/markdown', '# Title\r\n\r\nOnly prose.\r\n'],
		['text/markdown', 'First\n\n## One\n\nprose\n\n## Two\n\n- more prose;\n'],
		['text/markdown', 'See [the page](https://example.com/) and **this**.\n'],
		['text/plain', '#!/bin/sh\n\n# Starts it\n\necho "**now**"\nexit 0\n'],
		['text/plain', '# The main file\n\nimport os\n\n# Paths\n\nroot = os.getcwd()\n'],
		['text/plain', '# Hosts\n\nhosts:\n- a\n- b\n'],
		['text/plain', '# One\n#\n# is a comment\n\n# Two\n\nx\n'],
		['text/plain', 'A text with **one** mark.\n'],
		['application/xml', '<svg xmlns="http://www.w3.org/2000/svg"><text>a</text></svg>'],
		['application/xml', '<?xml version="1.0"?><!DOCTYPE note><note/>'],
		[
			`${openDocument}.text`,
			`<?xml version="1.0"?>\n<office:document xmlns:office="o" office:mimetype="${openDocument}.text">`,
		],
		['application/json', '[{"a":1}]'],
		['text/plain', '{"a":1}\n{"a":2}\n'],
		['text/plain', '{ not: json }'],
		['text/csv', 'a,b\n1,2\n'],
		['text/tab-separated-values', 'a\tb\n1\t2\n'],
		['text/plain', 'Well, this is prose,\nand, as it happens,\nit, too, has commas,\n'],
		['text/plain', 'int a;\nint b;\nreturn a;\n'],
		['text/plain', '| a | b |\n|---|---|\n| 1 | 2 |\n'],
		['text/plain', 'a | b\n--- | ---\n1 | 2\n'],
		['text/plain', '[1,"a",3]\n[2,"b",4]\n[3,"c",5]\n'],
		['text/plain', "rows = [\n('a', 1, 2),\n('b', 3, 4),\n('c', 5, 6),\n('d', 7, 8),\n('e', 9, 0),\n"],
		['text/plain', '2026-01-02 12:30:00,125 INFO start\n2026-01-02 12:30:01,250 INFO end\n'],
		['text/plain', 'GET /a 200 (X11; Linux, x86)\n'.repeat(21)],
		['text/plain', 'It was late,\nand cold, too,\nso we left,\nall of us, at once.\n'],
		['application/xml', '<script setup>\nconst a = 1;\n</script>\n<template><p>a</p></template>\n'],
		['text/plain', 'A PDF begins with %PDF-1.7 and its objects like 1 0 obj look odd.'],
		['text/plain', 'BM is short for many words and this text goes on.'],
		['text/plain', ''],
	])('%s: %j', async (mediaType, text) => {
		expect(await kind(text)).toBe(mediaType);
	});
});

describe('a file that is no document has no type:', () => {
	test.each([
		['sound', `RIFF\x24\0\0\0WAVEfmt \x10\0\0\0${'\x01\0\xfe\xff'.repeat(50)}`],
		['a program', `\x7fELF\x02\x01\x01${'\0'.repeat(64)}`],
		['zeros', '\0'.repeat(1_000)],
		['packed bytes', '\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\x07\0\x86\xa6\x10\x36'],
		['a text before bytes', `#!/bin/sh\nexit\n${'\0\x01\x02\xff'.repeat(60_000)}`],
	])('%s', async (_, content) => {
		expect(await kind(content)).toBeUndefined();
	});
});

test('an endless list of content types is read quickly', async () => {
	const list = 'ms-word.document'.repeat(30_000);
	expect(await kind(zipOfFiles({ '[Content_Types].xml': list }))).toBe('application/zip');
});

describe('some files are rejected by their content:', () => {
	test.each([
		['an Office file with a password', compoundOf({ EncryptedPackage: 'x' }), 'ENCRYPTED', /./],
		['an old presentation', compoundOf({ 'PowerPoint Document': 'x' }), 'UNSUPPORTED', /\.pptx/],
		[
			'an archive that declares its type in a long text',
			zipOfFiles({ mimetype: 'a'.repeat(5_000_000) }),
			'TOO_LARGE',
			/./,
		],
		['half a zip file', zipOfFiles({ 'a.txt': 'text' }).subarray(0, 40), 'UNREADABLE', /./],
		['half a compound file', compoundOf({ WordDocument: 'x' }).subarray(0, 700), 'UNREADABLE', /./],
	])('%s', async (_, content, code, message) => {
		await expect(kind(content)).rejects.toMatchObject({
			code: `E_DOCUMENT_${code}`,
			message: expect.stringMatching(message),
		});
	});
});
