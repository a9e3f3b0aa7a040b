import type { Library, Llama } from './library.ts';
import type { LoadOptions } from './messages.ts';

/** A loaded model with its places for answers: `free` has those without an answer under way. */
export type Engine = Awaited<ReturnType<typeof loadEngine>>;

/** Loads the library and the model. Nothing is downloaded or built. Rejects with what the engine says. */
export async function loadEngine(options: LoadOptions) {
	const { isCheck, gpu, gpuLayers, slots: sequences, threads } = options;
	const library = (await import(options.library)) as Library;
	const remarks: string[] = [];
	const logger = (_level: string, message: string) => remarks.length < 8 && remarks.push(message.trim());
	const llama = await library.getLlama({ gpu, build: 'never', skipDownload: true, logLevel: 'error', logger });
	correctGrammars(llama);
	try {
		const model = await llama.loadModel({ modelPath: options.file, vocabOnly: isCheck, gpuLayers });
		const contextSize = Math.min(options.contextSize, model.trainContextSize);
		const context = !isCheck && (await model.createContext({ sequences, contextSize, ...(threads && { threads }) }));
		const free = context ? Array.from({ length: sequences }, () => context.getSequence()) : [];
		return { library, llama, model, free, wrapper: library.resolveChatWrapper(model) };
	} catch (cause) {
		throw new Error([cause, ...remarks].join(' ').slice(0, 2_000), { cause });
	}
}

/** Forbids integers such as 1e-3, and numbers that JavaScript cannot hold, in the grammars of the library. */
function correctGrammars({ _bindings: bindings }: Llama): void {
	// Not part of the library's interface: without it, the library refuses such integers in calls after they are made.
	const { AddonGrammar: Native } = bindings ?? {};
	if (!bindings || !Native) return;
	bindings.AddonGrammar = class extends Native {
		constructor(text: string, options: unknown) {
			const integers = text.replace(/^(integer-number-rule ::= .*?) \(\[eE\].*$/m, '$1');
			const corrected = integers.replace(/^(fractional-number-rule ::= .*)\{0,15\}(?=\)\)\?$)/m, '$1{0,1}');
			super(corrected, options);
		}
	};
}
