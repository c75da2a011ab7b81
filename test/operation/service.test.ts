import { afterAll, beforeAll, expect, test } from 'bun:test'
import { which } from 'bun'
import { newFolder } from '../support/process.ts'
import { exampleOf, filledIn } from './readme.ts'

const ANALYZE = which('systemd-analyze')

/** Of 100; what systemd itself calls "OK" ends at 50. */
const WORST_EXPOSURE = 20

let folder: ReturnType<typeof newFolder>
let unit: string

beforeAll(async () => {
  folder = newFolder()
  unit = folder.file('daybook.service')
  const example = await exampleOf('daybook.service')
  // A program that is there stands for the executable that is not installed.
  await Bun.write(unit, filledIn(example, { '/usr/local/bin/daybook serve': '/bin/true' }))
})
afterAll(() => folder.remove())

async function analyze(...args: string[]) {
  const child = Bun.spawn([ANALYZE ?? '', ...args], { stdout: 'pipe', stderr: 'pipe' })
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { exitCode, out, err }
}

if (!ANALYZE) process.stderr.write('systemd-analyze is not installed: the unit is not looked at.\n')

test.skipIf(!ANALYZE)('the unit of the README says nothing that systemd does not know', async () => {
  const { exitCode, err } = await analyze('verify', '--recursive-errors=no', unit)
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
})

test.skipIf(!ANALYZE)('the unit of the README leaves the process little to do harm with', async () => {
  const { exitCode, out } = await analyze(
    'security',
    '--offline=true',
    `--threshold=${WORST_EXPOSURE}`,
    '--no-pager',
    unit,
  )
  expect([exitCode, out.split('\n').at(-2)]).toEqual([0, expect.stringContaining('Overall exposure level')])
})
