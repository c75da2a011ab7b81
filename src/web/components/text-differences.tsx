import { useState } from 'preact/hooks'
import { changedPassages, type Piece } from '../data/word-diff.ts'
import { addStyles } from '../styles/add-styles.ts'
import styles from '../styles/differences.css' with { type: 'text' }
import { Button } from './form.tsx'

addStyles(styles)

interface TextDifferencesProps {
  readonly before: string
  readonly after: string
  /** Number of passages shown before "more" is pressed. */
  readonly maxPassages?: number
}

const TAGS = { kept: 'span', removed: 'del', added: 'ins' } as const

function Words({ kind, text }: Piece) {
  const Tag = TAGS[kind]
  return <Tag>{text}</Tag>
}

/** The passages in which two texts differ: removed and inserted words with their context. */
export function TextDifferences({
  before,
  after,
  maxPassages = Number.POSITIVE_INFINITY,
}: TextDifferencesProps) {
  const [isWhole, setWhole] = useState(false)
  const passages = changedPassages(before, after)
  const shown = isWhole ? passages : passages.slice(0, maxPassages)
  return (
    <div class="differences">
      {shown.map((pieces, index) => (
        <p key={index} dir="auto">
          {pieces.map((piece, pieceIndex) => (
            <Words key={pieceIndex} {...piece} />
          ))}
        </p>
      ))}
      {shown.length < passages.length && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          {passages.length - shown.length} more{' '}
          {passages.length - shown.length === 1 ? 'passage' : 'passages'}
        </Button>
      )}
    </div>
  )
}
