import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Finding, ok } from './finding.ts';

/** Programs that custom models and readers may call. */
const programs = ['ffmpeg', 'tesseract', 'pdftoppm', 'soffice'];

/** Reports which optional programs are installed. Plinth itself needs none of them. */
export async function checkPrograms(path = process.env.PATH ?? ''): Promise<Finding> {
	const isInstalledAt = await Promise.all(programs.map((name) => isInstalled(name, path)));
	const [installed, missing] = [true, false].map((expected) =>
		programs.filter((_, index) => isInstalledAt[index] === expected).join(', '),
	);
	const parts = [installed && `found: ${installed}`, missing && `not found: ${missing}`].filter(Boolean);
	return ok('programs', `${parts.join('; ')} (all optional)`);
}

async function isInstalled(name: string, path: string): Promise<boolean> {
	const names = process.platform === 'win32' ? [`${name}.exe`] : [name];
	const files = path.split(delimiter).flatMap((folder) => names.map((file) => join(folder, file)));
	const installed = await Promise.all(
		files.map((file) =>
			access(file, constants.X_OK).then(
				() => true,
				() => false,
			),
		),
	);
	return installed.includes(true);
}
