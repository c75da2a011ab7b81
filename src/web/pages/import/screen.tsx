import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Pane } from '../../components/pane.tsx'
import { mayWrite } from '../../data/session.ts'
import { filesOfEntry, filesOfInput } from './chosen.ts'
import { type ChosenFolder, filesOfZip } from './folder.ts'
import { Report } from './report.tsx'
import { importFolder, progress } from './run.ts'

type Open = () => ChosenFolder | Promise<ChosenFolder>

/** Imports a folder of Markdown files, as Obsidian and others keep one: notes, their tags and properties, and their files. */
export function Main() {
  return (
    <main id="main">
      <Pane kind="content" label="Import">
        <header class="bar">
          <h1>Import a folder</h1>
        </header>
        {mayWrite.value ? <Folder /> : <p class="empty">Only who may write can import.</p>}
      </Pane>
    </main>
  )
}

function Folder() {
  const foldersAsTags = useSignal(false)
  const isRunning = progress.value?.isRunning === true
  const begin = (open: Open) => void importFolder(open, { foldersAsTags: foldersAsTags.peek() })
  const place = useFolderDrop(begin)
  return (
    <section class="setting" ref={place}>
      <header>
        <h2>A folder of Markdown files</h2>
        <p>
          Every Markdown file becomes a note, every other file a file. Front matter becomes tags, alias and
          properties, and links lead to what they lead to in the folder. Nothing that is here already is
          changed. An import that broke off goes on when the folder is chosen again.
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
          <span>Add the path of its folder as a tag to each note</span>
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
              if (files.length > 0) begin(() => filesOfInput(files))
            }}
          />
        </label>
        <label class="field">
          <span>Or a zip file of one</span>
          <input
            class="input file"
            type="file"
            accept=".zip,application/zip"
            disabled={isRunning}
            onChange={({ currentTarget }) => {
              const [zip] = currentTarget.files ?? []
              currentTarget.value = ''
              if (zip) begin(() => filesOfZip(zip))
            }}
          />
        </label>
        <Report />
      </div>
    </section>
  )
}

/** Takes a folder or a zip file that is dropped on an element. */
function useFolderDrop(begin: (open: Open) => void) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = place.current
    const over = (event: DragEvent) => event.preventDefault()
    const drop = (event: DragEvent) => {
      event.preventDefault()
      // Once this event is over, what was dropped can no longer be asked for.
      const open = dropped(event.dataTransfer?.items)
      if (open) begin(open)
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
    throw new Error('Drop one folder, or one zip file of one.')
  }
}
