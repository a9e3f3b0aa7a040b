import type { Library, Llama } from './library.ts';
import type { LoadOptions } from './messages.ts';

/** A loaded model. `free` has the sequences that no answer uses at present. */
export type Engine = Awaited<ReturnType<typeof loadEngine>>;

/** Loads the library and the model. Nothing is downloaded or built. Rejects with the messages of the engine. */
export async function loadEngine(options: LoadOptions) {
	const { isCheck, gpu, gpuLayers, slots: sequences, threads } = options;
	const library = (await import(options.library)) as Library;
	const messages: string[] = [];
	const logger = (_level: string, message: string) => messages.length < 8 && messages.push(message.trim());
	const llama = await library.getLlama({ gpu, build: 'never', skipDownload: true, logLevel: 'error', logger });
	correctGrammars(llama);
	try {
		const model = await llama.loadModel({ modelPath: options.file, vocabOnly: isCheck, gpuLayers });
		const contextSize = Math.min(options.contextSize, model.trainContextSize);
		const context = !isCheck && (await model.createContext({ sequences, contextSize, ...(threads && { threads }) }));
		const free = context ? Array.from({ length: sequences }, () => context.getSequence()) : [];
		return { library, llama, model, free, wrapper: library.resolveChatWrapper(model) };
	} catch (cause) {
		throw new Error([cause, ...messages].join(' ').slice(0, 2_000), { cause });
	}
}

/** Forbids integers such as 1e-3, and numbers that JavaScript cannot represent, in the grammars of the library. */
function correctGrammars({ _bindings: bindings }: Llama): void {
	// `_bindings` is not public. Without this change, the library refuses generated calls with such integers.
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
