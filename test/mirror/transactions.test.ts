import { expect, test } from 'bun:test'
import { mirrorOf } from '../support/mirror.ts'
import { makeNote } from '../support/notes.ts'
import { declare, write } from '../support/records.ts'
import { type Client, startService } from '../support/service.ts'

test('a mirror lists the writes that it has copied as its remote does', async () => {
  const service = await startService()
  await declare(service, 'Boxes', [{ key: 'name', type: 'text' }], { label_field: 'name' })
  const mirror = await mirrorOf(service)
  await write(service, 'Boxes', ...Array.from({ length: 20 }, (_, n) => ({ name: `Box ${n}` })))
  await makeNote(service, { title: 'Tea', tags: ['new'] })
  await mirror.catchUp()
  const listed = async (client: Client) =>
    (await client.get('/v1/changes/transactions?limit=2')).body.transactions.map(
      ({ transaction: _, cursor: __, ...rest }: { transaction: string; cursor: string }) => rest,
    )
  const copied = await listed(mirror)
  expect(copied[1].counts).toMatchObject([{ kind: 'record', op: 'created', n: 20 }])
  expect(copied).toEqual(await listed(service))
  await mirror.close()
  service.close()
})
