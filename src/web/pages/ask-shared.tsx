import { ask } from '../components/ask.tsx'
import { Button } from '../components/form.tsx'
import { Modal } from '../components/modal.tsx'
import { counted } from '../data/formats.ts'
import type { SharedNote } from '../offline/shared.ts'

/** The number of characters shown of a text. */
const SHOWN = 300

const beginningOf = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)

/** Asks whether to create a note from shared content; undefined if the user postpones the answer. */
export const confirmShared = ({ title, content, files }: SharedNote): Promise<boolean | undefined> =>
  ask((answer) => (
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
        <p class="dim">{`${counted(files.length, 'file')}: ${beginningOf(files.join(', '))}`}</p>
      )}
      <p class="actions">
        <Button kind="main" onClick={() => answer(true)}>
          Save as a note
        </Button>
        <Button onClick={() => answer(false)}>Discard</Button>
      </p>
    </Modal>
  ))
