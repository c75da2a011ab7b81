import { afterEach, beforeEach, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { LIMITS_OF_FORMS, startTextExtraction } from '../../src/files/text-extraction.ts'
import { type Browser, signedIn } from '../support/browser-client.ts'
import { declare } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let start: string
let stop = () => {}
beforeEach(async () => {
  service = await startService()
  start = (await service.get('/v1/changes?after=now')).body.cursor
})
afterEach(() => {
  stop()
  service.close()
})

/** A PDF of 73 KB that takes more than a minute to read: 400 pages share one stream of 200,000 texts. */
function slowPdf(): Uint8Array<ArrayBuffer> {
  const stream = deflateSync(`BT /F1 9 Tf ${'(a)Tj'.repeat(200_000)} ET`)
  const pages = Array.from({ length: 400 }, (_, at) => 5 + at)
  const objects: (string | Uint8Array)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((number) => `${number} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    Buffer.concat([
      Buffer.from(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`),
      stream,
      Buffer.from('\nendstream'),
    ]),
    ...pages.map(
      () =>
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
    ),
  ]
  const parts = [Buffer.from('%PDF-1.7\n')]
  for (const [at, object] of objects.entries())
    parts.push(Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n'))
  parts.push(Buffer.from(`trailer << /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`))
  return new Uint8Array(Buffer.concat(parts))
}

async function addFile(browser: Browser, name: string): Promise<void> {
  const bytes = new TextEncoder().encode('A text.')
  const { status } = await browser.request('POST', `/app/api/files?file_name=${name}`, bytes)
  expect(status).toBe(201)
}

async function newForm(name: string): Promise<string> {
  const { id: target_id } = await declare(service, name, [{ key: 'file', type: 'file' }])
  const { body } = await service.post('/v1/shares', { kind: 'form', target_id, name })
  return body.share.url
}

async function send(form: string, ...files: File[]): Promise<void> {
  for (const file of files) {
    const body = new FormData()
    body.append('file', file)
    expect((await service.app.fetch(new Request(form, { method: 'POST', body }))).status).toBe(303)
  }
}

/** Returns the names of the first files whose extraction ends, in order, with the errors of failed ones. */
async function finished(count: number): Promise<string[]> {
  for (;;) {
    const { changes } = (await service.get(`/v1/changes?after=${start}&include=objects`)).body
    const ended = changes.filter(
      ({ kind, op }: { kind: string; op: string }) => kind === 'file' && op === 'updated',
    )
    if (ended.length >= count)
      return ended
        .slice(0, count)
        .map(({ object: { file_name, error } }: { object: { file_name: string; error: string | null } }) =>
          error === null ? file_name : `${file_name}: ${error}`,
        )
    await Bun.sleep(20)
  }
}

test('alternates between users, also for files left by a stopped server', async () => {
  await service.newKey({ user: 'Vera' })
  const [owner, vera] = [await signedIn(service), await signedIn(service, 'Vera')]
  for (let at = 1; at <= 8; at++) await addFile(owner, `owner ${at}.txt`)
  await addFile(vera, 'vera.txt')
  stop = startTextExtraction(service.ctx)
  // It begins second. Several files end before it if its process starts slowly.
  expect(await finished(6)).toContain('vera.txt')
})

/** Far longer than a short file takes on a busy machine. */
const SECONDS = 4

test('stops reading a file of a form at its time limit, while others wait for none of them', async () => {
  expect(LIMITS_OF_FORMS.seconds).toBe(10)
  const [slow, quick] = [await newForm('Slow'), await newForm('Quick')]
  const pdf = slowPdf()
  await send(
    slow,
    new File([pdf], 'slow 1.pdf'),
    new File([pdf], 'slow 2.pdf'),
    new File([pdf], 'slow 3.pdf'),
  )
  await send(quick, new File(['1'], 'quick 1.txt'), new File(['2'], 'quick 2.txt'))
  stop = startTextExtraction(service.ctx, { ...LIMITS_OF_FORMS, seconds: SECONDS })
  const owner = await signedIn(service)
  await addFile(owner, 'owner.txt')
  service.clock.advance(5_000)
  const [first, ...others] = await finished(4)
  expect(first).toBe('owner.txt')
  // After a file of one format took too long, that format comes after other formats.
  expect(others).toEqual([
    `slow 1.pdf: Reading the text took longer than ${SECONDS} seconds.`,
    'quick 1.txt',
    'quick 2.txt',
  ])
})
