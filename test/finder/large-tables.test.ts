import { expect, test } from 'bun:test'
import { find } from '../../src/finder/find.ts'
import { ownCredential } from '../../src/kernel/call.ts'
import { newFolder } from '../support/process.ts'
import { declare } from '../support/records.ts'
import { startService } from '../support/service.ts'

test('a search stops at the first rows with a frequent text, instead of reading a large table', async () => {
  const folder = newFolder()
  const large = await startService({ file: folder.file('daybook.db') })
  await declare(large, 'Visits', [{ key: 'page', type: 'text' }])
  for (let part = 0; part < 24; part++) {
    const rows = Array.from({ length: 500 }, (_, at) => ({ data: { page: `Page ${part * 500 + at}` } }))
    await large.post('/v1/records', { structure: 'Visits', rows })
  }
  const read = (q: string) => large.ctx.kernel.call(find, ownCredential('several', 1), { q, kind: 'records' })
  // A read of more than 10,000 rows is continued in another thread.
  const [frequent, missing] = [read('page'), read('pages')]
  expect(frequent).toMatchObject({ records: Array(6).fill({ structure: 'Visits' }) })
  expect(missing).toBeInstanceOf(Promise)
  expect(await missing).toMatchObject({ records: [] })
  large.close()
  folder.remove()
})
