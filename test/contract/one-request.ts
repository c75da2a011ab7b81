/*
 * Sends one request, or none, to a service on a file. `files-per-request.long.test.ts` compares the coverage of this
 * test.
 */
import { expect, test } from 'bun:test'
import { newFolder } from '../support/process.ts'
import { declare, queryOf } from '../support/records.ts'
import { committed, settle, startService, type TestService } from '../support/service.ts'
import { readWatch } from '../support/watch.ts'

type Send = (service: TestService) => Promise<() => Promise<unknown>>

const FIELDS = [{ key: 'name', type: 'text' }]
const MANY = Array.from({ length: 500 }, (_, index) => ({ data: { name: `Row ${index}` } }))

/** Each entry prepares the data of a request and returns the function that sends it. */
const SEND: Readonly<Record<string, Send>> = {
  'read the caller': async (service) => {
    const key = await service.newKey()
    return () => service.as(key).get('/v1/me')
  },
  'create a note': async (service) => () =>
    service.post('/v1/notes', { title: 'Ada', content: 'See [[Engines]].', tags: ['work'] }),
  'store a batch and its deliveries': async (service) => {
    const { id: structure } = await declare(service, 'Rows', FIELDS)
    await service.post('/v1/webhooks', { structure, url: 'https://hooks.example.com/rows' })
    return () => service.post('/v1/records', { structure, rows: MANY })
  },
  'update a watch': async (service) => {
    const { id: structure } = await declare(service, 'Rows', FIELDS)
    return async () => {
      const path = `/v1/records/watch?${queryOf({ structure })}`
      const headers = { authorization: `Bearer ${service.key}` }
      const watch = readWatch(await service.app.fetch(new Request(`http://localhost${path}`, { headers })))
      await watch.opened()
      const answer = await service.post('/v1/records', { structure, data: { name: 'Ada' } })
      await settle()
      await watch.leave()
      return answer
    }
  },
  'query notes by a tree': async (service) => {
    await service.post('/v1/notes', { title: 'Ada', tags: ['work'] })
    return () => service.post('/v1/notes/query', { filter: { type: 'tags', op: 'has_any', tag_ids: [1] } })
  },
  'receive an event of a source': async (service) => {
    const { id: structure } = await declare(service, 'Rows', FIELDS)
    const { body } = await service.post('/v1/sources', {
      name: 'Mail',
      structure,
      provider: 'none',
      options: { unverified: true },
      map: { name: { path: '/name', as: 'text' } },
    })
    const path = new URL(body.source.url).pathname
    return () => service.as(undefined).post(path, { name: 'Ada' })
  },
  'receive a form': async (service) => {
    const { id: target_id } = await declare(service, 'Rows', FIELDS)
    const { body } = await service.post('/v1/shares', { kind: 'form', target_id })
    const path = new URL(body.share.url).pathname
    const page = await service.as(undefined).get(path)
    const token = /name="_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    return () =>
      service.as(undefined).request('POST', path, `_token=${token}&name=Ada`, {
        'content-type': 'application/x-www-form-urlencoded',
      })
  },
}

export const REQUESTS = Object.keys(SEND)

const { ONE_REQUEST: name = '', IS_SENT: isSent } = process.env
const prepare = SEND[name]
if (prepare)
  test(name, async () => {
    const folder = newFolder()
    const service = await startService({ file: folder.file('daybook.db') })
    const send = await prepare(service)
    // Flushes the writes of the preparation, so that they do not count toward the request.
    await committed(service)
    await settle()
    if (isSent === 'true') {
      const { status } = (await send()) as { status: number }
      expect(status).toBeLessThan(400)
      await settle()
    }
    // Closing refuses a write that is not on the disk yet; that path is not part of the request.
    await committed(service)
    service.close()
    folder.remove()
  })
