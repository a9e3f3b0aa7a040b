import type { DocumentReader, ImageCodec, NamedFiles, PerTenantLimit } from '@plinth/toolkit';
import type { TextBudget } from '../documents/text-budget.ts';
import type { ChatAbilities } from '../model.ts';

/** What messages are read with. */
export interface InputContext {
	readonly abilities: ChatAbilities;
	readonly documents: DocumentReader | undefined;
	readonly images: ImageCodec | undefined;
	/** What the request names in place of sending it. */
	readonly named: NamedFiles;
	/** Counts the text that stays in memory. */
	readonly room: TextBudget;
	readonly turns: PerTenantLimit;
	readonly tenant: string;
	readonly signal: AbortSignal;
	warn(message: string): void;
}
