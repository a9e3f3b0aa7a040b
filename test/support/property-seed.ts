import { configureGlobal } from 'fast-check';

/**
 * Property tests use the same cases in every run, so that a failure points to a change in the code. `PLINTH_TEST_SEED`
 * sets another seed. Long tests use a new seed in each run.
 */
const seed = Number(process.env.PLINTH_TEST_SEED ?? 20_261_122);
if (process.env.PLINTH_TEST_LONG !== '1') configureGlobal({ seed });
