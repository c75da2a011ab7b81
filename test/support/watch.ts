import type { Api } from '../../src/api.ts'
import { queryOf } from './records.ts'
import { settle } from './service.ts'

/** One thing that a stream said. */
export type Said =
  | { readonly retry: number }
  | { readonly comment: string }
  // biome-ignore lint/suspicious/noExplicitAny: an event is judged by what the test expects of it
  | { readonly event: string; readonly id?: string; readonly data: any }

/** The lines between two empty ones. */
function parse(block: string): Said {
  const lines = block.split('\n').map((line) => {
    const [, name = '', value = ''] = /^(\w*): (.*)$/.exec(line) ?? []
    return [name, value] as const
  })
  const fields = Object.fromEntries(lines)
  if (fields[''] !== undefined) return { comment: fields[''] }
  if (fields.retry !== undefined) return { retry: Number(fields.retry) }
  const { event = '', id, data = 'null' } = fields
  return { event, ...(id !== undefined && { id }), data: JSON.parse(data) }
}

export interface Watch {
  readonly response: Response
  /** The next thing that is said; undefined once the stream has ended. */
  next(): Promise<Said | undefined>
  /** The next event of this name, which must be the next event at all; answers its data. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  event(name: 'answer' | 'problem' | 'closed'): Promise<any>
  /** What was said and not asked for yet, once the service has come to rest. */
  rest(): Promise<Said[]>
  /** The id of the last event that was asked for and had one. */
  readonly lastId: string | undefined
  /** The reader goes away. */
  leave(): Promise<void>
}

export function readWatch(response: Response): Watch {
  if (!response.body) throw new Error('there is no stream')
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const said: Said[] = []
  let text = ''
  let isOver = false
  let wake = () => {}
  const take = (chunk: Uint8Array) => {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    said.push(...blocks.map(parse))
    wake()
  }
  const ended = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) take(part.value)
  })()
  void ended
    .catch(() => {})
    .then(() => {
      isOver = true
      wake()
    })
  let lastId: string | undefined
  const taken = <Item extends Said | undefined>(item: Item): Item => {
    if (item && 'event' in item) lastId = item.id ?? lastId
    return item
  }
  const next = async () => {
    while (said.length === 0 && !isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return taken(said.shift())
  }
  return {
    response,
    next,
    event: async (name) => {
      const item = await next()
      if (item && 'event' in item && item.event === name) return item.data
      throw new Error(`there was to be "${name}", and there is ${JSON.stringify(item)}`)
    },
    rest: async () => {
      await settle()
      return said.splice(0).map(taken)
    },
    get lastId() {
      return lastId
    },
    leave: () => reader.cancel(),
  }
}

export interface WatchOptions extends Record<string, unknown> {
  headers?: Record<string, string>
}

/** Opens a watch through the application and reads its first line. */
export async function watch(
  { app, key }: { app: Pick<Api, 'fetch'>; key: string | undefined },
  structure: string,
  { headers, ...more }: WatchOptions = {},
): Promise<Watch> {
  const request = new Request(`http://localhost/v1/records/watch?${queryOf({ structure, ...more })}`, {
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
  })
  const opened = readWatch(await app.fetch(request))
  const first = await opened.next()
  if (JSON.stringify(first) !== '{"retry":2000}') throw new Error(`it began with ${JSON.stringify(first)}`)
  return opened
}
