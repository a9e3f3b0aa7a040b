import type { DocumentReader, ImageCodec, PerTenantLimit, ReferencedFiles } from '@plinth/toolkit';
import type { TextBudget } from '../documents/text-budget.ts';
import type { Transcribe } from '../documents/transcribe.ts';
import type { ChatAbilities } from '../model.ts';

/** Dependencies of reading messages. */
export interface InputContext {
	readonly abilities: ChatAbilities;
	readonly documents: DocumentReader | undefined;
	readonly images: ImageCodec | undefined;
	readonly transcribe: Transcribe | undefined;
	/** The files that the request references. */
	readonly referenced: ReferencedFiles;
	/** Bounds the text held in memory. */
	readonly budget: TextBudget;
	readonly readLimit: PerTenantLimit;
	readonly tenant: string;
	readonly signal: AbortSignal;
	warn(message: string): void;
}
