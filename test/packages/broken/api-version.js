import { definePlugin } from '@plinth/core';
import { z } from 'zod';

const current = definePlugin({ id: 'weather', config: z.strictObject({}), setup() {} });
const later = (options) => ({ ...current(options), apiVersion: 2 });

/** The version of a future release of the kernel. */
export const weather = Object.assign(later, current);
