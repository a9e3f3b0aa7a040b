/** The texts of the header `x-plinth-warnings`, a JSON array; none if it is invalid. */
export function warningsIn(header: string | null): readonly string[] {
	try {
		const texts: unknown = JSON.parse(header ?? '[]');
		return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string') : [];
	} catch {
		return [];
	}
}
