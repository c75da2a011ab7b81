import fc from 'fast-check'
import { RANDOM_SEED } from './counts.ts'

/** Loaded before every test file. A failure reports the seed. */
fc.configureGlobal({ seed: RANDOM_SEED })
