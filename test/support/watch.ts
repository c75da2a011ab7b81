import type { Api } from '../../src/api.ts'
import { queryOf } from './records.ts'
import { settle } from './service.ts'

/** One item of a stream. */
export type WatchEvent =
  | { readonly comment: string }
  // biome-ignore lint/suspicious/noExplicitAny: an event is judged by what the test expects of it
  | { readonly event: string; readonly id?: string; readonly data: any }

/** Thrown when a stream violates the format, as opposed to a broken connection. */
class WrongStream extends Error {}

const FIRST_LINE = 'retry: 2000\n'

/** Parses the lines between two empty lines: comments, and an event if there are fields. */
function parse(block: string): WatchEvent[] {
  const lines = block.split('\n').map((line) => {
    const [, name = '', value = ''] = /^(\w*): (.*)$/.exec(line) ?? []
    return [name, value] as const
  })
  const comments = lines.flatMap(([name, comment]) => (name === '' ? [{ comment }] : []))
  const { '': _, ...fields } = Object.fromEntries(lines)
  if (Object.keys(fields).length === 0) return comments
  const { event = '', id, data } = fields
  // Many clients would dispatch such a block as an event.
  if (data === undefined) throw new WrongStream(`a block has no data: ${JSON.stringify(block)}`)
  return [...comments, { event, ...(id !== undefined && { id }), data: JSON.parse(data) }]
}

export interface Watch {
  readonly response: Response
  /** Resolves when the stream has begun. */
  opened(): Promise<void>
  /** Returns the next item, or undefined once the stream has ended. */
  next(): Promise<WatchEvent | undefined>
  /** Returns the data of the next event, which must have this name. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  event(name: 'answer' | 'problem' | 'closed' | 'people'): Promise<any>
  /** Returns the events not consumed yet, once the service is idle. */
  rest(): Promise<WatchEvent[]>
  /** The id of the last consumed event that had one. */
  readonly lastId: string | undefined
  /** Disconnects the reader. */
  leave(): Promise<void>
}

export function readWatch(response: Response): Watch {
  if (!response.body) throw new Error('there is no stream')
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const said: WatchEvent[] = []
  let text = ''
  let hasBegun = false
  let isOver = false
  let wake = () => {}
  const take = (chunk: Uint8Array) => {
    text += decoder.decode(chunk, { stream: true })
    if (!hasBegun && !text.startsWith(FIRST_LINE))
      throw new WrongStream(`it began with ${JSON.stringify(text)}`)
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    said.push(...blocks.flatMap(parse))
    hasBegun = true
    wake()
  }
  const ended = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) take(part.value)
  })()
  let failure: unknown
  void ended
    .catch((error) => {
      failure = error
    })
    .then(() => {
      isOver = true
      wake()
    })
  let lastId: string | undefined
  const taken = <Item extends WatchEvent | undefined>(item: Item): Item => {
    if (item && 'event' in item) lastId = item.id ?? lastId
    return item
  }
  const until = async (isEnough: () => boolean) => {
    while (!isEnough() && !isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    if (failure instanceof WrongStream) throw failure
  }
  const next = async () => {
    await until(() => said.length > 0)
    return taken(said.shift())
  }
  return {
    response,
    opened: () => until(() => hasBegun),
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

/** Opens a watch through the application and waits until it has begun. */
export async function watch(
  { app, key }: { app: Pick<Api, 'fetch'>; key: string | undefined },
  structure: string,
  { headers, ...more }: WatchOptions = {},
): Promise<Watch> {
  const request = new Request(`http://localhost/v1/records/watch?${queryOf({ structure, ...more })}`, {
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
  })
  const opened = readWatch(await app.fetch(request))
  await opened.opened()
  return opened
}
