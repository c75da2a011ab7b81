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

/** Splits a note into parts; undefined if it exceeds a limit. */
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

function start(note: NoteRequest): void {
  const found = readNote(note)
  parts = found ?? []
  if (found) sendNext()
  else send('too large')
}

addEventListener('message', ({ data }: MessageEvent<PartsRequest>) => {
  if (data === 'next') sendNext()
  else start(data)
})
// The page sends the note after this message; earlier messages would be lost.
postMessage('ready')
