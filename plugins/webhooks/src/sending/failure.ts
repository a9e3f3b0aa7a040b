import { ForbiddenTarget } from '@plinth/toolkit';

const sentences: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'the connection was refused',
	ECONNRESET: 'the connection was closed before an answer came',
	EPIPE: 'the connection was closed before an answer came',
	UND_ERR_SOCKET: 'the connection was closed before an answer came',
	EHOSTUNREACH: 'the host cannot be reached',
	ENETUNREACH: 'the host cannot be reached',
	ETIMEDOUT: 'no connection could be made in time',
	UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time',
};

const noName = 'the host name cannot be resolved';

const noTls = 'no secure connection could be made: the certificate or TLS was refused';

const certificates = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

/**
 * Why no answer came, in words for the owner of the endpoint. Never the text of a foreign error, which may name
 * addresses of our network.
 */
export function failureOf(error: unknown): string {
	if (error instanceof ForbiddenTarget) return error.message;
	const { code, name, syscall } = Object(error) as Readonly<Record<string, unknown>>;
	if (name === 'HTTPParserError') return 'the answer was no HTTP';
	// Of a lookup, whose codes are also those of connections: a name server that refuses.
	if (typeof syscall === 'string' && /^(?:getaddrinfo|query)/.test(syscall)) return noName;
	if (typeof code !== 'string') return 'the connection failed';
	if (certificates.test(code)) return noTls;
	return (Object.hasOwn(sentences, code) && sentences[code]) || 'the connection failed';
}

/** Why an answer is no success; null when it is one. */
export function failureOfStatus(status: number): string | null {
	if (status >= 200 && status < 300) return null;
	if (status >= 300 && status < 400) {
		return `the receiver answered ${status}, and redirects are not followed`;
	}
	return `the receiver answered ${status}`;
}
