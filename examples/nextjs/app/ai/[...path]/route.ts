import { plinth } from '@plinth/hosts/fetch';
import { media } from '../../../lib/media';

async function handler(request: Request): Promise<Response> {
	return plinth(await media(), { prefix: '/ai' })(request);
}

// All of them, for a method without a handler is refused by Next.
export {
	handler as DELETE,
	handler as GET,
	handler as HEAD,
	handler as OPTIONS,
	handler as PATCH,
	handler as POST,
	handler as PUT,
};
