import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Pane } from '../../components/pane.tsx'
import { mayWrite } from '../../data/session.ts'
import { filesOfZip, type SelectedFolder } from './folder.ts'
import { Report } from './import-report.tsx'
import { importFolder, progress } from './run.ts'
import { filesOfEntry, filesOfInput } from './selected-files.ts'

type Open = () => SelectedFolder | Promise<SelectedFolder>

/** Imports a folder of Markdown files, such as an Obsidian vault: notes with their tags, properties and files. */
export function Main() {
  return (
    <main id="main">
      <Pane kind="content" label="Import">
        <header class="bar">
          <h1>Import a folder</h1>
        </header>
        {mayWrite.value ? (
          <Folder />
        ) : (
          <p class="empty">You have read access. Ask an owner for write access to import notes.</p>
        )}
      </Pane>
    </main>
  )
}

function Folder() {
  const foldersAsTags = useSignal(true)
  const isRunning = progress.value?.isRunning === true
  const start = (open: Open) => void importFolder(open, { foldersAsTags: foldersAsTags.peek() })
  const place = useFolderDrop(start)
  return (
    <section class="setting" ref={place}>
      <header>
        <h2>A folder of Markdown files</h2>
        <p>
          Markdown files become notes; other files are added as files. Front matter becomes tags, aliases and
          properties, and links still lead to the same notes. You see the result before anything is written.
          Interrupted? Choose the folder again.
        </p>
      </header>
      <div class="stack">
        <label class="check">
          <input
            type="checkbox"
            checked={foldersAsTags.value}
            disabled={isRunning}
            onChange={({ currentTarget }) => {
              foldersAsTags.value = currentTarget.checked
            }}
          />
          <span>Tag each note with the path of its folder</span>
        </label>
        <label class="field">
          <span>Choose the folder, or drop it here</span>
          <input
            class="input file"
            type="file"
            multiple
            disabled={isRunning}
            ref={(input) => input?.setAttribute('webkitdirectory', '')}
            onChange={({ currentTarget }) => {
              const files = [...(currentTarget.files ?? [])]
              currentTarget.value = ''
              if (files.length > 0) start(() => filesOfInput(files))
            }}
          />
        </label>
        <label class="field">
          <span>Or a ZIP file</span>
          <input
            class="input file"
            type="file"
            accept=".zip,application/zip"
            disabled={isRunning}
            onChange={({ currentTarget }) => {
              const [zip] = currentTarget.files ?? []
              currentTarget.value = ''
              if (zip) start(() => filesOfZip(zip))
            }}
          />
        </label>
        <Report />
      </div>
    </section>
  )
}

/** Imports a folder or ZIP file dropped on an element. */
function useFolderDrop(start: (open: Open) => void) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = place.current
    const over = (event: DragEvent) => event.preventDefault()
    const drop = (event: DragEvent) => {
      event.preventDefault()
      // The dropped items can be read only during this event.
      const open = dropped(event.dataTransfer?.items)
      if (open) start(open)
    }
    element?.addEventListener('dragover', over)
    element?.addEventListener('drop', drop)
    return () => {
      element?.removeEventListener('dragover', over)
      element?.removeEventListener('drop', drop)
    }
  }, [])
  return place
}

function dropped(items: DataTransferItemList | undefined): Open | undefined {
  const [item, another] = items ?? []
  if (item?.kind !== 'file') return undefined
  const entry = item.webkitGetAsEntry()
  const file = item.getAsFile()
  if (!another && entry?.isDirectory) return () => filesOfEntry(entry as FileSystemDirectoryEntry)
  if (!another && file?.name.toLowerCase().endsWith('.zip')) return () => filesOfZip(file)
  return () => {
    throw new Error('Drop one folder or one ZIP file.')
  }
}
