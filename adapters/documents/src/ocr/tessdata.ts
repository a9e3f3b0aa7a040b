import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where distributions put the data of Tesseract's languages. */
const folders = [
	'/usr/share/tessdata',
	'/usr/share/tesseract/tessdata',
	'/usr/local/share/tessdata',
	'/opt/homebrew/share/tessdata',
];
const versioned = '/usr/share/tesseract-ocr';

/** The folder that holds the data of all these languages: the given one, or the first of the system's. Nothing is ever downloaded. */
export function findTessdata(languages: readonly string[], folder: string | undefined): string | undefined {
	const places = folder === undefined ? systemFolders() : [folder, join(folder, 'tessdata')];
	return places.find((place) => languages.every((language) => existsSync(join(place, `${language}.traineddata`))));
}

function systemFolders(): string[] {
	const versions = existsSync(versioned) ? readdirSync(versioned).sort().reverse() : [];
	return [...versions.map((version) => join(versioned, version, 'tessdata')), join(versioned, 'tessdata'), ...folders];
}
