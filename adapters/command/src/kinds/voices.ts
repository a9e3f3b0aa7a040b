import { z } from 'zod';
import { toPattern } from '../protocol/options.ts';
import { runPlain } from '../protocol/plain.ts';
import { type Context, Runs, type RunsOptions } from '../run/runs.ts';

/** The voices of a program. Without both options, a program of the JSON protocol receives any name. */
export const voiceOptions = {
	/** The names for clients; as an object: with the program's own names as values. */
	voices: z.union([z.array(z.string()).min(1), z.record(z.string(), z.string())]).optional(),
	/** A program that lists the voices at the start. */
	voicesFrom: z
		.strictObject({
			argv: z.array(z.string()).min(1),
			/** A regular expression for one line; its first group is the voice. */
			pattern: z.string().transform(toPattern),
		})
		.optional(),
};

/** The checked options of voices. */
type VoiceOptions = z.output<z.ZodObject<typeof voiceOptions>>;

/**
 * The program's name of each voice, by the name for clients; undefined when any name is passed on. Rejects
 * when the listing fails.
 */
export async function findVoices(options: VoiceOptions & RunsOptions, context: Context) {
	const { voices, voicesFrom } = options;
	if (!voices && !voicesFrom) return undefined;
	const configured = Array.isArray(voices) ? voices.map((name) => [name, name] as const) : Object.entries(voices ?? {});
	const listed = voicesFrom ? await list(voicesFrom, options, context) : [];
	// Configured names override those of the program.
	return new Map([...listed.map((name) => [name, name] as const), ...configured]);
}

type Listing = NonNullable<VoiceOptions['voicesFrom']>;

async function list({ argv, pattern }: Listing, options: RunsOptions, context: Context) {
	const runs = new Runs({ ...options, argv }, context);
	const { signal } = new AbortController();
	const request = { text: '', values: {}, output: 'output.txt' };
	const output = await runs.use(signal, (run) => runPlain(run, { argv }, request));
	await runs.stop();
	const voices = `${output}`.split('\n').flatMap((line) => pattern.exec(line)?.[1] ?? []);
	if (voices.length > 0) return voices;
	throw new Error(`No line of the output of ${argv[0]} matches the pattern ${pattern}, so no voice is known.`);
}
