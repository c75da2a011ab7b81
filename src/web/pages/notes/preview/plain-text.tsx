import { useMemo } from 'preact/hooks'

/** Characters per piece; the browser lays out each piece separately. */
const PIECE_LENGTH = 4_000

/** Splits text into pieces, after a line break where possible. */
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

/** Plain text of any length; the browser lays out only the visible pieces. */
export function PlainText({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text])
  return (
    <div class="read">
      {pieces.map((piece, index) => (
        <pre key={index} class="read-part plain-text">
          {piece}
        </pre>
      ))}
    </div>
  )
}
