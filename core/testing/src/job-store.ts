import assert from 'node:assert/strict';
import type { ConformanceCase } from './conformance.ts';
import { cancelCases } from './job-store/cancel.ts';
import { idempotencyCases, limitCases } from './job-store/creating.ts';
import { callbackCases, cursorCases, eventCases } from './job-store/events.ts';
import { clockCases, leaseCases } from './job-store/leases.ts';
import { lifecycleCases } from './job-store/lifecycle.ts';
import { listingCases } from './job-store/listing.ts';
import { durabilityCases, peerCases } from './job-store/peers.ts';
import { repeatCases } from './job-store/repeats.ts';
import { type JobStoreSubject, jobCases } from './job-store/subject.ts';
import { sweepCases } from './job-store/sweep.ts';
import { dutyCases, offerCases, takeCases } from './job-store/take.ts';

/** What is under test, and what it promises beyond the contract. */
export interface JobStoreSuiteOptions {
	create(): Promise<JobStoreSubject>;
	/** How long the subject keeps records that ended; 7 days unless it was made with another value. */
	readonly recordRetentionMs?: number;
	/** `reopen`: jobs outlive the store, and subjects can show it. */
	readonly supports?: { readonly reopen?: boolean };
}

/**
 * The sentences of the `JobStore` contract as cases. They say what each method is for; what follows when calls meet
 * is the business of {@link checkAgainstModel}: run both.
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
		...(supports.reopen
			? durabilityCases(context)
			: [
					context.it('nothing claims to outlive the store', async (subject) => {
						assert.equal(subject.reopen, undefined);
					}),
				]),
	];
}
