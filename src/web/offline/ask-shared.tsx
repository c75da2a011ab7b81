import { render } from 'preact'
import { Button } from '../components/form.tsx'
import { Modal } from '../components/modal.tsx'

/** The text of the new note, and the names of the shared files. */
export interface SharedNote {
  readonly title: string
  readonly content: string
  readonly files: readonly string[]
}

/** The number of characters shown of a text. */
const SHOWN = 300

const beginningOf = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)

/** Asks whether to create a note from shared content; undefined if the user postpones the answer. */
export function confirmShared({ title, content, files }: SharedNote): Promise<boolean | undefined> {
  const place = document.createElement('div')
  document.body.append(place)
  return new Promise((resolve) => {
    const answer = (isKept: boolean | undefined) => {
      render(null, place)
      place.remove()
      resolve(isKept)
    }
    render(
      <Modal title="Save as a note?" onClose={() => answer(undefined)}>
        {/* Focused instead of a button, so that a key press meant for the website cannot answer. */}
        <p tabIndex={-1} autofocus>
          A website or app sent this to daybook. Discard it if you did not share it yourself.
        </p>
        <p>
          <strong>{title}</strong>
        </p>
        {content !== '' && <p>{beginningOf(content)}</p>}
        {files.length > 0 && (
          <p class="dim">{`${files.length === 1 ? '1 file' : `${files.length} files`}: ${beginningOf(files.join(', '))}`}</p>
        )}
        <p class="actions">
          <Button kind="main" onClick={() => answer(true)}>
            Save as a note
          </Button>
          <Button onClick={() => answer(false)}>Discard</Button>
        </p>
      </Modal>,
      place,
    )
  })
}
