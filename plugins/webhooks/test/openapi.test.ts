import { expect, it } from 'vitest';
import { harness } from './harness.ts';

interface Document {
	readonly paths: Readonly<
		Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>>
	>;
	readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

it('all routes are documented with their responses', async () => {
	const { app } = await harness();
	const { paths, components } = app.openapi() as Document;
	const routes = Object.entries(paths)
		.filter(([path]) => path.startsWith('/v1/webhook_'))
		.flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
	expect(routes.sort()).toEqual([
		'delete /v1/webhook_endpoints/{id}',
		'get /v1/webhook_deliveries',
		'get /v1/webhook_deliveries/{id}',
		'get /v1/webhook_endpoints',
		'get /v1/webhook_endpoints/{id}',
		'get /v1/webhook_event_types',
		'post /v1/webhook_deliveries/{id}/resend',
		'post /v1/webhook_endpoints',
		'post /v1/webhook_endpoints/{id}',
		'post /v1/webhook_endpoints/{id}/rotate_secret',
		'post /v1/webhook_endpoints/{id}/test',
	]);
	const created = Object.keys(paths['/v1/webhook_endpoints']?.post?.responses ?? {});
	expect(created).toEqual(expect.arrayContaining(['200', '400', '401', '403']));
	expect(Object.keys(components.schemas)).toEqual(
		expect.arrayContaining([
			'WebhookEndpoint',
			'WebhookEndpointWithSecret',
			'WebhookEndpointList',
			'WebhookDelivery',
			'WebhookDeliveryList',
		]),
	);
});
