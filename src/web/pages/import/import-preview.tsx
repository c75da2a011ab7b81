import { Button } from '../../components/form.tsx'
import { SampleRows } from '../../components/sample-rows.tsx'
import { formatNumber } from '../../data/formats.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/import.css' with { type: 'text' }
import { Remarks } from './import-report.tsx'
import type { FolderNode, ImportPreview, TablePreview } from './preview.ts'
import { confirm, countText, type Progress, stop } from './run.ts'

addStyles(styles)

const PROGRAMS: Readonly<Record<ImportPreview['program'], string | undefined>> = {
  obsidian: undefined,
  logseq: 'This is a Logseq graph.',
  notion: 'This is a Notion export.',
  bear: 'This is a backup of Bear.',
}

interface Content {
  readonly notes: number
  readonly files: number
  readonly tables?: readonly unknown[]
}

const contentOf = ({ notes, files, tables = [] }: Content): string =>
  [
    countText(notes, 'note', 'notes'),
    countText(files, 'file', 'files'),
    countText(tables.length, 'table', 'tables'),
  ]
    .filter(Boolean)
    .join(', ')

/** The effect of the import, with the buttons that start or cancel it. */
export function Preview({ preview, report }: { readonly preview: ImportPreview; readonly report: Progress }) {
  const { program, folders, properties, tables } = preview
  const { refused, changed, skipped, undo } = report
  return (
    <>
      <p role="status">
        {PROGRAMS[program]} Ready to import {contentOf(preview)}.{' '}
        {undo ? 'An earlier import of this folder was interrupted.' : 'Nothing is written yet.'}
      </p>
      <p class="actions">
        <Button kind="main" onClick={confirm}>
          {undo ? 'Continue import' : `Import ${contentOf(preview)}`}
        </Button>
        {undo && <Button onClick={() => void undo()}>Undo import</Button>}
        <Button onClick={stop}>Cancel</Button>
      </p>
      {folders.folders.length > 0 && (
        <details open>
          <summary>Folders</summary>
          <Folders folders={folders.folders} />
        </details>
      )}
      {properties.length > 0 && (
        <details open>
          <summary>New properties ({properties.length})</summary>
          <ul class="plain">
            {properties.map(({ key, label, type }) => (
              <li key={key}>
                <span>
                  <b>{label}</b>: {type}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {tables.map((table) => (
        <Table key={table.name} table={table} />
      ))}
      <Remarks title="Cannot be imported" remarks={refused} isOpen />
      <Remarks title="Will change" remarks={changed} isOpen />
      <Remarks title="Skipped" remarks={skipped} />
    </>
  )
}

function Folders({ folders }: { readonly folders: readonly FolderNode[] }) {
  return (
    <ul class="folders">
      {folders.map((folder) => (
        <li key={folder.name}>
          <b>{folder.name}</b>: {contentOf(folder)}
          {folder.folders.length > 0 && <Folders folders={folder.folders} />}
        </li>
      ))}
    </ul>
  )
}

/** The columns of a new table with their types, and its first rows. */
function Table({ table: { name, columns, rows, row_count: count } }: { readonly table: TablePreview }) {
  return (
    <details open>
      <summary>
        Table {name} ({countText(count, 'row', 'rows') || 'no rows'})
      </summary>
      <SampleRows label={`Columns of ${name}`} columns={columns} rows={rows} />
      {count > rows.length && <p>… and {formatNumber(count - rows.length)} more.</p>}
    </details>
  )
}
