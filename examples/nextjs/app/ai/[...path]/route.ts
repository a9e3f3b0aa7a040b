import { plinth } from '@plinth/hosts/fetch';
import { media } from '../../../lib/media';

async function handler(request: Request): Promise<Response> {
	return plinth(await media(), { prefix: '/ai' })(request);
}

// All methods, because Next rejects a method without a handler.
export {
	handler as DELETE,
	handler as GET,
	handler as HEAD,
	handler as OPTIONS,
	handler as PATCH,
	handler as POST,
	handler as PUT,
};
