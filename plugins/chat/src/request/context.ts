import type { DocumentReader, ImageCodec } from '@plinth/core';
import type { NamedFiles, TenantTurns } from '@plinth/core/toolkit';
import type { TextRoom } from '../documents/room.ts';
import type { ChatAbilities } from '../model.ts';

/** What messages are read with. */
export interface InputContext {
	readonly abilities: ChatAbilities;
	readonly documents: DocumentReader | undefined;
	readonly images: ImageCodec | undefined;
	/** What the request names in place of sending it. */
	readonly named: NamedFiles;
	/** Counts the text that stays in memory. */
	readonly room: TextRoom;
	readonly turns: TenantTurns;
	readonly tenant: string;
	readonly signal: AbortSignal;
	warn(message: string): void;
}
