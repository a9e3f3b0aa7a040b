import { z } from 'zod';

/** Where the file is. Backends that name the same file share it. */
export const fileOption = z
	.string()
	.min(1)
	.refine((file) => !file.startsWith(':'), 'Name a file. For a throw-away store take @plinth/memory');
