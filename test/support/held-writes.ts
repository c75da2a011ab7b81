import { spyOn } from 'bun:test'
import { settle, type TestService } from './service.ts'

/**
 * Sends requests while writes are held, and returns their responses. Each request has read its objects and queued its
 * write before the next request is sent.
 */
export async function sendWhileHeld<Sent extends readonly unknown[]>(
  { ctx: { db } }: TestService,
  ...requests: { readonly [At in keyof Sent]: () => Promise<Sent[At]> }
): Promise<Sent> {
  const gate = Promise.withResolvers<void>()
  const pause = db.pauseDuring(() => gate.promise)
  const queued = spyOn(db, 'write')
  const sent: Promise<unknown>[] = []
  for (const send of requests) {
    const before = queued.mock.calls.length
    sent.push(send())
    while (queued.mock.calls.length === before) await settle()
  }
  queued.mockRestore()
  gate.resolve()
  await pause
  return (await Promise.all(sent)) as unknown as Sent
}
