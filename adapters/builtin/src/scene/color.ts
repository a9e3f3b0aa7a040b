/** Red, green and blue, 0 to 255, sRGB. */
export type Rgb = readonly [number, number, number];

/** Lightness and two colour axes of OKLab (https://bottosson.github.io/posts/oklab), where mixing looks even. */
type Lab = readonly [number, number, number];

/** Reads `#rrggbb`. */
export function rgb(text: string): Rgb {
	const value = Number.parseInt(text.slice(1), 16);
	return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Writes `#rrggbb`. */
export function hex(color: Rgb): string {
	const [r, g, b] = color.map((part) => Math.round(Math.min(255, Math.max(0, part)))) as [number, number, number];
	return `#${((1 << 24) | (r << 16) | (g << 8) | b).toString(16).slice(1)}`;
}

/** Mixes two colours; `t` is the share of the second. */
export function mix(a: Rgb, b: Rgb, t: number): Rgb {
	const [from, to] = [toLab(a), toLab(b)];
	return toRgb([lerp(from[0], to[0], t), lerp(from[1], to[1], t), lerp(from[2], to[2], t)]);
}

/** Turns the hue by degrees, multiplies the colourfulness and adds to the lightness (0 to 1). */
export function adjust(color: Rgb, hue: number, chroma = 1, light = 0): Rgb {
	const [l, a, b] = toLab(color);
	const angle = (hue * Math.PI) / 180;
	const [cos, sin] = [Math.cos(angle) * chroma, Math.sin(angle) * chroma];
	return toRgb([Math.min(1, Math.max(0, l + light)), a * cos - b * sin, a * sin + b * cos]);
}

/** Moves the hue towards another colour and keeps most of the lightness. */
export function tint(color: Rgb, target: Rgb, amount: number): Rgb {
	const [from, to] = [toLab(color), toLab(target)];
	return toRgb([lerp(from[0], to[0], amount * 0.25), lerp(from[1], to[1], amount), lerp(from[2], to[2], amount)]);
}

function lerp(a: number, b: number, t: number): number {
	return a + (b - a) * t;
}

function toLab(color: Rgb): Lab {
	const [r, g, b] = color.map((part) => decode(part / 255)) as [number, number, number];
	const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
	return [
		0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
		1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
	];
}

function toRgb([light, a, b]: Lab): Rgb {
	const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
	return [
		encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
		encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
		encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
	];
}

function decode(part: number): number {
	return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function encode(part: number): number {
	const value = Math.min(1, Math.max(0, part));
	return 255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);
}
