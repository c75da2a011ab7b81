import { mock } from 'bun:test'
import { join, resolve } from 'node:path'
import * as programs from '../../src/lib/program.ts'

/*
 * Loaded before every test file. `scripts/test.ts` builds the executable and bundles the threads of the sources, and the
 * service of a test starts these as its processes and threads: the sources take several times as long to load.
 */

const threads = Bun.env.DAYBOOK_TEST_THREADS

if (threads !== undefined)
  mock.module('../../src/lib/program.ts', () => ({
    ...programs,
    ownCommand: () => [resolve('dist/daybook')],
    workerProgram: (path: string) => join(threads, path.replace(/\.ts$/, '.js')),
  }))
