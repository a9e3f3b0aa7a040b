import type { Subject } from '../lexicon.ts';

/** The colours of a subject as `#rrggbb`: dark parts, bright parts, and its colourful ones. */
export interface ShapeColors {
	readonly ink: string;
	readonly light: string;
	readonly accent: string;
}

type Shape = (colors: ShapeColors) => string;

const lamp = '#ffe08a';
const path = (fill: string, d: string): string => `<path fill="${fill}" d="${d}"/>`;
const circle = (fill: string, x: number, y: number, r: number): string =>
	`<circle fill="${fill}" cx="${x}" cy="${y}" r="${r}"/>`;
const ellipse = (fill: string, x: number, y: number, rx: number, ry: number): string =>
	`<ellipse fill="${fill}" cx="${x}" cy="${y}" rx="${rx}" ry="${ry}"/>`;
const box = (fill: string, x: number, y: number, w: number, h: number, r = 0): string =>
	`<rect fill="${fill}" x="${x}" y="${y}" width="${w}" height="${h}" rx="${r}"/>`;
const line = (color: string, width: number, d: string): string =>
	`<path d="${d}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
const glow = (x: number, y: number, r: number): string =>
	[0.1, 0.13, 0.18]
		.map((a, i) => `<circle fill="${lamp}" fill-opacity="${a}" cx="${x}" cy="${y}" r="${r - i * r * 0.3}"/>`)
		.join('');

/** Every subject in a box of 100 by 100, standing on its lower border, facing right. */
export const shapes: Record<Subject, Shape> = {
	boat: ({ ink, light, accent }) =>
		box(ink, 49, 6, 2.4, 74) +
		path(light, 'M53 8Q90 44 88 72H53Z') +
		path(accent, 'M47 18V72H16Q22 42 47 18Z') +
		path(ink, 'M6 77H95Q88 98 72 99H28Q14 98 6 77Z') +
		path(accent, 'M8 82H93L91 86H10Z'),
	lighthouse: ({ ink, light, accent }) =>
		glow(50, 27, 26) +
		path(light, 'M38 100L43 36H57L62 100Z') +
		path(accent, 'M41.8 52H58.2L59.4 66H40.6ZM39.6 80H60.4L61.6 94H38.4Z') +
		box(ink, 40, 33, 20, 4, 1) +
		box(lamp, 45, 21, 10, 12) +
		box(ink, 49.4, 21, 1.2, 12) +
		path(accent, 'M42 22L50 10L58 22Z'),
	house: ({ ink, light, accent }) =>
		box(ink, 66, 26, 8, 22) +
		box(light, 20, 52, 60, 48) +
		path(accent, 'M10 56L50 20L90 56L84 60L50 30L16 60Z') +
		path(accent, 'M16 58L50 26L84 58Z') +
		box(ink, 44, 72, 14, 28, 1) +
		[26, 63].map((x) => box(lamp, x, 64, 12, 13, 1) + line(ink, 1, `M${x + 6} 64v13M${x} 70.5h12`)).join(''),
	castle: ({ ink, light, accent }) =>
		path(light, 'M22 100V58h6v5h6v-5h6v5h6v-5h8v5h6v-5h6v5h6v-5h6V100Z') +
		path(light, 'M8 100V40H26V100ZM74 100V40H92V100ZM40 60V26H60V60Z') +
		path(accent, 'M5 41L17 14L29 41ZM71 41L83 14L95 41ZM37 27L50 0L63 27Z') +
		path(ink, 'M42 100V82Q50 70 58 82V100ZM15 50h4v9h-4ZM81 50h4v9h-4Z') +
		path(lamp, 'M15 66h4v9h-4ZM81 66h4v9h-4ZM48 36h4v9h-4Z'),
	rocket: ({ ink, light, accent }) =>
		path('#ffb347', 'M40 76Q38 92 50 100Q62 92 60 76Z') +
		path('#fff0b0', 'M45 76Q44 86 50 92Q56 86 55 76Z') +
		path(accent, 'M35 48L20 72V82L37 74ZM65 48L80 72V82L63 74Z') +
		path(light, 'M50 2Q68 22 67 52L63 77H37L33 52Q32 22 50 2Z') +
		path(accent, 'M50 2Q60 11 64 25H36Q40 11 50 2Z') +
		circle(ink, 50, 41, 8.5) +
		circle('#9fd8ef', 50, 41, 6),
	balloon: ({ ink, light, accent }) =>
		line(ink, 1, 'M42 74L45 88M58 74L55 88') +
		path(accent, 'M50 0C78 0 88 22 86 40C84 58 66 66 59 76H41C34 66 16 58 14 40C12 22 22 0 50 0Z') +
		path(light, 'M50 0C60 2 66 22 65 40C64 58 56 68 54 76H46C44 68 36 58 35 40C34 22 40 2 50 0Z') +
		path(accent, 'M50 0C53 8 55 24 55 40C55 58 52 70 51.5 76H48.5C48 70 45 58 45 40C45 24 47 8 50 0Z') +
		box('#7a4a2a', 43, 87, 14, 12, 2),
	cat: ({ ink, accent }) =>
		line(ink, 7, 'M68 94C90 98 96 78 86 64') +
		path(
			ink,
			'M28 100C24 78 30 62 40 54C33 46 32 34 35 18L45 28Q50 26 55 28L65 18C68 34 67 46 60 54C72 62 76 80 72 100Z',
		) +
		ellipse(accent, 44, 39, 3.2, 4) +
		ellipse(accent, 56, 39, 3.2, 4) +
		box(ink, 43.4, 36, 1.2, 6) +
		box(ink, 55.4, 36, 1.2, 6),
	dog: ({ ink, light, accent }) =>
		path(
			ink,
			'M22 54Q40 47 62 51L69 37Q72 26 83 27L98 37Q97 46 86 47L82 50Q81 66 77 70V100H69L67 76H40L36 100H28L26 72Q18 66 17 54Q5 46 7 32Q13 44 22 54Z',
		) +
		path(light, 'M73 29Q66 34 68 46Q76 44 77 32Z') +
		circle(light, 85, 34, 1.8) +
		line(accent, 4, 'M68 47L80 52'),
	rabbit: ({ ink, light, accent }) =>
		circle(light, 15, 78, 9) +
		`<g transform="rotate(-10 66 50)">${ellipse(ink, 60, 24, 5.5, 20)}${ellipse(accent, 60, 24, 2.4, 14)}${ellipse(ink, 73, 25, 5.5, 19)}</g>` +
		ellipse(ink, 42, 78, 28, 22) +
		circle(ink, 68, 54, 16) +
		ellipse(ink, 58, 97, 17, 4) +
		ellipse(ink, 30, 97, 14, 4) +
		circle(light, 74, 50, 2.4),
	bird: ({ ink, light, accent }) =>
		path(ink, 'M50 50Q60 18 94 12Q80 34 64 54Z') +
		path(ink, 'M2 66L18 56Q34 44 52 46Q64 38 76 44Q82 44 86 50Q80 58 68 60Q52 76 30 68Q16 64 2 66Z') +
		path(light, 'M40 52Q30 22 6 10Q10 40 34 60Z') +
		path(accent, 'M84 47L97 51L84 54Z') +
		circle(light, 77, 48, 1.8),
	fish: ({ ink, light, accent }) =>
		path(accent, 'M34 46L8 26Q16 50 8 74L34 54ZM44 34Q54 16 68 30ZM46 66Q54 82 64 70Z') +
		path(ink, 'M94 50Q68 20 30 47V53Q68 80 94 50Z') +
		path(light, 'M94 50Q70 74 40 58Q66 62 94 50Z') +
		circle('#ffffff', 78, 45, 3.6) +
		circle('#0a0e18', 79, 45, 2),
	whale: ({ ink, light }) =>
		line(light, 2.4, 'M62 30V16M62 18Q58 8 50 10M62 18Q66 8 74 10') +
		path(ink, 'M98 54Q94 30 60 30Q30 30 15 55Q9 44 0 38Q1 56 8 64Q4 71 2 82Q13 78 19 70Q40 86 68 80Q96 74 98 54Z') +
		path(light, 'M97 60Q80 68 54 66Q60 82 70 79Q92 74 97 60Z') +
		circle(light, 82, 53, 2.2),
	robot: ({ ink, light, accent }) =>
		line(ink, 2, 'M50 12V4') +
		circle(accent, 50, 4, 3) +
		path(ink, 'M34 74h11v26h-13ZM55 74h11l2 26H55ZM16 42h9v30h-9ZM75 42h9v30h-9Z') +
		box(light, 32, 12, 36, 25, 6) +
		box(ink, 36, 18, 28, 12, 5) +
		circle(accent, 43, 24, 3.6) +
		circle(accent, 57, 24, 3.6) +
		box(light, 26, 39, 48, 38, 7) +
		circle(ink, 50, 57, 9) +
		circle(accent, 50, 57, 6),
	person: ({ ink, light, accent }) =>
		circle(light, 50, 14, 9.5) +
		path(ink, 'M40 12Q42 2 51 3Q61 4 60 13Q54 8 40 12Z') +
		path(ink, 'M38 30Q50 22 62 30L70 60L64 62L60 46L62 66L58 100H51.5L50 72L48.5 100H42L38 66L40 46L36 62L30 60Z') +
		path(accent, 'M40 25Q50 30 60 25L61 31Q50 36 39 31Z'),
	tree: ({ ink, light, accent }) =>
		path('#4a3020', 'M44 100Q47 70 46 50H54Q53 70 57 100Z') +
		circle(accent, 32, 42, 20) +
		circle(accent, 68, 42, 20) +
		circle(accent, 50, 24, 23) +
		circle(accent, 50, 50, 20) +
		`<g fill-opacity="0.25">${circle(light, 42, 22, 13)}${circle(ink, 62, 54, 15)}</g>`,
	palm: ({ ink, accent }) =>
		path(ink, 'M44 100Q46 62 58 34L62 36Q52 64 53 100Z') +
		[
			'M60 34Q40 14 12 34Q36 26 60 36Z',
			'M60 34Q78 10 100 34Q80 24 60 37Z',
			'M60 34Q46 0 24 10Q46 14 58 36Z',
			'M60 34Q74 0 92 8Q72 14 62 36Z',
			'M60 34Q36 34 26 60Q42 44 61 38Z',
			'M60 34Q86 36 92 58Q78 44 60 38Z',
		]
			.map((leaf) => path('#2f7a4a', leaf))
			.join('') +
		circle(accent, 57, 39, 3.4) +
		circle(accent, 63, 40, 3.4),
	car: ({ ink, light, accent }) =>
		path(accent, 'M4 88V74Q6 66 22 64L34 50Q36 47 42 47H66Q71 47 74 51L84 64Q97 66 98 76V88Z') +
		path(light, 'M38 52H52V63H29ZM56 52H66Q69 52 71 55L77 63H56Z') +
		path(lamp, 'M94 70h4v6h-4Z') +
		circle(ink, 24, 88, 11) +
		circle(light, 24, 88, 5) +
		circle(ink, 78, 88, 11) +
		circle(light, 78, 88, 5),
	train: ({ ink, light, accent }) =>
		path(accent, 'M2 92V52Q2 46 8 46H70Q86 48 98 76V92Z') +
		path(light, 'M2 78H99L98 84H2Z') +
		[8, 24, 40].map((x) => box(lamp, x, 54, 12, 14, 2)).join('') +
		path('#bfe3f2', 'M60 54H72Q80 58 86 68H60Z') +
		[14, 32, 64, 84].map((x) => circle(ink, x, 93, 6.5)).join(''),
	plane: ({ ink, light, accent }) =>
		path(accent, 'M8 50L2 26H12L28 48Z') +
		path(light, 'M6 50Q50 38 84 46Q98 50 98 56Q92 62 74 63Q30 66 6 50Z') +
		path(ink, 'M62 56L32 84H22L40 56ZM60 48L44 30H38L44 48Z') +
		[40, 48, 56, 64, 72].map((x) => circle(ink, x, 52, 1.7)).join('') +
		path('#9fd8ef', 'M84 49Q92 50 94 54H83Z'),
	windmill: ({ ink, light, accent }) =>
		path(light, 'M36 100L42 46H58L64 100Z') +
		path(accent, 'M39 47Q50 30 61 47Z') +
		path(ink, 'M46 100V84Q50 78 54 84V100Z') +
		[20, 110, 200, 290]
			.map(
				(turn) =>
					`<g transform="rotate(${turn} 50 44)">${line(ink, 1.6, 'M50 44V2')}${path(light, 'M51 8H60V36H51Z')}${line(ink, 0.8, 'M51 8H60V36H51M51 17H60M51 26H60')}</g>`,
			)
			.join('') +
		circle(ink, 50, 44, 3),
	campfire: ({ ink }) =>
		glow(50, 76, 48) +
		path('#f2602c', 'M50 34Q72 62 68 82Q64 96 50 96Q36 96 32 82Q30 70 40 58Q42 68 46 66Q44 48 50 34Z') +
		path('#ffb838', 'M51 54Q64 74 60 86Q58 95 50 95Q41 94 40 84Q40 76 46 70Q48 76 50 74Q49 64 51 54Z') +
		path('#fff0a8', 'M50 74Q57 84 55 90Q53 95 50 95Q45 94 45 88Q46 82 50 74Z') +
		line(ink, 8, 'M26 98L70 90M74 98L30 90'),
	ufo: ({ ink, light, accent }) =>
		path(`${lamp}`, 'M38 62H62L84 100H16Z').replace('/>', ' fill-opacity="0.3"/>') +
		path('#9fd8ef', 'M32 44Q34 20 50 20Q66 20 68 44Z') +
		ellipse(light, 50, 50, 46, 13) +
		ellipse(ink, 50, 55, 34, 8) +
		[14, 32, 50, 68, 86].map((x) => circle(accent, x, 50, 3.4)).join(''),
	planet: ({ light, accent }) =>
		circle(accent, 50, 50, 30) +
		`<g fill-opacity="0.35">${ellipse(light, 46, 40, 24, 5)}${ellipse(light, 54, 60, 22, 4)}</g>` +
		line(light, 4, 'M21 52C-4 70 8 78 50 62C92 46 102 26 78 38'),
	snowman: ({ ink, accent }) =>
		line('#5a3a24', 2, 'M30 58L10 46M70 58L90 46') +
		circle('#f4f8fc', 50, 80, 21) +
		circle('#f4f8fc', 50, 53, 15.5) +
		circle('#f4f8fc', 50, 31, 12) +
		path(accent, 'M38 40Q50 46 62 40L62 45Q50 51 38 45ZM56 44L60 58H54Z') +
		path('#f08a2c', 'M50 31L66 34L50 35Z') +
		path(ink, 'M36 22H64V19H60V4H40V19H36Z') +
		[45, 54].map((x) => circle(ink, x, 28, 1.6)).join('') +
		[56, 64].map((y) => circle(ink, 50, y, 1.5)).join(''),
	cactus: ({ accent }) =>
		line('#2f7a4c', 15, 'M50 100V22') +
		line('#2f7a4c', 10, 'M50 68H26V44M50 58H74V32') +
		line('#4f9a64', 2, 'M47 98V24M25 66V46M73 56V34') +
		circle(accent, 50, 14, 4) +
		circle(accent, 26, 38, 3.4),
};
