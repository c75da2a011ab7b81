import { useMemo } from 'preact/hooks'

/** A browser lays out as much as this at once. */
const PIECE_LENGTH = 4_000

/** The text in pieces, each of which ends after a line break where there is one. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    const piece = text.slice(from, from + PIECE_LENGTH)
    const isLast = from + piece.length === text.length
    const line = isLast ? -1 : piece.lastIndexOf('\n')
    pieces.push(line === -1 ? piece : piece.slice(0, line + 1))
    from += pieces.at(-1)?.length ?? 0
  }
  return pieces
}

/** A text of any length as it is, of which the browser lays out what is in sight. */
export function PlainText({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text])
  return (
    <div class="read">
      {pieces.map((piece, at) => (
        <pre key={at} class="read-part plain-text">
          {piece}
        </pre>
      ))}
    </div>
  )
}
