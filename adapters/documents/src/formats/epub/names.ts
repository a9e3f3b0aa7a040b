/** A file's name as the archive has it, from how links write it. Those that are written wrongly are taken as they are. */
export function decoded(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}
