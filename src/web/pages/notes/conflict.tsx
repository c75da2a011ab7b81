import { Button } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Part } from '../../data/merge.ts'
import { useAuthors } from '../../data/note-authors.ts'
import type { NoteDraft } from '../../data/note-draft.ts'
import type { Choice, Conflict } from '../../data/note-text.ts'
import { wordDiff } from '../../data/word-diff.ts'

/** A text with the parts marked that the other text lacks. */
const Marked = ({ text, other }: { text: string; other: string }) => (
  <p class="verbatim">
    {text === '' ? (
      <span class="dim">These lines were removed.</span>
    ) : (
      wordDiff(other, text).map(
        (piece) =>
          piece.kind !== 'removed' && (piece.kind === 'added' ? <mark>{piece.text}</mark> : piece.text),
      )
    )}
  </p>
)

interface ConflictEditorProps {
  readonly id: string
  readonly draft: NoteDraft
  readonly conflict: Conflict
}

/** The merged note with the passages both sides changed. Nothing is saved until each is resolved. */
export function ConflictEditor({ id, draft, conflict }: ConflictEditorProps) {
  const { updated_at } = conflict.theirs
  const author = useAuthors(id, updated_at).get(updated_at)
  const parts = (field: 'title' | 'content') =>
    conflict[field].map((part, index) =>
      part.kind === 'passage' ? (
        <Passage
          key={`${field}${index}`}
          part={part}
          author={author}
          name={field === 'title' ? 'Title' : 'Passage'}
          onChoose={(choice) => draft.resolve(field, index, choice)}
        />
      ) : (
        <div key={`${field}${index}`} class={field === 'title' ? undefined : 'source'}>
          {field === 'title' ? <h2 class="title">{part.text}</h2> : <p class="verbatim">{part.text}</p>}
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
  /** Author of the other version, if known. */
  readonly author: string | undefined
  readonly name: string
  readonly onChoose: (choice: Choice) => void
}

const Passage = ({ part: { mine, theirs }, author, name, onChoose }: PassageProps) => (
  <section class="settle" aria-label={`${name} conflict`}>
    <div class="settle-card">
      <div class="versions">
        <div>
          <h3>
            <Icon name="person" />
            Your version (not saved)
          </h3>
          <Marked text={mine} other={theirs} />
        </div>
        <div>
          <h3>
            <Icon name="person" />
            {author === undefined ? 'Saved version' : `${author}’s version`}
          </h3>
          <Marked text={theirs} other={mine} />
        </div>
      </div>
      <footer>
        <Button kind="main" onClick={() => onChoose('both')}>
          Keep both
        </Button>
        <Button onClick={() => onChoose('mine')}>Keep mine</Button>
        <Button onClick={() => onChoose('theirs')}>Keep theirs</Button>
        <span>Nothing is saved until you choose.</span>
      </footer>
    </div>
  </section>
)
