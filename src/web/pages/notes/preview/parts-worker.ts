import type { Token } from 'marked'
import { tokensOf } from '../../../../lib/markdown.ts'
import { type NoteRequest, type PartsRequest, type PartsResponse, partsOf } from './parts.ts'
import { type Links, linksIn } from './tokens.ts'

let parts: Token[][] = []
let links: Links = new Map()

const send = (response: PartsResponse) => postMessage(response)

function sendNext(): void {
  send({ tokens: parts.shift() ?? [], links, isLast: parts.length === 0 })
}

/** Undefined for a note that is nested deeper than can be followed, too. */
function readNote({ text, saved, outgoing }: NoteRequest): Token[][] | undefined {
  try {
    const blocks = tokensOf(text)
    links = linksIn(saved === text ? blocks : tokensOf(saved), outgoing)
    return partsOf(blocks)
  } catch {
    return undefined
  }
}

function begin(note: NoteRequest): void {
  const found = readNote(note)
  parts = found ?? []
  if (found) sendNext()
  else send('too much')
}

addEventListener('message', ({ data }: MessageEvent<PartsRequest>) => {
  if (data === 'next') sendNext()
  else begin(data)
})
// The page waits for this before it sends the note: until now a message would have been lost.
postMessage('ready')
