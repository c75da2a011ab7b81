import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/form.tsx'
import { TextDifferences } from '../../components/text-differences.tsx'
import { type Revision, readRevisions } from '../../data/note-revisions.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Entry } from './transactions.ts'

/** Longer texts are compared when somebody asks for it. */
const MAX_UNASKED = 50_000
const NEWEST = 20
const KEPT = 200
const FIRST_PASSAGES = 3

interface EditedTextProps {
  readonly entry: Entry
  /** Whether it is shown what an undo would write: the text that was, for the one that it became. */
  readonly isBack?: boolean
}

const contentOf = ({ object }: Entry): string | undefined =>
  typeof object?.content === 'string' ? object.content : undefined

/** Whether the text of a note changed, and is still there to be compared. */
export const isTextEdit = (entry: Entry | undefined): entry is Entry =>
  entry?.kind === 'note' && entry.changed.includes('content') && contentOf(entry) !== undefined

/** What an edit made of the text of a note; nothing where the revision is not kept any more. */
export function EditedText({ entry, isBack = false }: EditedTextProps) {
  const place = useRef<HTMLDivElement>(null)
  const isVisible = useSeen(place)
  const [isAsked, setAsked] = useState(false)
  const present = contentOf(entry) ?? ''
  const isLong = present.length > MAX_UNASKED
  return (
    <div ref={place}>
      {isLong && !isAsked ? (
        <Button kind="quiet" onClick={() => setAsked(true)}>
          Compare the texts
        </Button>
      ) : (
        isVisible && <Compared entry={entry} present={present} isBack={isBack} />
      )}
    </div>
  )
}

/** Whether an element has come into sight. */
function useSeen(place: { readonly current: HTMLElement | null }): boolean {
  const [isVisible, setSeen] = useState(false)
  useEffect(() => {
    if (!place.current || isVisible) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isVisible])
  return isVisible
}

/** The revision that a write made has its instant. */
const isOf = (entry: Entry) => (revision: Revision) => revision.created_at === entry.at

function Compared({ entry, present, isBack }: Required<EditedTextProps> & { readonly present: string }) {
  const id = String(entry.id)
  const newest = useQuery(['note', 'revisions', id], ({ signal }) => readRevisions(id, NEWEST, signal)).data
  const isOlder = newest !== undefined && newest.length === NEWEST && !newest.some(isOf(entry))
  const older = useQuery(['revisions', id, KEPT], ({ signal }) => readRevisions(id, KEPT, signal), {
    enabled: isOlder,
  }).data
  const revisions = (isOlder ? older : newest) ?? []
  const at = revisions.findIndex(isOf(entry))
  const before = revisions[at]?.content
  if (before === undefined) return null
  const after = revisions[at - 1]?.content ?? present
  return (
    <TextDifferences
      before={isBack ? after : before}
      after={isBack ? before : after}
      maxPassages={FIRST_PASSAGES}
    />
  )
}
