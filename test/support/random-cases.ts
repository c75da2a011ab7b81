import fc from 'fast-check'
import { isLong } from './counts.ts'

/**
 * Loaded before every test file. The everyday suite draws the same random cases in every run, so that it fails only where
 * something changed; the long one draws others each time, and a failure says its seed.
 */
if (!isLong) fc.configureGlobal({ seed: 20261121 })
