/**
 * A picture with what a camera brings, the same every time, as a PPM file: light that falls off across it, texture of several sizes
 * and grain in every pixel. Unlike something drawn it has no two equal rows, and next to no equal pixels.
 */
export function photoLike(width: number, height: number): Buffer {
	const header = Buffer.from(`P6\n${width} ${height}\n255\n`);
	const file = Buffer.alloc(header.length + width * height * 3);
	header.copy(file);
	const random = randomFrom(1);
	const textures = scales.map(([cells, strength]) => texture(cells, strength, random));
	let at = header.length;
	for (let row = 0; row < height; row++) {
		for (let column = 0; column < width; column++) {
			const [x, y] = [column / width, row / height];
			const shade = textures.reduce((sum, shadeAt) => sum + shadeAt(x, y), 0);
			for (const light of [150 + 60 * x - 30 * y, 140 + 50 * y, 190 - 80 * y]) {
				const value = light + shade + (random() + random() - 1) * grain;
				file[at++] = Math.max(0, Math.min(255, Math.round(value)));
			}
		}
	}
	return file;
}

/** How many cells of texture go across, and how much brighter or darker one is at most. */
const scales = [
	[7, 60],
	[29, 40],
	[113, 24],
	[400, 12],
] as const;

const grain = 4;

/** Noise at the corners of cells, and between them a smooth way from one to the next. */
function texture(cells: number, strength: number, random: () => number) {
	const side = cells + 2;
	const corners = Float32Array.from({ length: side * side }, () => (random() - 0.5) * strength);
	return (x: number, y: number): number => {
		const [left, top] = [Math.floor(x * cells), Math.floor(y * cells)];
		const [right, down] = [x * cells - left, y * cells - top];
		const corner = (i: number, j: number) => corners[(top + j) * side + left + i] as number;
		const above = corner(0, 0) * (1 - right) + corner(1, 0) * right;
		const below = corner(0, 1) * (1 - right) + corner(1, 1) * right;
		return above * (1 - down) + below * down;
	};
}

/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator). */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
