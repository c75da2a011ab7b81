import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/form.tsx'
import { TextDifferences } from '../../components/text-differences.tsx'
import { type Revision, readRevisions } from '../../data/note-revisions.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Entry } from './transactions.ts'

/** Longer texts are compared on request. */
const MAX_AUTOMATIC = 50_000
const NEWEST_REVISIONS = 20
const MAX_REVISIONS = 200
const MAX_PASSAGES = 3

interface EditedTextProps {
  readonly entry: Entry
  /** Whether to show what an undo would write: the earlier text in place of the later one. */
  readonly isBack?: boolean
}

const contentOf = ({ object }: Entry): string | undefined =>
  typeof object?.content === 'string' ? object.content : undefined

/** Whether the entry changed the text of a note whose current text is still available for comparison. */
export const isTextEdit = (entry: Entry | undefined): entry is Entry =>
  entry?.kind === 'note' && entry.changed.includes('content') && contentOf(entry) !== undefined

/** The differences that an edit made in the text of a note; nothing if its revision has been deleted. */
export function EditedText({ entry, isBack = false }: EditedTextProps) {
  const place = useRef<HTMLDivElement>(null)
  const isVisible = useVisible(place)
  const [isRequested, setRequested] = useState(false)
  const current = contentOf(entry) ?? ''
  const isLong = current.length > MAX_AUTOMATIC
  return (
    <div ref={place}>
      {isLong && !isRequested ? (
        <Button kind="quiet" onClick={() => setRequested(true)}>
          Compare the texts
        </Button>
      ) : (
        isVisible && <Differences entry={entry} current={current} isBack={isBack} />
      )}
    </div>
  )
}

/** Whether an element has been visible at least once. */
function useVisible(place: { readonly current: HTMLElement | null }): boolean {
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    if (!place.current || isVisible) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setVisible(true)
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isVisible])
  return isVisible
}

/** A revision has the same instant as the transaction that created it. */
const isRevisionOf = (entry: Entry) => (revision: Revision) => revision.created_at === entry.at

function Differences({ entry, current, isBack }: Required<EditedTextProps> & { readonly current: string }) {
  const id = String(entry.id)
  const newest = useQuery(['note', 'revisions', id], ({ signal }) =>
    readRevisions(id, NEWEST_REVISIONS, signal),
  ).data
  const isOlder =
    newest !== undefined && newest.length === NEWEST_REVISIONS && !newest.some(isRevisionOf(entry))
  const older = useQuery(
    ['revisions', id, MAX_REVISIONS],
    ({ signal }) => readRevisions(id, MAX_REVISIONS, signal),
    {
      enabled: isOlder,
    },
  ).data
  const revisions = (isOlder ? older : newest) ?? []
  const at = revisions.findIndex(isRevisionOf(entry))
  const before = revisions[at]?.content
  if (before === undefined) return null
  const after = revisions[at - 1]?.content ?? current
  return (
    <TextDifferences
      before={isBack ? after : before}
      after={isBack ? before : after}
      maxPassages={MAX_PASSAGES}
    />
  )
}
