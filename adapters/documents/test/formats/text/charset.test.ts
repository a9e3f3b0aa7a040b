import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodeAs, decodeText } from '../../../src/formats/charset.ts';

describe('the charset of a text', () => {
	test.each([
		['windows-1252', 'Die Straße führt über die Brücke, naïve Gäste trinken Café.'],
		['windows-1252', 'Señor García compró 3 niños por €5 – “sí”'],
		['windows-1252', 'café'],
		['windows-1252', 'für'],
		['windows-1252', 'Größe: 5 m²\nCafé à la carte - naïve\n'],
		['windows-1251', 'Привет, мир! Это простой текст на русском языке.'],
		['koi8-r', 'Привет, мир! Это простой текст на русском языке.'],
		['shift_jis', 'これは日本語のテキストです。漢字も含みます。'],
		['shift_jis', '名前,年齢,都市\n田中,25,東京\n佐藤,30,大阪\n'],
		['shift_jis', 'id,name\n1,田中\n2,鈴木\n'],
		['euc-jp', 'これは日本語のテキストです。漢字も含みます。'],
		['euc-kr', '안녕하세요. 이것은 한국어 문서입니다.'],
		['gb18030', '你好，世界。这是一个简体中文文件，用来测试编码。'],
		['big5', '你好，世界。這是一個繁體中文文件，用來測試編碼。'],
		['windows-1255', 'שלום עולם, זהו טקסט בעברית לבדיקה'],
		['windows-1256', 'مرحبا بالعالم هذا نص باللغة العربية'],
		['utf-16le', 'Привет, мир! Это текст'],
		['utf-16le', 'Name;Straße\nMüller;Übergasse 2\n'],
		['utf-16be', 'L’été dernier, à la plage, il a mangé des pâtes.'],
		['utf-16le', '姓名,年龄\n张一,25\n李一,30\n'],
		['utf-16be', 'plain text in wide characters'],
		['utf-8', 'Ελληνικά, 日本語, ✓'],
		['utf-8', 'only ASCII'],
	])('is detected as %s: %s', (charset, text) => {
		expect(decodeText(iconv.encode(text, charset))).toEqual({ text, charset });
	});

	test.each(['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
		'is given by the byte order mark of %s, which is removed',
		(charset) => {
			const bytes = iconv.encode('漢字 text', charset, { addBOM: true });
			expect(decodeText(bytes)).toEqual({ text: '漢字 text', charset });
		},
	);

	test('is UTF-8 for a list whose entries end in NUL, not UTF-16', () => {
		expect(decodeText(Buffer.from('first\0second\0third\0')).charset).toBe('utf-8');
	});

	test('is detected by 7-bit escape sequences', () => {
		const bytes = Buffer.from('\x1b$B$3$l\x1b(B', 'latin1');
		expect(decodeText(bytes)).toEqual({ text: 'これ', charset: 'iso-2022-jp' });
	});

	test('is the one in the XML declaration', () => {
		const text = '<?xml version="1.0" encoding="ISO-8859-2"?><a>ž</a>';
		expect(decodeText(iconv.encode(text, 'iso-8859-2')).text).toBe(text);
	});

	test('stays UTF-8 when the last character is cut or one byte is invalid', () => {
		const text = 'Привет, мир! '.repeat(20);
		expect(decodeText(Buffer.from(`${text}日`).subarray(0, -1)).charset).toBe('utf-8');
		const wrong = Buffer.concat([Buffer.from(text), Buffer.from([0xff]), Buffer.from(text)]);
		expect(decodeText(wrong).text).toBe(`${text}\uFFFD${text}`);
	});

	test('is detected from the whole text, not only the beginning', () => {
		const text = `${'plain words '.repeat(20_000)}Это простой текст на русском языке.`;
		expect(decodeText(iconv.encode(text, 'koi8-r')).charset).toBe('koi8-r');
	});
});

test('text with an unknown charset label is not decoded', () => {
	expect(decodeAs(Buffer.from('a'), 'x-unknown')).toBeUndefined();
	expect(decodeAs(Buffer.from([0xe4]), ' ISO-8859-1 ')).toBe('ä');
});
