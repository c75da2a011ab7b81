import { Button } from '../../components/form.tsx'
import { Remarks } from './import-report.tsx'
import type { FolderNode, ImportPreview } from './preview.ts'
import { confirm, countText, type Progress, stop } from './run.ts'

const PROGRAMS: Readonly<Record<ImportPreview['program'], string | undefined>> = {
  obsidian: undefined,
  logseq: 'This is a Logseq graph.',
  notion: 'This is a Notion export.',
  bear: 'This is a backup of Bear.',
}

const contentOf = ({ notes, files }: { readonly notes: number; readonly files: number }): string =>
  [countText(notes, 'note', 'notes'), countText(files, 'file', 'files')].filter(Boolean).join(', ')

/** The effect of the import, with the buttons that start or cancel it. */
export function Preview({ preview, report }: { readonly preview: ImportPreview; readonly report: Progress }) {
  const { program, folders, properties } = preview
  const { refused, changed, skipped } = report
  return (
    <>
      <p role="status">
        {PROGRAMS[program]} Ready to import {contentOf(preview)}. Nothing is written yet.
      </p>
      <p class="actions">
        <Button kind="main" onClick={confirm}>
          Import
        </Button>
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
                <b>{label}</b>: {type}
              </li>
            ))}
          </ul>
        </details>
      )}
      <Remarks title="Cannot be imported" remarks={refused} isOpen />
      <Remarks title="Will change" remarks={changed} isOpen />
      <Remarks title="Skipped" remarks={skipped} />
    </>
  )
}

function Folders({ folders }: { readonly folders: readonly FolderNode[] }) {
  return (
    <ul>
      {folders.map((folder) => (
        <li key={folder.name}>
          <b>{folder.name}</b>: {contentOf(folder)}
          {folder.folders.length > 0 && <Folders folders={folder.folders} />}
        </li>
      ))}
    </ul>
  )
}
