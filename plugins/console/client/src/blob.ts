/** The bytes of a base64 text or of a data URL. The page's security policy allows pictures only from blobs. */
export function blobOf(text: string, mediaType = 'application/octet-stream'): Blob {
	const [, type = mediaType, base64 = text] = /^data:([\w/+.-]*)[^,]*,(.*)$/s.exec(text) ?? [];
	return new Blob([Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))], { type });
}

/** Bytes per call of `fromCharCode`. */
const chunk = 32_768;

/** The bytes of a file in base64. */
export async function base64Of(file: Blob): Promise<string> {
	const bytes = new Uint8Array(await file.arrayBuffer());
	let text = '';
	// In chunks, because the number of arguments of a call is limited.
	for (let at = 0; at < bytes.length; at += chunk) text += String.fromCharCode(...bytes.subarray(at, at + chunk));
	return btoa(text);
}

/** Makes the browser save bytes as a file. */
export function saveBlob(blob: Blob, name: string): void {
	const link = document.createElement('a');
	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	// Later, because the browser reads the bytes later. Safari fails if the URL has been revoked by then.
	setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
