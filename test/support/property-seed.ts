import { configureGlobal } from 'fast-check';

/**
 * Property tests take the same cases in every run, so that a change is judged by what it changed. `PLINTH_TEST_SEED` chooses others;
 * the long tests look for new ones each time.
 */
const seed = Number(process.env.PLINTH_TEST_SEED ?? 20_261_122);
if (process.env.PLINTH_TEST_LONG !== '1') configureGlobal({ seed });
