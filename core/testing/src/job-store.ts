import { type ConformanceCase, noReopenCase } from './conformance.ts';
import { cancelCases } from './job-store/cancel.ts';
import { idempotencyCases, limitCases } from './job-store/creating.ts';
import { dumpCases } from './job-store/dumps.ts';
import { callbackCases, cursorCases, eventCases } from './job-store/events.ts';
import { clockCases, leaseCases } from './job-store/leases.ts';
import { lifecycleCases } from './job-store/lifecycle.ts';
import { listingCases } from './job-store/listing.ts';
import { durabilityCases, peerCases } from './job-store/peers.ts';
import { repeatCases } from './job-store/repeats.ts';
import { type JobStoreSubject, jobCases } from './job-store/subject.ts';
import { sweepCases } from './job-store/sweep.ts';
import { dutyCases, offerCases, takeCases } from './job-store/take.ts';

/** The store under test, and its abilities beyond the contract. */
export interface JobStoreSuiteOptions {
	create(): Promise<JobStoreSubject>;
	/** How long the subject keeps records of ended jobs; 7 days unless set. */
	readonly recordRetentionMs?: number;
	/** `reopen`: jobs are kept after the store is closed, and subjects have `reopen`. */
	readonly supports?: { readonly reopen?: boolean };
}

/**
 * The sentences of the `JobStore` contract as cases, method by method. Concurrent calls are tested by
 * {@link checkAgainstModel}: run both.
 */
export function jobStoreSuite(options: JobStoreSuiteOptions): ConformanceCase[] {
	const { create, recordRetentionMs = 7 * 86_400_000, supports = {} } = options;
	const context = jobCases(create, recordRetentionMs);
	return [
		...lifecycleCases(context),
		...leaseCases(context),
		...takeCases(context),
		...offerCases(context),
		...dutyCases(context),
		...peerCases(context),
		...repeatCases(context),
		...cancelCases(context),
		...listingCases(context),
		...idempotencyCases(context),
		...limitCases(context),
		...eventCases(context),
		...cursorCases(context),
		...callbackCases(context),
		...sweepCases(context),
		...clockCases(context),
		...dumpCases(context),
		...(supports.reopen ? durabilityCases(context) : [noReopenCase(context.it)]),
	];
}
