/**
 * The parts of `node-llama-cpp` 3 that are used here. The package is installed by the operator, so its types are
 * not available when this package is compiled.
 */
export interface Library {
	getLlama(options: object): Promise<Llama>;
	resolveChatWrapper(model: LlamaModel): ChatWrapper;
	LlamaText(value: unknown): unknown;
	readonly LlamaChat: new (options: { contextSequence: Sequence; chatWrapper: ChatWrapper }) => LlamaChat;
}

interface LlamaChat {
	generateResponse(history: unknown, options: object): Promise<{ response: string; metadata: ResponseMetadata }>;
	dispose(): void;
}

type ResponseMetadata = { readonly stopReason: string; readonly customStopTrigger?: readonly string[] };

/** The native engine. */
export interface Llama {
	readonly _bindings?: { AddonGrammar?: new (text: string, options: unknown) => object };
	loadModel(options: object): Promise<LlamaModel>;
	createGrammarForJsonSchema(schema: object): Promise<object>;
}

/** A loaded model. */
export interface LlamaModel {
	readonly tokenizer: unknown;
	readonly trainContextSize: number;
	readonly fileInfo: { readonly metadata: { readonly general?: { architecture?: string; type?: string } } };
	createContext(options: object): Promise<{ getSequence(): Sequence }>;
}

/** One conversation in a context; sizes are in tokens. */
export interface Sequence {
	readonly contextSize: number;
	readonly tokenMeter: { getState(): { readonly usedInputTokens: number; readonly usedOutputTokens: number } };
	compareContextTokens(tokens: readonly number[]): { readonly firstDifferentIndex: number };
	adaptStateToTokens(tokens: readonly number[], allowShift: boolean): Promise<void>;
	evaluateWithoutGeneratingNewTokens(tokens: readonly number[]): Promise<void>;
}

/** The text format of a model's conversations. */
export interface ChatWrapper {
	readonly settings: { readonly functions: { readonly parallelism?: { readonly call: { sectionPrefix: unknown } } } };
	generateContextState(options: object): {
		readonly contextText: { tokenize(tokenizer: unknown): number[] };
		readonly stopGenerationTriggers: unknown;
	};
}
