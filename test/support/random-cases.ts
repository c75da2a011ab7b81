import fc from 'fast-check'
import { hasManyCases } from './counts.ts'

/**
 * Loaded before every test file. The same random cases are drawn in every run, so that it fails only where something
 * changed; where many are wanted, others are drawn each time, and a failure says its seed.
 */
if (!hasManyCases) fc.configureGlobal({ seed: 20261121 })
