import { Button, ErrorText } from '../../components/form.tsx'
import { formatNumber } from '../../data/formats.ts'
import { address } from '../../router.ts'
import type { Remark } from './folder.ts'
import { type Progress, progress, stop } from './run.ts'

/** How many single files are named; the others are counted. */
const FIRST = 100

const counted = (count: number, one: string, many: string): string | false =>
  count > 0 && `${formatNumber(count)} ${count === 1 ? one : many}`

function sentenceOf({ isRunning, notes, files, properties, links, before }: Progress): string {
  const made = [
    counted(notes, 'note', 'notes'),
    counted(files, 'file', 'files'),
    counted(properties, 'property', 'properties'),
  ].filter(Boolean)
  const sentences = [
    made.length > 0 ? `New: ${made.join(', ')}.` : !isRunning && 'Nothing is new.',
    links > 0 && `${counted(links, 'link', 'links')} rewritten, to lead where the folder has them lead.`,
    before > 0 && `${counted(before, 'note or file was', 'notes and files were')} imported before.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

/** How far the import is, or what came of it. */
export function Report() {
  const found = progress.value
  if (!found) return null
  const { isRunning, isOpen, isWaiting, share, refused, changed, skipped, stopped } = found
  if (!isOpen && stopped !== undefined) return <ErrorText>{stopped}</ErrorText>
  return (
    <>
      <progress value={share} aria-label="How much of the folder is imported" />
      <p role="status">
        {isRunning ? 'Importing…' : stopped === undefined ? 'Done.' : 'Not finished.'} {sentenceOf(found)}
      </p>
      {isWaiting && <p>The server cannot be reached. The import goes on when it is back.</p>}
      {stopped !== undefined && (
        <ErrorText>{stopped} Choose the folder again: it goes on where it was.</ErrorText>
      )}
      <p class="actions">
        {isRunning ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <a class="button main" href={address(['notes'])}>
            Show the notes
          </a>
        )}
      </p>
      {!isRunning && (
        <>
          <Remarks title="Not imported" remarks={refused} isOpen />
          <Remarks title="Changed" remarks={changed} />
          <Remarks title="Left out" remarks={skipped} />
        </>
      )}
    </>
  )
}

interface RemarksProps {
  readonly title: string
  readonly remarks: readonly Remark[]
  readonly isOpen?: boolean
}

function Remarks({ title, remarks, isOpen = false }: RemarksProps) {
  if (remarks.length === 0) return null
  return (
    <details open={isOpen}>
      <summary>
        {title} ({formatNumber(remarks.length)})
      </summary>
      <ul class="plain">
        {remarks.slice(0, FIRST).map(({ place, what }) => (
          <li key={`${place}: ${what}`}>
            <span style={{ overflowWrap: 'anywhere' }}>
              <b>{place}</b>: {what}
            </span>
          </li>
        ))}
      </ul>
      {remarks.length > FIRST && <p>… and {formatNumber(remarks.length - FIRST)} more.</p>}
    </details>
  )
}
