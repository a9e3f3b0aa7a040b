import { defineModel, defineModelKind, definePlugin } from '@plinth/core';
import { z } from 'zod';

const none = z.strictObject({});
const kind = defineModelKind<object>('toy');

export const toy = defineModel({ kind, name: 'test.toy', config: none, create: () => ({}) });
export const toys = definePlugin({ id: 'toys', config: none, models: [kind], setup: () => {} });
