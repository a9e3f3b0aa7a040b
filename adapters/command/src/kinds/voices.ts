import { z } from 'zod';
import { toPattern } from '../protocol/options.ts';
import { runPlain } from '../protocol/plain.ts';
import { createRuns, type ModelContext, type RunsOptions } from '../run/runs.ts';

/** How voices are named. Where neither is set, a program of the JSON protocol gets any name. */
export const voiceOptions = {
	/** The names that clients use; with values: what the program calls them. */
	voices: z.union([z.array(z.string()).min(1), z.record(z.string(), z.string())]).optional(),
	/** Asks a program at the start which ones there are. */
	voicesFrom: z
		.strictObject({
			argv: z.array(z.string()).min(1),
			/** A regular expression for one line, whose first group is a voice. */
			pattern: z.string().transform(toPattern),
		})
		.optional(),
};

/** The checked options of voices. */
export type VoiceOptions = z.output<z.ZodObject<typeof voiceOptions>>;

/** What the program calls each voice, by the name that clients use; undefined where any name is passed on. Rejects where a program cannot tell. */
export async function findVoices(
	options: VoiceOptions & RunsOptions,
	context: ModelContext,
): Promise<ReadonlyMap<string, string> | undefined> {
	const { voices, voicesFrom } = options;
	if (!voices && !voicesFrom) return undefined;
	const configured = Array.isArray(voices)
		? voices.map((name) => [name, name] as const)
		: Object.entries(voices ?? {});
	const listed = voicesFrom ? await list(voicesFrom, options, context) : [];
	// A name of the operator's counts more than one of the program's.
	return new Map([...listed.map((name) => [name, name] as const), ...configured]);
}

async function list(
	{ argv, pattern }: NonNullable<VoiceOptions['voicesFrom']>,
	options: RunsOptions,
	context: ModelContext,
): Promise<readonly string[]> {
	const runs = createRuns({ ...options, argv }, context);
	const never = new AbortController();
	const output = await runs.use(never.signal, (run) =>
		runPlain(run, { argv }, { text: '', values: {}, output: 'output.txt' }),
	);
	await runs.stop();
	const voices = output
		.toString('utf8')
		.split('\n')
		.flatMap((line) => pattern.exec(line)?.[1] ?? []);
	if (voices.length > 0) return voices;
	throw new Error(`No line of what ${argv[0]} prints holds a voice as ${pattern} finds it.`);
}
