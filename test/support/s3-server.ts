import { createHash } from 'node:crypto'

/*
 * A small S3-compatible store over real HTTP, in memory: objects, ranges, multipart uploads and lists. Signatures are
 * not verified; `real-stores.long.test.ts` uses a store that verifies them.
 */

export interface S3Request {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
}

/** Handles a request in place of the store; undefined leaves it to the store. */
export type Fault = (
  request: S3Request,
  original: Request,
) => Promise<Response | undefined> | Response | undefined

export interface S3Server {
  readonly url: string
  readonly objects: Map<string, Uint8Array<ArrayBuffer>>
  /** `METHOD key` of every request, in order. */
  readonly requests: string[]
  /** The number of multipart uploads that were neither completed nor aborted. */
  readonly unfinishedUploads: number
  fault: Fault | undefined
  /** Changes the content of an object as it is served. */
  served: (key: string, content: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>
  stop(): Promise<void>
}

const xml = (body: string, status = 200) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>${body}`, {
    status,
    headers: { 'Content-Type': 'application/xml' },
  })

export const s3Error = (status: number, code: string, message = code) =>
  xml(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`, status)

const etagOf = (content: Uint8Array) => `"${createHash('md5').update(content).digest('hex')}"`

const BUCKET = 'backups'

function listing(objects: S3Server['objects'], query: URLSearchParams): Response {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter')
  const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
  const most = Number(query.get('max-keys') ?? 1_000)
  const all = [...objects.keys()]
    .sort()
    .filter((key) => key.startsWith(prefix) && key > after)
    .filter((key) => !delimiter || !key.slice(prefix.length).includes(delimiter))
  const keys = all.slice(0, most)
  const contents = keys.map((key) => {
    const content = objects.get(key) ?? new Uint8Array()
    return `<Contents><Key>${key}</Key><LastModified>2026-11-21T09:30:00.000Z</LastModified><ETag>${etagOf(content).replaceAll('"', '&quot;')}</ETag><Size>${content.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`
  })
  const isTruncated = keys.length < all.length
  const next = isTruncated ? `<NextContinuationToken>${keys.at(-1)}</NextContinuationToken>` : ''
  return xml(
    `<ListBucketResult><Name>${BUCKET}</Name><Prefix>${prefix}</Prefix><KeyCount>${keys.length}</KeyCount><MaxKeys>${most}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  )
}

function content(request: Request, bytes: Uint8Array<ArrayBuffer>): Response {
  const headers = { ETag: etagOf(bytes), 'Last-Modified': 'Sat, 21 Nov 2026 09:30:00 GMT' }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('range') ?? '') ?? []
  if (first === undefined) return new Response(bytes, { headers })
  const end = last === '' ? bytes.length : Math.min(Number(last) + 1, bytes.length)
  return new Response(bytes.subarray(Number(first), end), {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${first}-${end - 1}/${bytes.length}` },
  })
}

/** Starts a store with the empty bucket `backups`. */
export function startS3Server(port = 0): S3Server {
  const objects: S3Server['objects'] = new Map()
  const uploads = new Map<string, Map<number, Uint8Array>>()
  const requests: string[] = []
  let uploadCount = 0

  async function multipart(
    request: Request,
    { method, key, query }: S3Request,
  ): Promise<Response | undefined> {
    if (method === 'POST' && query.has('uploads')) {
      const id = `upload-${++uploadCount}`
      uploads.set(id, new Map())
      return xml(
        `<InitiateMultipartUploadResult><Bucket>${BUCKET}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      )
    }
    const id = query.get('uploadId')
    if (id === null) return undefined
    const parts = uploads.get(id)
    if (!parts) return s3Error(404, 'NoSuchUpload')
    if (method === 'PUT') {
      const part = new Uint8Array(await request.arrayBuffer())
      parts.set(Number(query.get('partNumber')), part)
      return new Response(null, { headers: { ETag: etagOf(part) } })
    }
    uploads.delete(id)
    if (method === 'DELETE') return new Response(null, { status: 204 })
    const whole = Buffer.concat([...parts].sort(([left], [right]) => left - right).map(([, part]) => part))
    objects.set(key, new Uint8Array(whole))
    return xml(
      `<CompleteMultipartUploadResult><Bucket>${BUCKET}</Bucket><Key>${key}</Key><ETag>${etagOf(whole).replaceAll('"', '&quot;')}</ETag></CompleteMultipartUploadResult>`,
    )
  }

  async function store(request: Request, { method, key, query }: S3Request): Promise<Response> {
    const handled = await multipart(request, { method, key, query })
    if (handled) return handled
    if (method === 'PUT') {
      const bytes = new Uint8Array(await request.arrayBuffer())
      objects.set(key, bytes)
      return new Response(null, { headers: { ETag: etagOf(bytes) } })
    }
    if (key === '' && method === 'GET') return listing(objects, query)
    if (method === 'DELETE') {
      objects.delete(key)
      return new Response(null, { status: 204 })
    }
    const bytes = objects.get(key)
    if (!bytes) return s3Error(404, 'NoSuchKey')
    return content(request, server.served(key, bytes))
  }

  const listener = Bun.serve({
    port,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    maxRequestBodySize: 2 ** 34,
    fetch: async (request) => {
      const { pathname, searchParams: query } = new URL(request.url)
      const [, bucket = '', ...rest] = pathname.split('/')
      const key = decodeURIComponent(rest.join('/'))
      const asked = { method: request.method, key, query }
      requests.push(`${request.method} ${key}`)
      if (bucket !== BUCKET) return s3Error(404, 'NoSuchBucket')
      return (await server.fault?.(asked, request)) ?? store(request, asked)
    },
  })
  const server: S3Server = {
    url: `http://127.0.0.1:${listener.port}`,
    objects,
    requests,
    get unfinishedUploads() {
      return uploads.size
    },
    fault: undefined,
    served: (_key, bytes) => bytes,
    stop: () => listener.stop(true),
  }
  return server
}
