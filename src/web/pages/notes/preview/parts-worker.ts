import type { Token } from 'marked'
import { shownMarkdown, tokensOf, withoutTitle } from '../../../../lib/markdown.ts'
import { topRankOf } from '../../../../lib/markdown-walk.ts'
import { linksIn } from './links-in.ts'
import { type NoteRequest, type PartsRequest, type PartsResponse, partsOf } from './parts.ts'
import type { Links } from './tokens.ts'

let parts: Token[][] = []
let topRank = 1
let links: Links = new Map()

const send = (response: PartsResponse) => postMessage(response)

function sendNext(): void {
  send({ tokens: parts.shift() ?? [], topRank, links, isLast: parts.length === 0 })
}

/** Undefined for a note that is nested deeper than can be followed, too. */
function readNote({ title, text, saved, outgoing }: NoteRequest): Token[][] | undefined {
  try {
    const shown = shownMarkdown(text)
    links = linksIn(saved, outgoing)
    const blocks = withoutTitle(tokensOf(shown), title)
    topRank = topRankOf(blocks)
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
