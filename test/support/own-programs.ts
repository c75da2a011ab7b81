import { mock } from 'bun:test'
import { join, resolve } from 'node:path'
import { PACKED } from '../../src/http/web-app/names.ts'
import * as packed from '../../src/http/web-app/packed.ts'
import * as programs from '../../src/lib/program.ts'

/*
 * Loaded before every test file. `scripts/test.ts` builds the executable and bundles the threads of the sources, and the
 * service of a test starts these as its processes and threads: the sources take several times as long to load. It serves
 * the application of that build, which would take each process of tests seconds to build again.
 */

const threads = Bun.env.DAYBOOK_TEST_THREADS

if (threads !== undefined) {
  mock.module('../../src/lib/program.ts', () => ({
    ...programs,
    ownCommand: () => [resolve('dist/daybook')],
    workerProgram: (path: string) => join(threads, path.replace(/\.ts$/, '.js')),
  }))
  mock.module('../../src/http/web-app/packed.ts', () => ({
    ...packed,
    packedApplication: () => Bun.file(resolve('dist', PACKED)).json(),
  }))
}
