import { useEffect, useRef } from 'preact/hooks'
import { Button, Why } from '../../components/form.tsx'
import { Pane } from '../../components/pane.tsx'
import { formatNumber } from '../../data/formats.ts'
import { mayWrite } from '../../data/session.ts'
import { address } from '../../router.ts'
import { importFolder, type Progress, progress, stop } from './run.ts'
import { unzipped } from './unzip.ts'
import type { VaultFile } from './vault.ts'

const FIRST = 100

/** Brings a folder of Markdown files in, as Obsidian and others keep one: notes, their tags and properties, and their files. */
export function Main() {
  const found = progress.value
  const begin = (folder: string, files: readonly VaultFile[]) => {
    if (files.length > 0 && !progress.peek()?.isRunning) void importFolder(folder, files)
  }
  const drop = useFolderDrop(begin)
  return (
    <main id="main">
      <Pane kind="content" label="Import">
        <header class="bar">
          <h1>Import a folder</h1>
        </header>
        {mayWrite.value ? (
          <section class="setting" ref={drop}>
            <header>
              <h2>A folder of Markdown files</h2>
              <p>
                Every file becomes a note: its name the title, its folder a tag, its front matter tags and
                properties. Links and pictures are kept. Nothing that is here already is changed.
              </p>
            </header>
            <div class="stack">
              <label class="field">
                <span>Choose the folder, or drop it here</span>
                <input
                  class="input file"
                  type="file"
                  multiple
                  disabled={found?.isRunning}
                  ref={(input) => input?.setAttribute('webkitdirectory', '')}
                  onChange={({ currentTarget }) => {
                    const files = [...(currentTarget.files ?? [])].map((file) => below(file))
                    const [folder = 'folder'] = currentTarget.files?.[0]?.webkitRelativePath.split('/') ?? []
                    begin(folder, files)
                  }}
                />
              </label>
              <label class="field">
                <span>Or a zip file of one</span>
                <input
                  class="input file"
                  type="file"
                  accept=".zip,application/zip"
                  disabled={found?.isRunning}
                  onChange={async ({ currentTarget }) => {
                    const [zip] = currentTarget.files ?? []
                    if (zip) begin(zip.name, await unzipped(zip))
                  }}
                />
              </label>
              {found && <Report found={found} />}
            </div>
          </section>
        ) : (
          <p class="empty">Only who may write can import.</p>
        )}
      </Pane>
    </main>
  )
}

/** Takes a folder or a zip file that is dropped on an element. */
function useFolderDrop(begin: (folder: string, files: readonly VaultFile[]) => void) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = place.current
    const over = (event: DragEvent) => event.preventDefault()
    const drop = async (event: DragEvent) => {
      event.preventDefault()
      const [item] = event.dataTransfer?.items ?? []
      const entry = item?.webkitGetAsEntry()
      const file = item?.getAsFile()
      if (entry?.isDirectory) begin(entry.name, await filesOf(entry as FileSystemDirectoryEntry))
      else if (file?.name.endsWith('.zip')) begin(file.name, await unzipped(file))
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

/** The path below the folder that was chosen. */
const below = (file: File): VaultFile => ({
  path: file.webkitRelativePath.split('/').slice(1).join('/') || file.name,
  file,
})

/** Every file below a folder that was dropped. */
async function filesOf(folder: FileSystemDirectoryEntry, path = ''): Promise<VaultFile[]> {
  const reader = folder.createReader()
  const found: VaultFile[] = []
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (entries.length === 0) return found
    for (const entry of entries) {
      const name = `${path}${entry.name}`
      if (entry.isDirectory) found.push(...(await filesOf(entry as FileSystemDirectoryEntry, `${name}/`)))
      else {
        const file = await new Promise<File>((resolve, reject) =>
          (entry as FileSystemFileEntry).file(resolve, reject),
        )
        found.push({ path: name, file })
      }
    }
  }
}

function Report({ found }: { found: Progress }) {
  const { isRunning, of, done, notes, files, before, refused, stopped } = found
  const counts = [
    `${formatNumber(notes)} notes`,
    `${formatNumber(files)} files`,
    before > 0 && `${formatNumber(before)} were here already`,
    refused.length > 0 && `${formatNumber(refused.length)} refused`,
  ]
  return (
    <>
      <progress
        value={isRunning ? done / Math.max(1, of) : 1}
        aria-label="How much of the folder is imported"
      />
      <p role="status">
        {isRunning ? 'Importing…' : stopped === undefined ? 'Done.' : 'Stopped.'}{' '}
        {counts.filter(Boolean).join(', ')}.
      </p>
      {stopped !== undefined && <Why>{stopped} Choose the folder again: it goes on where it was.</Why>}
      <p class="actions">
        {isRunning ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <a class="button main" href={address(['notes'])}>
            Show the notes
          </a>
        )}
      </p>
      {refused.length > 0 && (
        <ul class="plain">
          {refused.slice(0, FIRST).map(({ path, why }) => (
            <li key={path}>
              <b>{path}</b>: {why}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
