import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { counted, formatNumber } from '../../data/formats.ts'
import { address } from '../../router.ts'
import type { Remark } from './folder.ts'
import { Preview } from './import-preview.tsx'
import { countText, type Progress, progress, stop } from './run.ts'

/** The number of listed files; further ones are only counted. */
const MAX_REMARKS = 100

function summaryOf(report: Progress): string {
  const { isRunning, notes, files, tables, properties, links, before, removed } = report
  if (removed !== undefined) {
    const gone = [
      countText(removed.objects, 'note or file', 'notes and files'),
      countText(removed.tables, 'table', 'tables'),
      countText(removed.tags, 'tag', 'tags'),
      countText(removed.properties, 'property', 'properties'),
    ].filter(Boolean)
    return `Removed: ${gone.join(', ') || 'nothing'}.`
  }
  const made = [
    countText(notes, 'note', 'notes'),
    countText(files, 'file', 'files'),
    countText(tables, 'table', 'tables'),
    countText(properties, 'property', 'properties'),
  ].filter(Boolean)
  const sentences = [
    made.length > 0 ? `New: ${made.join(', ')}.` : !isRunning && 'Nothing new.',
    links > 0 && `${countText(links, 'link', 'links')} updated.`,
    before > 0 && `${countText(before, 'note or file', 'notes and files')} already imported.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

/** The progress or the result of the import. */
export function Report() {
  const found = progress.value
  if (!found) return null
  const { isRunning, isOpen, isWaiting, share, refused, changed, skipped, stopped, preview, undo } = found
  if (preview) return <Preview preview={preview} report={found} />
  if (!isOpen && stopped !== undefined) return <ErrorText>{stopped}</ErrorText>
  const running = found.removed === undefined ? 'Importing…' : 'Undoing…'
  return (
    <>
      <progress value={share} aria-label="Import progress" />
      <p role="status">
        {isRunning ? running : stopped === undefined ? 'Done.' : 'Interrupted.'} {summaryOf(found)}
      </p>
      {isWaiting && <p>The server cannot be reached. The import continues when it is back.</p>}
      {stopped !== undefined && <ErrorText>{stopped} To continue, choose the folder again.</ErrorText>}
      <p class="actions">
        {isRunning ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <>
            <a class="button main" href={address(['notes'])}>
              Show notes
            </a>
            {undo && <Button onClick={() => void undo()}>Undo import</Button>}
          </>
        )}
      </p>
      {!isRunning && (
        <>
          <TagFolders report={found} />
          <Remarks title="Not imported" remarks={refused} isOpen />
          <Remarks title="Changed" remarks={changed} />
          <Remarks title="Skipped" remarks={skipped} />
        </>
      )}
    </>
  )
}

/** Adds the tags of folders that an import did not add. */
function TagFolders({ report: { tagFolders, tagged } }: { readonly report: Progress }) {
  const { run, isRunning, refusal } = useAction(async () => tagFolders?.())
  if (tagged !== undefined)
    return (
      <p role="status">
        {tagged === 0
          ? 'All notes have the tags of their folders.'
          : `${counted(tagged, 'note')} tagged with the path of the folder.`}
      </p>
    )
  if (!tagFolders) return null
  return (
    <>
      <p class="actions">
        <Button disabled={isRunning.value} onClick={() => void run()}>
          {isRunning.value ? 'Adding tags…' : 'Add folders as tags'}
        </Button>
      </p>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
    </>
  )
}

interface RemarksProps {
  readonly title: string
  readonly remarks: readonly Remark[]
  readonly isOpen?: boolean
}

export function Remarks({ title, remarks, isOpen = false }: RemarksProps) {
  if (remarks.length === 0) return null
  return (
    <details open={isOpen}>
      <summary>
        {title} ({formatNumber(remarks.length)})
      </summary>
      <ul class="plain">
        {remarks.slice(0, MAX_REMARKS).map(({ place, what }) => (
          <li key={`${place}: ${what}`}>
            <span style={{ overflowWrap: 'anywhere' }}>
              <b>{place}</b>: {what}
            </span>
          </li>
        ))}
      </ul>
      {remarks.length > MAX_REMARKS && <p>… and {formatNumber(remarks.length - MAX_REMARKS)} more.</p>}
    </details>
  )
}
