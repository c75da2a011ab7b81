import { useState } from 'preact/hooks'
import { changedPassages, type Piece } from '../data/word-diff.ts'
import styles from '../styles/differences.css' with { type: 'text' }
import { Button } from './form.tsx'
import { addStyles } from './styles.ts'

addStyles(styles)

interface TextDifferencesProps {
  readonly before: string
  readonly after: string
  /** How many passages are shown until the rest is asked for. */
  readonly most?: number
}

const TAGS = { kept: 'span', removed: 'del', added: 'ins' } as const

function Words({ kind, text }: Piece) {
  const Tag = TAGS[kind]
  return <Tag>{text}</Tag>
}

/** The passages in which two texts differ: words that were taken out and put in, among those around them. */
export function TextDifferences({ before, after, most = Number.POSITIVE_INFINITY }: TextDifferencesProps) {
  const [isWhole, setWhole] = useState(false)
  const passages = changedPassages(before, after)
  const shown = isWhole ? passages : passages.slice(0, most)
  return (
    <div class="differences">
      {shown.map((pieces, at) => (
        <p key={at} dir="auto">
          {pieces.map((piece, place) => (
            <Words key={place} {...piece} />
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
