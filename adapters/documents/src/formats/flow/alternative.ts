/** Names of files, addresses, and words that say no more than that there is a picture. */
const saysNothing =
	/^\S+\.(png|jpe?g|gif|svg|webp|bmp|tiff?|emf|wmf)$|^(https?|data):\S*$|^(an? )?(grafik|bild|image|img|picture|photo|graphic|icon|logo|spacer|bullet|object|frame|shape)[\s_-]*\d*$/i;
const maxCharacters = 2_000;

/** `[alt text]` of a picture, where it says something. */
export function alternative(text: string | undefined): string | undefined {
	const flat = text?.slice(0, maxCharacters).replace(/\s+/g, ' ').trim() ?? '';
	return /[\p{L}\p{N}]/u.test(flat) && !saysNothing.test(flat) ? `[${flat}]` : undefined;
}
