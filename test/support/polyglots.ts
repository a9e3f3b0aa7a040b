import { solidPng } from './png.ts';

const png = Buffer.from(solidPng(4, 4, [9, 9, 9]));
const pngMagic = png.subarray(0, 8);
/** The bytes up to the end of the header. The header is valid and no image data follows. */
const pngHead = png.subarray(0, 33);
const jpegHead = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080010001001011100', 'hex');
const html = '<!DOCTYPE html><html><body><script>alert(document.domain)</script></body></html>';
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
const php = '<?php system($_GET["c"]); ?>';

const join = (...parts: readonly (string | Uint8Array)[]) =>
	Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const riff = (type: string, content: string | Uint8Array) => {
	const length = Buffer.alloc(4);
	length.writeUInt32LE(4 + content.length);
	return join('RIFF', length, type, content);
};

/** Files of other types, some of which begin like an image. A browser or an interpreter would execute most of them. */
export const polyglots: Readonly<Record<string, Buffer>> = {
	HTML: join(html),
	'HTML behind a byte order mark': join('\ufeff', html),
	'HTML behind blanks': join('\r\n\t   ', html),
	'an HTML comment': join('<!--', pngMagic, '-->', html),
	SVG: join(svg),
	'SVG with a prolog': join('<?xml version="1.0"?>\n<!DOCTYPE svg [<!ENTITY a "b">]>\n', svg),
	'SVG in UTF-16': Buffer.from(`\ufeff${svg}`, 'utf16le'),
	'GIF that is JavaScript': join('GIF89a=1/*', '\0'.repeat(20), '*/;alert(1)'),
	'GIF and HTML': join('GIF89a', Buffer.from('0100010080000000000000ffffff', 'hex'), html),
	PDF: join('%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n%%EOF'),
	'PDF behind a PNG signature': join(pngMagic, '%PDF-1.7\n%%EOF'),
	ZIP: Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex'),
	'ZIP behind a JPEG start': join(jpegHead, Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex')),
	MP4: join('\0\0\0\x14ftypisom\0\0\0\0isom', '\0\0\0\x08mdat'),
	'HTML in an MP4 start': join('\0\0\0\x14ftypisom\0\0\0\0isom', html),
	AVIF: join('\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf', '\0'.repeat(40)),
	TIFF: Buffer.from(`49492a0008000000${'00'.repeat(30)}`, 'hex'),
	BMP: join('BM', '\0'.repeat(60), html),
	ICO: join(Buffer.from('00000100', 'hex'), '\0'.repeat(40)),
	JavaScript: join('export default fetch("https://evil.example")'),
	'a shell script': join('#!/bin/sh\nrm -rf /\n'),
	'an ELF program': join('\x7fELF', '\0'.repeat(60)),
	'HTML behind a PNG signature': join(pngMagic, html),
	'HTML behind a PNG header': join(pngHead, html),
	'PHP behind a JPEG start': join(jpegHead, php),
	'PHP behind the first bytes of a JPEG': join(Buffer.from('ffd8ffe0', 'hex'), php),
	'a JPEG comment and nothing else': join(Buffer.from('ffd8fffe001e', 'hex'), php, Buffer.from('ffd9', 'hex')),
	'HTML in a WebP': riff('WEBP', join('VP8 ', Buffer.from([html.length, 0, 0, 0]), html)),
	'a WAV': riff('WAVE', 'fmt \0\0\0\0'),
	'a WebP without pixels': riff('WEBP', ''),
	'seven bytes of a PNG': png.subarray(0, 7),
	'two bytes of a JPEG': jpegHead.subarray(0, 2),
	'eleven bytes of a WebP': riff('WEBP', html).subarray(0, 11),
	'a PNG without its last half': png.subarray(0, png.length / 2),
};
