import { spyOn } from 'bun:test'
import { settle, type TestService } from './service.ts'

/** Holds all writes until the returned function is called; it resolves once they continue. */
export function holdWrites({ ctx }: TestService): () => Promise<void> {
  const gate = Promise.withResolvers<void>()
  const paused = ctx.db.pauseDuring(() => gate.promise)
  return async () => {
    gate.resolve()
    await paused
  }
}

/**
 * Sends requests while writes are held, and returns their responses. Each request has read its objects and queued its
 * write before the next request is sent.
 */
export async function sendWhileHeld<Sent extends readonly unknown[]>(
  service: TestService,
  ...requests: { readonly [At in keyof Sent]: () => Promise<Sent[At]> }
): Promise<Sent> {
  const release = holdWrites(service)
  const queued = spyOn(service.ctx.db, 'write')
  const sent: Promise<unknown>[] = []
  for (const send of requests) {
    const before = queued.mock.calls.length
    sent.push(send())
    while (queued.mock.calls.length === before) await settle()
  }
  queued.mockRestore()
  await release()
  return (await Promise.all(sent)) as unknown as Sent
}
