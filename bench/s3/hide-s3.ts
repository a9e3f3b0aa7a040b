import { registerHooks } from 'node:module';

/** Loaded before a program: with `BENCH_HIDE=1`, imports of the S3 packages fail as if they were not installed. */
const isHidden = process.env.BENCH_HIDE === '1';

registerHooks({
	resolve(specifier, context, next) {
		if (!isHidden || !/^@(?:plinth\/s3|aws-sdk\/|smithy\/)/.test(specifier)) return next(specifier, context);
		throw Object.assign(new Error(`Cannot find package "${specifier}".`), { code: 'ERR_MODULE_NOT_FOUND' });
	},
});
