const width = 24;
const minStepWithoutTerminal = 0.25;

/** Shows progress: as a bar on a terminal, otherwise as a line for every 25 %. */
export class Progress {
	readonly #label: string;
	readonly #out: NodeJS.WriteStream;
	#shown = -1;

	constructor(label: string, out: NodeJS.WriteStream = process.stdout) {
		this.#label = label;
		this.#out = out;
	}

	/** Shows a state and a fraction done. */
	update(state: string, fraction: number): void {
		const percent = `${Math.floor(fraction * 100)}`.padStart(3);
		if (this.#out.isTTY) {
			const full = Math.round(fraction * width);
			this.#out.write(
				`\r  ${this.#label} ${'█'.repeat(full)}${'░'.repeat(width - full)} ${percent} % ${state.padEnd(12)}`,
			);
		} else if (fraction - this.#shown >= minStepWithoutTerminal || (fraction === 1 && this.#shown !== 1)) {
			this.#out.write(`  ${this.#label} ${percent} % ${state}\n`);
			this.#shown = fraction;
		}
	}

	/** Ends the bar's line. */
	end(): void {
		if (this.#out.isTTY) this.#out.write('\n');
	}
}
