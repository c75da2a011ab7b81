import { afterAll, beforeAll, expect, test } from 'bun:test'
import { which } from 'bun'
import { newFolder } from '../support/process.ts'
import { deployFile } from './deploy.ts'

const ANALYZE = which('systemd-analyze')

/** On the scale of `systemd-analyze security`, times ten: 50 is the end of "OK". */
const MAX_EXPOSURE = 20

let folder: ReturnType<typeof newFolder>
let unit: string

beforeAll(async () => {
  folder = newFolder()
  unit = folder.file('daybook.service')
  // systemd requires that the program exists, and daybook is not installed here.
  await Bun.write(unit, await deployFile('daybook.service', { '/usr/local/bin/daybook serve': '/bin/true' }))
})
afterAll(() => folder.remove())

async function analyze(...args: string[]) {
  const child = Bun.spawn([ANALYZE ?? '', ...args], { stdout: 'pipe', stderr: 'pipe' })
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { exitCode, out, err }
}

if (!ANALYZE) process.stderr.write('systemd-analyze is not installed: its tests are skipped.\n')

test.skipIf(!ANALYZE)('systemd accepts every setting of the unit', async () => {
  const { exitCode, err } = await analyze('verify', '--recursive-errors=no', unit)
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
})

test.skipIf(!ANALYZE)('the unit confines the process', async () => {
  const { exitCode, out } = await analyze(
    'security',
    '--offline=true',
    `--threshold=${MAX_EXPOSURE}`,
    '--no-pager',
    unit,
  )
  expect([exitCode, out.split('\n').at(-2)]).toEqual([0, expect.stringContaining('Overall exposure level')])
})
