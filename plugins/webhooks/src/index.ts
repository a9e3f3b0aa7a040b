export { webhookErrors } from './errors.ts';
export type { WebhookOptions } from './options.ts';
export { webhooks } from './plugin.ts';
