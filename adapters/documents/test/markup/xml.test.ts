import { describe, expect, test } from 'vitest';
import { readXml, type XmlOptions } from '../../src/markup/xml.ts';

const w = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

function read(xml: string | Uint8Array, options?: XmlOptions): string {
	let told = '';
	readXml(
		Buffer.from(xml as string),
		{
			open(name, attributes) {
				const all = Object.entries(attributes).filter(([key]) => !key.startsWith('xmlns'));
				told += `<${name}${all.map(([key, value]) => ` ${key}=${value}`).join('')}>`;
			},
			text(text) {
				told += text;
			},
			close(name) {
				told += `</${name}>`;
			},
		},
		options,
	);
	return told;
}

const codeOf = (xml: string | Uint8Array) => {
	try {
		return read(xml);
	} catch (error) {
		return (error as { code?: string }).code;
	}
};

describe('a reader of XML', () => {
	test('tells elements, attributes and text in their order', () => {
		expect(read('<?xml version="1.0"?><a b="1"><c/>x<!-- no -->y<![CDATA[<z>]]></a>')).toBe('<a b=1><c></c>xy<z></a>');
	});

	test.each([
		['the usual prefix', `<w:p xmlns:w="${w}" w:id="1" id="2"/>`],
		['another prefix', `<q:p xmlns:q="${w}" q:id="1" id="2"/>`],
		['the strict namespace', '<w:p xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main" w:id="1" id="2"/>'],
	])('knows a namespace by %s', (_, xml) => {
		expect(read(xml)).toBe('<w:p w:id=1 id=2></w:p>');
	});

	test('gives elements of a default namespace its prefix, within its scope alone', () => {
		const text = 'urn:oasis:names:tc:opendocument:xmlns:text:1.0';
		expect(read(`<a><p xmlns="${text}" id="1"><h/><b xmlns=""/></p><p/></a>`)).toBe(
			'<a><text:p id=1><text:h></text:h><b></b></text:p><p></p></a>',
		);
	});

	test('keeps the prefixes of namespaces that it does not know', () => {
		expect(read('<o:p xmlns:o="urn:other" o:x="1"/>')).toBe('<o:p o:x=1></o:p>');
	});

	test('knows five entities and numeric ones', () => {
		expect(read('<a b="&quot;">&lt;&amp;&gt;&apos;&#65;&#x1F600;&nbsp;</a>')).toBe(`<a b="><&>'A😀&nbsp;</a>`);
	});

	test.each([
		['a byte order mark', Buffer.from('\ufeff<a>é</a>')],
		['UTF-16 with a mark', Buffer.from('\ufeff<a>é</a>', 'utf16le')],
		['UTF-16 without one', Buffer.from('<a>é</a>', 'utf16le')],
		['big-endian UTF-16', Buffer.from('\ufeff<a>é</a>', 'utf16le').swap16()],
		['a declaration', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>', 'latin1')],
		['a declaration that cannot be true', Buffer.from('<?xml encoding="UTF-16"?><a>é</a>')],
	])('hears %s', (_, xml) => {
		expect(read(xml)).toBe('<a>é</a>');
	});

	test('keeps characters whole that cross its slices', () => {
		const text = `x${'é€😀'.repeat(30_000)}`;
		expect(read(`<a>${text}</a>`) === `<a>${text}</a>`).toBe(true);
	});
});

describe('hostile XML', () => {
	const laughs = `<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>`;
	test('with a DOCTYPE is refused', () => {
		expect(codeOf(laughs)).toBe('E_DOCUMENT_UNREADABLE');
		expect(codeOf('<!doctype a SYSTEM "file:///etc/passwd"><a/>')).toBe('E_DOCUMENT_UNREADABLE');
	});

	test('with a DOCTYPE that is ignored expands nothing', () => {
		const external = '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>&x;</a>';
		expect(read(external, { doctype: 'ignored' })).toBe('<a>&x;</a>');
		expect(read(laughs, { doctype: 'ignored' })).toBe('<a>&c;</a>');
	});

	test('may be 256 elements deep, and no deeper', () => {
		const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
		expect(codeOf(nested(256))).toBe(nested(256));
		expect(codeOf(nested(257))).toBe('E_DOCUMENT_UNREADABLE');
		expect(codeOf('<a>'.repeat(1_000_000))).toBe('E_DOCUMENT_UNREADABLE');
	});

	test.each([
		['ends within an element', '<a><b>text</b>'],
		['ends within a tag', '<a><b>text</b></a'],
		['is empty', ''],
		['is text', 'just text'],
		['names an unknown encoding', '<?xml version="1.0" encoding="klingon"?><a/>'],
	])('that %s is unreadable', (_, xml) => {
		expect(codeOf(xml)).toBe('E_DOCUMENT_UNREADABLE');
	});

	test('with floods of namespaces, attributes and entities is read to its end', () => {
		const scopes = Array.from({ length: 20_000 }, (_, i) => `<b xmlns:p${i}="u"/>`).join('');
		const attributes = Array.from({ length: 20_000 }, (_, i) => `p:a${i}="1"`).join(' ');
		const declared = Array.from({ length: 20_000 }, (_, i) => `xmlns:q${i}="v"`).join(' ');
		const heard = read(`<a xmlns:p="u" ${declared}><c ${attributes}/>${scopes}${'&amp;'.repeat(100_000)}</a>`);
		expect(heard.match(/&/g)).toHaveLength(100_000);
	});
});
