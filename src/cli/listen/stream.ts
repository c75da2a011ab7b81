/** One event of a stream of Server-Sent Events. */
export interface StreamEvent {
  readonly name: string
  /** The id that was given last, with this event or before it. */
  readonly id: string
  readonly data: string
}

/** Reads Server-Sent Events out of text that comes in pieces; lines end in LF or CRLF. */
export class EventReader {
  /** How long to wait before connecting again, as the stream says. */
  retryMs: number
  #line: string[] = []
  #name = ''
  #id = ''
  #data: string[] = []

  constructor(retryMs: number) {
    this.retryMs = retryMs
  }

  /** The events that this piece completes. */
  feed(text: string): StreamEvent[] {
    const [first = '', ...rest] = text.split('\n')
    this.#line.push(first)
    const events: StreamEvent[] = []
    for (const piece of rest) {
      const event = this.#endLine(this.#line.join('').replace(/\r$/, ''))
      if (event) events.push(event)
      this.#line = [piece]
    }
    return events
  }

  #endLine(line: string): StreamEvent | undefined {
    if (line === '') return this.#endEvent()
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') this.#name = value
    else if (field === 'id') this.#id = value
    else if (field === 'data') this.#data.push(value)
    else if (field === 'retry' && /^\d{1,6}$/.test(value)) this.retryMs = Number(value)
    return undefined
  }

  #endEvent(): StreamEvent | undefined {
    const data = this.#data
    const event = { name: this.#name, id: this.#id, data: data.join('\n') }
    this.#name = ''
    this.#data = []
    return data.length === 0 ? undefined : event
  }
}
