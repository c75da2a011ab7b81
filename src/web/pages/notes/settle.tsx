import { Button } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Part } from '../../data/merge.ts'
import { useAuthors } from '../../data/note-authors.ts'
import type { Choice, Conflict } from '../../data/note-text.ts'
import type { SaveQueue } from '../../data/save-queue.ts'
import { wordDiff } from '../../data/word-diff.ts'

/** A text with what the other one does not have marked. */
const Marked = ({ text, other }: { text: string; other: string }) => (
  <p class="verbatim">
    {text === '' ? (
      <span class="dim">Nothing: these lines were removed.</span>
    ) : (
      wordDiff(other, text).map(
        (piece) =>
          piece.kind !== 'removed' && (piece.kind === 'added' ? <mark>{piece.text}</mark> : piece.text),
      )
    )}
  </p>
)

interface SettleProps {
  readonly id: string
  readonly queue: SaveQueue
  readonly conflict: Conflict
}

/** The merged note with the passages that both sides changed; nothing is saved until each is settled. */
export function Settle({ id, queue, conflict }: SettleProps) {
  const { updated_at } = conflict.theirs
  const author = useAuthors(id, updated_at).get(updated_at)
  const parts = (place: 'title' | 'content') =>
    conflict[place].map((part, index) =>
      part.kind === 'passage' ? (
        <Passage
          key={`${place}${index}`}
          part={part}
          author={author}
          name={place === 'title' ? 'Title' : 'Passage'}
          onChoose={(choice) => queue.settle(place, index, choice)}
        />
      ) : (
        <div key={`${place}${index}`} class={place === 'title' ? undefined : 'source'}>
          {place === 'title' ? <h2 class="title">{part.text}</h2> : <p class="verbatim">{part.text}</p>}
        </div>
      ),
    )
  return (
    <>
      {parts('title')}
      {parts('content')}
    </>
  )
}

interface PassageProps {
  readonly part: Extract<Part, { kind: 'passage' }>
  /** Who saved the other version, where that is known. */
  readonly author: string | undefined
  readonly name: string
  readonly onChoose: (choice: Choice) => void
}

const Passage = ({ part: { mine, theirs }, author, name, onChoose }: PassageProps) => (
  <section class="settle" aria-label={`${name} to decide`}>
    <div class="settle-card">
      <div class="versions">
        <div>
          <h3>
            <Icon name="person" />
            Yours, not saved yet
          </h3>
          <Marked text={mine} other={theirs} />
        </div>
        <div>
          <h3>
            <Icon name="person" />
            {author === undefined ? 'Saved meanwhile' : `${author} saved`}
          </h3>
          <Marked text={theirs} other={mine} />
        </div>
      </div>
      <footer>
        <Button kind="main" onClick={() => onChoose('both')}>
          Keep both
        </Button>
        <Button onClick={() => onChoose('mine')}>Keep yours</Button>
        <Button onClick={() => onChoose('theirs')}>Take theirs</Button>
        <span>Nothing is overwritten until you choose.</span>
      </footer>
    </div>
  </section>
)
