import { afterEach, beforeEach, expect, test } from 'bun:test'
import { makeFile } from '../../support/files.ts'
import { mirrorOf } from '../../support/mirror.ts'
import { startService, type TestService } from '../../support/service.ts'

/* A remote may make a mirror repeat requests forever, or wait for a response that never ends. */

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

/** Copies from a remote with custom responses at some paths. */
const copyFrom = (respond: (url: URL) => Response | undefined) =>
  mirrorOf(service, {
    between: async (request, answer) => respond(new URL(request.url)) ?? answer(),
  })

test('ends where the remote always has more changes', async () => {
  let asked = 0
  const copied = copyFrom(({ pathname }) =>
    pathname === '/v1/changes'
      ? Response.json({ changes: [], cursor: `more-${++asked}`, has_more: true })
      : undefined,
  )
  await expect(copied).rejects.toThrow('keeps reporting more changes without end')
  expect(asked).toBeLessThan(2_000)
}, 60_000)

test('ends where the remote sends the text of a file in tiny parts', async () => {
  await makeFile(service, { pages: Array.from({ length: 500 }, (_, at) => `page ${at}`) })
  let asked = 0
  const copied = copyFrom(({ pathname, searchParams }) => {
    if (!pathname.endsWith('/text')) return undefined
    asked += 1
    const [page] = (searchParams.get('pages') ?? '').split('-')
    return Response.json({ pages: page, text: `=== page ${page} ===\nx` })
  })
  await expect(copied).rejects.toThrow('in more parts than any daybook does')
  expect(asked).toBeLessThan(10)
}, 60_000)

test('cancels a response of one byte at a time', async () => {
  const drip = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(1)
          service.clock.advance(1_000)
          controller.enqueue(new Uint8Array([0x20]))
        },
      }),
    )
  const copied = copyFrom(({ pathname }) => (pathname === '/v1/workspace' ? drip() : undefined))
  await expect(copied).rejects.toThrow(/connection broke|does not answer/)
}, 60_000)
