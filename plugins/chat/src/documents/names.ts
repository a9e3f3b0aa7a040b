/** The name of a file: the client's, or one derived from the media type. */
export function nameOf(filename: string | undefined, mediaType: string): string {
	return filename?.trim() || `document${extensions[mediaType] ?? ''}`;
}

/** Makes all names unique, so that answers can refer to a file. */
export function uniqueNames(names: readonly string[]): readonly string[] {
	const used = new Set<string>();
	return names.map((requested) => {
		let name = requested;
		for (let count = 2; used.has(name); count++) {
			name = requested.replace(/(\.[^.]*)?$/, (extension) => ` (${count})${extension}`);
		}
		used.add(name);
		return name;
	});
}

const office = 'application/vnd.openxmlformats-officedocument';
const open = 'application/vnd.oasis.opendocument';

const extensions: Readonly<Record<string, string>> = {
	'application/pdf': '.pdf',
	[`${office}.wordprocessingml.document`]: '.docx',
	[`${office}.presentationml.presentation`]: '.pptx',
	[`${office}.spreadsheetml.sheet`]: '.xlsx',
	[`${open}.text`]: '.odt',
	[`${open}.presentation`]: '.odp',
	[`${open}.spreadsheet`]: '.ods',
	'application/epub+zip': '.epub',
	'application/rtf': '.rtf',
	'application/msword': '.doc',
	'application/vnd.ms-excel': '.xls',
	'application/vnd.ms-outlook': '.msg',
	'application/json': '.json',
	'application/xml': '.xml',
	'application/zip': '.zip',
	'message/rfc822': '.eml',
	'text/plain': '.txt',
	'text/csv': '.csv',
	'text/tab-separated-values': '.tsv',
	'text/html': '.html',
	'image/png': '.png',
	'image/jpeg': '.jpg',
	'image/webp': '.webp',
	'image/tiff': '.tiff',
	'image/gif': '.gif',
	'image/bmp': '.bmp',
};
